"""The effect of a slider over many recorded questions, by hand; what one that was not answered would be told."""

import math
from datetime import UTC, datetime

import pytest
from passages import hit
from recorded import answered, refused

from rag.evaluation.promises import readings
from rag.records.requests import RecordedRequest
from rag.whatif.arrays import OUTCOMES, WhatIf, changes_between, risk_coverage, what_if
from rag.whatif.cases import Cases, cases_of
from rag.whatif.said import said

CALIBRATED = {"in_force": "calibrated"}


def request(name: str, confidence: float, **fields: object) -> RecordedRequest:
    """A request that the gate decided at .5; `day`: of 2026-03-`day`."""
    passed, day = confidence >= 0.5, fields.pop("day", None)
    base = {"request_id": name, "confidence": confidence, "threshold": 0.5, "estimator": "calibrated", "top_k": 2}
    base |= {"decision": "answered" if passed else "refused", "refusal_stage": None if passed else "gate"}
    base |= {"similarities": (0.8, 0.6, 0.4), "timestamp": datetime(2026, 3, day, tzinfo=UTC) if day else None}
    return RecordedRequest.model_validate({**base, **fields})


# Six questions, a..d answerable. Recorded at .5: a, b, e answered; c, d, f refused at the gate.
SIX = [request(*pair) for pair in [("a", 0.9), ("b", 0.7), ("c", 0.4), ("d", 0.2), ("e", 0.6), ("f", 0.1)]]
LABELS = {"a": True, "b": True, "c": True, "d": True, "e": False, "f": False}


def of_six(*more: RecordedRequest, **settings: object) -> WhatIf:
    return what_if(cases_of([*SIX, *more], LABELS), **settings)  # type: ignore[arg-type]


def flipped(result: WhatIf) -> list[str]:
    """The questions that would end otherwise than they did."""
    return result.frame.loc[result.frame["flipped"], "request_id"].to_list()


def counts(result: WhatIf) -> list[float]:
    """Answered of answerable ones, and of unanswerable ones."""
    shares = (result.coverage, result.false_answers)
    return [part for one in shares for part in (one.numerator, one.denominator)]


def test_coverage_and_false_answers_have_their_own_labels_and_a_higher_threshold_flips_what_is_below_it() -> None:
    now = of_six()
    assert (counts(now), now.answered.value, flipped(now)) == ([2, 4, 1, 2], 0.5, [])
    talk = request("hi", 0.0, decision="talk", refusal_stage=None, similarities=())
    assert of_six(talk).answered.denominator == 6
    unlabelled = what_if(cases_of(SIX))
    assert (unlabelled.answered.value, unlabelled.coverage.value, unlabelled.false_answers.value) == (0.5, None, None)
    result = of_six(confidence_threshold=0.75)
    assert (flipped(result), counts(result)) == (["b", "e"], [1, 4, 0, 2])
    assert result.false_answers.upper_bound == pytest.approx(1 - math.sqrt(0.05))  # none of two: 1 - .05^(1/2)
    lower = of_six(confidence_threshold=0.15)
    assert lower.coverage.value == 1.0
    assert lower.frame["exact"].to_list() == [True, True, False, False, True, True]  # nobody wrote c and d


def test_a_threshold_moves_only_what_the_estimator_in_force_decided_without_a_threshold_of_its_own() -> None:
    asked = [request("a", 0.6), request("b", 0.6, estimator="mean_similarity"), request("c", 0.6, named_threshold=True)]
    result = what_if(cases_of(asked, {"a": True, "b": True, "c": False}), confidence_threshold=0.75, **CALIBRATED)
    assert flipped(result) == ["a"]
    assert result.frame["threshold"].to_list() == [0.75, 0.5, 0.5]
    assert result.frame["tried"].to_list() == [True, False, False]
    assert len(risk_coverage(result)) == 1


