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
    assert replay(answered(similarities=(0.5, 0.5, 0.5)), confidence_threshold=0.5).decision == "answered"


def test_the_short_form_keeps_unsure_with_its_threshold_and_talk_that_no_threshold_decides() -> None:
    doubtful, spoken = recorded_request(unsure()), recorded_request(talk())
    assert (doubtful.decision, doubtful.unsure_threshold, doubtful.refusal_stage) == ("unsure", 0.2, "gate")
    assert RecordedRequest.model_validate({**doubtful.model_dump(mode="json"), "field_of_tomorrow": 1}) == doubtful
    assert (spoken.decision, spoken.answer, spoken.refusal_stage) == ("talk", None, None)
    with pytest.raises(InvalidQuery, match="is not a question about the documents"):
        replay(spoken)


def test_a_question_that_named_either_threshold_is_told_from_others() -> None:
    whole = answered()
    assert not recorded_request(whole).named_threshold
    for name in ("confidence_threshold", "unsure_threshold"):
        named = whole.model_copy(update={"query": whole.query.model_copy(update={name: 0.4})})
        assert recorded_request(named).named_threshold


def test_which_fit_of_the_gate_decided_is_recorded_and_older_lines_have_none() -> None:
    whole = answered()
    fit = whole.fingerprints.model_copy(update={"gate": "calibrated/0123456789ab"})
    new = recorded_request(whole.model_copy(update={"fingerprints": fit}))
    line = new.model_dump(mode="json")
    assert line.pop("gate") == new.gate == "calibrated/0123456789ab"
    old = RecordedRequest.model_validate(line)
    assert cases_of([new, old]).gates == ("calibrated/0123456789ab", "")
    assert recorded_line({"qid": "q1", "decision": "refused", "gate": {"passed": False}}).gate == ""
