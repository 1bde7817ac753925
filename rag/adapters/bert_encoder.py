"""The network that embeds and that the reader reads by: a BERT encoder run by OpenVINO, one for the whole process.

`openvino_encoder` says how it is compiled, in which precision, and how that is checked. A question is short and alone:
networks compiled for its number of pieces read it in a fifth less time than the one for any number. What was read of
the last single texts is kept: a question is embedded first and read by the gate a few milliseconds later.
"""

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.adapters import openvino_encoder
from rag.adapters.bert_openvino import infer
from rag.adapters.mapped_tensor import mapped_tensor
from rag.adapters.packaged_model import WEIGHTS_SHA256, weights_digest
from rag.adapters.precision import chosen_precision, reads_in_8_bits
from rag.adapters.word_pieces import Encoded, PieceTokenizer, pad
from rag.cores import cores
from rag.errors import EmbedderUnavailable

_log = logging.getLogger(__name__)

REMEMBERED = 64
"""How many single texts are kept with their states: at most 50 MB, with questions of usual length 3."""
SHORT = (16, 24)
"""Pieces, padding included, for which single texts have a network each, of 72 MB in memory; loaded when asked."""
MOST_STREAMS = 8
"""Each holds the memory of a batch; more than this many cores are shared among them."""
STEP = 8
"""Few texts are padded to a multiple of this: the first inference of a new length costs twice as much."""


@dataclass(frozen=True, slots=True)
class States:
    """The states of a batch: float32, shape `(texts, pieces, width)`, padding behind.

    `last` are those after the last layer, `inner` those after `openvino_encoder.INNER_LAYER`. Valid until the thread
    that asked asks again.
    """

    last: NDArray[np.float32]
    inner: NDArray[np.float32]


