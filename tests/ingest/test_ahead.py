"""Reading ahead is bounded by what waits in memory, not only by how many files wait."""

import sys
import threading
from collections.abc import Sequence
from time import monotonic, sleep

import pytest

from rag.ingest.threads import read_ahead

ROOM = 10


class Held:
    """Reads items of given sizes, and notes for each how much was held when it was begun."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes, self.at_begin, self.asked, self.begun = sizes, [0] * len(sizes), 0, [False] * len(sizes)
        self.changed = threading.Condition()
        self.reader = threading.current_thread()

    def read(self, index: int) -> int:
        self.reader = threading.current_thread()
        with self.changed:
            self.at_begin[index], self.begun[index] = sum(self.sizes[self.asked : index]), True
            self.changed.notify_all()
        return index

    def wait_for(self, index: int, timeout_s: float) -> bool:
        """Return whether an item is begun within a time."""
        with self.changed:
            return self.changed.wait_for(lambda: self.begun[index], timeout_s)

    def stand_still(self) -> None:
        """Wait until the reader waits: for room, or for more to do."""
        deadline = monotonic() + 60
        while sys._current_frames()[self.reader.ident or 0].f_code.co_name not in ("wait", "_do_all"):
            assert monotonic() < deadline
            sleep(0.001)

    def use(self) -> list[int]:
        """Take one result after the other, each when the reader has gone as far ahead as it does."""
        taken = []
        for index in read_ahead(range(len(self.sizes)), self.read, room=ROOM, size=lambda index: self.sizes[index]):
            taken.append(index)
            self.stand_still()
            with self.changed:
                self.asked = index + 1
        return taken


@pytest.mark.parametrize("sizes", [[12] * 6, [4] * 12, [1, 1, 30, 1, 1, 30, 30, 1], [0, 0, 11, 0, 11, 0]])
def test_nothing_is_begun_while_what_waits_and_what_is_in_use_fill_the_room(sizes: list[int]) -> None:
    held = Held(sizes)
    assert held.use() == list(range(len(sizes)))
    assert all(found < ROOM for found in held.at_begin)


def test_a_large_result_waits_alone() -> None:
    held = Held([12, 12, 12])
    results = read_ahead(range(3), held.read, room=ROOM, size=lambda index: held.sizes[index])
    assert next(results) == 0
    held.stand_still()
    assert held.begun == [True, False, False]
    assert next(results) == 1
    held.stand_still()
    assert held.begun == [True, True, False]
    assert list(results) == [2]


def test_small_results_are_read_ahead_as_far_as_their_number_allows() -> None:
    held = Held([1] * 8)
    results = read_ahead(range(8), held.read, depth=4, room=ROOM, size=lambda index: held.sizes[index])
    assert next(results) == 0
    assert held.wait_for(4, 60)
    held.stand_still()
    assert not held.begun[5]
    results.close()


def test_an_item_that_fails_takes_no_room_and_those_after_it_are_read() -> None:
    readers = []

    def read(index: int) -> int:
        readers.append(threading.current_thread())
        if index == 0:
            raise ValueError(index)
        return index

    results = read_ahead(range(3), read, room=ROOM, size=lambda _: 12)
    with pytest.raises(ValueError, match="0"):
        next(results)
    assert not any(reader.is_alive() for reader in readers)


def test_closing_ends_a_reader_that_waits_for_room() -> None:
    held = Held([12] * 5)
    results = read_ahead(range(5), held.read, room=ROOM, size=lambda index: held.sizes[index])
    next(results)
    results.close()
    assert not held.reader.is_alive()
    assert held.begun == [True, False, False, False, False]
