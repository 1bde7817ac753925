"""What Tune says that sliders do: how labelled questions end, counted by hand."""

from datetime import UTC, datetime

import numpy as np
import streamlit as st

from dashboard import queries
from dashboard.promises import consequences
from rag.candor import Candor
from rag.records.requests import RecordedRequest
from rag.whatif.arrays import what_if
from rag.whatif.cases import cases_of
from rag.workspace.values import Label


def request(name, confidence):
    """Asked at the threshold .5."""
    is_answered = confidence >= 0.5
    return RecordedRequest.model_validate(
        {"request_id": name, "question": f"What is {name}?", "timestamp": datetime(2026, 1, 1, 12, tzinfo=UTC),
         "decision": "answered" if is_answered else "refused", "refusal_stage": None if is_answered else "gate",
         "confidence": confidence, "threshold": 0.5, "estimator": "calibrated", "top_k": 2,
         "similarities": (0.8, 0.6)}
    )  # fmt: skip


# a, b, c are answerable, d and e are not. At .5: a, b and d are answered.
FIVE = [request(*pair) for pair in [("a", 0.9), ("b", 0.6), ("c", 0.3), ("d", 0.7), ("e", 0.2)]]
LABELS = {"a": True, "b": True, "c": True, "d": False, "e": False}


def test_a_stricter_threshold_answers_less_and_a_lower_unsure_threshold_refuses_less():
    result = what_if(cases_of(FIVE, LABELS), confidence_threshold=0.65, unsure_threshold=0.25)
    assert consequences(result) == (
        "Of 3 questions that the documents answer, **1** would be answered, **2** unsure and **0** refused (as they "
        "ended: 2, 0, 1). Of 2 questions that the documents do not answer, **1** would be answered, **0** unsure and "
        "**1** refused (as they ended: 1, 0, 1)."
    )


def test_the_label_of_a_question_to_a_pasted_text_does_not_count(monkeypatch, tmp_path):
    pasted = request("pasted", 0.9).model_copy(update={"mode": "selected-text-only"})
    monkeypatch.setattr(queries, "_newest", lambda _: [request("a", 0.9), pasted])
    st.cache_data.clear()
    with Candor.open(data_dir=tmp_path, ollama_host="http://127.0.0.1:9") as candor:
        for name in ("a", "pasted"):
            label = Label(target=name, aspect="answerable", labeller="ada", verdict="no")
            candor.wiring.sessions.labels.put(label)
        cases = queries.recorded_cases(candor)
    assert np.array_equal(cases.answerable, [0.0, np.nan], equal_nan=True)
    assert cases.recorded.tolist() == ["answered", "answered"]  # it still counts among what was asked


def test_an_answer_is_right_by_what_most_say_or_by_what_was_settled_and_partly_right_is_neither():
    def said(target, *verdicts):
        return [Label(target=target, aspect="answer", labeller=f"p{n}", verdict=one) for n, one in enumerate(verdicts)]

    labels = [*said("a", "correct"), *said("b", "wrong", "correct", "wrong"), *said("c", "partly")]
    assert queries.judged(labels, "answer") == {"a": True, "b": False}
