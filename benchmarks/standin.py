"""An embedder that makes vectors up, so that all but the model can be measured at sizes for which it would take hours.

It loads the model, runs it once at its largest batch, and keeps it: what the model costs in memory counts.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.synthetic import World
from rag import Candor
from rag.protocols import Matrix, Passage, PassageVectors

LONGEST = "firn " * 200


class StandIn:
    """The packaged embedder for questions, tokens and everything else; made-up vectors for passages."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._world, self._random = World.of(10_000), np.random.default_rng(5)
        inner.embed([LONGEST] * 16)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return the model's own vectors."""
        found: Matrix = self._inner.embed(texts)
        return found

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        """Return made-up vectors of the right number and shape."""
        return [
            PassageVectors(rows[0], rows[1:])
            for rows in (self._world.vectors(1 + len(item.sentences), self._random) for item in passages)
        ]


def stand_in(candor: Candor) -> None:
    """Let made-up vectors stand in for those of passages; call it before anything is ingested."""
    candor.wiring.__dict__["embedder"] = StandIn(candor.wiring.embedder)
