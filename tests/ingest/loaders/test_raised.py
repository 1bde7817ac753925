"""Raised and lowered figures: a power, a note's mark and a fraction never join the number before them."""

import re
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.loaders.raised import lowered, raised, settle


@given(st.lists(st.tuples(st.text(), st.sampled_from(["on", "up", "down"]))))
def test_nothing_is_lost_no_mark_stays_and_no_two_figures_join(pieces: list[tuple[str, str]]) -> None:
    """The letters of all pieces stand in the result in their order; a digit never follows a raised digit's own."""
    marks: dict[str, Callable[[str], str]] = {"on": str, "up": raised, "down": lowered}
    text = settle("".join(marks[where](piece) for piece, where in pieces))
    assert not re.search(r"[\x0e-\x10]", text)
    told = "".join(re.findall(r"[^\W\d_]", "".join(piece for piece, _ in pieces)))
    assert "".join(re.findall(r"[^\W\d_]", text)) == told


@given(st.integers(2, 9999), st.integers(2, 99))
def test_a_raised_number_never_makes_one_number_with_the_one_before(base: int, power: int) -> None:
    assert f"{base}{power}" not in settle(f"{base}{raised(str(power))}")
