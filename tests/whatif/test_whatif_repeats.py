"""The same question asked again: counted once where labels prove something, as often as asked where they do not."""

import math
from datetime import UTC, datetime

import pytest

from rag.evaluation.promises import readings
from rag.recording.replay import RecordedRequest
from rag.whatif.arrays import risk_coverage, what_if
from rag.whatif.cases import cases_of


def asked(name: str, question: str, confidence: float, *, day: int | None = None, **fields: object) -> RecordedRequest:
    """A request of 2026-03-`day`; `None`: of no known moment."""
    return RecordedRequest.model_validate(
        {
            "request_id": name,
            "question": question,
            "timestamp": datetime(2026, 3, day, tzinfo=UTC) if day else None,
            "decision": "answered" if confidence >= 0.5 else "refused",
            "refusal_stage": None if confidence >= 0.5 else "gate",
            "confidence": confidence,
            "threshold": 0.5,
            "estimator": "calibrated",
            **fields,
        }
    )


# Sixty-six times the same question that nothing answers, once another, and one that is answered, each without mistake.
SAME = [
    asked(f"r{number}", "Who mends  the Roof?" if number % 2 else "who mends the roof?", 0.2) for number in range(66)
]
OTHER, ANSWERABLE = asked("o", "Who pays the fine?", 0.3), asked("y", "Who opens the gate?", 0.9)
LABELS = dict.fromkeys([*(one.request_id for one in SAME), "o"], False) | {"y": True}


def test_a_question_asked_again_with_the_same_label_is_one_question_in_rates_bounds_and_curve() -> None:
    result = what_if(cases_of([*SAME, OTHER, ANSWERABLE], LABELS))
    assert (result.false_answers.numerator, result.false_answers.denominator) == (0, 2)
    assert result.false_answers.upper_bound == pytest.approx(1 - math.sqrt(0.05))  # none of two, not none of 67
    assert (result.coverage.numerator, result.coverage.denominator) == (1, 1)
    assert result.labelled == (68, 3)
    assert (result.answered.numerator, result.answered.denominator) == (1, 68)  # unlabelled, as often as asked
    curve = risk_coverage(result)
    assert curve["threshold"].to_list() == [0.9, 0.3, 0.2]
    assert curve["false_answers"].to_list() == [0, 1, 2]


def test_nothing_is_promised_of_one_question_that_was_asked_sixty_six_times() -> None:
    observed, long_run, coming = readings(
        what_if(cases_of([*SAME, OTHER], LABELS)).frame, target=0.05, confidence=0.95, horizon=100
    )
    assert (observed.unanswerable, observed.threshold) == (2, 0.3001)
    assert (long_run.threshold, long_run.needed) == (None, 57)  # 59 are needed at least, two are there
    assert coming.threshold is None


def test_the_same_words_with_both_labels_are_two_questions() -> None:
    before, after = asked("a", "Who mends the roof?", 0.2), asked("b", "Who mends the roof?", 0.8)
    result = what_if(cases_of([before, after], {"a": False, "b": True}))
    assert (result.coverage.denominator, result.false_answers.denominator) == (1, 1)
    assert result.labelled == (2, 2)


def test_of_several_confidences_of_one_question_the_newest_counts_in_whatever_order_they_stand() -> None:
    one, two = asked("old", "Who mends the roof?", 0.8, day=1), asked("new", "Who mends the roof?", 0.1, day=2)
    for requests in ([one, two], [two, one]):
        result = what_if(cases_of(requests, {"old": False, "new": False}))
        assert (result.false_answers.numerator, result.false_answers.denominator) == (0, 1)
        assert risk_coverage(result)["threshold"].to_list() == [0.1]
    unlabelled = what_if(cases_of([one, two], {"old": False}))  # nobody said what the documents of then or now hold
    assert (unlabelled.false_answers.numerator, unlabelled.false_answers.denominator) == (1, 1)
