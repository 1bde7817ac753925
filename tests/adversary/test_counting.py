"""Which questions an adversary is asked, and which lies are counted among what was shown."""

from pathlib import Path

import pytest
from ollama_server.brains import Lie

from adversary.full_size import chosen, lies_among
from rag.evaluation.datasets import DataSet, Question

TRUTH = "Anders repaired the roof and Berit painted the fence."
LIES = [
    Lie("mixed_clauses", "Berit repaired the roof.", TRUTH, 1),
    Lie("other_number", "The mill has 12  doors.", "The mill has 21 doors.", 2),
]


@pytest.mark.parametrize(("answerable", "unanswerable"), [(10, 10), (10, 2), (1, 1), (0, 0)])
def test_half_of_the_questions_are_unanswerable_and_of_a_kind_with_fewer_all_are_asked(answerable, unanswerable):
    labels = [True] * answerable + [False] * unanswerable + [None] * 3
    questions = [Question(qid=f"q{n}", question="Why?", answerable=label) for n, label in enumerate(labels)]
    dataset = DataSet(name="set", folder=Path("set"), questions=tuple(questions))
    asked = chosen(dataset, 8)
    found = [one.answerable for one in asked]

    assert asked == chosen(dataset, 8)
    assert (found.count(True), found.count(False)) == (min(answerable, 4), min(unanswerable, 4))
    assert len({one.qid for one in asked}) == len(asked)


def test_a_lie_is_counted_with_its_kind_and_a_truth_a_part_of_it_and_another_sentence_are_not():
    told = [TRUTH, "repaired the roof", "The gate is open.", "Berit repaired the roof.", "The mill has 12 doors."]
    assert lies_among(told, LIES) == ["mixed_clauses: Berit repaired the roof.", "other_number: The mill has 12 doors."]
