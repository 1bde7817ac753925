"""Readers: how likely a passage answers a question, judged by reading both.

`MiniLmReader` is Candor's own: the packaged encoder, frozen, and a network of 321,000 weights trained by
`python -m training` (docs/decisions/0009-reader.md). `CrossEncoderReader` takes a published model.
"""

import hashlib
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.compiled_cache import kept_as
from rag.adapters.named_model import first_line, require_model
from rag.adapters.reader_judge import PRECISION, Judge
from rag.adapters.reader_states import StateReader
from rag.errors import ConfigurationError, EmbedderUnavailable

SHIPPED = Path(__file__).parent.parent / "weights" / "reader.safetensors"
_SPAN_PIECES = 30
"""The longest answer, in word pieces, that a question answering model may point at."""


class MiniLmReader:
    """The shipped reader. Loaded when first asked; safe for use by several threads.

    Args:
        encoder: The packaged all-MiniLM-L6-v2; the one that embeds, where that is it.
        weights: What `python -m training` wrote.
    """

    def __init__(self, encoder: BertEncoder, weights: Path = SHIPPED) -> None:
        self._states, self._path = StateReader(encoder), weights
        self._threads, self._cache = encoder.threads, encoder.cache
        self._lock = threading.Lock()

    @cached_property
    def name(self) -> str:
        """Name and digest of the weights.

        Raises:
            ConfigurationError: The weights cannot be read.
        """
        try:
            with self._path.open("rb") as file:
                return f"minilm-reader@{hashlib.file_digest(file, 'sha256').hexdigest()[:12]}"
        except OSError as error:
            raise ConfigurationError(
                f"The reader's weights {str(self._path)!r} cannot be read: {error}. Reinstall Candor."
            ) from error

    @cached_property
    def _judge(self) -> Judge:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            kept = kept_as(self._cache, "reader", self.name, PRECISION)
            return Judge(load_file(self._path), threads=self._threads, kept=kept)
        except (OSError, SafetensorError, KeyError) as error:
            raise ConfigurationError(
                f"The reader's weights {str(self._path)!r} cannot be read: {error}. Reinstall Candor."
            ) from error
        except RuntimeError as error:
            raise EmbedderUnavailable(
                f"The reader's network cannot be compiled: {error}. Try CANDOR_READER_MODEL=none."
            ) from error

    @cached_property
    def _blas(self) -> Any:
        """Holds numpy to one thread: its others and the encoder's wait for each other, which triples the time."""
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController()

    def read(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return for each passage the probability, 0..1, that it answers the question.

        The probability is calibrated for windows as `rag.confidence.windows` cuts them; what the
        encoder cannot read is cut.

        Raises:
            ConfigurationError: The weights or the encoder's package are missing or damaged.
            EmbedderUnavailable: The encoder cannot be run.
        """
        if not passages:
            return []
        with self._lock:
            judge = self._judge
        asked = self._states.read_one(question)
        said = self._states.read(passages)
        try:
            with self._blas.limit(limits=1, user_api="blas"):
                return judge.probabilities(asked, said)
        except RuntimeError as error:
            why = " ".join(str(error).split())
            raise EmbedderUnavailable(
                f"The reader failed on {len(said)} passages: {why}. Free memory where it is short; else try "
                f"CANDOR_READER_MODEL=none."
            ) from error


class CrossEncoderReader:
    """A published model by name or local path: a cross-encoder or an extractive question answering model.

    A cross-encoder has one output (relevance, through a sigmoid) or two (the second: answers). A question answering
    model is judged by its best span against "no answer"; one trained on SQuAD 2.0 is what Candor's gate wants most.

    Args:
        model: Name on a model hub, or a local folder.
        local_files_only: Never download.

    Raises:
        ConfigurationError: The name is a path at which there is no folder.
    """

    def __init__(self, model: str, *, local_files_only: bool = False) -> None:
        require_model(model, kind="reader", setting="CANDOR_READER_MODEL")
        self._model, self._local = model, local_files_only
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name of the model."""
        return f"cross-encoder:{Path(self._model).name}"

    @cached_property
    def _loaded(self) -> tuple[Any, Any, bool]:
        """Tokenizer, model, and whether it points at spans."""
        try:
            import transformers

            config = transformers.AutoConfig.from_pretrained(self._model, local_files_only=self._local)
            spans = any("QuestionAnswering" in name for name in config.architectures or ())
            kind = transformers.AutoModelForQuestionAnswering if spans else None
            loader = kind or transformers.AutoModelForSequenceClassification
            model = loader.from_pretrained(self._model, local_files_only=self._local).eval()
            tokenizer = transformers.AutoTokenizer.from_pretrained(self._model, local_files_only=self._local)
        except Exception as error:
            raise EmbedderUnavailable(
                f"The reader {self._model!r} cannot be loaded: {first_line(error)}. "
                f"Name a local folder or a model that can be downloaded in CANDOR_READER_MODEL."
            ) from error
        if not spans and model.config.num_labels > 2:
            raise ConfigurationError(
                f"The reader {self._model!r} has {model.config.num_labels} outputs; one or two are expected. "
                f"Name a relevance or question answering model in CANDOR_READER_MODEL."
            )
        return tokenizer, model, spans

    def read(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return for each passage the probability, 0..1, that it answers the question.

        Raises:
            ConfigurationError: The model is neither a relevance nor a question answering model.
            EmbedderUnavailable: The model cannot be loaded or run.
        """
        if not passages:
            return []
        import torch

        with self._lock:
            tokenizer, model, spans = self._loaded
            inputs = tokenizer(
                [question] * len(passages), list(passages), padding=True, truncation="only_second", return_tensors="pt"
            )
            try:
                with torch.inference_mode():
                    output = model(**inputs)
            except RuntimeError as error:
                raise EmbedderUnavailable(
                    f"The reader {self._model!r} failed on {len(passages)} passages: {first_line(error)}. Name another "
                    f"in CANDOR_READER_MODEL, or none to do without."
                ) from error
        if not spans:
            return relevance(output.logits.float().numpy())
        starts, ends = output.start_logits.float().numpy(), output.end_logits.float().numpy()
        said = [[kind == 1 for kind in inputs.sequence_ids(row)] for row in range(len(passages))]
        return [span_chance(*row) for row in zip(starts, ends, np.array(said), strict=True)]


def relevance(logits: Any) -> list[float]:
    """Return probabilities from a cross-encoder's logits: shape `(n, 1)` or `(n, 2)`.

    >>> relevance(np.array([[0.0]]))
    [0.5]
    """
    odds = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    return [float(1 / (1 + np.exp(-value))) for value in np.clip(odds, -30, 30)]


def span_chance(start: Any, end: Any, allowed: Any) -> float:
    """Return how much more likely the best span is than "no answer", which the first piece stands for: 0..1.

    Args:
        start: Logit of each piece as the first of the answer: shape `(pieces,)`.
        end: The same for the last.
        allowed: Which pieces belong to the passage.

    >>> round(span_chance(np.array([1.0, 3.0]), np.array([1.0, 0.0]), np.array([False, True])), 3)
    0.731
    """
    pieces = np.flatnonzero(allowed)
    if not len(pieces):
        return 0.0
    scores = start[pieces][:, None] + end[pieces][None, :]
    distance = pieces[None, :] - pieces[:, None]
    best = scores[(distance >= 0) & (distance < _SPAN_PIECES)].max()
    return float(1 / (1 + np.exp(-np.clip(best - start[0] - end[0], -30, 30))))
