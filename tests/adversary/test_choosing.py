"""Which questions an adversary is asked, where a data set has fewer of a kind than are asked for."""

from pathlib import Path

import pytest

from adversary.full_size import chosen, too_few
from rag.evaluation.datasets import DataSet, Question


def made(answerable: int, unanswerable: int) -> DataSet:
    labels = [True] * answerable + [False] * unanswerable + [None] * 3
    questions = [Question(qid=f"q{n}", question="Why?", answerable=label) for n, label in enumerate(labels)]
    return DataSet(name="set", folder=Path("set"), questions=tuple(questions))


def test_half_of_the_questions_are_unanswerable_where_there_are_enough() -> None:
    dataset = made(10, 10)
    assert [one.answerable for one in chosen(dataset, 8)] == [True, False] * 4
    assert chosen(dataset, 8) == chosen(dataset, 8)
    assert too_few(dataset, 8) == too_few(dataset, 20) == ""


@pytest.mark.parametrize(("answerable", "unanswerable"), [(10, 2), (2, 10), (10, 0), (1, 1), (0, 0)])
def test_where_a_kind_has_fewer_all_of_it_are_asked_and_none_twice(answerable: int, unanswerable: int) -> None:
    asked = chosen(made(answerable, unanswerable), 8)
    labels = [one.answerable for one in asked]
    assert (labels.count(True), labels.count(False)) == (min(answerable, 4), min(unanswerable, 4))
    assert len({one.qid for one in asked}) == len(asked)


def test_what_is_missing_is_said_in_one_line() -> None:
    assert too_few(made(10, 2), 8) == (
        "set has only 2 unanswerable questions of the 4 asked for: all of them are asked."
    )
    assert too_few(made(1, 0), 8) == (
        "set has only 1 answerable question of the 4 asked for and 0 unanswerable questions of the 4 asked for: "
        "all of them are asked."
    )
