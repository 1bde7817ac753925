"""Whether a question asks for a whole list or procedure, or for one item, step or fact.

A regression on the question's vector and words (`rag.opening.regression`), trained by `training/lists.py`.
"""

from functools import lru_cache
from typing import Final

from rag.opening.regression import EMBEDDING, FOLDER, Weights, read_tensors
from rag.protocols import Vector

WEIGHTS: Final = FOLDER / "lists.safetensors"
SHA256: Final = "8006b9ee347fcb2fc0395a24341c011675b7c4016336f7f4bbad6f4ef3e5b0e7"
"""The digest of the weights that the figures in `docs/decisions/0023-quoting.md` are of."""
KINDS: Final = ("detail", "whole")
THRESHOLD: Final = 0.5
"""How likely it must be that a whole list is asked for."""


def asks_for_list(question: str, vector: Vector, *, embedding: str) -> bool:
    """Return whether a question asks for all of a list or procedure; with another embedding model it does not.

    Raises:
        ConfigurationError: The weights are missing or not the published ones.
    """
    if not embedding.startswith(EMBEDDING):
        return False
    return float(load_weights().probabilities(question, vector)[KINDS.index("whole")]) >= THRESHOLD


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Return the weights that come with Candor, checked.

    Raises:
        ConfigurationError: The file cannot be read, or is another one.
    """
    return Weights(**read_tensors(WEIGHTS, SHA256))
