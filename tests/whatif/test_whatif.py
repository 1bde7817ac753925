"""The effect of a slider over many recorded questions, by hand."""

import math
from datetime import UTC, datetime

import pytest

from rag.evaluation.promises import readings
from rag.records.requests import RecordedRequest
from rag.whatif.arrays import OUTCOMES, WhatIf, changes_between, risk_coverage, what_if
from rag.whatif.cases import cases_of


def request(name: str, confidence: float, **fields: object) -> RecordedRequest:
    base = {
        "request_id": name,
        "decision": "answered" if confidence >= 0.5 else "refused",
        "refusal_stage": None if confidence >= 0.5 else "gate",
        "confidence": confidence,
        "threshold": 0.5,
        "estimator": "calibrated",
        "top_k": 2,
        "similarities": (0.8, 0.6, 0.4),
    }
    return RecordedRequest.model_validate({**base, **fields})


# Six questions, a..d answerable. Recorded at .5: a, b, e answered; c, d, f refused at the gate.
SIX = [request(*pair) for pair in [("a", 0.9), ("b", 0.7), ("c", 0.4), ("d", 0.2), ("e", 0.6), ("f", 0.1)]]
LABELS = {"a": True, "b": True, "c": True, "d": True, "e": False, "f": False}


def flipped(result: WhatIf) -> list[str]:
    """The questions that would end otherwise than they did."""
    return result.frame.loc[result.frame["flipped"], "request_id"].to_list()


def test_coverage_and_false_answers_are_counted_over_their_own_labels() -> None:
    now = what_if(cases_of(SIX, LABELS))
    assert (now.coverage.numerator, now.coverage.denominator) == (2, 4)
    assert (now.false_answers.numerator, now.false_answers.denominator) == (1, 2)
    assert now.answered.value == 0.5
    assert flipped(now) == []
    talk = request("hi", 0.0, decision="talk", refusal_stage=None, similarities=())
    assert what_if(cases_of([*SIX, talk], LABELS)).answered.denominator == 6
    unlabelled = what_if(cases_of(SIX))
    assert (unlabelled.answered.value, unlabelled.coverage.value, unlabelled.false_answers.value) == (0.5, None, None)


def test_higher_threshold_flips_what_is_below_it() -> None:
    result = what_if(cases_of(SIX, LABELS), confidence_threshold=0.75)
    assert flipped(result) == ["b", "e"]
    assert (result.coverage.value, result.false_answers.value) == (0.25, 0.0)
    assert result.false_answers.upper_bound == pytest.approx(1 - math.sqrt(0.05))  # none of two: 1 - .05^(1/2)
    lower = what_if(cases_of(SIX, LABELS), confidence_threshold=0.15)
    assert lower.coverage.value == 1.0
    assert lower.frame["exact"].to_list() == [True, True, False, False, True, True]  # nobody wrote c and d


def test_a_threshold_moves_only_what_the_estimator_in_force_decided_without_a_threshold_of_its_own() -> None:
    asked = [request("a", 0.6), request("b", 0.6, estimator="mean_similarity"), request("c", 0.6, named_threshold=True)]
    result = what_if(cases_of(asked), confidence_threshold=0.75, in_force="calibrated")
    assert flipped(result) == ["a"]
    assert result.frame["threshold"].to_list() == [0.75, 0.5, 0.5]
    assert result.frame["tried"].to_list() == [True, False, False]
    assert len(risk_coverage(what_if(cases_of(asked, {"a": True, "b": True, "c": False}), in_force="calibrated"))) == 1


def test_what_the_threshold_decides_is_counted_alone_and_lies_on_the_curve() -> None:
    named = request("g", 0.3, decision="answered", refusal_stage=None, threshold=0.2, named_threshold=True)
    labels = LABELS | {"g": True}
    result = what_if(cases_of([*SIX, named], labels), confidence_threshold=0.5, in_force="calibrated")
    tried = result.of_tried
    assert (result.coverage.numerator, result.coverage.denominator, result.labelled) == (3, 5, (7, 7))
    assert (tried.coverage.numerator, tried.coverage.denominator, tried.labelled) == (2, 4, (6, 6))
    assert (tried.answered.denominator, tried.false_answers.value) == (6, 0.5)
    curve = risk_coverage(result)
    points = curve[["coverage", "false_answer_rate"]].to_numpy().tolist()
    assert [tried.coverage.value, tried.false_answers.value] in points
    assert risk_coverage(tried).equals(curve)


def test_risk_coverage_curve_worked_by_hand() -> None:
    curve = risk_coverage(what_if(cases_of(SIX, LABELS)))
    assert curve["threshold"].to_list() == [0.9, 0.7, 0.6, 0.4, 0.2, 0.1]
    assert curve["coverage"].to_list() == [0.25, 0.5, 0.5, 0.75, 1.0, 1.0]
    assert curve["false_answer_rate"].to_list() == [0.0, 0.0, 0.5, 0.5, 0.5, 1.0]
    assert curve["risk"].to_numpy() == pytest.approx([0, 0, 1 / 3, 1 / 4, 1 / 5, 2 / 6])
    assert curve["false_answer_upper"].to_numpy()[[0, 2, 5]] == pytest.approx([1 - 0.05**0.5, 0.95**0.5, 1.0])


