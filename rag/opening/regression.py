"""A multinomial regression on a question's vector and its words, and its weights.

The weights are trained on examples (`training/`): no list of words decides. They belong to one embedding model.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag.errors import ConfigurationError
from rag.opening.features import features_of
from rag.protocols import Vector

FOLDER: Final = Path(__file__).parents[1] / "weights"
EMBEDDING: Final = "all-MiniLM-L6-v2@53aa51172d14/"
"""How the fingerprint of the embedding model begins that the weights belong to."""
WORDS_COUNT: Final = 2.0
"""By how much the words count against the vector, each of length 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The regression: `vector` has shape `(kinds, 384)`, `words` `(kinds, WIDTH)`, `bias` `(kinds,)`; float32."""

    vector: NDArray[np.float32]
    words: NDArray[np.float32]
    bias: NDArray[np.float32]

    def probabilities(self, question: str, vector: Vector) -> NDArray[np.float32]:
        """Return how likely each kind is: shape `(kinds,)`, together 1."""
        logits = self.bias + self.vector @ vector
        if features := features_of(question):
            logits = logits + WORDS_COUNT * (
                self.words[:, list(features)] @ np.array(list(features.values()), np.float32)
            )
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum(), dtype=np.float32)


def read_tensors(path: Path, sha256: str) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a file that comes with Candor, by name, checked.

    Raises:
        ConfigurationError: The file cannot be read, or is another one.
    """
    from safetensors.numpy import load

    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"The weights {path} cannot be read: {error}. Install Candor again.") from error
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ConfigurationError(
            f"The weights {path} have SHA-256 {found}, expected {sha256}: the file is damaged or was replaced. "
            f"Install Candor again."
        )
    return {name: tensor.astype(np.float32) for name, tensor in load(data).items()}
