"""What kind of opening a text is, by a multinomial regression on its vector and its words.

The weights are trained on examples (`training/openings.py`): no list of words decides. They belong to one embedding
model; with another every text is a question to the documents.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag.errors import ConfigurationError
from rag.opening.features import features_of
from rag.opening.kinds import KINDS, Opening
from rag.protocols import Vector

WEIGHTS: Final = Path(__file__).parents[1] / "weights" / "openings.safetensors"
SHA256: Final = "7a82b49b0d59ddc80b9c522fb119cf76e85e2458266717c6f149759511739fbf"
"""The digest of the weights; `docs/decisions/0022-language-detection.md` has their figures."""
EMBEDDING: Final = "all-MiniLM-L6-v2@53aa51172d14/"
"""How the fingerprint of the embedding model begins that the weights belong to."""
THRESHOLD: Final = 0.3
"""How likely it must be that a text is no question to the documents: ordinary questions come first."""
WORDS_COUNT: Final = 2.0
"""By how much the words count against the vector, each of length 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The regression: `vector` has shape `(kinds, 384)`, `words` `(kinds, WIDTH)`, `bias` `(kinds,)`; float32."""

    vector: NDArray[np.float32]
    words: NDArray[np.float32]
    bias: NDArray[np.float32]

    def probabilities(self, question: str, vector: Vector) -> NDArray[np.float32]:
        """Return how likely each of `KINDS` is: shape `(kinds,)`, together 1."""
        logits = self.bias + self.vector @ vector
        if features := features_of(question):
            logits = logits + WORDS_COUNT * (
                self.words[:, list(features)] @ np.array(list(features.values()), np.float32)
            )
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum(), dtype=np.float32)


def opening_of(question: str, vector: Vector, *, embedding: str) -> Opening:
    """Return what kind of opening a text is.

    Args:
        question: As it was asked.
        vector: Its embedding.
        embedding: The fingerprint of the model that made the vector.

    Raises:
        ConfigurationError: The weights are missing or not the published ones.
    """
    if not embedding.startswith(EMBEDDING):
        return Opening("question", 1.0)
    found = load_weights().probabilities(question, vector)
    other = float(found[1:].sum())
    return Opening(KINDS[1 + int(found[1:].argmax())], other) if other >= THRESHOLD else Opening("question", 1 - other)


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Return the weights that come with Candor, checked.

    Raises:
        ConfigurationError: The file cannot be read, or is another one.
    """
    from safetensors.numpy import load

    try:
        data = WEIGHTS.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"The weights {WEIGHTS} cannot be read: {error}. Install Candor again.") from error
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise ConfigurationError(
            f"The weights {WEIGHTS} have SHA-256 {found}, expected {SHA256}: the file is damaged or was replaced. "
            f"Install Candor again."
        )
    held = load(data)
    return Weights(*(held[name].astype(np.float32) for name in ("vector", "words", "bias")))
