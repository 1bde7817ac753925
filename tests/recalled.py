"""What the shipped network said of a pair of texts, recalled by all processes of a run of the tests.

Thousands of tests put a few dozen questions to the same documents, and reading takes most of an answer's time. So the
network computes each pair once, in whichever process comes first, and what it said is kept in a folder until the run
ends. Tests of the network itself make one that recalls nothing: `MpnetPairs()`. Processes of their own, as servers and
commands that are started as people start them, recall nothing either, but for the server of the walks in the browser.
"""

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from library import MODEL_CACHE

from rag.adapters import mpnet_pairs
from rag.adapters.mpnet_pairs import Found, MpnetPairs
from rag.reader.pieces import Pair

FOLDER = "READINGS_OF_THIS_RUN"  # the variable by which the processes of a run find the folder


def recall() -> None:
    """Let every Candor of this process read with a network that recalls; the first of a run makes the folder."""
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="candor-readings-")
        atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)
    mpnet_pairs.shipped_pairs = _shipped_pairs


class RecallingPairs(MpnetPairs):
    """A network that computes each pair once; one that recalls all that it is asked is not even loaded."""

    def run(self, pairs: Sequence[Pair]) -> Iterator[Found]:
        """Yield what the network says, or said before, here or in another process."""
        files = [self._file(one) for one in pairs]
        new = [place for place, file in enumerate(files) if not file.exists()]
        for found in super().run([pairs[place] for place in new]):
            for row, place in enumerate(found.places):
                _keep(files[new[place]], found, row, len(pairs[new[place]].ids))
        for place, (file, one) in enumerate(zip(files, pairs, strict=True)):
            yield _kept(file, place, len(one.ids))

    def _file(self, pair: Pair) -> Path:
        """Return where it is kept what these weights say of a pair in this precision."""
        read = repr((self.described.digest, self.precision, pair.ids))
        return Path(os.environ[FOLDER], sha256(read.encode()).hexdigest())


def _keep(file: Path, found: Found, row: int, pieces: int) -> None:
    """Write in one step what was said of one pair: another process may write or read the same."""
    said = [found.answers[[row]], found.entails[row], found.marks[row, :pieces], found.pooled[row]]
    own = file.with_name(f"{file.name}-{os.getpid()}-{threading.get_ident()}")
    own.write_bytes(np.concatenate(said).astype(np.float32).tobytes())
    own.replace(file)


def _kept(file: Path, place: int, pieces: int) -> Found:
    """Return what was written of one pair."""
    said = np.fromfile(file, dtype=np.float32)[None]
    answers, entails, marks, pooled = np.split(said, [1, 4, 4 + pieces], axis=1)
    return Found([place], answers[:, 0], marks, entails, pooled)


def _shipped_pairs(*, precision: str = "auto", threads: int | None = None, cache: Path | None = None) -> MpnetPairs:
    """Return one network for all folders in which it may be kept how fast this processor is."""
    return _recalling(precision, threads)


@lru_cache(maxsize=4)
def _recalling(precision: str, threads: int | None) -> MpnetPairs:
    return RecallingPairs(precision=precision, threads=threads, cache=MODEL_CACHE)
