"""Which editions a question asks for, and the words by which it asks for the latest.

Two regressions, trained by `training/editions.py`: one on the question's vector and words (`rag.opening.regression`),
one on each word and those around it. Years, dates and versions are matters of form (`rag.text.editions`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag.opening.features import features_of_each
from rag.opening.regression import EMBEDDING, FOLDER, Weights, read_tensors
from rag.protocols import Span, Vector
from rag.ranking.superseded import EDITION_KINDS, EditionKind, EditionsAsked

WEIGHTS: Final = FOLDER / "editions.safetensors"
SHA256: Final = "3d6d24d43620acf8cb5647eed252590b1e836494ff67e2e8d5fae156ce086e0f"
"""The digest of the weights that the figures in `docs/decisions/0016-retrieval.md` are of."""
SEVERAL_FROM: Final = 0.4
"""How likely it must be that several editions are asked for: where that is unsure, all are searched."""
LATEST_FROM: Final = 0.5
"""How likely it must be that the latest edition is asked for: the others are not searched then, and words that say no
more than that are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class EditionWeights:
    """Both regressions: the kind of a question; `said`, shape `(WIDTH,)`, and its `bias` for a word."""

    kind: Weights
    said: NDArray[np.float32]
    bias: float

    def says_latest(self, question: str) -> list[Span]:
        """Return the places of the words and signs of a question that say no more than that the latest is meant."""
        return [
            span
            for span, found in features_of_each(question)
            if self.bias + sum(weight * float(self.said[number]) for number, weight in found.items()) > 0
        ]


def editions_asked(question: str, vector: Vector, *, embedding: str) -> EditionsAsked:
    """Return which editions a question asks for; with another embedding model it asks for none.

    Raises:
        ConfigurationError: The weights are missing or not the published ones.
    """
    if not embedding.startswith(EMBEDDING):
        return EditionsAsked("plain", question)
    weights = load_weights()
    found = weights.kind.probabilities(question, vector)
    kind = kind_of(found)
    return EditionsAsked(kind, without(question, weights.says_latest(question) if kind == "latest" else ()))


def kind_of(found: NDArray[np.floating]) -> EditionKind:
    """Return the kind that three probabilities speak for, given in the order of `EDITION_KINDS`.

    >>> kind_of(np.array([0.2, 0.7, 0.1])), kind_of(np.array([0.4, 0.3, 0.3]))
    ('latest', 'plain')
    """
    latest, several = (found[EDITION_KINDS.index(kind)] for kind in ("latest", "several"))
    return "several" if several >= SEVERAL_FROM else "latest" if latest >= LATEST_FROM else "plain"


def without(question: str, spans: Sequence[Span]) -> str:
    """Return a question without some of its words.

    >>> without("What is the latest fee?", [(12, 18)]), without("As of now, what is due?", [(0, 2), (3, 5), (6, 10)])
    ('What is the fee?', 'what is due?')
    """
    if not spans:
        return question
    left = "".join(one for place, one in enumerate(question) if not any(a <= place < b for a, b in spans))
    plain = " ".join(left.split()).lstrip(" ,:")
    for sign in "?.!,;:":
        plain = plain.replace(f" {sign}", sign)
    return plain if len(plain.split()) > 1 else question


@lru_cache(maxsize=1)
def load_weights() -> EditionWeights:
    """Return the weights that come with Candor, checked.

    Raises:
        ConfigurationError: The file cannot be read, or is another one.
    """
    held = read_tensors(WEIGHTS, SHA256)
    kind = Weights(*(held[name] for name in ("vector", "words", "bias")))
    return EditionWeights(kind, held["said"], float(held["said_bias"][0]))
