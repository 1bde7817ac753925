"""A question of the documents is never an answer: what stands below it is, and what stands below another is not."""

import pytest
from passages import hit

from rag.generate import extract
from rag.models import Query, RetrievedChunk
from rag.quoting.layout import layout_of

SHOP = (
    "1. Is the workshop open on Sundays?\n\nNo. The gate is locked.\n\n"
    "2. Is the workshop heated in winter?\n\nNot at night. The stove is lit at seven.\n\n"
    "3. The lathe stops.\n\nIts belt has slipped. Call the keeper."
)
MARKED = (
    "Q. Why is the lathe locked?\n\nA. The lathe is locked because a guard broke.\n\n"
    "Q. I lost my key. Who has a key of the gate?\n\nA. The keeper has one."
)
BOLD = (
    "**May I swap my shift?**\n\nOnly if the keeper agrees.\n\n"
    "**How do I claim travel costs?**\n\nSend form T4 to Ada.\n\n"
    "**Is overtime paid at night?**\n\nNo, it is given back as free time."
)


def answer(question: str, *hits: RetrievedChunk, max_sentences: int = 3) -> str:
    query = Query(question=question)
    return extract(query, hits, document_frequency=lambda _: {}, indexed=9, max_sentences=max_sentences).text


@pytest.mark.parametrize(
    ("text", "question", "quoted"),
    [
        (SHOP, "Is the workshop open on Sundays?", "No. [1] The gate is locked. [1]"),
        (SHOP, "Is the workshop open on Sunday?", "No. [1] The gate is locked. [1]"),
        (SHOP, "What if the lathe stops?", "Its belt has slipped. [1] Call the keeper. [1]"),
        (MARKED, "Why is the lathe locked?", "The lathe is locked because a guard broke. [1]"),
        (MARKED, "Who has a key of the gate?", "The keeper has one. [1]"),
        (BOLD, "How do I claim travel costs?", "Send form T4 to Ada. [1]"),
        (BOLD, "Is overtime paid at night?", "No, it is given back as free time. [1]"),
    ],
)
def test_what_answers_a_question_is_quoted_in_its_place(text, question, quoted):
    assert answer(question, hit(text)) == quoted


def test_a_reply_keeps_a_question_that_asks_for_more_than_was_asked():
    asked, more = "Is overtime paid?", "Is overtime paid at night?"

    assert answer(asked, hit(BOLD)) == f"{more} [1] No, it is given back as free time. [1]"
    assert more not in answer(more, hit(BOLD))


def test_a_sentence_that_needs_no_question_is_quoted_without_the_one_that_asks_for_more():
    text = "Why is the lathe locked on Sundays?\n\nThe lathe is locked for want of a guard."

    assert answer("Why is the lathe locked?", hit(text)) == "The lathe is locked for want of a guard. [1]"


def test_an_answer_at_the_beginning_of_the_next_passage_is_found():
    first = hit("Tools are lent for a day.\n\nIs the workshop heated?")
    second = hit("No. The stove is broken.\n\nIs it lit?\n\nYes.", rank=2).model_copy(
        update={"start": first.end + 2, "end": first.end + 40}
    )

    assert answer("Is the workshop heated?", first, second) == "No. [2] The stove is broken. [2]"


@pytest.mark.parametrize(
    "text",
    [
        "Which gloves resist acetone?",
        "Which gloves resist acetone?\n\nWhich gloves resist toluene?",
        "Which gloves resist acetone?\n\n1. Nitrile gloves.\n2. Cotton gloves.",
    ],
)
def test_a_question_without_an_answer_is_not_quoted(text):
    assert "Which gloves" not in answer("Which gloves resist acetone?", hit(text))


def test_a_question_amid_a_paragraph_is_answered_by_the_rest_of_it_alone():
    layout = layout_of(hit("Ice is old. Why is firn dense? It sinters.\n\nSnow is white."))

    assert layout.asks == (False, True, False, False)
    assert layout.answers(1) == (2,)


def test_a_statement_in_a_list_without_questions_is_no_question():
    layout = layout_of(hit("1. Wash your hands.\n\nSoap is at the sink.\n\n2. Wear gloves."))

    assert not any(layout.asks)


def test_a_sentence_that_cites_a_question_is_none():
    assert layout_of(hit('The clerk asked "why?" and left. It rained.')).asks == (False, False)
