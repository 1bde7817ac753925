"""Excerpts: the part of a long sentence, or of one over two pages, that says what was claimed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.language.excerpts import EXCERPT_LIMIT, best_excerpt, parts_between

LONG = (
    "The observatory on the hill was built in 1931 by a society of amateurs who had collected money for ten years, and "
    "its dome, which weighs 12 tonnes and is turned by hand, was covered with copper when the first roof had rusted; "
    "the telescope itself has a mirror of 60 centimetres that was ground in Jena by Maria Toll."
)


@pytest.mark.parametrize(
    ("claim", "part"),
    [
        ("The observatory was built in 1931.", "built in 1931"),
        ("The dome weighs 12 tonnes.", "weighs 12 tonnes"),
        ("The mirror was ground in Jena.", "ground in Jena"),
    ],
)
def test_the_excerpt_of_a_long_sentence_holds_what_the_claim_says(claim: str, part: str) -> None:
    assert part in best_excerpt(claim, LONG)


def test_a_sentence_within_the_limit_and_on_one_page_is_shown_whole() -> None:
    text = "The dome weighs 12 tonnes. It is turned by hand."
    assert best_excerpt("The dome weighs 12 tonnes.", text, edges=[27]) == text[:26]


@pytest.mark.parametrize(
    ("claim", "part"),
    [
        ("The dome weighs 12 tonnes.", "The dome weighs 12 tonnes"),
        ("The mirror weighs 90 kilograms.", "and the mirror 90 kilograms."),
    ],
)
def test_of_a_sentence_over_two_pages_the_part_that_says_it_is_shown(claim: str, part: str) -> None:
    """`The dome weighs 12 tonnes ` has 26 characters; the rest stands on the next page."""
    assert best_excerpt(claim, "The dome weighs 12 tonnes and the mirror 90 kilograms.", edges=[26]) == part


def test_where_nothing_tells_the_parts_apart_the_longest_is_shown() -> None:
    text = "Of all roofs it is the dome that is turned by hand."
    assert best_excerpt(text, text, edges=[13]) == text[13:]


def test_there_is_no_excerpt_of_nothing() -> None:
    assert best_excerpt("The dome is heavy.", " \n") == ""


@settings(max_examples=100, deadline=None)
@given(
    text=st.text(alphabet=st.sampled_from("abcdé .\nXYZ1,"), max_size=700),
    edges=st.lists(st.integers(0, 700), max_size=4, unique=True).map(sorted),
)
def test_every_excerpt_is_verbatim_within_the_limit_and_crosses_no_edge(text: str, edges: list[int]) -> None:
    found = best_excerpt(text, text, edges=edges)
    parts = [text[start:end] for start, end in parts_between(text, (0, len(text)), edges)]
    assert len(found) <= EXCERPT_LIMIT
    assert any(found in part for part in parts) or not text.strip()
    assert found == found.strip()


def test_a_row_is_cited_by_itself_and_not_by_the_heads_above_it() -> None:
    heads, row = "| Drug | Daily dose |", "| Zorvex | 15 mg |"
    text = f"{heads}\n{row}\n| Palinol | 20 mg |"
    assert best_excerpt("Drug: Zorvex; Daily dose: 15 mg.", text, silent=[(0, len(heads))]) == row
