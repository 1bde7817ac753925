"""Any embedding model that sentence-transformers loads, in torch: for other models and other hardware."""

import hashlib
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rag.adapters.published import first_line, require_model
from rag.errors import EmbedderUnavailable
from rag.protocols import Matrix, Span


class SentenceTransformersEmbedder:
    """Any sentence-transformers model by name or path, in torch. Slower; for other models and other hardware.

    Raises:
        ConfigurationError: The name is a path at which there is no folder.
        EmbedderUnavailable: The model cannot be loaded.
    """

    def __init__(self, model: str, *, threads: int | None = None, local_files_only: bool = False) -> None:
        require_model(model, kind="embedding model", setting="CANDOR_EMBEDDING_MODEL")
        try:
            import torch
            from sentence_transformers import SentenceTransformer

            if threads:
                torch.set_num_threads(threads)
            self._model = SentenceTransformer(model, local_files_only=local_files_only)
        except Exception as error:
            raise EmbedderUnavailable(
                f"The embedding model {model!r} cannot be loaded: {first_line(error)}. "
                f"Name a local folder or a model that can be downloaded in CANDOR_EMBEDDING_MODEL."
            ) from error
        self._name = model
        self.max_pieces = int(self._model.max_seq_length or 512)
        self.pieces = _HuggingFacePieces(self._model.tokenizer)
        self._lock = threading.Lock()

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._model.get_embedding_dimension() or 0)

    @cached_property
    def fingerprint(self) -> str:
        """Model name, a probe of its weights, and the longest input."""
        probe = hashlib.sha256(np.round(self.embed(["candor"])[0], 2).tobytes()).hexdigest()[:12]
        return f"{Path(self._name).name}@{probe}/{self.max_pieces}"

    @property
    def backend(self) -> str:
        """What runs the model."""
        return "torch float32"

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit vector for each text."""
        with self._lock:
            vectors = self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32).reshape(len(texts), self.dimension)


class _HuggingFacePieces:
    """The tokenizer of a sentence-transformers model as a `PieceCounter`."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def spans(self, text: str) -> list[Span]:
        """Return the character span of every word piece of `text`, special pieces not counted."""
        encoding = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, truncation=False)
        return [(int(start), int(end)) for start, end in encoding["offset_mapping"]]
