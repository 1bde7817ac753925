"""What decided the questions of a run, in words: the estimator, whose gate, at which threshold, and its warnings."""

from typing import TYPE_CHECKING

from rag.confidence.calibrated import FILE_NAME, Calibrated, load_fit

if TYPE_CHECKING:
    from rag.candor import Candor
    from rag.settings import Settings


def decided_by(candor: "Candor") -> tuple[str, ...]:
    """Return what decides with the settings of a Candor: a sentence, and one for each warning about its index."""
    settings = candor.settings
    estimator = candor.wiring.estimators[settings.estimator]
    if not isinstance(estimator, Calibrated):
        return (f"Decided by estimator {settings.estimator!r}, {_limit(settings, estimator.threshold)}.",)
    is_own = load_fit(settings.gate_home, reader=candor.wiring.reader_name, decides=False).is_own
    whose = f"the gate {settings.gate_home / FILE_NAME}" if is_own else "the gate that came with Candor"
    unsure, is_set = estimator.unsure_threshold, settings.unsure_threshold
    below = f"unsure from {unsure:.4f} on" if is_set is None else f"unsure from {is_set:.4f} on (as set)"
    return (f"Decided by {whose}, {_limit(settings, estimator.threshold)}, {below}.", *estimator.warnings())


def _limit(settings: "Settings", own: float) -> str:
    """Return the threshold that decides, in words."""
    is_set = settings.confidence_threshold
    return f"threshold {own:.4f}" if is_set is None else f"threshold {is_set:.4f} (as set; its own is {own:.4f})"