def test_between_the_two_thresholds_a_question_is_unsure_and_nothing_is_claimed() -> None:
    result = what_if(cases_of(SIX, LABELS), confidence_threshold=0.65, unsure_threshold=0.3)
    ends = {"a": "answered", "b": "answered", "c": "unsure", "d": "refused", "e": "unsure", "f": "refused"}
    assert result.frame.set_index("request_id")["decision"].to_dict() == ends
    shares = [[result.share(one, answerable=label).numerator for one in OUTCOMES] for label in (True, False)]
    assert shares == [[2, 1, 1], [0, 1, 1]]
    assert (result.coverage.value, result.false_answers.value) == (0.5, 0.0)
    assert (result.share("unsure").numerator, result.share("unsure").denominator) == (2, 6)
    assert result.frame["exact"].all()  # what is shown was found, and nothing would be written


def tried(recorded: RecordedRequest, **settings: object) -> tuple[str, bool]:
    """Return how a question would end, and whether that is exact."""
    (row,) = what_if(cases_of([recorded]), **settings).frame.to_dict("records")  # type: ignore[arg-type]
    return row["decision"], row["exact"]


def test_a_question_that_found_nothing_is_refused_at_every_threshold() -> None:
    found_nothing = request("a", 0.0, similarities=(), estimator="mean_similarity")
    assert tried(found_nothing, confidence_threshold=0.0) == ("refused", True)
    assert tried(request("c", 0.0, similarities=()), unsure_threshold=0.0) == ("refused", True)
    assert tried(request("b", 0.4, similarities=()), confidence_threshold=0.2) == ("answered", False)  # an older line


def test_another_estimator_decides_by_its_own_confidence_and_threshold_and_knows_no_unsure() -> None:
    one = request("a", 0.3, threshold=0.9, unsure_threshold=0.2)
    assert tried(one) == ("unsure", True)
    assert tried(one, estimator="max_similarity") == ("answered", False)  # .8, from .5 on; nobody wrote it
    of_mean = tried(one, estimator="mean_similarity", confidence_threshold=0.75, unsure_threshold=0.1)
    assert of_mean == ("refused", True)  # (.8 + .6) / 2
    other = request("b", 0.8, estimator="max_similarity", estimates={})
    assert tried(other, estimator="calibrated")[0] == "unknown"


@pytest.mark.parametrize("stage", ["validation", "error", "grounding"])
def test_what_another_stage_refused_stays_refused_at_every_threshold(stage: str) -> None:
    refused = request("a", 0.4, decision="refused", refusal_stage=stage)
    assert tried(refused, confidence_threshold=0.1) == ("refused", True)
    assert flipped(what_if(cases_of([refused]), unsure_threshold=0.2)) == (["a"] if stage == "grounding" else [])


def test_of_two_choices_of_editions_the_higher_confidence_is_held_against_the_threshold() -> None:
    both = request("a", 0.7, other_confidence=0.8)
    assert tried(both, confidence_threshold=0.6) == ("answered", True)
    assert tried(both, confidence_threshold=0.75) == ("answered", False)  # by the other choice: nobody wrote that
    assert tried(both, confidence_threshold=0.85) == ("refused", True)
    assert tried(both, confidence_threshold=0.85, unsure_threshold=0.78) == ("unsure", True)
    assert what_if(cases_of([both]), confidence_threshold=0.85).frame["confidence"].item() == 0.8
    assert tried(both, confidence_threshold=0.75, estimator="mean_similarity") == ("refused", False)  # (.8 + .6) / 2
    assert tried(both, confidence_threshold=0.65, estimator="mean_similarity") == ("answered", True)


def test_what_gets_worse_stands_first_the_closest_to_the_threshold_first() -> None:
    cases = cases_of(SIX, LABELS)
    found = changes_between(what_if(cases, confidence_threshold=0.5), what_if(cases, confidence_threshold=0.95))
    assert found["request_id"].tolist() == ["a", "b", "e"]  # .05 and .25 below, both answerable; e is for the better
    assert found["change"].tolist() == ["regressed", "regressed", "improved"]
    unlabelled = cases_of([*SIX, request("u", 0.65)], LABELS)
    between = changes_between(what_if(unlabelled), what_if(unlabelled, confidence_threshold=0.68))
    assert between[["request_id", "change"]].values.tolist() == [["e", "improved"], ["u", "flipped"]]
    back = changes_between(what_if(cases, confidence_threshold=0.95), what_if(cases, confidence_threshold=0.5))
    assert back["change"].tolist() == ["regressed", "improved", "improved"]


# --- the same question asked again -------------------------------------------------------------------------------


def asked(name: str, question: str, confidence: float, *, day: int | None = None) -> RecordedRequest:
    """A request of 2026-03-`day`; `None`: of no known moment."""
    return request(name, confidence, question=question, timestamp=datetime(2026, 3, day, tzinfo=UTC) if day else None)


# Sixty-six times the same question that nothing answers, once another, and one that is answered, each without mistake.
SAME = [
    asked(f"r{number}", "Who mends  the Roof?" if number % 2 else "who mends the roof?", 0.2) for number in range(66)
]
OTHER, ANSWERABLE = asked("o", "Who pays the fine?", 0.3), asked("y", "Who opens the gate?", 0.9)
OF_SAME = dict.fromkeys([*(one.request_id for one in SAME), "o"], False) | {"y": True}


def test_a_question_asked_again_with_the_same_label_is_one_question_in_rates_bounds_and_curve() -> None:
    result = what_if(cases_of([*SAME, OTHER, ANSWERABLE], OF_SAME))
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
        what_if(cases_of([*SAME, OTHER], OF_SAME)).frame, target=0.05, confidence=0.95, horizon=100
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
