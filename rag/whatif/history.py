"""Settings that are promoted, in words: in one order, and from what to what; and what a history of them says.

The note of a promotion holds, below what somebody typed into one line, what changed and what it was chosen on: lines
that begin with `CHANGED` and `CHOSEN`.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rag.workspace.in_force import CHOSEN_FOR, THRESHOLDS
from rag.workspace.values import Promotion

if TYPE_CHECKING:
    from rag.settings import Settings

ORDER = (
    "confidence_threshold",
    "unsure_threshold",
    "estimator",
    "gate_dir",
    "similarity_threshold",
    "top_k",
    "dense_weight",
)
"""The settings that can be promoted, the one that decides most first."""
ESTIMATORS = {
    "calibrated": "Calibrated",
    "mean_similarity": "Mean similarity",
    "max_similarity": "Best similarity",
}
"""What the estimators of confidence are called."""
SETTINGS = {"top_k": "passages", "dense_weight": "weight of similarity"}
"""What settings are called where their names say too little."""
ENVIRONMENT = "the environment's"
"""What stands for a value that no promotion had set."""
CHANGED = "Changed: "
CHOSEN = "Chosen on "
_OWN = "the estimator's own"


def in_digits(threshold: float) -> str:
    """Return a threshold with all the digits that decide, two at least.

    >>> in_digits(0.5), in_digits(0.7019), in_digits(1.0)
    ('0.50', '0.7019', '1.00')
    """
    return f"{threshold:.2f}" if round(threshold, 2) == threshold else f"{threshold:.4f}"


def own(threshold: float) -> str:
    """Return the threshold of an estimator that decides by its own.

    >>> own(0.7019)
    "0.7019 (the estimator's own)"
    """
    return f"{in_digits(threshold)} ({_OWN})"


def settings_of(settings: "Settings") -> dict[str, object]:
    """Return the settings that can be promoted by name, as they are in force."""
    return {name: getattr(settings, name) for name in ORDER}


def changes(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Return what differs between two sets of settings in words, the threshold first; words stand for themselves.

    >>> changes({"top_k": 5}, {"top_k": 3, "confidence_threshold": 0.71})
    ["confidence threshold the environment's → 0.71", 'passages 5 → 3']
    """
    names = [*ORDER, *sorted({*before, *after} - {*ORDER, CHOSEN_FOR})]
    called, missing = {"gate_dir": "gate", **SETTINGS}, object()
    return [
        f"{called.get(name, name.replace('_', ' '))} {_value(name, before)} → {_value(name, after)}"
        for name in names
        if before.get(name, missing) != after.get(name, missing)
    ]


def _value(name: str, settings: Mapping[str, object]) -> str:
    """Return a value in words; of a gate its fingerprint, not where it lies."""
    value = settings.get(name)
    if name not in settings or (name == "gate_dir" and value is None):
        return ENVIRONMENT
    if value is None:
        return _OWN if name in THRESHOLDS else "default"
    if name == "gate_dir":
        return str(value).rstrip("/").rsplit("/", 1)[-1]
    if name == "estimator":
        return ESTIMATORS.get(str(value), str(value))
    return in_digits(value) if isinstance(value, float) else str(value)


def signed(note: str, changed: Sequence[str], chosen: str) -> str:
    """Return the note that is kept: what was typed, what changed, and on what it was chosen; empty ones left out."""
    told = [CHANGED + "; ".join(changed)] if changed else []
    return "\n".join([" ".join(note.split()), *told, *([CHOSEN + chosen] if chosen else [])])


def why(promotion: Promotion) -> str:
    """Return what was typed, without what was added below it."""
    return "\n".join(line for line in promotion.note.split("\n") if not line.startswith((CHANGED, CHOSEN)))


def _told(promotion: Promotion, begins: str) -> str:
    """Return the line that begins so of what was added below the note, without its beginning; empty without one."""
    return next((line.removeprefix(begins) for line in promotion.note.split("\n") if line.startswith(begins)), "")


def _state_of(promotion: Promotion, history: Sequence[Promotion]) -> str:
    """Return whether a promotion is in force, was replaced by a later one, or was taken back."""
    if promotion.undone_at is not None:
        return "taken back"
    latest = max(one.number for one in history if one.undone_at is None)
    return "in force" if promotion.number == latest else "replaced"


def _changed_by(promotion: Promotion, history: Sequence[Promotion]) -> str:
    """Return what a promotion changed: as it was shown when it was signed, else from the one in force before it."""
    if told := _told(promotion, CHANGED):
        return told
    earlier = (one for one in history if one.number < promotion.number)
    stood = (one for one in earlier if one.undone_at is None or one.undone_at > promotion.created_at)
    before = next(stood, None)
    return "; ".join(changes(before.settings if before else {}, promotion.settings)) or "nothing"


def history_rows(history: Sequence[Promotion]) -> list[dict[str, object]]:  # rows of a table, not data handed on
    """Return the promotions as rows, newest first: what each changed stands before why and by whom."""
    return [
        {
            "No.": one.number,
            "State": _state_of(one, history),
            "Changed": _changed_by(one, history),
            "Why": why(one),
            "Who": one.by or "–",
            "When": _moment(one.created_at),
            "Chosen on": _told(one, CHOSEN),
            "Undone": _moment(one.undone_at) if one.undone_at else "",
            "Undone by": (one.undone_by or "–") if one.undone_at else "",
        }
        for one in history
    ]


def _moment(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
