"""What a person gets of a question, counted by hand."""

import pytest

from rag.evaluation.datasets import Question
from rag.evaluation.use import got, has_gold_first, is_right

from .made import chunk, gold, line, question

SENTENCE = "Staff wear nitrile gloves whenever strong acids are poured."
"""Content words: staff, wear, nitrile, glov, whenever, strong, acid, pour: 60% are 5 of 8."""


def asked(*places, kind="span", answers=()):
    return question(golds=places or [gold(text=SENTENCE)], kind=kind, answers=answers)


def said(text, document="manual.md"):
    return line(text=text, retrieved=[chunk(1, document)])


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Nitrile gloves: wear them with strong acids.", True),  # nitrile, glov, wear, strong, acid
        ("Nitrile gloves: wear them with acids.", False),  # four of eight
        ("Wearing nitrile gloves, a strong acid.", True),  # endings do not count
    ],
)
def test_an_answer_with_most_words_of_a_gold_sentence_is_right(text, right):
    assert is_right(asked(), said(text)) is right


def test_the_document_of_the_gold_sentence_must_be_cited():
    assert not is_right(asked(), said(SENTENCE, document="other.md"))


def test_only_the_first_words_of_an_answer_count():
    assert is_right(asked(), said("word " * 140 + SENTENCE))
    assert not is_right(asked(), said("word " * 150 + SENTENCE))


@pytest.mark.parametrize(("kind", "right"), [("span", True), ("multi", False), ("comparison", False)])
def test_kinds_of_several_places_need_every_gold_sentence(kind, right):
    places = [gold(text=SENTENCE), gold("other.md", text="Goggles protect both eyes.")]

    assert is_right(asked(*places, kind=kind), said(SENTENCE)) is right


def test_both_gold_sentences_in_one_answer_are_enough_for_a_comparison():
    places = [gold(text=SENTENCE), gold(text="Goggles protect both eyes.")]

    assert is_right(asked(*places, kind="comparison"), said(f"{SENTENCE} Goggles protect both eyes."))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("It is rinsed for 15 minutes.", True),
        ("It is rinsed for 20 minutes.", False),  # the number is another
        ("15 minutes.", False),  # two of three words are less than 70%
    ],
)
def test_a_gold_answer_needs_most_of_its_words_and_all_of_its_numbers(text, right):
    assert is_right(asked(answers=("rinsed 15 minutes",)), said(text)) is right


def test_a_label_may_give_the_sentence_as_a_quotation():
    fields = {"document": "manual.md", "quote": f"**{SENTENCE}**", "quote_plain": SENTENCE, "text": None}
    quoted = Question.model_validate({"qid": "q", "question": "Why?", "answerable": True, "gold": [fields]})

    assert is_right(quoted, said(SENTENCE))
    assert has_gold_first(quoted, line(retrieved=[chunk(1, content=f"Rules. {SENTENCE}")]))


def test_what_is_not_answered_is_neither_right_nor_wrong():
    lines = [said(SENTENCE), said("No."), line(unsure=True), line(answered=False)]

    assert [got(asked(), one) for one in lines] == ["right", "wrong", "unsure", "refused"]


def test_the_gold_sentence_counts_among_the_first_three_passages_of_its_document():
    far = [chunk(rank, content="Hoods hum.") for rank in (1, 2)]

    assert has_gold_first(asked(), line(retrieved=[*far, chunk(3, content=SENTENCE)]))
    assert not has_gold_first(asked(), line(retrieved=[*far, chunk(3), chunk(4, content=SENTENCE)]))
    assert not has_gold_first(asked(), line(retrieved=[chunk(1, "other.md", content=SENTENCE)]))


def test_a_label_without_a_sentence_is_held_by_no_passage():
    assert not has_gold_first(asked(gold()), line(retrieved=[chunk()]))
