"""Where a second question begins, measured on texts that were not trained on."""

from pathlib import Path

import pytest

from rag.evaluation.intervals import wilson
from rag.opening.joints import questions_in

FRESH = Path(__file__).with_name("several.tsv")
"""Texts, a bar before each question but the first, written before the examples that the weights are trained on."""
FOUND = 0.7
"""The share of texts with several questions that are told at those places, at least: the lower end of its interval."""
CUT = 0.12
"""The share of texts with one question that are cut, at most: the upper end."""


@pytest.fixture(scope="module")
def rows():
    lines = FRESH.read_text(encoding="utf-8").splitlines()
    return [[part.strip() for part in line.split("|")] for line in lines]


def begins_alike(part: str, wanted: str) -> bool:
    """Whether a part is what stands behind a bar, without the words that join it."""
    return wanted.rstrip("?. ").endswith(part.rstrip("?. "))


def test_60_texts_with_several_questions_are_cut_where_the_next_begins_at_this_rate(rows):
    several = [wanted for wanted in rows if len(wanted) > 1]
    found = [questions_in(" ".join(wanted)) for wanted in several]
    right = [
        len(parts) == len(wanted) and all(map(begins_alike, parts[1:], wanted[1:]))
        for parts, wanted in zip(found, several, strict=True)
    ]
    assert len(several) == 60
    assert wilson(sum(right), len(right))[0] >= FOUND, [
        one for one, is_right in zip(found, right, strict=True) if not is_right
    ]


def test_60_texts_with_one_question_are_left_whole_at_this_rate(rows):
    single = [text for text, *others in rows if not others]
    cut = [parts for parts in map(questions_in, single) if len(parts) > 1]
    assert len(single) == 60
    assert wilson(len(cut), len(single))[1] <= CUT, cut


@pytest.mark.parametrize("text", ["", "?", "and", "and who", "a " * 2000])
def test_a_text_without_words_or_of_one_word_is_left_whole(text):
    assert questions_in(text) == (text,)
