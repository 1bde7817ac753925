"""The short form of an answer: what is kept of it, and what is left open."""

from recorded import answered, talk, unsure

from rag.record import recorded_request
from rag.records.requests import RecordedRequest, recorded_line


def test_the_short_form_keeps_unsure_with_its_threshold_and_tells_talk() -> None:
    doubtful, spoken = recorded_request(unsure()), recorded_request(talk())
    assert (doubtful.decision, doubtful.unsure_threshold, doubtful.refusal_stage) == ("unsure", 0.2, "gate")
    assert RecordedRequest.model_validate({**doubtful.model_dump(mode="json"), "field_of_tomorrow": 1}) == doubtful
    assert (spoken.decision, spoken.answer, spoken.refusal_stage) == ("talk", None, None)


def test_a_threshold_that_the_question_named_and_the_fit_of_the_gate_are_recorded_and_a_run_has_none() -> None:
    whole = answered()
    assert not recorded_request(whole).named_threshold
    for name in ("confidence_threshold", "unsure_threshold"):
        named = whole.model_copy(update={"query": whole.query.model_copy(update={name: 0.4})})
        assert recorded_request(named).named_threshold
    fit = whole.fingerprints.model_copy(update={"gate": "calibrated/0123456789ab"})
    assert recorded_request(whole.model_copy(update={"fingerprints": fit})).gate == "calibrated/0123456789ab"
    assert recorded_line({"qid": "q1", "decision": "refused", "gate": {"passed": False}}).gate == ""
