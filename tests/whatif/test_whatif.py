"""The effect of a slider over many recorded questions, by hand and against the replay of each."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import InvalidQuery
from rag.recording.replay import RecordedRequest, replay
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


# --- three outcomes -----------------------------------------------------------------------------------------------


def test_between_the_two_thresholds_a_question_is_unsure_and_nothing_is_claimed() -> None:
    result = what_if(cases_of(SIX, LABELS), confidence_threshold=0.65, unsure_threshold=0.3)
    ends = {"a": "answered", "b": "answered", "c": "unsure", "d": "refused", "e": "unsure", "f": "refused"}
    assert result.frame.set_index("request_id")["decision"].to_dict() == ends
    shares = [[result.share(one, answerable=label).numerator for one in OUTCOMES] for label in (True, False)]
    assert shares == [[2, 1, 1], [0, 1, 1]]
    assert (result.coverage.value, result.false_answers.value) == (0.5, 0.0)
    assert (result.share("unsure").numerator, result.share("unsure").denominator) == (2, 6)
    assert result.frame["exact"].all()  # what is shown was found, and nothing would be written


# --- against the replay of each -----------------------------------------------------------------------------------


SCORES = st.floats(0, 1, allow_nan=False).map(lambda value: round(value, 2))
ESTIMATORS = st.sampled_from(["mean_similarity", "max_similarity", "calibrated"])


@st.composite
def recorded_requests(draw: st.DrawFn) -> RecordedRequest:
    stage = draw(st.sampled_from([None, "validation", "gate", "grounding", "error"]))
    ended = draw(st.sampled_from(["refused", "unsure"])) if stage in ("gate", "grounding") else "refused"
    return RecordedRequest(
        request_id="r",
        decision=ended if stage else "answered",
        refusal_stage=stage,
        confidence=draw(SCORES),
        threshold=draw(st.none() | SCORES),
        unsure_threshold=draw(st.none() | SCORES),
        estimator=draw(st.none() | ESTIMATORS),
        estimates=draw(st.dictionaries(ESTIMATORS, SCORES)),
        top_k=draw(st.integers(1, 6)),
        similarities=tuple(draw(st.lists(SCORES, max_size=6))),
        other_confidence=draw(st.none() | SCORES),
    )


@settings(max_examples=100, deadline=None)
@given(
    st.lists(recorded_requests(), min_size=1, max_size=3), st.none() | SCORES, st.none() | SCORES,
    st.none() | ESTIMATORS,
)  # fmt: skip
def test_arrays_decide_as_the_replay_of_each_question_does(requests, threshold, unsure, estimator) -> None:
    options = {"confidence_threshold": threshold, "unsure_threshold": unsure, "estimator": estimator}
    rows = what_if(cases_of(requests), **options).frame
    for row, recorded in zip(rows.itertuples(), requests, strict=True):
        try:
            one = replay(recorded, **options)
        except InvalidQuery:
            assert row.decision == "unknown"
            continue
        assert (row.decision, row.exact) == (one.decision, one.exact)
        assert (row.confidence, row.threshold) == (pytest.approx(one.confidence), one.threshold)
        assert row.unsure_threshold == one.unsure_threshold or (
            math.isnan(row.unsure_threshold) and one.unsure_threshold is None
        )


def tried(recorded: RecordedRequest, **settings: object) -> tuple[str, bool]:
    """Return how a question would end, and whether that is exact: by the arrays, as by the replay."""
    (row,) = what_if(cases_of([recorded]), **settings).frame.to_dict("records")  # type: ignore[arg-type]
    again = replay(recorded, **settings)  # type: ignore[arg-type]
    assert (again.decision, again.exact) == (row["decision"], row["exact"])
    return again.decision, again.exact


def test_a_question_that_found_nothing_is_refused_at_every_threshold() -> None:
    found_nothing = request("a", 0.0, similarities=(), estimator="mean_similarity")
    assert tried(found_nothing, confidence_threshold=0.0) == ("refused", True)
    assert tried(request("c", 0.0, similarities=()), unsure_threshold=0.0) == ("refused", True)
    assert tried(request("b", 0.4, similarities=()), confidence_threshold=0.2) == ("answered", False)  # an older line


def test_of_two_choices_of_editions_the_higher_confidence_is_held_against_the_threshold() -> None:
    both = request("a", 0.7, other_confidence=0.8)
    assert tried(both, confidence_threshold=0.6) == ("answered", True)
    assert tried(both, confidence_threshold=0.75) == ("answered", False)  # by the other choice: nobody wrote that
    assert tried(both, confidence_threshold=0.85) == ("refused", True)
    assert tried(both, confidence_threshold=0.85, unsure_threshold=0.78) == ("unsure", True)
    assert replay(both, confidence_threshold=0.85).confidence == 0.8
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
