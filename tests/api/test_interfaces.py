"""What holds in every interface that takes a question: errors in its own shape, and no word of what it is unsure of."""

from typing import Any

import pytest
from api_samples import ANSWERED, settings_of
from fastapi.testclient import TestClient
from interfaces import AGENT, ALL, BACKEND, CHATBOT, SEEDS, Interface
from recorded import refused, talk, unsure
from seeds import FIRN, Breaking, with_model

from api.app import create_api
from api.contracts.common import NOT_FOUND
from api.desk import Desk
from rag.errors import EmbedderUnavailable, GeneratorUnavailable, StoreUnavailable
from rag.models import Answer

each = pytest.mark.parametrize("interface", ALL, ids=lambda one: one.path)
each_seed = pytest.mark.parametrize("interface", SEEDS.values(), ids=SEEDS)
SAID = {"/api/textbook/query": "error", "/api/agent/query": "answer", "/api/chatbot/query": "answer"}
"""Where a contract says why there is no answer; the others in `message`."""


@each
def test_a_service_that_is_away_is_503(candor, interface):
    for error, code in (
        (StoreUnavailable("The store at http://10.0.0.7:6333 is away."), "VECTOR_DB_ERROR"),
        (GeneratorUnavailable("The model at http://10.0.0.7:11434 is away."), "LLM_ERROR"),
        (EmbedderUnavailable("The embedder is away."), "SERVICE_UNAVAILABLE"),
    ):
        response = interface.ask(Breaking(candor, error).client())
        told, message = interface.told(response)
        assert (response.status_code, told) == (503, "service_unavailable" if interface is CHATBOT else code)
        if interface is CHATBOT and code != "SERVICE_UNAVAILABLE":  # it is said kindly
            assert (response.headers["x-request-id"] in message, "10.0.0.7" in message) == (True, False)
        else:
            assert message == str(error)


@each
def test_a_bug_is_500_with_a_request_id_and_no_internals(candor, interface, caplog):
    response = interface.ask(Breaking(candor, KeyError("/secret/path")).client())
    assert (response.status_code, "secret" in response.text, "KeyError" in response.text) == (500, False, False)
    assert response.headers["x-request-id"] in interface.told(response)[1]
    assert "secret" in caplog.text  # whoever runs it finds out


@each
def test_a_body_that_is_no_json_object_is_told_why(client, interface):
    for body, status, said in (
        (b"{", 422, "not valid JSON"),
        (b"", 422, "body is missing; add it to the request."),
        *((body, 422, "The request's body must be a JSON object, in braces: {...}.") for body in (b"[]", b'"text"')),
        (b'{"question": "caf\xe9"}', 400, "the body is not UTF-8 (byte 17). Send it as JSON in UTF-8."),
        (b"[" * 100_000, 400, "the body is nested too deeply."),
    ):
        response = client.post(interface.path, content=body, headers={"content-type": "application/json"})
        code, message = interface.told(response)
        assert (response.status_code, code, said in message) == (status, interface.invalid, True), body[:20]


@each
def test_json_that_is_not_said_to_be_json_is_told_which_type_to_send(client, interface):
    content = f'{{"{interface.question}": "{ANSWERED}"}}'.encode()
    for kind in ("application/x-www-form-urlencoded", "text/plain; charset=utf-8", ""):
        response = client.post(interface.path, content=content, headers={"content-type": kind} if kind else {})
        message = interface.told(response)[1]
        assert (response.status_code, ANSWERED in message) == (415, False)
        assert "Send it as application/json, with the header 'Content-Type: application/json'." in message
        assert (kind.partition(";")[0] or "without a Content-Type") in message


def test_over_the_limit_is_429_with_retry_after(candor):
    settings = settings_of(candor.settings.data_dir, rate_limit_per_minute=3)
    client = TestClient(create_api(lambda: candor, settings))
    assert [client.get("/api/v1/documents").status_code for _ in range(3)] == [200] * 3
    for interface in ALL:
        response = interface.ask(client)
        code, message = interface.told(response)
        assert (response.status_code, code.upper()) == (429, "RATE_LIMIT_EXCEEDED")
        assert message
        assert 1 <= int(response.headers["retry-after"]) <= 60
    assert client.get("/api/livez").status_code == 200  # probes are not counted


@pytest.fixture
def said(client, monkeypatch):
    """Ask a contract, whose answer is the one given; the options that it was asked with are noted."""

    def ask(interface: Interface, answer: Answer, question: str = ANSWERED) -> tuple[int, Any]:
        async def given(*_: Any, **options: Any) -> Answer:
            ask.options = options  # type: ignore[attr-defined]
            return answer

        monkeypatch.setattr(Desk, "ask", given)
        response = interface.ask(client, question)
        return response.status_code, response.json()

    return ask


@each_seed
@pytest.mark.parametrize("outcome", [unsure, talk])
def test_a_contract_tells_unsure_and_talk_as_it_tells_a_refusal(said, interface, outcome):
    (status, body), (refused_status, refusal) = said(interface, outcome()), said(interface, refused())
    assert status == refused_status == (404 if interface in (SEEDS["001"], BACKEND) else 200)
    assert body.keys() == refusal.keys()
    assert (body.get("code"), body.get("error_code")) == (refusal.get("code"), refusal.get("error_code"))
    assert body.get("sources", []) == body.get("citations", []) == []
    told = {unsure: f"{NOT_FOUND} The documents may answer this.", talk: NOT_FOUND}[outcome]
    where = SAID.get(interface.path, "message")
    assert (body[where], refusal[where]) == (told, f"{NOT_FOUND} I don't know.")
    assert "Gloves of kind" not in str(body)  # no passage is shown


@each_seed
def test_a_greeting_is_asked_of_the_documents_as_any_question_is_and_may_be_too_short(client, said, interface):
    said(interface, refused(), "Hello there!")
    assert said.options["talks"] is False
    assert "at least 3" in interface.told(interface.ask(client, "hi"))[1]


@pytest.mark.parametrize("seed", ["000", "002", "003", "004"])
def test_a_model_that_abstains_is_told_as_a_refusal_after_the_gate_and_not_as_sure(candor, seed):
    with with_model(candor, lambda question, passages: "The passages do not say.", doubted=True) as client:
        response = SEEDS[seed].ask(client)
    body = response.json()
    assert body[SAID.get(SEEDS[seed].path, "message")].startswith(NOT_FOUND)
    assert body.get("sources", []) == body.get("citations", []) == []
    if seed == "004":
        assert (response.status_code, body["details"]["state"]) == (404, "generation_failed")
        assert 0.5 <= body["details"]["confidence"] <= 1.0
    else:
        assert (response.status_code, body.get("confidence", 0.0)) == (200, 0.0)
        assert body.get("grounding_validation", {"is_valid": False})["is_valid"] is False


@pytest.mark.parametrize("interface", [AGENT, BACKEND], ids=lambda one: one.path)
def test_what_the_check_dropped_is_not_in_the_answer_and_the_rest_is(candor, interface):
    said = f"{FIRN[:-1]} [1]. It becomes ice at 300 kilograms per cubic metre already [1]."
    with with_model(candor, lambda question, passages: said) as client:
        body = interface.ask(client).json()
    assert ("830" in body["answer"], "300" in body["answer"]) == (True, False)
    if interface is AGENT:
        assert body["grounding_validation"]["is_valid"] is True
        assert any("300 kilograms" in issue for issue in body["grounding_validation"]["validation_issues"])
