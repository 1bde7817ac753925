"""What decides, followed: promotions and gates that another process puts in force, or takes back, need no restart.

A threshold belongs to the gate whose confidences it was chosen on. Where another gate decides, as after another fit or
with another reader, promoted thresholds are set aside, and that is said.
"""

import logging
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final

from rag.errors import ConfigurationError, FolderUnwritable, ServiceUnavailable
from rag.settings import load_settings

if TYPE_CHECKING:
    from rag.candor import Candor
    from rag.settings import Settings
    from rag.workspace.values import Promotion

THRESHOLDS: Final = ("confidence_threshold", "unsure_threshold")  # the settings that mean something for one gate alone
CHOSEN_FOR: Final = "chosen_for"
"""Under this name a promotion holds the fingerprint of the gate that its thresholds were chosen for."""

_log = logging.getLogger(__name__)
FOLLOW_EVERY_S = 1.0
"""How often questions of a server look up at most what another process has promoted; a gate that it fitted they see
at once."""
AFTER_FAILURE_S = 30.0  # how long whoever looks at intervals leaves a database alone that has not answered
Stamp = tuple[int, int, int]
"""Moment of the last change in nanoseconds, size in bytes and number of a file: another file has another."""


@dataclass(slots=True)
class Seen:
    """What was in force when it was last looked at."""

    opened_with: "Settings"  # the settings that promoted ones are laid over
    promotion: int | None = None  # its number; None: none was
    gate: Stamp | None = None  # of the fit in the folder that decides; None: there is none, so the shipped one does
    looked_at: float = float("-inf")  # when promotions were last looked up, in seconds of a clock of its own
    looking: Lock = field(default_factory=Lock)  # held by the one thread that looks
    applying: Lock = field(default_factory=Lock)
    """Held while what is in force is changed, so that it is what is noted here."""


def put_in_force(candor: "Candor") -> "Promotion | None":
    """Let questions be asked with what is promoted now: see `Candor.put_in_force`."""
    seen = candor.seen
    with seen.applying:
        promotion = candor.wiring.sessions.promotions.current() if candor.wiring.has_sessions else None
        used, set_aside = usable(candor, promotion) if promotion else ({}, "")
        if set_aside and set_aside != candor.set_aside:
            _log.warning("%s", set_aside)
        candor.set_aside = set_aside
        candor.wiring.put_in_force(_with(seen, used))
        seen.promotion, seen.gate = promotion.number if promotion else None, _stamp(candor)
    used.pop(CHOSEN_FOR, None)
    return promotion.model_copy(update={"settings": used}) if promotion else None


def usable(candor: "Candor", promotion: "Promotion") -> tuple[dict[str, object], str]:
    """Return what of a promotion can be used, and in words what was set aside: thresholds chosen for another gate.

    Raises:
        ConfigurationError: A promoted setting is malformed.
    """
    used = dict(promotion.settings)
    if used.get("gate_dir") and not (Path(str(used["gate_dir"])) / "gate.json").is_file():
        missing = used.pop("gate_dir")
        _log.warning("The promoted gate %s is missing; the environment's gate is used. Promote another.", missing)
    moved = {name: value for name in THRESHOLDS if (value := used.get(name)) is not None}
    if not moved or used.get(CHOSEN_FOR) == (gate := _gate_of(_with(candor.seen, used), candor.wiring.reader_name)):
        return used, ""
    chosen_for = used.get(CHOSEN_FOR)
    named = " and ".join(f"{name.replace('_', ' ')} {value}" for name, value in moved.items())
    was = f"the gate {chosen_for}" if chosen_for else "the gate of an earlier version"
    told = (
        f"Promotion {promotion.number} sets {named}. This is not used, because it was chosen for {was}, and now {gate} "
        "decides. Its own thresholds are used until you choose others on the page Tune."
    )
    return {name: value for name, value in used.items() if name not in (*THRESHOLDS, CHOSEN_FOR)}, told


def _with(seen: Seen, promoted: dict[str, object]) -> "Settings":
    return load_settings(**{**seen.opened_with.model_dump(exclude_unset=True), **promoted})


def _gate_of(settings: "Settings", reader: str) -> str:
    """Return the fingerprint of the gate that decides under settings."""
    from rag.confidence.calibrated import load_fit
    from rag.gate import MaxSimilarity, MeanSimilarity

    for rule in (MeanSimilarity, MaxSimilarity):
        if settings.estimator == rule.name:
            return rule.fingerprint
    return f"calibrated/{load_fit(settings.gate_home, reader=reader, decides=False).fit.fingerprint}"


def follow(candor: "Candor", *, every_s: float = 0.0) -> None:
    """Put in force what was promoted, taken back, fitted by `candor calibrate` or deleted since; before it is used.

    What cannot be read changes nothing: asking goes on with what was in force. While one thread looks, others go on.

    Args:
        candor: Whose questions are to be asked with it.
        every_s: Seconds between two looks into the database; the file of the gate is looked at always.

    Raises:
        ConfigurationError: A promoted setting is malformed.
    """
    seen = candor.seen
    if not seen.looking.acquire(blocking=False):
        return
    try:
        if _is_another_promotion(candor, seen, every_s) or _is_another_gate(candor, seen):
            put_in_force(candor)
    except (ServiceUnavailable, FolderUnwritable) as error:
        _log.warning("What others promoted is not known: %s", error.message)
    finally:
        seen.looking.release()


def _is_another_promotion(candor: "Candor", seen: Seen, every_s: float) -> bool:
    if (every_s and monotonic() - seen.looked_at < every_s) or not candor.wiring.has_sessions:
        return False
    seen.looked_at = monotonic() + AFTER_FAILURE_S
    current = candor.wiring.sessions.promotions.current()
    seen.looked_at = monotonic()
    return (current.number if current else None) != seen.promotion


def _is_another_gate(candor: "Candor", seen: Seen) -> bool:
    """Return whether there is another fit than the one in force; of one that cannot be used it is told, once."""
    now = _stamp(candor)
    if now == seen.gate:
        return False
    from rag.confidence.calibrated import load_fit

    try:
        load_fit(candor.settings.gate_home, reader=candor.wiring.reader_name, decides=False)
    except ConfigurationError as error:
        seen.gate = now
        _log.warning("The gate that was in force stays: %s", error.message)
        return False
    return True


def _stamp(candor: "Candor") -> Stamp | None:
    """Return what tells the fit of the gate from another; None where there is none."""
    from rag.confidence.calibrated import FILE_NAME

    try:
        found = (candor.settings.gate_home / FILE_NAME).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
