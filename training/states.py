"""The frozen encoder's states of all texts, and the features of all pairs, computed once and kept on disk."""

import logging
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.adapters.reader_features import LAYERS, ReadText, alike, pair_features, rarity
from rag.adapters.reader_states import StateReader, assemble
from training.pairs import Found

log = logging.getLogger("training")


class States:
    """The frozen states of all texts of a data set, kept on disk as float16."""

    def __init__(self, found: Found, work: Path) -> None:
        from rag.adapters.bert_encoder import BertEncoder
        from rag.adapters.packaged_model import packaged_model

        encoder = StateReader(BertEncoder(packaged_model(), precision="bfloat16"))
        self.words = encoder.words
        path = work / f"{found.name}.states"
        if not path.with_suffix(".pickle").is_file():
            self._compute(found, encoder, path)
        self.where = pickle.loads(path.with_suffix(".pickle").read_bytes())  # noqa: S301 (written by this script)
        self.raw = {layer: np.load(f"{path}.{layer}.npy", mmap_mode="r") for layer in LAYERS[1:]}

    @staticmethod
    def _compute(found: Found, encoder: StateReader, path: Path) -> None:
        texts = sorted({p.text for p in found.pairs} | {q.question for q in found.questions}, key=len)
        where, rows, total = {}, {layer: [] for layer in LAYERS[1:]}, 0
        for begin in range(0, len(texts), 32):
            for read in encoder.read(texts[begin : begin + 32]):
                where[read.text] = (total, read.ids, read.spans)
                total += len(read.ids)
                for layer in rows:
                    rows[layer].append(read.raw[layer].astype(np.float16))
        for layer, values in rows.items():
            np.save(f"{path}.{layer}.npy", np.concatenate(values))
        path.with_suffix(".pickle").write_bytes(pickle.dumps(where))
        log.info("%s: states of %d texts, %d pieces", found.name, len(texts), total)

    def read(self, text: str) -> ReadText:
        """Return a text as the encoder reads it."""
        begin, ids, spans = self.where[text]
        raw = {layer: np.asarray(self.raw[layer][begin : begin + len(ids)], dtype=np.float32) for layer in self.raw}
        return assemble(text, ids, spans, raw, self.words)


def features(found: Found, states: States, work: Path) -> NDArray[np.float32]:
    """Return the features of all pairs: shape `(pairs, len(FEATURES))`."""
    kept = work / f"{found.name}.features.npy"
    if not kept.is_file():
        np.save(kept, np.stack([pair_features(question, passage) for question, passage in _read(found, states)]))
    return np.load(kept)


class Matches:
    """Beside every piece of every pair its best matches in the other text and its rarity, kept on disk as float16."""

    def __init__(self, found: Found, states: States, work: Path) -> None:
        kept = work / f"{found.name}.matches.npy"
        if not kept.is_file():
            np.save(kept, np.concatenate([_matches(*pair) for pair in _read(found, states)]).astype(np.float16))
        self._all = np.load(kept, mmap_mode="r")
        asked = [len(states.where[found.questions[pair.question].question][1]) for pair in found.pairs]
        said = [len(states.where[pair.text][1]) for pair in found.pairs]
        self._begins = np.concatenate([[0], np.cumsum(np.add(asked, said))])

    def of(self, pair: int) -> NDArray[np.float32]:
        """Return those of one pair, the question's pieces first: shape `(pieces, len(LAYERS) + 1)`."""
        return np.asarray(self._all[self._begins[pair] : self._begins[pair + 1]], dtype=np.float32)


def _read(found: Found, states: States) -> Iterator[tuple[ReadText, ReadText]]:
    """Yield question and passage of every pair; pairs of one question stand together."""
    last = (-1, None)
    for pair in found.pairs:
        if last[0] != pair.question:
            last = (pair.question, states.read(found.questions[pair.question].question))
        yield last[1], states.read(pair.text)


def _matches(question: ReadText, passage: ReadText) -> NDArray[np.float32]:
    cosines = alike(question, passage).values()
    best = [np.concatenate([found.max(axis=1), found.max(axis=0)]) for found in cosines]
    return np.stack([*best, rarity(np.concatenate([question.ids, passage.ids]))], axis=1)
