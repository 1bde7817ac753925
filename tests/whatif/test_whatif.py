"""The effect of a slider over many recorded questions, by hand and against the replay of each."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import InvalidQuery
from rag.recording.replay import RecordedRequest, replay
from rag.whatif.arrays import COLUMNS, OUTCOMES, WhatIf, changes_between, recorded_threshold, risk_coverage, what_if
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


def test_higher_threshold_flips_what_is_below_it() -> None:
    result = what_if(cases_of(SIX, LABELS), confidence_threshold=0.75)
    assert flipped(result) == ["b", "e"]
    assert (result.coverage.value, result.false_answers.value) == (0.25, 0.0)
    assert result.false_answers.upper_bound == pytest.approx(1 - math.sqrt(0.05))  # none of two: 1 - .05^(1/2)


def test_lower_threshold_counts_as_answered_what_the_gate_had_refused_and_says_so() -> None:
    result = what_if(cases_of(SIX, LABELS), confidence_threshold=0.15)
    assert result.coverage.value == 1.0
    assert result.frame.set_index("request_id")["exact"].to_dict() == {
        "a": True, "b": True, "c": False, "d": False, "e": True, "f": True,
    }  # fmt: skip


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


def test_where_the_threshold_decides_every_question_nothing_is_counted_apart() -> None:
    result = what_if(cases_of([*SIX, request("g", 0.9, estimator="max_similarity")], LABELS), estimator="calibrated")
    assert result.of_tried.frame.equals(result.frame)
    assert result.of_tried.answered == result.answered
    assert result.of_tried.coverage == result.coverage
    assert result.of_tried.false_answers == result.false_answers


def test_under_an_estimator_that_is_tried_the_threshold_decides_every_question() -> None:
    asked = [request("a", 0.6), request("b", 0.6, estimator="mean_similarity", named_threshold=True)]
    result = what_if(cases_of(asked), confidence_threshold=0.75, estimator="max_similarity", in_force="calibrated")
    assert result.frame["tried"].all()
    assert result.frame["decision"].to_list() == ["answered", "answered"]  # the best similarity is .8


def test_unlabelled_questions_have_an_answered_share_and_no_coverage() -> None:
    result = what_if(cases_of(SIX))
    assert result.answered.value == 0.5
    assert result.coverage.value is None
    assert result.false_answers.value is None
    assert risk_coverage(result).empty


def test_unrecorded_estimate_is_unknown_and_counted_nowhere() -> None:
    recorded = [request("a", 0.9), request("b", 0.9, estimator="max_similarity")]
    result = what_if(cases_of(recorded, {"a": True, "b": True}), estimator="calibrated")
    assert result.frame["decision"].to_list() == ["answered", "unknown"]
    assert (result.coverage.numerator, result.coverage.denominator) == (1, 1)


def test_risk_coverage_curve_worked_by_hand() -> None:
    curve = risk_coverage(what_if(cases_of(SIX, LABELS)))
    assert curve["threshold"].to_list() == [0.9, 0.7, 0.6, 0.4, 0.2, 0.1]
    assert curve["coverage"].to_list() == [0.25, 0.5, 0.5, 0.75, 1.0, 1.0]
    assert curve["false_answer_rate"].to_list() == [0.0, 0.0, 0.5, 0.5, 0.5, 1.0]
    assert curve["risk"].to_numpy() == pytest.approx([0, 0, 1 / 3, 1 / 4, 1 / 5, 2 / 6])
    assert curve["false_answer_upper"].to_numpy()[[0, 2, 5]] == pytest.approx([1 - 0.05**0.5, 0.95**0.5, 1.0])


def test_equal_confidences_are_one_point_and_grounding_refusals_never_count() -> None:
    equal = [request("a", 0.9), request("b", 0.9, decision="refused", refusal_stage="grounding"), request("e", 0.9)]
    curve = risk_coverage(what_if(cases_of(equal, LABELS)))
    assert len(curve) == 1
    assert curve.loc[0, ["answered", "coverage", "false_answer_rate"]].to_list() == [2, 0.5, 1.0]


def test_threshold_of_an_evaluation_is_the_lowest_confidence_that_passed() -> None:
    assert recorded_threshold(cases_of(SIX)) == 0.6
    assert recorded_threshold(cases_of([request("c", 0.4)])) is None


def test_nothing_recorded_gives_empty_frames_with_columns() -> None:
    result = what_if(cases_of([]))
    assert result.answered.value is None
    assert "decision" in result.frame.columns
    assert "coverage" in risk_coverage(result).columns


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


def test_recorded_unsure_and_answered_flip_into_each_other() -> None:
    asked = [request("u", 0.4, decision="unsure", unsure_threshold=0.2), request("a", 0.9, unsure_threshold=0.2)]
    assert flipped(what_if(cases_of(asked))) == []
    lower = what_if(cases_of(asked), confidence_threshold=0.35).frame.set_index("request_id")
    assert (lower.loc["u", "decision"], lower.loc["u", "exact"]) == ("answered", False)
    higher = what_if(cases_of(asked), confidence_threshold=0.95).frame.set_index("request_id")
    assert (higher.loc["a", "decision"], higher.loc["a", "flipped"]) == ("unsure", True)


def test_talk_is_in_no_rate() -> None:
    cases = cases_of([*SIX, request("hi", 0.0, decision="talk", refusal_stage=None, similarities=())], LABELS)
    assert len(cases) == 6
    assert what_if(cases).answered.denominator == 6


def test_of_the_answers_that_would_be_given_again_it_is_counted_how_many_are_right() -> None:
    cases = cases_of(SIX, LABELS, {"a": True, "b": False, "c": True, "e": False})  # c was not answered
    assert (what_if(cases).right.numerator, what_if(cases).right.denominator) == (1, 3)
    stricter = what_if(cases, confidence_threshold=0.65)
    assert (stricter.right.numerator, stricter.right.denominator) == (1, 2)
    assert what_if(cases, confidence_threshold=0.95).right.value is None


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


@settings(max_examples=300, deadline=None)
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


def test_rates_and_curve_count_a_question_as_answered_where_one_choice_of_editions_is() -> None:
    result = what_if(cases_of([request("e", 0.4, other_confidence=0.6)], LABELS), confidence_threshold=0.55)
    assert result.false_answers.value == 1.0
    assert risk_coverage(result)["threshold"].to_list() == [0.6]


def test_questions_with_one_confidence_and_no_more_are_counted() -> None:
    older = request("old", 0.9, estimator=None, threshold=None)
    failed = request("failed", 0.0, estimator=None, refusal_stage="error")
    assert cases_of([older, failed, request("new", 0.9)]).without_scores == 1


def test_questions_that_end_otherwise_are_listed_with_what_the_label_says_of_it() -> None:
    cases = cases_of([*SIX, request("u", 0.65)], LABELS)  # a .9, b .7, c .4, d .2 answerable; e .6, f .1 not; u unknown
    found = changes_between(what_if(cases, confidence_threshold=0.5), what_if(cases, confidence_threshold=0.68))
    assert found[["request_id", "change", "before", "after"]].values.tolist() == [
        ["e", "improved", "answered", "refused"],  # unanswerable, and refused now
        ["u", "flipped", "answered", "refused"],
    ]
    assert (found["threshold_before"].iloc[0], found["threshold_after"].iloc[0]) == (0.5, 0.68)


def test_what_gets_worse_stands_first_the_closest_to_the_threshold_first() -> None:
    cases = cases_of(SIX, LABELS)
    found = changes_between(what_if(cases, confidence_threshold=0.5), what_if(cases, confidence_threshold=0.95))
    assert found["request_id"].tolist() == ["a", "b", "e"]  # .05 and .25 below, both answerable; e is for the better
    assert found["change"].tolist() == ["regressed", "regressed", "improved"]
    back = changes_between(what_if(cases, confidence_threshold=0.95), what_if(cases, confidence_threshold=0.5))
    assert back["change"].tolist() == ["regressed", "improved", "improved"]


def test_unsure_is_better_than_refused_for_what_can_be_answered_and_worse_for_what_cannot() -> None:
    cases = cases_of(SIX, LABELS)  # c .4 and d .2 answerable, f .1 not: refused without an unsure threshold
    found = changes_between(what_if(cases), what_if(cases, unsure_threshold=0.05))
    assert found[["request_id", "change", "after"]].values.tolist() == [
        ["f", "regressed", "unsure"],
        ["c", "improved", "unsure"],
        ["d", "improved", "unsure"],
    ]
    stricter = changes_between(what_if(cases), what_if(cases, confidence_threshold=0.65, unsure_threshold=0.5))
    assert stricter[["request_id", "change"]].values.tolist() == [["e", "improved"]]  # unanswerable, answered before


def test_what_is_not_known_on_either_side_is_left_out() -> None:
    cases = cases_of([request("x", 0.9, estimator="max_similarity", similarities=())])
    found = changes_between(what_if(cases), what_if(cases, estimator="calibrated", confidence_threshold=0.99))
    assert found.empty
    assert list(found.columns) == COLUMNS


def test_calibrated_confidence_can_be_tried_where_it_was_recorded_beside_what_decided() -> None:
    cases = cases_of([request("x", 0.6, estimator="max_similarity", estimates={"calibrated": 0.3})])
    (row,) = what_if(cases, estimator="calibrated", confidence_threshold=0.5).frame.to_dict("records")
    assert (row["confidence"], row["decision"], row["exact"]) == (0.3, "refused", True)
