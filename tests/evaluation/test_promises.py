"""Three senses of "at most so many false answers", worked by hand."""

import pandas as pd

from rag.evaluation.promises import readings


def frame(unanswerable: list[float], answerable: list[float], *, refused_later: int = 0) -> pd.DataFrame:
    """Questions by confidence; the first `refused_later` unanswerable ones were refused after the gate."""
    confidences = [*unanswerable, *answerable]
    return pd.DataFrame(
        {
            "confidence": confidences,
            "answerable": [0.0] * len(unanswerable) + [1.0] * len(answerable),
            "answers": [number >= refused_later for number in range(len(confidences))],
            "number": range(len(confidences)),
            "age": range(len(confidences)),
        }
    )


# Twenty unanswerable questions: 0.01, 0.02, ... 0.20; two answerable ones.
TWENTY = [number / 100 for number in range(1, 21)]


def test_observed_rate_is_kept_on_exactly_these_questions() -> None:
    observed, _, _ = readings(frame(TWENTY, [0.195, 0.5]), target=0.10, confidence=0.95, horizon=100)
    assert observed.threshold == 0.1801  # two of twenty may be answered: .19 and .20; just above .18
    assert (observed.false_answers, observed.unanswerable) == (2, 20)
    assert observed.coverage is not None
    assert (observed.coverage.numerator, observed.coverage.denominator) == (2, 2)


def test_promises_need_more_labels_than_an_observation_and_say_how_many() -> None:
    _, long_run, coming = readings(frame(TWENTY, [0.5]), target=0.05, confidence=0.95, horizon=100)
    assert (long_run.threshold, long_run.needed) == (None, 39)  # 59 with none answered: .95^59 < .05
    assert coming.threshold is None
    assert coming.needed > 39
    assert "39 more needed" in long_run.words


def test_what_was_refused_after_the_gate_is_no_false_answer_at_any_threshold() -> None:
    observed, _, _ = readings(frame([0.9, 0.1], [], refused_later=1), target=0.10, confidence=0.95, horizon=10)
    assert observed.threshold == 0.1001
    assert observed.coverage is None


def test_without_labels_or_with_certainty_there_is_no_threshold() -> None:
    observed, long_run, _ = readings(frame([], [0.5]), target=0.05, confidence=0.95, horizon=10)
    assert (observed.threshold, observed.needed) == (None, 1)
    assert (long_run.threshold, long_run.needed) == (None, 59)
    observed, _, _ = readings(frame([1.0, 0.5], []), target=0.05, confidence=0.95, horizon=10)
    assert observed.threshold is None
    assert "no threshold" in observed.words


def test_labels_without_a_confidence_of_the_estimator_are_counted_and_the_reason_is_said() -> None:
    questions = frame([0.4, 0.5], [0.6]).assign(confidence=float("nan"))
    for reading in readings(questions, target=0.05, confidence=0.95, horizon=10):
        assert (reading.unanswerable, reading.needed, reading.threshold) == (2, 0, None)
        assert reading.words.startswith("2 unanswerable questions are labelled, but no confidence of this estimator")
