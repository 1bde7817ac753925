"""A stream in a thread of its own: everything arrives, silence is noticed, closing stops it, errors come through."""

from collections.abc import Generator
from contextlib import closing
from threading import Event

import pytest

from rag.process.following import followed, followed_call


def test_everything_arrives_in_order_and_an_error_of_the_stream_is_raised_where_it_is_followed() -> None:
    def broken() -> Generator[int, None, None]:
        yield from range(100)
        raise OSError("gone")

    found: list[int | None] = []
    with pytest.raises(OSError, match="gone"):
        found.extend(followed(broken(), pulse=None))
    assert [item for item in found if item is not None] == list(range(100))


@pytest.mark.parametrize("is_cut", [False, True])
def test_leaving_ends_a_stream_that_is_silent_with_its_next_item_or_frees_it_from_a_read(is_cut: bool) -> None:
    go_on, closed = Event(), Event()

    def model() -> Generator[int, None, None]:
        try:
            yield 1
            go_on.wait(30)
            yield 2
            raise AssertionError("it went on after it was closed")
        finally:
            closed.set()

    with closing(followed(model(), pulse=None, pulse_s=0.01, on_leave=go_on.set if is_cut else None)) as events:
        assert next(events) == 1
        assert next(events) is None
    assert go_on.is_set() == is_cut
    go_on.set()
    assert closed.wait(30)


def test_a_stream_that_ended_by_itself_is_not_cut_and_its_value_is_kept() -> None:
    cut, values = Event(), []

    def counted() -> Generator[int, None, str]:
        yield 1
        return "whole"

    def kept() -> Generator[int | None, None, None]:
        values.append((yield from followed(counted(), pulse=None, on_leave=cut.set)))

    assert [item for item in kept() if item is not None] == [1]
    assert values == ["whole"]
    assert not cut.is_set()


def test_a_call_is_waited_for_with_pulses_and_left_to_itself_when_nobody_waits() -> None:
    go_on, values = Event(), []

    def slow() -> str:
        go_on.wait(30)
        return "model"

    def asked() -> Generator[str, None, None]:
        values.append((yield from followed_call(slow, pulse="...", pulse_s=0.01)))

    with closing(asked()) as left:
        assert next(left) == "..."
    waiting = asked()
    assert next(waiting) == "..."
    go_on.set()
    assert set(waiting) <= {"..."}
    assert values == ["model"]
