"""Excerpts: the part of a long sentence, or of one over two pages, that says what was claimed or asked."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.grounding.excerpts import EXCERPT_LIMIT, best_excerpt, parts_between
from rag.language.rows import with_marks
from rag.models import Chunk

LONG = (
    "The observatory on the hill was built in 1931 by a society of amateurs who had collected money for ten years, and "
    "its dome, which weighs 12 tonnes and is turned by hand, was covered with copper when the first roof had rusted; "
    "the telescope itself has a mirror of 60 centimetres that was ground in Jena by Maria Toll."
)


def test_the_excerpt_of_a_long_quotation_holds_what_the_question_asks_for() -> None:
    when = best_excerpt(LONG, LONG, question="In which year was the observatory built?")
    heavy = best_excerpt(LONG, LONG, question="How many tonnes does the dome weigh?")
    wide = best_excerpt(LONG, LONG, question="How many centimetres has the mirror of the telescope?")
    who = best_excerpt(LONG, LONG, question="Who ground the mirror of the telescope?")
    assert "built in 1931" in when
    assert "weighs 12 tonnes" in heavy
    assert "60 centimetres" in wide
    assert "Maria Toll" in who


def test_the_excerpt_of_a_claim_holds_what_the_claim_says_whatever_was_asked() -> None:
    found = best_excerpt("The mirror was ground in Jena.", LONG, question="When was the observatory built?")
    assert "ground in Jena" in found


def test_without_a_question_a_long_quotation_is_shown_from_its_beginning() -> None:
    assert LONG.startswith(best_excerpt(LONG, LONG))


def test_a_sentence_within_the_limit_and_on_one_page_is_shown_whole() -> None:
    text = "The dome weighs 12 tonnes. It is turned by hand."
    assert best_excerpt("The dome weighs 12 tonnes.", text, question="Who turns it?", edges=[27]) == text[:26]


def test_of_a_sentence_over_two_pages_the_part_that_answers_is_shown() -> None:
    """`The dome weighs 12 tonnes ` has 26 characters; the rest stands on the next page."""
    text = "The dome weighs 12 tonnes and the mirror 90 kilograms."
    shown = [
        best_excerpt(text, text, question=question, edges=[26])
        for question in ("How many tonnes does the dome weigh?", "How many kilograms does the mirror weigh?")
    ]
    assert shown == ["The dome weighs 12 tonnes", "and the mirror 90 kilograms."]


def test_where_two_parts_answer_alike_the_first_word_of_the_question_counts() -> None:
    """Both parts have a number and one word of the question: `mirror`, which it names first, and `dome`."""
    text = "The dome weighs 12 tonnes and the mirror 90 kilograms."
    question = "How heavy is the mirror under the dome?"
    assert best_excerpt(text, text, question=question, edges=[26]) == "and the mirror 90 kilograms."


def test_where_nothing_tells_the_parts_apart_the_longest_is_shown() -> None:
    text = "Of all roofs it is the dome that is turned by hand."
    assert best_excerpt(text, text, edges=[13]) == text[13:]


def test_there_is_no_excerpt_of_nothing() -> None:
    assert best_excerpt("The dome is heavy.", " \n", question="How heavy is the dome?") == ""


@settings(max_examples=100, deadline=None)
@given(
    text=st.text(alphabet=st.sampled_from("abcdé .\nXYZ1,"), max_size=700),
    edges=st.lists(st.integers(0, 700), max_size=4, unique=True).map(sorted),
    question=st.sampled_from(["", "How many a?", "Who is X?"]),
)
def test_every_excerpt_is_verbatim_within_the_limit_and_crosses_no_edge(
    text: str, edges: list[int], question: str
) -> None:
    found = best_excerpt(text, text, question=question, edges=edges)
    parts = [text[start:end] for start, end in parts_between(text, (0, len(text)), edges)]
    assert len(found) <= EXCERPT_LIMIT
    assert any(found in part for part in parts) or not text.strip()
    assert found == found.strip()


def test_a_row_is_cited_by_itself_and_not_by_the_heads_above_it() -> None:
    text = "| Drug | Daily dose |\n| Zorvex | 15 mg |\n| Palinol | 20 mg |"
    hit = Chunk(
        chunk_id="c", document="a.md", document_hash="0" * 64, content=text, chunk_index=0, start=0, end=len(text),
        heads=(0,),
    )  # fmt: skip
    found = best_excerpt("Drug: Zorvex; Daily dose: 15 mg.", with_marks(hit, text), question="What is the daily dose?")
    assert found == "| Zorvex | 15 mg |"


def test_an_excerpt_of_marked_text_has_no_marks() -> None:
    heads = "| Drug | Daily dose |"
    hit = Chunk(
        chunk_id="c", document="a.md", document_hash="0" * 64, content=heads, chunk_index=0, start=0, end=len(heads),
        heads=(0,),
    )  # fmt: skip
    assert best_excerpt("Drug", with_marks(hit, heads)) == heads
