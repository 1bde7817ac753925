"""Another threshold on a recorded answer: worked by hand, without a model."""

import pytest
from recorded import answered, refused, talk, unsure

from rag.errors import InvalidQuery
from rag.record import recorded_request
from rag.recording.replay import RecordedRequest, recorded_line, replay
from rag.whatif.cases import cases_of

# The recorded answer: similarities .9 .7 .5, top_k 3, mean_similarity = 2.1 / 3 = .7, threshold .5, answered.


def test_same_settings_give_the_same_outcome_exactly() -> None:
    for recorded in (answered(), refused()):
        same = replay(recorded)
        assert same.decision == same.recorded == recorded.outcome
        assert same.confidence == recorded.confidence
        assert not same.flipped
        assert same.exact


def test_higher_threshold_refuses() -> None:
    replayed = replay(answered(), confidence_threshold=0.71)
    assert (replayed.decision, replayed.flipped, replayed.exact) == ("refused", True, True)
    assert replayed.margin == pytest.approx(-0.01)
    assert replay(answered(), confidence_threshold=0.69).decision == "answered"


def test_confidence_equal_to_the_threshold_passes() -> None:
    recorded = answered(similarities=(0.5, 0.5, 0.5))
    assert replay(recorded, confidence_threshold=0.5).decision == "answered"


def test_another_estimator_is_computed_from_the_record() -> None:
    assert replay(answered(top_k=2), estimator="mean_similarity").confidence == pytest.approx(0.8)  # as recorded
    assert replay(answered(), estimator="max_similarity").confidence == 0.9
    assert replay(answered(), estimator="calibrated", confidence_threshold=0.4).confidence == 0.42


def test_unsure_lies_between_two_thresholds_of_an_estimator_that_knows_it() -> None:
    asked = recorded_request(answered()).model_copy(update={"estimator": "calibrated", "confidence": 0.6})
    tried = replay(asked, confidence_threshold=0.7, unsure_threshold=0.5)
    assert (tried.decision, tried.recorded, tried.exact, tried.unsure_threshold) == ("unsure", "answered", True, 0.5)
    assert replay(asked, confidence_threshold=0.7, unsure_threshold=0.65).decision == "refused"
    assert replay(asked, confidence_threshold=0.55, unsure_threshold=0.9).unsure_threshold == 0.55  # never above
    assert replay(answered(), confidence_threshold=0.75, unsure_threshold=0.1).decision == "refused"  # by the mean


def test_unsure_is_recorded_with_its_threshold_and_counts_as_answered_where_it_passes() -> None:
    short = recorded_request(unsure())
    assert (short.decision, short.unsure_threshold, short.refusal_stage) == ("unsure", 0.2, "gate")
    tried = replay(short.model_copy(update={"estimator": "calibrated"}), confidence_threshold=0.25)
    assert (tried.decision, tried.exact) == ("answered", False)


def test_talk_is_recorded_and_no_threshold_decides_it() -> None:
    short = recorded_request(talk())
    assert (short.decision, short.answer, short.refusal_stage) == ("talk", None, None)
    with pytest.raises(InvalidQuery, match="asks nothing"):
        replay(short)


def test_a_question_that_named_either_threshold_is_told_from_others() -> None:
    whole = answered()
    assert not recorded_request(whole).named_threshold
    for name in ("confidence_threshold", "unsure_threshold"):
        named = whole.model_copy(update={"query": whole.query.model_copy(update={name: 0.4})})
        assert recorded_request(named).named_threshold


def test_estimator_that_was_not_recorded_is_refused_by_name() -> None:
    recorded = recorded_request(answered()).model_copy(update={"estimates": {}})
    with pytest.raises(InvalidQuery, match="'calibrated'"):
        replay(recorded, estimator="calibrated")


def test_gate_refusal_that_passes_now_is_not_exact_and_grounding_refusal_stays() -> None:
    gate = replay(refused(stage="gate", confidence=0.3), confidence_threshold=0.2)
    assert (gate.decision, gate.exact) == ("answered", False)
    grounding = replay(refused(stage="grounding", confidence=0.8), confidence_threshold=0.2)
    assert (grounding.decision, grounding.exact) == ("refused", True)
    assert replay(refused(stage="validation"), confidence_threshold=0.0).decision == "refused"


def test_line_of_an_evaluation_replays_too() -> None:
    line: dict[str, object] = {
        "qid": "q1",
        "question": "Which gloves?",
        "decision": "answered",
        "confidence": 0.6,
        "answerable": True,
        "retrieved": [{"document": "a.pdf", "similarity_score": 0.8}, {"document": "b.pdf", "similarity_score": 0.4}],
        "citations": [{"document": "a.pdf"}],
        "timings_ms": {"total": 12.0},
    }
    assert replay(line, confidence_threshold=0.61).decision == "refused"
    assert replay(line, confidence_threshold=0.6).decision == "answered"
    assert replay(line, estimator="mean_similarity", confidence_threshold=0.6).confidence == pytest.approx(0.6)
    assert recorded_line(line).documents == ("a.pdf",)
    assert recorded_line(line).total_ms == 12.0
    with pytest.raises(InvalidQuery, match="'q2'"):
        recorded_line({"qid": "q2"})


def test_short_form_survives_the_trip_through_json() -> None:
    short = recorded_request(answered())
    assert RecordedRequest.model_validate_json(short.model_dump_json()) == short
    assert RecordedRequest.model_validate({**short.model_dump(), "field_of_tomorrow": 1}) == short


def test_which_fit_of_the_gate_decided_is_recorded_and_older_lines_have_none() -> None:
    whole = answered()
    fit = whole.fingerprints.model_copy(update={"gate": "calibrated/0123456789ab"})
    new = recorded_request(whole.model_copy(update={"fingerprints": fit}))
    line = new.model_dump(mode="json")
    assert line.pop("gate") == new.gate == "calibrated/0123456789ab"
    old = RecordedRequest.model_validate(line)
    assert cases_of([new, old]).gates == ("calibrated/0123456789ab", "")
    assert recorded_line({"qid": "q1", "decision": "refused", "gate": {"passed": False}}).gate == ""
