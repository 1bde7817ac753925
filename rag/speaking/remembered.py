"""A check that judges nothing twice: a model's sentences are checked as they come, and again with the whole draft."""

from collections.abc import Sequence

from rag.protocols import Evidence, GroundingCheck, Support


class Remembered:
    """Implements `GroundingCheck` by another one, for as long as one answer is made."""

    def __init__(self, check: GroundingCheck) -> None:
        self.name, self.threshold = check.name, check.threshold
        self._check = check
        self._ordering: dict[str, bool] = {}
        self._known: dict[tuple[str, Evidence], Support] = {}

    def judge(self, claim: str, texts: Sequence[Evidence]) -> list[Support]:
        """Return how strongly each text carries the claim."""
        new = [text for text in dict.fromkeys(texts) if (claim, text) not in self._known]
        if new:
            self._known.update(
                {(claim, text): one for text, one in zip(new, self._check.judge(claim, new), strict=True)}
            )
        return [self._known[claim, text] for text in texts]

    def gives_orders(self, texts: Sequence[str]) -> list[bool]:
        """Return of each text whether it gives orders to an assistant."""
        new = [text for text in dict.fromkeys(texts) if text not in self._ordering]
        self._ordering.update(zip(new, self._check.gives_orders(new) if new else (), strict=True))
        return [self._ordering[text] for text in texts]

    def is_abstention(self, reply: str) -> bool:
        """Return whether a reply says that the passages do not answer."""
        return self._check.is_abstention(reply)
