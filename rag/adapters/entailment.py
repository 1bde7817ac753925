"""The entailment that comes with Candor: is a claim supported by a text, contradicted by it, or neither?

It is one head of the network that the reader reads with (docs/decisions/0007-grounding.md).
"""

from collections.abc import Sequence

from rag.adapters.mpnet_pairs import MpnetPairs, softmax
from rag.protocols import Verdict


class MpnetEntailment:
    """Judges claims by the shipped weights, and raises what they raise. Safe for use by several threads.

    Args:
        pairs: The network.
    """

    def __init__(self, pairs: MpnetPairs) -> None:
        self._pairs = pairs

    @property
    def name(self) -> str:
        """Name and version of the weights."""
        return f"mpnet-entailment@{self._pairs.described.digest}"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Return one verdict for each claim and text, in the order given.

        Args:
            pairs: A claim, and the text that it is held against; the end of a long text is cut (176 word pieces).
        """
        verdicts: dict[int, Verdict] = {}
        for found in self._pairs.run(self._pairs.cut([claim for claim, _ in pairs], [text for _, text in pairs])):
            for place, (supported, contradicted, _) in zip(found.places, softmax(found.entails).tolist(), strict=True):
                verdicts[place] = Verdict(supported, contradicted)
        return [verdicts[place] for place in range(len(pairs))]
