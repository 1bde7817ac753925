"""What decided the questions of a run, in words: the estimator, whose gate, at which threshold, and its warnings."""

from typing import TYPE_CHECKING

from rag.confidence.calibrated import FILE_NAME, Calibrated

if TYPE_CHECKING:
    from rag.candor import Candor


def decided_by(candor: "Candor") -> tuple[str, ...]:
    """Return what decides with the settings of a Candor: a sentence, and one for each warning about its index."""
    settings = candor.settings
    estimator = candor.wiring.estimators[settings.estimator]
    set_to = settings.confidence_threshold
    limit = estimator.threshold if set_to is None else set_to
    whose = f"estimator {settings.estimator!r}"
    warnings: tuple[str, ...] = ()
    if isinstance(estimator, Calibrated):
        own = settings.gate_home / FILE_NAME
        whose = f"the gate {own}" if own.is_file() else "the gate that came with Candor"
        warnings = estimator.warnings()
    instead = "" if set_to is None else f" (as set; its own is {estimator.threshold:.4f})"
    decided = f"Decided by {whose}, threshold {limit:.4f}{instead}."
    return (decided, *warnings)
