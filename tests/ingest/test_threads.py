"""The threads of an ingest: reading ahead is bounded, and wherever it waits a check may end the wait."""

import os
import signal
import sys
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import monotonic, sleep
from unittest.mock import Mock

import pytest

from rag.ingest.threads import awaited, interrupted_once, read_ahead, turn
from rag.ingest.writers import WritersLock

ROOM = 10


class Held:
    """Reads items of given sizes, and notes for each how much was held when it was begun."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes, self.asked, self.at_begin = sizes, 0, list[int]()
        self.reader = threading.current_thread()

    def read(self, index: int) -> int:
        self.reader = threading.current_thread()
        self.at_begin.append(sum(self.sizes[self.asked : index]))
        return index

    def results(self) -> Generator[int, None, None]:
        return read_ahead(range(len(self.sizes)), self.read, room=ROOM, size=lambda index: self.sizes[index])

    def use(self) -> list[int]:
        """Take one result after the other, each when the reader has gone as far ahead as it does."""
        taken = []
        for index in self.results():
            taken.append(index)
            deadline = monotonic() + 60
            while (frame := sys._current_frames().get(self.reader.ident or 0)) and frame.f_code.co_name != "wait":
                assert monotonic() < deadline
                sleep(0.001)
            self.asked = index + 1
        return taken


@pytest.mark.parametrize("sizes", [[12] * 6, [4] * 12, [1, 1, 30, 1, 1, 30, 30, 1], [0, 0, 11, 0, 11, 0]])
def test_nothing_is_begun_while_what_waits_and_what_is_in_use_fill_the_room(sizes):
    held = Held(sizes)
    assert held.use() == list(range(len(sizes)))
    assert len(held.at_begin) == len(sizes)
    assert all(found < ROOM for found in held.at_begin)


def test_no_more_items_are_begun_than_the_depth_and_closing_or_an_item_that_fails_ends_the_reader():
    begun: list[int] = []
    results = read_ahead(range(9), begun.append, depth=2)
    next(results)
    sleep(0.2)
    assert begun == [0, 1, 2]
    results.close()
    held = Held([12] * 5)
    results = held.results()
    next(results)
    results.close()
    assert (held.reader.is_alive(), held.at_begin) == (False, [0])
    held.at_begin = ()  # so that it fails to note what it has begun
    with pytest.raises(AttributeError):
        next(held.results())
    assert not held.reader.is_alive()


class Unwanted(BaseException):
    pass


def check_that_fails(at: int) -> Mock:
    """Return a check that raises at its nth call."""
    return Mock(side_effect=[*[None] * (at - 1), Unwanted])


def test_a_result_that_nobody_wants_any_more_is_neither_waited_for_nor_returned():
    check, done = check_that_fails(3), Future[int]()
    with pytest.raises(Unwanted):
        awaited(Future(), check)
    assert check.call_count == 3
    done.set_result(7)
    assert awaited(done, None) == awaited(done, lambda: None) == 7
    with pytest.raises(Unwanted):
        awaited(done, check_that_fails(2))  # it was wanted before, and no more when it was there


def test_a_turn_that_nobody_wants_any_more_is_neither_waited_for_nor_kept():
    lock = WritersLock()
    with ThreadPoolExecutor(1) as other:
        assert other.submit(lock.acquire).result()
        with pytest.raises(Unwanted), turn(lock, check_that_fails(2)):
            pytest.fail("others have their turn")
        other.submit(lock.release).result()
        with pytest.raises(Unwanted), turn(lock, check_that_fails(1)):
            pytest.fail("nobody wants it")
        assert other.submit(lock.acquire, 0).result()


def test_reading_ahead_with_a_check_leaves_the_item_that_is_read_to_end_by_itself():
    go_on, ended = Event(), Event()
    begun: list[int] = []

    def read(number: int) -> None:
        begun.append(number)
        go_on.wait(30)
        ended.set()

    with pytest.raises(Unwanted):
        next(read_ahead([1, 2], read, depth=1, check=check_that_fails(3)))
    assert not ended.is_set()  # nobody waited for it
    go_on.set()
    assert ended.wait(30)
    assert begun == [1]  # the next one was not begun


def test_pressed_again_and_again_an_interrupt_waits_for_the_batch_that_has_begun(caplog):
    finished: list[bool] = []
    begun = Event()

    def batch() -> None:
        begun.wait(30)
        for _ in range(4):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
        finished.append(True)

    def interrupted() -> None:
        with interrupted_once(), ThreadPoolExecutor(1) as embedding:
            waiting = embedding.submit(batch)
            begun.set()
            awaited(waiting, None)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert finished == [True]
    assert [record.message for record in caplog.records] == ["Interrupted: finishing the current batch first."]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
