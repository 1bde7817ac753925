"""The threads of an ingest: reading ahead is bounded, one interrupt ends it. Who leaves: tests/api/test_filing.py."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from unittest.mock import Mock

import pytest

from rag.ingest.threads import awaited, interrupted_once, read_ahead


@pytest.mark.parametrize(
    ("sizes", "limits", "ahead"),
    [
        ([12] * 6, {"room": 10}, [1, 2, 3]),
        ([1, 1, 30, 1, 1], {"room": 10}, [3, 3, 3]),
        ([0] * 9, {"depth": 2}, [3, 4, 5]),
    ],
)
def test_no_item_is_begun_while_results_fill_the_room_or_are_as_many_as_the_depth_and_an_error_or_closing_ends_that(
    sizes, limits, ahead
):
    begun: list[int] = []
    results = read_ahead(sizes, lambda size: begun.append(size) or size, size=int, **limits)
    for count in ahead:
        next(results)
        until = time.monotonic() + 60
        while len(begun) < count and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.1)
        assert begun == sizes[:count]
    results.close()
    with pytest.raises(ZeroDivisionError):
        next(read_ahead([0, 1], lambda number: 1 / number))
    assert not any(thread.name == "ingest-read" for thread in threading.enumerate())


class Unwanted(BaseException):
    pass


def test_what_is_read_for_too_long_is_left_to_end_by_itself_and_nothing_more_is_begun():
    go_on, ended, begun = Event(), Event(), list[int]()

    def read(number: int) -> None:
        begun.append(number)
        go_on.wait(30)
        ended.set()

    with pytest.raises(Unwanted):
        next(read_ahead([1, 2], read, depth=1, check=Mock(side_effect=[None, None, Unwanted])))
    assert not ended.is_set()  # nobody waited for it
    go_on.set()
    assert ended.wait(30)
    assert begun == [1]


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
