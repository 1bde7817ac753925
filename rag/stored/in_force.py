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
from weakref import WeakKeyDictionary

from rag.errors import ConfigurationError, FolderUnwritable, ServiceUnavailable

if TYPE_CHECKING:
    from rag.candor import Candor
    from rag.settings import Settings
    from rag.stored.values import Promotion

THRESHOLDS: Final = ("confidence_threshold", "unsure_threshold")
"""The settings that mean something for one gate alone."""
CHOSEN_FOR: Final = "chosen_for"
"""Under this name a promotion holds the fingerprint of the gate that its thresholds were chosen for."""

_log = logging.getLogger(__name__)
FOLLOW_EVERY_S = 1.0
"""How often questions of a server look up at most what another process has promoted; a gate that it fitted they see
at once."""
AFTER_FAILURE_S = 30.0
"""How long whoever looks at intervals leaves a database alone that has not answered."""
Stamp = tuple[int, int, int]
"""Moment of the last change in nanoseconds, size in bytes and number of a file: another file has another."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What of a promotion can be used."""

    settings: dict[str, object]
    set_aside: str = ""
    """What was set aside and why, for people; empty: nothing."""


def standing(promotion: "Promotion", gate: str) -> Standing:
    """Return what of a promotion can be used with a gate: no thresholds that were chosen for another.

    Args:
        promotion: What was promoted; one of before thresholds were told apart names no gate, and is of another.
        gate: Fingerprint of the gate that decides.
    """
    moved = {name: value for name in THRESHOLDS if (value := promotion.settings.get(name)) is not None}
    chosen_for = promotion.settings.get(CHOSEN_FOR)
    if not moved or chosen_for == gate:
        return Standing(dict(promotion.settings))
    kept = {name: value for name, value in promotion.settings.items() if name not in (*THRESHOLDS, CHOSEN_FOR)}
    named = " and ".join(f"{name.replace('_', ' ')} {value}" for name, value in moved.items())
    was = f"the gate {chosen_for}" if chosen_for else "the gate of an earlier version"
    told = (
        f"Promotion {promotion.number} sets {named}. This is not used, because it was chosen for {was}, and now {gate} "
        "decides. Its own thresholds are used until you choose others on the page Tune."
    )
    return Standing(kept, told)


def gate_of(settings: "Settings", reader: str) -> str:
    """Return the fingerprint of the gate that decides under settings.

    Args:
        settings: They name estimator and folder.
        reader: Name and version of the reader in use.

    Raises:
        ConfigurationError: The fit is damaged.
    """
    from rag.confidence.calibrated import load_fit
    from rag.gate import MaxSimilarity, MeanSimilarity

    for rule in (MeanSimilarity, MaxSimilarity):
        if settings.estimator == rule.name:
            return rule.fingerprint
    return f"calibrated/{load_fit(settings.gate_home, reader=reader, decides=False).fit.fingerprint}"


@dataclass(slots=True)
class _Seen:
    """What was in force when it was last looked at."""

    promotion: int | None = None
    """Its number; None: none was."""
    gate: Stamp | None = None
    """Of the fit in the folder that decides; None: there is none, so the shipped one does."""
    looked_at: float = float("-inf")
    """When promotions were last looked up, in seconds of a clock of its own."""
    looking: Lock = field(default_factory=Lock)
    """Held by the one thread that looks."""
    applying: Lock = field(default_factory=Lock)
    """Held while what is in force is changed, so that it is what is noted here."""


_SEEN: "WeakKeyDictionary[Candor, _Seen]" = WeakKeyDictionary()


def put_in_force(candor: "Candor") -> None:
    """Let questions be asked with the promoted settings from now on, or with the environment's where there are none.

    Raises:
        ConfigurationError: A promoted setting is malformed.
        ServiceUnavailable: The database cannot be read.
    """
    seen = _SEEN.setdefault(candor, _Seen())
    with seen.applying:
        promotion = candor.put_in_force()
        seen.promotion, seen.gate = promotion.number if promotion else None, _stamp(candor)


def follow(candor: "Candor", *, every_s: float = 0.0) -> None:
    """Put in force what was promoted, taken back, fitted by `candor calibrate` or deleted since; before it is used.

    What cannot be read changes nothing: asking goes on with what was in force. While one thread looks, others go on.

    Args:
        candor: Whose questions are to be asked with it.
        every_s: Seconds between two looks into the database; the file of the gate is looked at always.

    Raises:
        ConfigurationError: A promoted setting is malformed.
    """
    seen = _SEEN.setdefault(candor, _Seen())
    if not seen.looking.acquire(blocking=False):
        return
    try:
        if _is_another_promotion(candor, seen, every_s) or _is_another_gate(candor, seen):
            put_in_force(candor)
    except (ServiceUnavailable, FolderUnwritable) as error:
        _log.warning("What others promoted is not known: %s", error.message)
    finally:
        seen.looking.release()


def _is_another_promotion(candor: "Candor", seen: _Seen, every_s: float) -> bool:
    """Return whether another promotion is in force than the one that was put in force last."""
    if (every_s and monotonic() - seen.looked_at < every_s) or not candor.wiring.has_sessions:
        return False
    seen.looked_at = monotonic() + AFTER_FAILURE_S
    current = candor.wiring.sessions.promotions.current()
    seen.looked_at = monotonic()
    return (current.number if current else None) != seen.promotion


def _is_another_gate(candor: "Candor", seen: _Seen) -> bool:
    """Return whether there is another fit than the one in force; of one that cannot be used it is told, once."""
    now = _stamp(candor)
    if now == seen.gate:
        return False
    from rag.confidence.calibrated import load_fit

    try:
        load_fit(_folder(candor), reader=candor.wiring.reader_name, decides=False)
    except ConfigurationError as error:
        seen.gate = now
        _log.warning("The gate that was in force stays: %s", error.message)
        return False
    return True


def _folder(candor: "Candor") -> Path:
    return candor.settings.gate_home


def _stamp(candor: "Candor") -> Stamp | None:
    """Return what tells the fit of the gate from another; None where there is none."""
    from rag.confidence.calibrated import FILE_NAME

    try:
        found = (_folder(candor) / FILE_NAME).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
