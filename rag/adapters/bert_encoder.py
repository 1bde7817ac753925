"""The network that embeds: a BERT encoder compiled by OpenVINO for this processor, one for the whole process.

Less exact numbers (`precision`) are taken only if the vectors of a few probes agree with those that torch computed in
float32.
"""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rag.adapters.compiled_cache import compiled, kept_as
from rag.adapters.openvino_graphs import BertShape, build_encoder, infer
from rag.adapters.packaged_model import WEIGHTS_SHA256
from rag.adapters.precision import chosen_precision
from rag.adapters.word_pieces import Encoded, PieceTokenizer, pad
from rag.errors import EmbedderUnavailable
from rag.process.cores import cores
from rag.process.deferred import made_once

AGREEMENT: Final = 0.9999
"""The least cosine between a probe's vector here and the one that torch computed."""
PROBES: Final = (
    "Which gloves are worn with acids?",
    "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second.",
    "Qu’est-ce qu’un glacier ?",
    "| North America | 190 euros | 56 euros |",
)
_PROBE_VECTORS = Path(__file__).parents[1] / "weights" / "embedding_probe.npy"
MOST_STREAMS = 8
"""Each holds the memory of a batch; more than this many cores are shared among them."""
STEP = 8
"""Few texts are padded to a multiple of this: the first inference of a new length costs twice as much."""


def probe_vectors() -> NDArray[np.float32]:
    """Return what torch computes for `PROBES` with the packaged weights: unit vectors, shape `(4, 384)`."""
    vectors: NDArray[np.float32] = np.load(_PROBE_VECTORS, allow_pickle=False)
    return vectors


class BertEncoder:
    """The packaged BERT encoder. Compiled when first asked; safe for use by several threads.

    What asks it for states may raise `EmbedderUnavailable`: the model cannot be loaded or run.

    Args:
        folder: What `packaged_model` returns.
        precision: `auto` takes bfloat16 where that is faster on this processor and the probes agree.
        threads: Threads of an inference, or of all that run beside each other; None: all cores.
        cache: Where the compiled model is kept; None: nowhere.

    Attributes:
        width: Length of a piece's state.
        max_pieces: The most word pieces the model reads, special pieces included.
    """

    def __init__(
        self, folder: Path, *, precision: str = "auto", threads: int | None = None, cache: Path | None = None
    ) -> None:
        config = _read(folder / "config.json")
        self.folder, self.threads, self.cache, self._config = folder, threads, cache, config
        self.width = int(config["hidden_size"])
        self.max_pieces = int(_read(folder / "sentence_bert_config.json")["max_seq_length"])
        self.pieces = PieceTokenizer(folder / "tokenizer.json", max_pieces=self.max_pieces)
        self._is_free = precision == "auto"
        self.precision = chosen_precision(precision, cache)
        self._local, self._loading = threading.local(), threading.RLock()

    def states(self, batch: Sequence[Encoded]) -> NDArray[np.float32]:
        """Return the last states of several texts, computed in one batch; valid until the same thread asks again.

        Their shape is `(texts, pieces, width)`, padding behind.
        """
        return self._run("_compiled", *pad(batch))

    def read(self, text: str) -> NDArray[np.float32]:
        """Return the last states of one text: shape `(its pieces, width)`; valid until the same thread asks again."""
        (encoded,) = self.pieces.encode([text])
        return self._run("_compiled", *pad([encoded], step=STEP))[0, : len(encoded.ids)]

    @property
    def streams(self) -> int:
        """How many batches `one_of_many` computes beside each other: one for each core, up to 8."""
        return max(1, min(self.threads or cores(), MOST_STREAMS))

    def one_of_many(self, batch: Sequence[Encoded]) -> NDArray[np.float32]:
        """Return the last states of one batch of many, while other threads ask for theirs.

        A batch takes as long as on one core, and all together a sixth less than one after another on all of them.
        """
        return self.states(batch) if self.streams == 1 else self._run("_many", *pad(batch))

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
            return self._checked(streams=self.streams)

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
        shape = BertShape(*(self._config[name] for name in names))
        return build_encoder(load_file(self.folder / "model.safetensors"), shape)

    def _agrees(self, network: Any) -> bool:
        """Whether probes have the vectors that torch gives them."""
        read = self.pieces.encode(PROBES)
        states = infer(network.create_infer_request(), pad(read))[0]
        means = np.stack([states[row, : len(encoded.ids)].mean(axis=0) for row, encoded in enumerate(read)])
        found = means / np.linalg.norm(means, axis=1, keepdims=True)
        cosines = np.sum(found * probe_vectors(), axis=1)
        return bool(cosines.min() >= AGREEMENT)


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
