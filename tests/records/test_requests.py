"""The short form of an answer, and which recorded questions got no good answer and are alike."""

from datetime import datetime, timedelta

import numpy as np
import pytest
import recorded
from recorded import answered, talk, unsure

from rag.protocols import Vector
from rag.record import recorded_request
from rag.records.answerfiles import Judgement
from rag.records.requests import RecordedRequest, recorded_line
from rag.records.unanswered import Unanswered, grouped, unanswered


def test_the_short_form_keeps_unsure_talk_a_named_threshold_and_the_fit_of_the_gate_which_a_run_has_not() -> None:
    doubtful, spoken = recorded_request(unsure()), recorded_request(talk())
    assert (doubtful.decision, doubtful.unsure_threshold, doubtful.refusal_stage) == ("unsure", 0.2, "gate")
    assert RecordedRequest.model_validate({**doubtful.model_dump(mode="json"), "field_of_tomorrow": 1}) == doubtful
    assert (spoken.decision, spoken.answer, spoken.refusal_stage) == ("talk", None, None)
    whole = answered()
    assert not recorded_request(whole).named_threshold
    for name in ("confidence_threshold", "unsure_threshold"):
        named = whole.model_copy(update={"query": whole.query.model_copy(update={name: 0.4})})
        assert recorded_request(named).named_threshold
    fit = whole.fingerprints.model_copy(update={"gate": "calibrated/0123456789ab"})
    assert recorded_request(whole.model_copy(update={"fingerprints": fit})).gate == "calibrated/0123456789ab"
    assert recorded_line({"qid": "q1", "decision": "refused", "gate": {"passed": False}}).gate == ""


def asked(number: int, question: str = "", *, at: datetime = recorded.NOON, **fields: object) -> RecordedRequest:
    """Return the line of a refused question."""
    told = {"request_id": f"req_{number}", "timestamp": at, "question": question or f"Question {number}?"}
    return RecordedRequest.model_validate({"decision": "refused", "refusal_stage": "gate", **told, **fields})


def found(*questions: str) -> list[Unanswered]:
    """Return refused questions, the first the newest."""
    count = len(questions)
    lines = [asked(n, text, at=recorded.NOON + timedelta(count - n)) for n, text in enumerate(questions)]
    return unanswered(lines, {})


def turned(degrees: float) -> Vector:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)


SIGNS = [
    ({}, "", ("refused",)),
    ({"decision": "unsure"}, "bad", ("unsure", "judged_bad")),
    ({"decision": "answered"}, "bad", ("judged_bad",)),
    ({"decision": "answered", "generator": "openai", "dropped": 2}, "good", ("sentences_dropped",)),
    ({"decision": "answered"}, "", None),
    ({"decision": "answered", "generator": "extractive", "dropped": 1}, "", None),
    ({"decision": "talk"}, "", None),
    ({"mode": "selected-text-only"}, "", None),
    ({"refusal_stage": "validation"}, "", None),
]


@pytest.mark.parametrize(("fields", "verdict", "why"), SIGNS)
def test_each_sign_of_a_question_without_a_good_answer_is_named_and_what_was_answered_left_out(fields, verdict, why):
    judged = {"req_1": Judgement(verdict, "wrong", "no")} if verdict else {}  # type: ignore[arg-type]
    said = ("wrong", "no") if verdict == "bad" else ("", "")
    assert [(one.why, one.reason, one.note) for one in unanswered([asked(1, **fields)], judged)] == (
        [(why, *said)] if why else []
    )


def test_a_question_that_was_answered_since_in_the_same_words_is_left_out() -> None:
    lines = [asked(3, "who  PAYS?", decision="answered"), asked(2, "Who pays?"), asked(1, "Who pays the fine?")]
    assert [one.request_id for one in unanswered(lines, {})] == ["req_1"]
    judged = unanswered(lines, {"req_3": Judgement("bad")})
    assert [one.request_id for one in judged] == ["req_3", "req_2", "req_1"]


def test_like_questions_are_one_group_with_the_wording_asked_most_and_every_two_of_a_group_are_alike() -> None:
    questions = found("When is it open?", "Opening hours?", "opening  hours?", "Who pays?")
    near = {"When is it open?": turned(0), "Opening hours?": turned(40), "Who pays?": turned(90)}
    first, second = grouped(questions, near)
    assert (first.question, first.times, first.last) == ("Opening hours?", 3, questions[0].timestamp)
    assert first.why == {"refused": 3}
    assert [one.question for one in first.questions] == ["When is it open?", "Opening hours?", "opening  hours?"]
    assert (second.question, second.times) == ("Who pays?", 1)
    # cosines: 0 and 39 degrees .78, 39 and 80 .75, 0 and 80 .17
    groups = grouped(found("a?", "b?", "c?"), {"a?": turned(0), "b?": turned(39), "c?": turned(80)})
    assert sorted(sorted(one.question for one in group.questions) for group in groups) == [["a?", "b?"], ["c?"]]


def test_what_was_dismissed_stays_so_in_the_same_words_and_new_words_are_open() -> None:
    same = dict.fromkeys(("Who won?", "Who has won?"), turned(0))
    open_one, dismissed = grouped(
        found("Who has won?", "who won?", "Who won?"), same | {"who won?": turned(0)}, {"req_2"}
    )
    assert (open_one.question, open_one.dismissed) == ("Who has won?", False)
    assert (dismissed.times, dismissed.dismissed) == (2, True)
