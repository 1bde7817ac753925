"""The passages that were read last, as they came out of the index, so that the next question need not read them again.

Reading one and making its text and the vectors of its windows of what is stored takes some tenths of a millisecond; a
question wants thirty. Only for an index that no other process writes to.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from threading import Lock
from typing import Final

from rag.protocols import IndexedChunk

KEPT: Final = 8_192
"""Passages: 9 kB each (2026-11-28, 512 made-up ones of 725 characters), 3 of them the vectors of two windows."""


class PassagesRead:
    """Passages by chunk id; the one unused for longest goes. Safe for use by several threads.

    Args:
        size: The most that are kept.
    """

    def __init__(self, size: int = KEPT) -> None:
        self._size, self._lock, self._changes = size, Lock(), 0
        self._kept: OrderedDict[str, IndexedChunk] = OrderedDict()

    def known(self, chunk_ids: Iterable[str], light: Collection[str]) -> tuple[dict[str, IndexedChunk], int]:
        """Return those that are kept, and the state to hand to `keep` with what is then read.

        Args:
            chunk_ids: Ids of the chunks wanted.
            light: Those of them that will do without their vectors.
        """
        with self._lock:
            found = {}
            for chunk_id in chunk_ids:
                passage = self._kept.get(chunk_id)
                if passage is not None and (chunk_id in light or len(passage.vectors)):
                    self._kept.move_to_end(chunk_id)
                    found[chunk_id] = passage
            return found, self._changes

    def keep(self, read: Mapping[str, IndexedChunk], state: int) -> None:
        """Keep what was read, unless something was written since `known` gave that state: it may be older."""
        with self._lock:
            if state != self._changes:
                return
            self._kept.update(read)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def forget(self, chunk_ids: Iterable[str]) -> None:
        """Forget chunks that were written anew."""
        with self._lock:
            self._changes += 1
            for chunk_id in chunk_ids:
                self._kept.pop(chunk_id, None)

    def forget_document(self, document: str) -> None:
        """Forget all chunks of a document, some of which were removed."""
        with self._lock:
            self._changes += 1
            for chunk_id in [key for key, one in self._kept.items() if one.chunk.document == document]:
                del self._kept[chunk_id]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._changes += 1
            self._kept.clear()
