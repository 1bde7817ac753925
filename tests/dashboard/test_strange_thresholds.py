"""Recorded requests that another fit of the gate decided: a threshold chosen on them says so."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from seen import Open, button, text_of, word_reader

from dashboard.thresholds import of_another_gate
from rag.candor import Candor
from rag.recording.replay import RecordedRequest
from rag.whatif.cases import cases_of

QUESTION = "Who lights the lantern of Orsk at dusk?"


def request(name: str, gate: str, estimator: str = "calibrated") -> RecordedRequest:
    base = {"request_id": name, "decision": "answered", "confidence": 0.9, "threshold": 0.5, "similarities": (0.9,)}
    return RecordedRequest.model_validate({**base, "gate": gate, "estimator": estimator})


def test_what_the_estimator_decided_with_another_fit_or_before_fits_were_recorded_is_of_another_gate() -> None:
    cases = cases_of(
        [
            request("same fit", "calibrated/now"),
            request("other fit", "calibrated/then"),
            request("older record", ""),
            request("other estimator", "max_similarity/1", "max_similarity"),
        ]
    )
    assert of_another_gate(cases, "calibrated", "calibrated/now") == 2
    assert of_another_gate(cases, "max_similarity", "max_similarity/1") == 0
    assert of_another_gate(cases_of([]), "calibrated", "calibrated/now") == 0


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Candor]:
    """A Candor over one note, with its calibrated gate, that was asked once."""
    with Candor.open(data_dir=tmp_path, ollama_host="http://127.0.0.1:9") as candor:
        candor.wiring.reader = word_reader()
        candor.ingest_bytes("lantern.md", b"# Lantern\n\nThe lantern of Orsk is lit by Marta Lind at dusk.\n")
        candor.ask(QUESTION)
        yield candor


def test_tune_warns_of_requests_of_another_gate_and_a_promotion_chosen_on_them_says_so(
    own: Candor, open_over: Callable[[Candor], Open]
) -> None:
    open_page = open_over(own)
    assert "another fit of the gate" not in text_of(open_page("tune"))
    answer = own.ask(QUESTION)
    assert answer.gate is not None
    made_with = answer.fingerprints.model_copy(update={"gate": "calibrated/before"})
    own.wiring.recorder.answer(
        answer.model_copy(update={"fingerprints": made_with, "request_id": "req_20260101_000000000001"})
    )
    test = open_page("tune", t_confidence="0.90")
    assert [one.value.startswith("They were decided by another fit of the gate") for one in test.warning] == [True]
    test.text_input(key="promote_note").set_value("stricter")
    test.text_input(key="promote_by").set_value("Ada")
    button(test, "Put it into production").click().run()
    note = own.wiring.sessions.promotions.current().note
    assert "Chosen on 3 recorded requests (1 of them decided by another gate): threshold 0.90" in note