def test_the_risk_coverage_curve_is_as_worked_by_hand_and_what_the_threshold_decides_alone_lies_on_it() -> None:
    curve = risk_coverage(of_six())
    assert curve["threshold"].to_list() == [0.9, 0.7, 0.6, 0.4, 0.2, 0.1]
    assert curve["coverage"].to_list() == [0.25, 0.5, 0.5, 0.75, 1.0, 1.0]
    assert curve["false_answer_rate"].to_list() == [0.0, 0.0, 0.5, 0.5, 0.5, 1.0]
    assert curve["risk"].to_numpy() == pytest.approx([0, 0, 1 / 3, 1 / 4, 1 / 5, 2 / 6])
    assert curve["false_answer_upper"].to_numpy()[[0, 2, 5]] == pytest.approx([1 - 0.05**0.5, 0.95**0.5, 1.0])
    named = request("a2", 0.3, decision="answered", refusal_stage=None, threshold=0.2, named_threshold=True)
    labels = LABELS | {"a2": True}
    result = what_if(cases_of([*SIX, named], labels), confidence_threshold=0.5, **CALIBRATED)
    tried, curve = result.of_tried, risk_coverage(result)
    assert (counts(result)[:2], result.labelled) == ([3, 5], (7, 7))
    assert (counts(tried), tried.labelled, tried.answered.denominator) == ([2, 4, 1, 2], (6, 6), 6)
    assert [0.5, 0.5] in curve[["coverage", "false_answer_rate"]].to_numpy().tolist()
    assert risk_coverage(tried).equals(curve)


def test_between_the_two_thresholds_a_question_is_unsure_and_nothing_is_claimed() -> None:
    result = of_six(confidence_threshold=0.65, unsure_threshold=0.3)
    ends = ["answered", "answered", "unsure", "refused", "unsure", "refused"]
    assert result.frame["decision"].to_list() == ends
    shares = [[result.share(one, answerable=label).numerator for one in OUTCOMES] for label in (True, False)]
    assert shares == [[2, 1, 1], [0, 1, 1]]
    assert (result.share("unsure").numerator, result.share("unsure").denominator) == (2, 6)
    assert result.frame["exact"].all()  # what is shown was found, and nothing would be written


NOTHING = {"similarities": ()}
UNSURE = request("a", 0.3, threshold=0.9, unsure_threshold=0.2)
BOTH = request("a", 0.7, other_confidence=0.8)
MEAN = {"estimator": "mean_similarity"}


@pytest.mark.parametrize(
    ("recorded", "settings", "ends"),
    [
        # what found nothing is refused at every threshold, but for an older line that does not say what it found
        (request("a", 0.0, **NOTHING, **MEAN), {"confidence_threshold": 0.0}, ("refused", True)),
        (request("c", 0.0, **NOTHING), {"unsure_threshold": 0.0}, ("refused", True)),
        (request("b", 0.4, **NOTHING), {"confidence_threshold": 0.2}, ("answered", False)),
        # another estimator decides by its own confidence and threshold, and knows no unsure
        (UNSURE, {}, ("unsure", True)),
        (UNSURE, {"estimator": "max_similarity"}, ("answered", False)),  # .8, from .5 on; nobody wrote it
        (UNSURE, {**MEAN, "confidence_threshold": 0.75, "unsure_threshold": 0.1}, ("refused", True)),  # (.8 + .6) / 2
        (request("b", 0.8, estimator="max_similarity", estimates={}), {"estimator": "calibrated"}, ("unknown", False)),
        # what another stage refused stays refused
        *(
            (request("a", 0.4, refusal_stage=stage), {"confidence_threshold": 0.1}, ("refused", True))
            for stage in ("validation", "error", "grounding")
        ),
        (request("a", 0.4, refusal_stage="error"), {"unsure_threshold": 0.2}, ("refused", True)),
        (request("a", 0.4, refusal_stage="grounding"), {"unsure_threshold": 0.2}, ("unsure", True)),
        # of two choices of editions the higher confidence is held against the threshold
        (BOTH, {"confidence_threshold": 0.6}, ("answered", True)),
        (BOTH, {"confidence_threshold": 0.75}, ("answered", False)),  # by the other choice: nobody wrote that
        (BOTH, {"confidence_threshold": 0.85}, ("refused", True)),
        (BOTH, {"confidence_threshold": 0.85, "unsure_threshold": 0.78}, ("unsure", True)),
        (BOTH, {**MEAN, "confidence_threshold": 0.75}, ("refused", False)),  # (.8 + .6) / 2
        (BOTH, {**MEAN, "confidence_threshold": 0.65}, ("answered", True)),
    ],
)
def test_how_one_question_would_end_and_whether_that_is_exact(
    recorded: RecordedRequest, settings: dict[str, object], ends: tuple[str, bool]
) -> None:
    (row,) = what_if(cases_of([recorded]), **settings).frame.to_dict("records")  # type: ignore[arg-type]
    assert (row["decision"], row["exact"]) == ends


