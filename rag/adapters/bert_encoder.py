"""The embedding model: all-MiniLM-L6-v2 from its package, run by OpenVINO; one for the whole process.

Others: `published`. Less exact numbers (`precision`) are taken only if the vectors of a few probes agree with
those that torch computed in float32.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rag.adapters.compiled_cache import compiled, kept_as
from rag.adapters.openvino_graphs import Shape, build_encoder, infer
from rag.adapters.packaged_model import WEIGHTS_SHA256
from rag.adapters.precision import chosen_precision
from rag.adapters.word_pieces import Encoded, PieceTokenizer, pad
from rag.errors import EmbedderUnavailable
from rag.process.cores import cores
from rag.process.deferred import made_once
from rag.protocols import Matrix, Vector

AGREEMENT: Final = 0.9999  # the least cosine between a probe's vector here and the one that torch computed
PROBES: Final = (
    "Which gloves are worn with acids?",
    "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second.",
    "Qu’est-ce qu’un glacier ?",
    "| North America | 190 euros | 56 euros |",
)
_PROBE_VECTORS = Path(__file__).parents[1] / "weights" / "embedding_probe.npy"
MOST_STREAMS = 8  # each holds the memory of a batch; more than this many cores are shared among them
STEP = 8  # a text alone is padded to a multiple of this: the first inference of a new length costs twice as much
BATCH_PIECES = 4096
"""Word pieces in one batch, padding included: enough to keep two cores busy, little enough to stay in cache."""
STREAM_PIECES = 2048  # the same for a batch that has one core
MANY = 128
"""Texts from which batches are computed beside each other: compiling the network for that takes half a second."""


def probe_vectors() -> Matrix:
    """Return what torch computes for `PROBES` with the packaged weights: unit vectors, shape `(4, 384)`."""
    vectors: Matrix = np.load(_PROBE_VECTORS, allow_pickle=False)
    return vectors


class BertEncoder:
    """The packaged BERT encoder. A vector is the mean over all word pieces of a text, as the model was trained.

    Compiled when first asked; safe for use by several threads.

    Args:
        folder: What `packaged_model` returns.
        precision: `auto` takes bfloat16 where that is faster on this processor and the probes agree.
        threads: Threads of an inference, or of all that run beside each other; None: all cores.
        cache: Where the compiled model is kept; None: nowhere.

    Attributes:
        dimension: Length of a vector.
        max_pieces: The most word pieces the model reads, special pieces included.
        pieces: Counts word pieces.
    """

    def __init__(
        self, folder: Path, *, precision: str = "auto", threads: int | None = None, cache: Path | None = None
    ) -> None:
        config = _read(folder / "config.json")
        self.folder, self.threads, self.cache, self._config = folder, threads, cache, config
        self.dimension = int(config["hidden_size"])
        self.max_pieces = int(_read(folder / "sentence_bert_config.json")["max_seq_length"])
        self.pieces = PieceTokenizer(folder / "tokenizer.json", max_pieces=self.max_pieces)
        self._is_free = precision == "auto"
        self.precision = chosen_precision(precision, cache)
        self._local, self._loading = threading.local(), threading.RLock()

    @property
    def fingerprint(self) -> str:
        """Model, weights and pooling. Precision is no part of it: the vectors agree to a cosine of .9999 (tested)."""
        return f"all-MiniLM-L6-v2@{WEIGHTS_SHA256[:12]}/mean/{self.max_pieces}"

    @property
    def backend(self) -> str:
        """What runs the model, and in which precision."""
        return f"openvino {self.precision}"

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a unit vector for each text: shape `(len(texts), 384)`; of many, batches run beside each other.

        Raises:
            EmbedderUnavailable: The model cannot be loaded or run.
        """
        encoded = self.pieces.encode(texts)
        are_many = len(texts) >= MANY and self._streams > 1
        step = STEP if len(texts) == 1 else 1
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)

        def embed_batch(batch: list[int]) -> None:
            read = [encoded[index] for index in batch]
            vectors[batch] = _pooled(self._run("_many" if are_many else "_compiled", *pad(read, step=step)), read)

        lengths, most = [len(item.ids) for item in encoded], STREAM_PIECES if len(texts) >= MANY else BATCH_PIECES
        for _ in (self._pool.map if are_many else map)(embed_batch, batches(lengths, most)):
            pass
        return vectors

    @property
    def _streams(self) -> int:
        """How many batches are computed beside each other: together they take a sixth less than one after another."""
        return max(1, min(self.threads or cores(), MOST_STREAMS))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._streams, thread_name_prefix="embed")

    def _run(self, network: str, *inputs: NDArray[Any]) -> NDArray[np.float32]:
        """Return the states that a network gives, named by its attribute; each thread has a request of its own."""
        requests: dict[str, Any] = self._local.__dict__.setdefault("requests", {})
        try:
            if network not in requests:
                requests[network] = getattr(self, network).create_infer_request()
        except (RuntimeError, OSError, KeyError, ImportError) as error:
            raise EmbedderUnavailable(
                f"The embedding model in {self.folder} cannot be loaded: {error}. Try CANDOR_EMBEDDING_BACKEND=torch."
            ) from error
        try:
            return infer(requests[network], inputs)[0]
        except RuntimeError as error:
            said = " ".join(str(error).split())
            raise EmbedderUnavailable(
                f"The embedding model in {self.folder} failed on {len(inputs[0])} texts: {said}. Free some memory, or "
                "try CANDOR_EMBEDDING_PRECISION=float32, or CANDOR_EMBEDDING_BACKEND=torch."
            ) from error

    @made_once
    def _compiled(self) -> Any:
        """For few texts soon."""
        with self._loading:  # both may fall back to another precision
            return self._checked(streams=1)

    @made_once
    def _many(self) -> Any:
        """For many texts in all."""
        with self._loading:
            return self._checked(streams=self._streams)

    def _checked(self, *, streams: int) -> Any:
        kind = "encoder" if streams == 1 else "passages"
        kept = kept_as(self.cache, kind, WEIGHTS_SHA256, self.precision, "last", streams)
        network = compiled(self._graph, kept, precision=self.precision, threads=self.threads, streams=streams)
        if self._agrees(network):
            return network
        if self._is_free and self.precision != "float32":
            self.precision = "float32"
            return self._checked(streams=streams)
        raise EmbedderUnavailable(
            f"On this processor the embedding model gives wrong vectors in {self.precision}: they differ from the "
            f"published ones. Set CANDOR_EMBEDDING_PRECISION=float32 or CANDOR_EMBEDDING_BACKEND=torch."
        )

    def _graph(self) -> Any:
        from safetensors.numpy import load_file

        names = ("num_hidden_layers", "num_attention_heads", "hidden_size", "layer_norm_eps")
        shape = Shape(*(self._config[name] for name in names))
        return build_encoder(load_file(self.folder / "model.safetensors"), shape)

    def _agrees(self, network: Any) -> bool:
        """Whether probes have the vectors that torch gives them."""
        read = self.pieces.encode(PROBES)
        found = np.stack(_pooled(infer(network.create_infer_request(), pad(read))[0], read))
        return bool(np.sum(found * probe_vectors(), axis=1).min() >= AGREEMENT)


def _pooled(states: NDArray[np.float32], read: Sequence[Encoded]) -> list[Vector]:
    """Return the mean state of each text at length 1."""
    means = [states[row, : len(encoded.ids)].mean(axis=0) for row, encoded in enumerate(read)]
    return [mean / np.linalg.norm(mean) for mean in means]


def batches(lengths: Sequence[int], limit: int) -> Iterator[list[int]]:
    """Yield indexes in batches of similar length, longest first, at most `limit` padded pieces each."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > limit:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
