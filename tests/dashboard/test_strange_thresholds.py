"""Recorded requests that another fit of the gate may have decided: a threshold chosen on them says so."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from seen import Open, button, text_of

from dashboard.decided import strange
from rag.candor import Candor
from rag.recording.replay import RecordedRequest
from rag.whatif.cases import cases_of

QUESTION = "Who lights the lantern of Orsk at dusk?"


def request(name: str, threshold: float | None, **fields: object) -> RecordedRequest:
    base = {"request_id": name, "decision": "answered", "confidence": 0.9, "threshold": threshold, "top_k": 1}
    return RecordedRequest.model_validate({**base, "estimator": "calibrated", "similarities": (0.9,), **fields})


def test_only_what_the_estimator_itself_held_against_another_threshold_is_strange() -> None:
    cases = cases_of(
        [
            request("own", 0.7071),
            request("rounded", 0.70714),
            request("promoted", 0.5),
            request("other", 0.7019),
            request("other again", 0.7019),
            request("older", 0.64),
            request("named by itself", 0.3, named_threshold=True),
            request("other estimator", 0.3, estimator="max_similarity"),
            request("not held", None),
        ]
    )
    assert strange(cases, "calibrated", [0.7071, 0.5]) == (3, [0.64, 0.7019])
    assert strange(cases, "max_similarity", [0.3]) == (0, [])
    assert strange(cases_of([]), "calibrated", [0.7071]) == (0, [])


def test_where_the_record_holds_the_fit_that_alone_tells_whether_it_is_another() -> None:
    cases = cases_of(
        [
            request("same fit", 0.7071, gate="calibrated/now"),
            request("same fit, other threshold", 0.1, gate="calibrated/now"),
            request("other fit, same threshold", 0.7071, gate="calibrated/then"),
            request("other fit, named threshold", 0.3, gate="calibrated/then", named_threshold=True),
            request("older record, other threshold", 0.64),
        ]
    )
    assert strange(cases, "calibrated", [0.7071], gate="calibrated/now") == (3, [0.3, 0.64, 0.7071])


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Candor]:
    """A Candor over one note, with its calibrated gate, that was asked once."""
    with Candor.open(data_dir=tmp_path, ollama_host="http://127.0.0.1:9") as candor:
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
    of_before = answer.gate.model_copy(update={"threshold": 0.1234})
    made_with = answer.fingerprints.model_copy(update={"gate": "calibrated/before"})
    own.wiring.recorder.answer(
        answer.model_copy(
            update={"gate": of_before, "fingerprints": made_with, "request_id": "req_20260101_000000000001"}
        )
    )
    test = open_page("tune", t_confidence="0.90")
    assert "held against 0.1234" in text_of(test)
    assert [one.value.startswith("They are recorded with another fit") for one in test.warning] == [True]
    test.text_input(key="promote_note").set_value("stricter")
    test.text_input(key="promote_by").set_value("Ada")
    button(test, "Put the sliders' settings into production").click().run()
    note = own.wiring.sessions.promotions.current().note
    assert "Chosen on 3 recorded requests (1 of them perhaps decided by another gate): threshold 0.90" in note
