"""What kind of opening a text is (`rag.opening.regression`, trained by `training/openings.py`).

With another embedding model than the one that the weights belong to, every text is a question to the documents.
"""

from functools import lru_cache
from typing import Final

from rag.opening.kinds import KINDS, OpeningKind
from rag.opening.regression import EMBEDDING, FOLDER, WORDS_COUNT, Weights, read_tensors
from rag.protocols import Vector

__all__ = ["EMBEDDING", "THRESHOLD", "WORDS_COUNT", "load_weights", "opening_of"]

WEIGHTS: Final = FOLDER / "openings.safetensors"
SHA256: Final = "4d6894a1f2250e9fca1fc5256f9b2a2a24c4c01f3d884f67f1cd128fa3aca46b"
"""The digest of the weights; `docs/decisions/0022-language-detection.md` has their figures."""
THRESHOLD: Final = 0.4
"""How likely it must be that a text is no question to the documents: ordinary questions come first."""


def opening_of(question: str, vector: Vector, *, embedding: str) -> OpeningKind:
    """Return what kind of opening a text is; one without a letter is none.

    Raises:
        ConfigurationError: The weights are missing or not the published ones.
    """
    if not embedding.startswith(EMBEDDING) or not any(map(str.isalpha, question)):
        return "question"
    found = load_weights().probabilities(question, vector)
    return KINDS[1 + int(found[1:].argmax())] if float(found[1:].sum()) >= THRESHOLD else "question"


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Return the weights that come with Candor, checked.

    Raises:
        ConfigurationError: The file cannot be read, or is another one.
    """
    return Weights(**read_tensors(WEIGHTS, SHA256))
