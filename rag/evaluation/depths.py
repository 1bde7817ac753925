"""What the calibrated estimator would have said of an answer's first 1, 2, 3 and so on passages.

An answer holds its passages with all readings, so that the gate can be asked again about fewer or more of them: no
search, no reading, no model that writes.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rag.models import Answer, Retrieval

if TYPE_CHECKING:
    from rag.wiring import Wiring

Depths = Callable[[Answer], tuple[float, ...]]
"""From an answer to the confidence with its first 1, 2, 3 and so on passages; empty where it has none."""


def depths_of(wiring: "Wiring") -> Depths:
    """Return the function that asks the calibrated estimator of a wiring about other numbers of passages."""
    gate = wiring.estimators["calibrated"]

    def confidences(answer: Answer) -> tuple[float, ...]:
        return tuple(
            round(gate.estimate(answer.query, Retrieval.model_construct(hits=answer.retrieved[:depth])).confidence, 6)
            for depth in range(1, len(answer.retrieved) + 1)
        )

    return confidences