def test_what_gets_worse_stands_first_and_a_question_asked_again_once_as_labelled_else_as_asked_last() -> None:
    def changes(cases: Cases, before: float, after: float) -> list[list[str]]:
        results = (what_if(cases, confidence_threshold=threshold) for threshold in (before, after))
        return changes_between(*results)[["request_id", "change"]].to_numpy().tolist()

    cases, more = cases_of(SIX, LABELS), cases_of([*SIX, request("u", 0.65)], LABELS)
    # .05 and .25 below, both answerable; e is for the better
    assert changes(cases, 0.5, 0.95) == [["a", "regressed"], ["b", "regressed"], ["e", "improved"]]
    assert changes(cases, 0.95, 0.5) == [["e", "regressed"], ["b", "improved"], ["a", "improved"]]
    assert changes(more, 0.5, 0.68) == [["e", "improved"], ["u", "flipped"]]
    said = (("old", 0.6, "Who mends the roof?", 1), ("new", 0.55, "who mends  the ROOF?", 2), ("other", 0.7, "Who?", 3))
    asked = [request(name, confidence, question=question, day=day) for name, confidence, question, day in said]

    def listed(**labels: bool) -> list[list[object]]:
        before, after = (what_if(cases_of(asked, labels), confidence_threshold=one) for one in (0.5, 0.9))
        return changes_between(before, after)[["request_id", "times", "change"]].to_numpy().tolist()

    assert listed() == [["other", 1, "flipped"], ["new", 2, "flipped"]]  # .2 and .35 below
    assert listed(old=False) == [["old", 2, "improved"], ["other", 1, "flipped"]]


# Sixty-six times the same question that nothing answers, once another, and one that is answered, each without mistake.
SAME = [request(f"r{n}", 0.2, question=("Who mends  the Roof?", "who mends the roof?")[n % 2]) for n in range(66)]
OTHER = request("o", 0.3, question="Who pays the fine?")
ANSWERABLE = request("y", 0.9, question="Who opens the gate?")
OF_SAME = dict.fromkeys([*(one.request_id for one in SAME), "o"], False) | {"y": True}


def test_a_question_asked_again_with_the_same_label_is_one_question_in_rates_bounds_and_curve() -> None:
    result = what_if(cases_of([*SAME, OTHER, ANSWERABLE], OF_SAME))
    assert (counts(result), result.labelled) == ([1, 1, 0, 2], (68, 3))
    assert result.false_answers.upper_bound == pytest.approx(1 - math.sqrt(0.05))  # none of two, not none of 67
    assert (result.answered.numerator, result.answered.denominator) == (1, 68)  # unlabelled, as often as asked
    curve = risk_coverage(result)
    assert curve["threshold"].to_list() == [0.9, 0.3, 0.2]
    assert curve["false_answers"].to_list() == [0, 1, 2]
    observed, long_run, coming = readings(result.frame, target=0.05, confidence=0.95, horizon=100)
    assert (observed.unanswerable, observed.threshold) == (2, 0.3001)
    assert (long_run.threshold, long_run.needed) == (None, 57)  # 59 are needed at least, two are there
    assert coming.threshold is None


def test_the_same_words_with_both_labels_are_two_questions_and_of_one_the_newest_confidence_counts() -> None:
    asked = [request("a", 0.2, question="Who mends the roof?"), request("b", 0.8, question="Who mends the roof?")]
    result = what_if(cases_of(asked, {"a": False, "b": True}))
    assert (counts(result), result.labelled) == ([1, 1, 0, 1], (2, 2))
    one, two = (request(name, confidence, question="Who?", day=day) for name, confidence, day in
                (("old", 0.8, 1), ("new", 0.1, 2)))  # fmt: skip
    for requests in ([one, two], [two, one]):
        result = what_if(cases_of(requests, {"old": False, "new": False}))
        assert counts(result)[2:] == [0, 1]
        assert risk_coverage(result)["threshold"].to_list() == [0.1]
    unlabelled = what_if(cases_of([one, two], {"old": False}))  # nobody said what the documents of then or now hold
    assert counts(unlabelled)[2:] == [1, 1]


STEPS = "To open the kiln:\n1. Switch off the burner.\n2. Wait an hour.\n3. Lift the lid.\n4. Let it cool."


def test_a_refused_question_for_a_whole_list_would_be_quoted_all_of_it_and_another_the_step_that_answers() -> None:
    found = hit(STEPS, readings=(1.0,), marks=(0.1, 0.1, 0.04, 0.8, 0.0))
    older = refused().model_copy(update={"retrieved": (found,)})
    assert said(older) == "To open the kiln: 3. Lift the lid."
    whole = said(older.model_copy(update={"asks_for_list": True}))
    assert whole == "To open the kiln: 1. Switch off the burner. 2. Wait an hour. 3. Lift the lid. 4. Let it cool."
    assert said(answered()) == "Gloves are worn."
