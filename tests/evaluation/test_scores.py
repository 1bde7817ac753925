"""What a person gets of a question and what an answer cites, counted by hand."""

import pytest

from rag.evaluation import scores
from rag.evaluation.scores import contains_gold, has_gold_first, is_right

from .made import chunk, gold, line, question


@pytest.mark.parametrize(
    ("text", "answers", "found"),
    [
        ("The count was “Robert Guiscard” [1].", ["robert guiscard"], True),  # case, quotes, articles and markers
        ("It takes 15 minutes.", ["an hour", "15 minutes"], True),
        ("At most 1,500 ml.", ["1500 ml"], True),
        ("It takes 15 minutes.", ["5 minutes"], False),  # whole words
        ("Yes.", ["?"], None),
    ],
)
def test_a_gold_answer_must_stand_as_whole_words_and_without_one_nothing_is_measured(text, answers, found):
    assert contains_gold(text, answers) is found


def test_answer_recall_is_the_best_gold_answers_share_of_content_words():
    # content of the first gold: member, cephalochordata, named, blade, like, shape: 2 found; of the second: 1 of 1
    first = "a member of Cephalochordata, named for its blade like shape"
    found = [
        scores.answer_recall("The lancelet is a member of Cephalochordata.", golds)
        for golds in ([first], [first, "the lancelet"], ["gloves"])
    ]
    assert found == pytest.approx([2 / 6, 1, 0])


def test_citations_are_judged_by_the_chunk_that_they_cite_and_pages_by_the_citation_where_the_label_has_one():
    shown = line(retrieved=[chunk(1, page=3, section="1.1 A"), chunk(2, page=4)])
    assert [scores.citation_precision(shown, [gold(page=page)]) for page in (3, 4)] == [(1, 1), (0, 1)]
    assert scores.citation_precision(line(retrieved=[]), [gold()]) == (0, 1)
    places = gold(page=3, section="9.9"), gold("other.md", page=3), gold()
    assert [scores.page_accuracy(shown, [place]) for place in places] == [(1, 1), (0, 1), (0, 0)]


SENTENCE = "Staff wear nitrile gloves whenever strong acids are poured."
"""Content words: staff, wear, nitrile, glov, whenever, strong, acid, pour: 60% are 5 of 8."""
GOGGLES = "Goggles protect both eyes."
BOTH = [gold(text=SENTENCE), gold(text=GOGGLES)]
RINSED = {"answers": ("rinsed 15 minutes",)}


def asked(*places, kind="span", answers=()):
    return question(golds=places or [gold(text=SENTENCE)], kind=kind, answers=answers)


def said(text, document="manual.md"):
    return line(text=text, retrieved=[chunk(1, document)])


@pytest.mark.parametrize(
    ("wanted", "shown", "right"),
    [
        (asked(), said("Nitrile gloves: wear them with strong acids."), True),  # nitrile, glov, wear, strong, acid
        (asked(), said("Nitrile gloves: wear them with acids."), False),  # four of eight
        (asked(), said(SENTENCE, document="other.md"), False),
        (asked(), said("word " * 140 + SENTENCE), True),
        (asked(), said("word " * 150 + SENTENCE), False),  # only the first words of an answer count
        (asked(gold(quote=f"**{SENTENCE}**", quote_plain=SENTENCE)), said(SENTENCE), True),
        (asked(*BOTH, kind="multi"), said(SENTENCE), False),
        (asked(*BOTH, kind="comparison"), said(f"{SENTENCE} {GOGGLES}"), True),
        (asked(**RINSED), said("It is rinsed for 15 minutes."), True),
        (asked(**RINSED), said("It is rinsed for 20 minutes."), False),  # the number is another
        (asked(**RINSED), said("15 minutes."), False),  # two of three words are less than 70%
    ],
)
def test_an_answer_is_right_that_shows_the_gold_sentence_or_the_gold_answer(wanted, shown, right):
    assert is_right(wanted, shown) is right


def test_the_gold_sentence_counts_among_the_first_three_passages_of_its_document():
    far, near = [chunk(rank, content="Hoods hum.") for rank in (1, 2)], chunk(3, content=SENTENCE)
    assert has_gold_first(asked(), line(retrieved=[*far, near]))
    assert not has_gold_first(asked(), line(retrieved=[*far, chunk(3), near]))
    assert not has_gold_first(asked(), line(retrieved=[chunk(1, "other.md", content=SENTENCE)]))
