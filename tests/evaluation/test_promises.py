"""Three senses of "at most so many false answers", worked by hand."""

import pandas as pd

from rag.evaluation.promises import readings

TWENTY = [number / 100 for number in range(1, 21)]
"""Twenty unanswerable questions: 0.01, 0.02, ... 0.20."""


def read(unanswerable, answerable, *, target, later=0):
    """Read questions by their confidence; the first `later` unanswerable ones were refused after the gate."""
    numbers = range(len(unanswerable) + len(answerable))
    frame = pd.DataFrame({"confidence": [*unanswerable, *answerable], "number": numbers, "age": numbers})
    frame["answerable"] = [0.0] * len(unanswerable) + [1.0] * len(answerable)
    frame["answers"] = [number >= later for number in numbers]
    return readings(frame, target=target, confidence=0.95, horizon=100)


def test_an_observed_rate_is_kept_on_exactly_these_questions_and_promises_need_more_labels():
    observed, _, _ = read(TWENTY, [0.195, 0.5], target=0.10)
    assert observed.threshold == 0.1801  # two of twenty may be answered: .19 and .20; just above .18
    assert (observed.false_answers, observed.unanswerable) == (2, 20)
    assert (observed.coverage.numerator, observed.coverage.denominator) == (2, 2)
    _, long_run, coming = read(TWENTY, [0.5], target=0.05)
    assert (long_run.threshold, long_run.needed) == (None, 39)  # 59 with none answered: .95^59 < .05
    assert "39 more needed" in long_run.words
    assert (coming.threshold, coming.needed > 39) == (None, True)


def test_without_labels_or_with_certainty_there_is_no_threshold_and_what_was_refused_later_is_no_false_answer():
    for unanswerable, needed in (([], 1), ([1.0, 0.5], 0)):
        observed, long_run, _ = read(unanswerable, [0.5], target=0.05)
        assert (observed.threshold, observed.needed, long_run.threshold) == (None, needed, None)
    observed, _, _ = read([0.9, 0.1], [], target=0.10, later=1)
    assert (observed.threshold, observed.coverage) == (0.1001, None)


def test_labels_without_a_confidence_of_the_estimator_are_counted_and_the_reason_is_said():
    for reading in read([float("nan")] * 2, [float("nan")], target=0.05):
        assert (reading.unanswerable, reading.needed, reading.threshold) == (2, 0, None)
        assert reading.words.startswith("2 unanswerable questions are labelled, but no confidence of this estimator")