class BertEncoder:
    """A BERT encoder. Compiled when first asked; safe for use by several threads.

    Args:
        folder: A model in sentence-transformers' layout with `model.safetensors`, `config.json`, `tokenizer.json`.
        precision: `auto` takes bfloat16 where that is faster on this processor and the probes agree.
        threads: Threads of an inference, or of all that run beside each other; None: all cores.
        cache: Where the compiled model is kept; None: nowhere.
    """

    def __init__(
        self, folder: Path, *, precision: str = "auto", threads: int | None = None, cache: Path | None = None
    ) -> None:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.folder, self.threads, self.cache, self._config = folder, threads, cache, config
        self.max_pieces = _max_pieces(folder, config)
        self.pieces = PieceTokenizer(folder / "tokenizer.json", max_pieces=self.max_pieces)
        self._is_free = precision == "auto"
        self._rounds = reads_in_8_bits(precision)
        self.precision = chosen_precision(precision, cache)
        self._local = threading.local()
        self._loading, self._remembering = threading.RLock(), threading.Lock()
        self._short_ones: dict[int, Any] = {}
        self._remembered: OrderedDict[str, tuple[Encoded, States]] = OrderedDict()

    @property
    def width(self) -> int:
        """Length of a piece's state."""
        return int(self._config["hidden_size"])

    @property
    def digest(self) -> str:
        """SHA-256 of the weights."""
        return weights_digest(self.folder / "model.safetensors")

    def states(self, batch: Sequence[Encoded], *, step: int = 1) -> States:
        """Return the states of several texts, computed in one batch.

        Args:
            batch: The texts' word pieces.
            step: Pad to a multiple of this.

        Raises:
            EmbedderUnavailable: The model cannot be loaded or run.
        """
        return States(*self._run("_compiled", *pad(batch, step=step)))

    def states_to_read(self, batch: Sequence[Encoded], *, step: int = 1) -> States:
        """Return what `states` does, in 8 bits where the processor is quicker so: near enough for the reader.

        A piece's state has a cosine of .997 with that of `states`; never for vectors that are searched.

        Args:
            batch: The texts' word pieces.
            step: Pad to a multiple of this.

        Raises:
            EmbedderUnavailable: The model cannot be loaded or run.
        """
        if not self._rounds or self._compiled_to_read() is None:
            return self.states(batch, step=step)
        return States(*self._run("_reading", *pad(batch, step=step)))

    def _compiled_to_read(self) -> Any | None:
        """Return the network in 8 bits, if any; it is compiled once, and then not waited for."""
        if "_reading" in self.__dict__:
            return self._reading
        with self._loading:
            return self._reading

    def read(self, text: str) -> tuple[Encoded, States]:
        """Return one text with its states: shape `(1, at least its pieces, width)`; kept for the next who asks.

        Raises:
            EmbedderUnavailable: The model cannot be loaded or run.
        """
        with self._remembering:
            if known := self._remembered.get(text):
                self._remembered.move_to_end(text)
                return known
        (encoded,) = self.pieces.encode([text])
        count = len(encoded.ids)
        length = next((each for each in SHORT if count <= each), None)
        if length is None:
            found = self.states([encoded], step=STEP)
        else:
            found = States(*self._run(length, *self._embedded(encoded, length)))
        known = (encoded, States(found.last[:, :count].copy(), found.inner[:, :count].copy()))
        with self._remembering:
            self._remembered[text] = known
            while len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)
        return known

    def _embedded(self, encoded: Encoded, length: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the sum of the embeddings of each piece, and the mask: shapes `(1, length, width)`, `(1, length)`."""
        ids, mask = pad([encoded], step=length)
        word, position, kind = self._tables
        return word[ids] + position[:length] + kind[0], mask

    @cached_property
    def _tables(self) -> tuple[NDArray[np.float32], ...]:
        """The embeddings of words, positions and token types, as they stand on disk."""
        path = self.folder / "model.safetensors"
        kinds = ("word", "position", "token_type")
        return tuple(mapped_tensor(path, f"embeddings.{kind}_embeddings.weight") for kind in kinds)

    @property
    def words(self) -> NDArray[np.float32]:
        """The static word embeddings: shape `(vocabulary, width)`.

        Raises:
            EmbedderUnavailable: The file of the weights cannot be read.
        """
        return self._tables[0]

    @property
    def streams(self) -> int:
        """How many batches `one_of_many` computes beside each other: one for each core, up to 8."""
        return max(1, min(self.threads or cores(), MOST_STREAMS))

    def one_of_many(self, batch: Sequence[Encoded]) -> NDArray[np.float32]:
        """Return the last states of one batch of many, while other threads ask for theirs.

        A batch takes as long as on one core, and all together a sixth less than one after another on all of them.

        Raises:
            EmbedderUnavailable: The model cannot be loaded or run.
        """
        if self.streams == 1:
            return self.states(batch).last
        (states,) = self._run("_many", *pad(batch))
        return states

    def _run(self, network: str | int, *inputs: NDArray[Any]) -> list[NDArray[np.float32]]:
        """Return the outputs of one of the compiled networks: an attribute's name, or one of `SHORT`."""
        request = self._request(network)
        try:
            return infer(request, inputs)
        except RuntimeError as error:
            said = " ".join(str(error).split())
            raise EmbedderUnavailable(
                f"The embedding model in {self.folder} failed on {len(inputs[0])} texts: {said}. Free memory where it "
                f"is short; else try CANDOR_EMBEDDING_PRECISION=float32, or CANDOR_EMBEDDING_BACKEND=torch and "
                f"CANDOR_READER_MODEL=none."
            ) from error

    def _request(self, network: str | int) -> Any:
        """Return this thread's own request."""
        requests: dict[str | int, Any] = self._local.__dict__.setdefault("requests", {})
        if network not in requests:
            try:
                requests[network] = self._network(network).create_infer_request()
            except (RuntimeError, OSError, KeyError, ImportError) as error:
                raise EmbedderUnavailable(
                    f"The embedding model in {self.folder} cannot be loaded: {error}. "
                    f"Try CANDOR_EMBEDDING_BACKEND=torch and CANDOR_READER_MODEL=none."
                ) from error
        return requests[network]

    def _network(self, network: str | int) -> Any:
        """Return a network; it is compiled once, and who wants one that is there does not wait for another one."""
        known = self._short_ones.get(network) if isinstance(network, int) else self.__dict__.get(network)
        if known is not None:
            return known
        with self._loading:
            return self._short(network) if isinstance(network, int) else getattr(self, network)

    def _short(self, length: int) -> Any:
        """For one text of at most so many pieces."""
        if length not in self._short_ones:
            self._short_ones[length] = self._checked(streams=1, length=length)
        return self._short_ones[length]

    @cached_property
    def _compiled(self) -> Any:
        """For few texts soon: states of two layers."""
        return self._checked(streams=1)

    @cached_property
    def _many(self) -> Any:
        """For many texts in all."""
        return self._checked(streams=self.streams)

    @cached_property
    def _reading(self) -> Any | None:
        """For the reader's windows; None where 8 bits are not near enough, or cannot be had."""
        with suppress(RuntimeError, OSError, KeyError, ImportError):  # what is damaged is said by the other networks
            compiled = self._compile(1, precision="int8")
            if self._agrees(compiled, openvino_encoder.READING_AGREEMENT):
                return compiled
        _log.warning("On this processor passages are not read in 8 bits; answering takes some milliseconds longer.")
        return None

    def _checked(self, *, streams: int, length: int | None = None) -> Any:
        compiled = self._compile(streams, length=length)
        if self._agrees(compiled, openvino_encoder.AGREEMENT, length=length):
            return compiled
        if self._is_free and self.precision != "float32":
            self.precision = "float32"
            return self._checked(streams=streams, length=length)
        raise EmbedderUnavailable(
            f"On this processor the embedding model gives wrong vectors in {self.precision}: they differ from the "
            f"published ones. Set CANDOR_EMBEDDING_PRECISION=float32 or CANDOR_EMBEDDING_BACKEND=torch."
        )

    def _compile(self, streams: int, *, precision: str | None = None, length: int | None = None) -> Any:
        return openvino_encoder.compiled_encoder(
            self.folder,
            self._config,
            precision=precision or self.precision,
            threads=self.threads,
            digest=self.digest,
            cache=self.cache,
            streams=streams,
            pieces=length,
        )

    def _agrees(self, compiled: Any, least: float, *, length: int | None = None) -> bool:
        """Whether probes have the vectors that torch gives them; there are some for the packaged weights only."""
        if self.digest != WEIGHTS_SHA256:
            return True
        probes = list(zip(self.pieces.encode(openvino_encoder.PROBES), openvino_encoder.probe_vectors(), strict=True))
        batches = [[probe] for probe in probes if len(probe[0].ids) <= length] if length else [probes]
        request = compiled.create_infer_request()
        for batch in batches:
            read = [encoded for encoded, _ in batch]
            states = infer(request, self._embedded(read[0], length) if length else pad(read))[0]
            means = np.stack([states[row, : len(encoded.ids)].mean(axis=0) for row, encoded in enumerate(read)])
            found = means / np.linalg.norm(means, axis=1, keepdims=True)
            if np.sum(found * [vector for _, vector in batch], axis=1).min() < least:
                return False
        return True


def _max_pieces(folder: Path, config: dict[str, Any]) -> int:
    """Return the most word pieces the model reads, special pieces included, as its own files say."""
    own = folder / "sentence_bert_config.json"
    if own.is_file():
        return int(json.loads(own.read_text(encoding="utf-8"))["max_seq_length"])
    return int(config.get("max_position_embeddings", 512))
