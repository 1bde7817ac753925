"""Another threshold on a recorded answer: worked by hand, without a model."""

import pytest
from recorded import answered, refused

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


def test_similarity_threshold_drops_chunks_and_the_mean_follows() -> None:
    replayed = replay(answered(), similarity_threshold=0.6, confidence_threshold=0.75)
    assert replayed.ranks == (1, 2)
    assert replayed.confidence == pytest.approx(0.8)  # (.9 + .7) / 2
    assert replayed.decision == "answered"
    assert replayed.exact


def test_no_chunk_left_is_refused_even_at_threshold_zero() -> None:
    replayed = replay(answered(), similarity_threshold=0.95, confidence_threshold=0.0)
    assert (replayed.ranks, replayed.confidence, replayed.decision) == ((), 0.0, "refused")


def test_smaller_top_k_and_another_estimator_are_computed_from_the_record() -> None:
    assert replay(answered(), top_k=2).confidence == pytest.approx(0.8)
    assert replay(answered(), top_k=1, estimator="max_similarity").confidence == 0.9
    assert replay(answered(), estimator="calibrated", confidence_threshold=0.4).confidence == 0.42


def test_top_k_beyond_the_record_says_that_it_is_not_exact() -> None:
    assert not replay(answered(), top_k=10).exact
    assert replay(answered(similarities=(0.9, 0.8, 0.7, 0.2), top_k=3), top_k=4).exact


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
