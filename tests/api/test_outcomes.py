"""The five contracts know two outcomes: unsure and talk are told exactly as a refusal is."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from recorded import answered, refused, talk, unsure

from api.contracts.common import NOT_FOUND
from api.desk import Desk
from rag.candor import Candor
from rag.models import Answer

FIELD = {"service": "question", "textbook": "text", "agent": "query", "chatbot": "question", "backend": "question"}
MESSAGE = {"service": "message", "textbook": "error", "agent": "answer", "chatbot": "answer", "backend": "message"}


def told(client: TestClient, monkeypatch: pytest.MonkeyPatch, contract: str, answer: Answer) -> tuple[int, Any]:
    async def ask(*_: Any, **__: Any) -> Answer:
        return answer

    monkeypatch.setattr(Desk, "ask", ask)
    response = client.post(f"/api/{contract}/query", json={FIELD[contract]: "Which gloves are worn?"})
    return response.status_code, response.json()


@pytest.mark.parametrize("contract", FIELD)
@pytest.mark.parametrize("outcome", [unsure, talk])
def test_a_contract_tells_unsure_and_talk_as_it_tells_a_refusal(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, contract: str, outcome: Any
) -> None:
    status, body = told(client, monkeypatch, contract, outcome())
    refused_status, refusal = told(client, monkeypatch, contract, refused())
    assert status == refused_status == {"textbook": 404, "backend": 404}.get(contract, 200)
    assert body.keys() == refusal.keys()
    assert (body.get("code"), body.get("error_code")) == (refusal.get("code"), refusal.get("error_code"))
    assert body.get("sources", []) == body.get("citations", []) == []
    said = {unsure: f"{NOT_FOUND} The documents may answer this.", talk: NOT_FOUND}[outcome]
    assert (body[MESSAGE[contract]], refusal[MESSAGE[contract]]) == (said, f"{NOT_FOUND} I don't know.")


@pytest.mark.parametrize("contract", FIELD)
def test_no_contract_shows_a_passage_of_what_it_is_unsure_of(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, contract: str
) -> None:
    _, body = told(client, monkeypatch, contract, unsure())
    assert "Gloves of kind" not in str(body)


@pytest.mark.parametrize("stage", ["gate", "grounding"])
def test_what_passed_the_gate_and_is_no_answer_is_told_with_the_confidence_0(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    withheld = refused(stage=stage, confidence=0.8)
    for contract, field in (("service", "confidence"), ("agent", "confidence")):
        assert told(client, monkeypatch, contract, withheld)[1][field] == 0.0


@pytest.mark.parametrize(("stage", "state"), [("gate", "retrieval_failed"), ("grounding", "generation_failed")])
def test_the_backend_says_where_a_query_ended(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, stage: str, state: str
) -> None:
    assert told(client, monkeypatch, "backend", refused(stage=stage))[1]["details"]["state"] == state
    assert told(client, monkeypatch, "backend", talk())[1]["details"]["state"] == "retrieval_failed"


@pytest.mark.parametrize("contract", FIELD)
def test_a_greeting_of_two_letters_is_too_short_for_a_contract(client: TestClient, contract: str) -> None:
    response = client.post(f"/api/{contract}/query", json={FIELD[contract]: "hi"})
    assert response.status_code == 422
    assert "at least 3" in str(response.json())


@pytest.mark.parametrize("contract", FIELD)
def test_a_greeting_is_asked_of_the_documents_as_any_question_is(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, contract: str
) -> None:
    asked: dict[str, Any] = {}

    async def ask(*_: Any, **options: Any) -> Answer:
        asked.update(options)
        return refused()

    monkeypatch.setattr(Desk, "ask", ask)
    client.post(f"/api/{contract}/query", json={FIELD[contract]: "Hello there!"})
    assert asked["talks"] is False


@pytest.mark.parametrize(("talks", "outcome"), [(True, "talk"), (False, "refused")])
def test_a_greeting_is_talk_unless_nobody_wants_to_talk(candor: Candor, talks: bool, outcome: str) -> None:
    answer = candor.ask("Hello there!", talks=talks, estimator="mean_similarity")
    assert (answer.outcome, answer.answer) == (outcome, None)
    assert bool(answer.retrieved) is not talks


def test_an_answer_is_told_as_before(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    status, body = told(client, monkeypatch, "service", answered())
    assert (status, body["answer"], body["message"]) == (200, "Gloves are worn.", None)
