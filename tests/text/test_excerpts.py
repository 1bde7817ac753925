"""Excerpts: the part of a long sentence, or of one over two pages, that says what was claimed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.text.excerpts import EXCERPT_LIMIT, best_excerpt, parts_between


def test_of_a_sentence_over_two_pages_the_part_that_says_it_is_shown() -> None:
    text = "The dome weighs 12 tonnes and the mirror 90 kilograms."  # the first page ends behind `tonnes `
    assert best_excerpt("The dome weighs 12 tonnes.", text, edges=[26]) == "The dome weighs 12 tonnes"
    assert best_excerpt("The mirror weighs 90 kilograms.", text, edges=[26]) == "and the mirror 90 kilograms."


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
