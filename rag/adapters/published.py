"""Published models by hub name or folder, in torch, in place of the shipped ones: readers, entailment, embedding."""

import hashlib
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from rag.errors import ConfigurationError, EmbedderUnavailable
from rag.protocols import Judgement, Matrix, ReadingText, Span, Verdict

MARKED: Final = 4  # of so many texts, the likeliest, the sentences are judged one by one


def require_model(model: str, *, kind: str, setting: str) -> None:
    """Refuse a path at which there is no folder, in one line and before anything heavy is imported.

    >>> require_model("/nosuch", kind="reader", setting="CANDOR_READER_MODEL")
    Traceback (most recent call last):
    rag.errors.ConfigurationError: The reader '/nosuch' does not exist: there is no such folder. Correct \
CANDOR_READER_MODEL, or unset it to use Candor's own.
    """
    is_path = Path(model).is_absolute() or model.startswith((".", "~")) or model.count("/") > 1
    if is_path and not Path(model).is_dir():
        raise ConfigurationError(
            f"The {kind} {model!r} does not exist: there is no such folder. Correct {setting}, or unset it to use "
            "Candor's own."
        )


def first_line(error: Exception) -> str:
    """Return the first line of what a library says of a failure, without its full stop.

    >>> first_line(OSError("No such model."))
    'No such model'
    """
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


class NliEntailment:
    """An `Entailment`: a sentence-transformers cross-encoder with the labels `entailment` and `contradiction`.

    Raises:
        ConfigurationError: The name is a path at which there is no folder.
    """

    def __init__(self, model: str) -> None:
        require_model(model, kind="grounding model", setting="CANDOR_GROUNDING_MODEL")
        self.name = model

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Return one verdict for each claim and text, in the order given."""
        both = [(text, claim) for claim, text in pairs]
        rows = self._encoder.predict(both, apply_softmax=True, show_progress_bar=False)
        entailment, contradiction = self._labels
        return [
            Verdict(float(row[entailment]), float(row[contradiction]) if contradiction >= 0 else 0.0) for row in rows
        ]

    @cached_property
    def _encoder(self) -> Any:
        try:
            return _cross_encoder(self.name)
        except Exception as error:
            raise ConfigurationError(
                f"The grounding model {self.name!r} cannot be loaded: {first_line(error)}. Set "
                f"CANDOR_GROUNDING_MODEL to a hub name or folder of an NLI cross-encoder, or remove it."
            ) from error

    @cached_property
    def _labels(self) -> tuple[int, int]:
        """The places of `entailment` and `contradiction` (-1: none) among the model's labels."""
        labels = {str(name).casefold(): int(index) for index, name in self._encoder.config.id2label.items()}
        if "entailment" not in labels:
            raise ConfigurationError(
                f"The grounding model {self.name!r} has the labels {sorted(labels)}, none is 'entailment'; "
                f"name an NLI cross-encoder in CANDOR_GROUNDING_MODEL."
            )
        return labels["entailment"], labels.get("contradiction", -1)


class CrossEncoderReader:
    """A published cross-encoder by name or local path, with one output (relevance) or two (the second: it answers).

    The mark of a sentence is the probability that it answers when it is read alone, with its place.

    Raises:
        ConfigurationError: The name is a path at which there is no folder.
    """

    def __init__(self, model: str) -> None:
        require_model(model, kind="reader", setting="CANDOR_READER_MODEL")
        self._model, self.name = model, f"cross-encoder:{Path(model).name}"
        self._lock = threading.Lock()

    @cached_property
    def _encoder(self) -> Any:
        try:
            encoder = _cross_encoder(self._model)
        except Exception as error:
            raise EmbedderUnavailable(
                f"The reader {self._model!r} cannot be loaded: {first_line(error)}. "
                f"Name a local folder or a model that can be downloaded in CANDOR_READER_MODEL."
            ) from error
        if encoder.config.num_labels > 2:
            raise ConfigurationError(
                f"The reader {self._model!r} has {encoder.config.num_labels} outputs; one or two are expected. "
                f"Name a relevance model in CANDOR_READER_MODEL."
            )
        return encoder

    def read(self, question: str, texts: Sequence[ReadingText]) -> list[Judgement]:
        """Return one judgement for each text, in the order given.

        Of the `MARKED` likeliest texts each sentence is judged, in a second batch; the sentences of others have 0.
        """
        chances = self._chances(question, [text.passage for text in texts])
        best = sorted(range(len(texts)), key=lambda place: -chances[place])[:MARKED]
        alone = [
            (place, number, ReadingText(texts[place].place, texts[place].text[start:end], ()))
            for place in best
            for number, (start, end) in enumerate(texts[place].sentences)
        ]
        marks = [[0.0] * len(text.sentences) for text in texts]
        judged = self._chances(question, [sentence.passage for _, _, sentence in alone])
        for (place, number, _), mark in zip(alone, judged, strict=True):
            marks[place][number] = mark
        return [Judgement(chance, tuple(mark)) for chance, mark in zip(chances, marks, strict=True)]

    def _chances(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return for each passage the probability, 0..1, that it answers the question."""
        if not passages:
            return []
        with self._lock:
            logits = self._encoder.predict([(question, passage) for passage in passages], show_progress_bar=False)
        return relevance(np.reshape(logits, (len(passages), -1)))


def _cross_encoder(model: str) -> Any:
    """Load a cross-encoder that gives logits."""
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    return CrossEncoder(model, activation_fn=Identity(), device="cpu")


def relevance(logits: Any) -> list[float]:
    """Return probabilities from a cross-encoder's logits: shape `(n, 1)` or `(n, 2)`.

    >>> relevance(np.array([[0.0]]))
    [0.5]
    """
    odds = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    return [float(1 / (1 + np.exp(-value))) for value in np.clip(odds, -30, 30)]


class SentenceTransformersEmbedder:
    """Any embedding model that sentence-transformers loads. Slower; for other models and other hardware.

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
        self.dimension = int(self._model.get_embedding_dimension() or 0)
        self.max_pieces = int(self._model.max_seq_length or 512)
        self.pieces = _HuggingFacePieces(self._model.tokenizer)
        self._lock = threading.Lock()

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
