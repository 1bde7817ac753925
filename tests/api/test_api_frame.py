"""What surrounds requests: errors of every kind, headers, limits, keys, queues."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace
from typing import Any

import live
import pytest
from api_samples import ANSWERED, settings_of
from fastapi.testclient import TestClient
from interfaces import OPENAI, V1
from library import ROOT, clean_environment
from seeds import Breaking
from test_leaving import until

from api import guard
from api.app import create_api
from rag.candor import Candor
from rag.errors import InvalidQuery
from rag.settings import Settings

HERE = ("127.0.0.1", 5000)


def test_every_response_has_the_security_headers(client):
    for response in (client.get("/api/livez"), client.get("/api/nothing"), client.post("/api/v1/ask", json={})):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_body_above_the_limit_is_413_also_without_a_length(client):
    pieces = (b" " * 1_000_000 for _ in range(3))
    response = client.post("/api/v1/ask", content=pieces, headers={"content-type": "application/json"})
    assert (response.status_code, V1.told(response)[0]) == (413, "INVALID_INPUT")


def test_pages_from_elsewhere_may_not_call(client, candor):
    body = {"question": ANSWERED}
    assert client.post("/api/v1/retrieve", json=body, headers={"origin": "http://evil.example"}).status_code == 403
    own = TestClient(client.app, base_url="http://localhost:8501")
    assert own.post("/api/v1/retrieve", json=body, headers={"origin": "http://localhost:8501"}).status_code == 200
    assert "access-control-allow-origin" not in client.options("/api/v1/ask", headers={"origin": "http://a.b"}).headers
    open_to_desk = Breaking(candor).client(cors_origins="https://desk.example")
    response = open_to_desk.post("/api/v1/retrieve", json=body, headers={"origin": "https://desk.example"})
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "https://desk.example"


@pytest.mark.parametrize("name", ["rebound.example:8501", "127.0.0.1.rebound.example", "192.0.2.7"])
def test_a_name_that_somebody_pointed_at_this_machine_opens_nothing(client, candor, name):
    """A browser sends no Sec-Fetch-Site over plain HTTP, and no Origin with a GET of the page's own."""
    page = TestClient(client.app, client=HERE, headers={"host": name})
    asked = page.post("/api/v1/retrieve", json={"question": ANSWERED}, headers={"origin": f"http://{name}"})
    assert asked.status_code == 403
    for path in ("documents", "sessions", "requests"):
        for headers in ({}, {"sec-fetch-site": "same-origin"}):
            assert page.get(f"/api/v1/{path}", headers=headers).status_code == 403
    assert not any(service["detail"] for service in page.get("/api/v1/health").json()["services"].values())
    assert page.get("/api/livez").status_code == 200
    opened = TestClient(Breaking(candor).client(allow_open=True).app, client=HERE, headers={"host": name})
    assert opened.get("/api/v1/documents").status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "localhost", "[::1]:8501"])
def test_a_browser_on_this_machine_may_call_without_a_key(client, host):
    page = TestClient(client.app, f"http://{host}", client=HERE)
    assert page.get("/api/v1/documents", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_a_full_queue_is_503_with_retry_after(candor):
    gate = Event()
    client = Breaking(candor, gate=gate).client(concurrency=1, queue_size=1)
    with ThreadPoolExecutor(2) as pool:
        asking = [pool.submit(V1.ask, client) for _ in range(2)]
        until(lambda: client.app.state.desk.turns.underway == 2)  # type: ignore[attr-defined]
        refused = [(V1, V1.ask(client)), (V1, V1.ask(client, stream=True)), (OPENAI, OPENAI.ask(client, stream=True))]
        gate.set()
    for interface, response in refused:
        assert (response.status_code, interface.told(response)[0]) == (503, "SERVICE_UNAVAILABLE")
        assert response.headers["retry-after"] == "1"
    assert [asked.result().status_code for asked in asking] == [200, 200]


@pytest.fixture
def keyed(tmp_path, candor):
    """An API over the sample index whose keys live in a database of their own."""
    with live.keyed(candor, tmp_path) as (opened, keys):
        yield TestClient(create_api(lambda: opened, candor.settings)), keys


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_once_a_key_exists_every_request_needs_one_and_other_machines_are_answered(keyed):
    client, keys = keyed
    elsewhere = [TestClient(client.app, client=(address, 5000)) for address in ("192.0.2.7", "2001:db8::7")]
    for one in elsewhere:
        assert [one.get(f"/api/{path}").status_code for path in ("v1/documents", "livez")] == [403, 200]
    made = keys.create("desk")
    tried = [bearer(made.token), {"x-api-key": made.token}, {}, bearer(made.token + "x")]
    for one in (client, *elsewhere):
        asked = [one.get("/api/v1/documents", headers=headers).status_code for headers in tried]
        assert asked == [200, 200, 401, 401]
    foreign = {**bearer(made.token), "origin": "https://elsewhere.example"}
    assert client.post(V1.path, json=V1.body(), headers=foreign).status_code == 403
    keys.revoke(made.key.key_id)  # refused at once, and the door stays shut
    assert [client.get("/api/v1/documents", headers=headers).status_code for headers in tried] == [401] * 4


def test_the_description_is_read_without_a_key_as_a_browser_does(keyed):
    client, keys = keyed
    keys.create("desk")
    page = client.get("/api/docs").text
    assert "<h1>Candor: the HTTP API</h1>" in page
    assert "/api/service/query" in page
    assert not [asked for asked in ("<script", "http://", "https://") if asked in page]  # it asks nothing of anybody
    assert "/api/v1/ask" in client.get("/api/openapi.json").json()["paths"]
    assert [client.get(path).status_code for path in ("/api/v1/documents", "/api/docs/x")] == [401, 401]


def test_health_tells_paths_and_addresses_to_whoever_has_a_key_once_there_are_keys(keyed):
    client, keys = keyed

    def details(**asked: Any) -> set[str]:
        told = client.get("/api/v1/health", **asked).json()["services"].values()
        return {service["detail"] for service in told} | {str(service["last_error"] or "") for service in told}

    assert any("http" in detail for detail in details())
    token = keys.create("desk").token
    assert any("http" in detail for detail in details(headers=bearer(token)))
    assert details() == details(headers=bearer(token + "x")) == {""}
    llm = client.get("/api/v1/health").json()["services"]["llm"]
    assert (llm["kind"], llm["model"]) == ("ollama", None)


def test_sessions_belong_to_their_key(keyed):
    client, keys = keyed
    own, other, admin = (keys.create(name, role).token for name, role in (("a", "ask"), ("b", "ask"), ("c", "admin")))
    session_id = client.post("/api/v1/sessions", headers=bearer(own)).json()["session_id"]
    path = f"/api/v1/sessions/{session_id}"
    assert [client.get(path, headers=bearer(token)).status_code for token in (own, other, admin)] == [200, 404, 200]
    assert client.get("/api/v1/sessions", headers=bearer(other)).json() == []
    body = {"question": ANSWERED, "session_id": session_id}
    assert client.post("/api/v1/ask", json=body, headers=bearer(other)).status_code == 404
    assert client.delete(path, headers=bearer(other)).status_code == 404
    assert client.delete(path, headers=bearer(own)).status_code == 200


def test_an_answer_is_judged_by_who_asked_or_may_read_it(keyed):
    client, keys = keyed
    roles = ("ask", "ask", "evaluate", "admin")
    own, other, evaluate, admin = (keys.create(f"{role} {n}", role).token for n, role in enumerate(roles))

    def asked(**body: Any) -> str:
        said = client.post("/api/v1/ask", json={"question": ANSWERED, **body}, headers=bearer(own))
        return str(said.json()["request_id"])

    def judged(request_id: str) -> list[int]:
        body = {"request_id": request_id, "verdict": "good"}
        tokens = (own, other, evaluate, admin)
        return [client.post("/api/v1/feedback", json=body, headers=bearer(token)).status_code for token in tokens]

    session_id = client.post("/api/v1/sessions", headers=bearer(own)).json()["session_id"]
    assert judged(asked()) == [200, 403, 200, 200]
    assert judged(asked(session_id=session_id)) == [200, 403, 200, 200]
    assert judged("nothing") == [403, 403, 404, 404]  # whether it is there is not told either
    named = {"question": ANSWERED, "request_id": "judged-1"}
    client.post("/api/service/query", json=named, headers=bearer(own))
    assert judged("judged-1") == [200, 403, 200, 200]


def test_importing_the_api_opens_nothing(tmp_path):
    code = "import api.app, sys; assert not {'torch', 'streamlit', 'openvino'} & set(sys.modules)"
    environment = clean_environment(tmp_path / "none")
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=ROOT)
    assert not (tmp_path / "none").exists()


def test_a_door_is_open_only_by_a_look_a_moment_ago_whatever_the_wall_clock_says(monkeypatch):
    read = SimpleNamespace(now=0.5, made=False)  # the machine has just started
    sessions = SimpleNamespace(keys=SimpleNamespace(were_made=lambda: read.made))
    desk: Any = SimpleNamespace(candor=SimpleNamespace(wiring=SimpleNamespace(sessions=sessions)))
    monkeypatch.setattr(guard, "monotonic", lambda: read.now)
    monkeypatch.setattr("time.time", lambda: 3600.0 - read.now)  # is put back
    made = guard.Guard(desk, Settings())
    assert not made._known_open()  # it has not looked yet
    made._key("")
    read.now, read.made = 1.5, True
    made._key("")  # seen a moment ago
    read.now = 3.5
    with pytest.raises(InvalidQuery, match="An API key is needed"):
        made._key("")


def test_the_first_question_finds_the_embedding_model_loaded(tmp_path, monkeypatch):
    with Candor.open(settings_of(tmp_path)) as candor:
        embedder, read = candor.wiring.embedder, []
        real = embedder.embed
        monkeypatch.setattr(embedder, "embed", lambda texts: read.append(list(texts)) or real(texts))
        with TestClient(create_api(lambda: candor, candor.settings)):
            pass
    assert read == [["ready"]]  # nobody has asked
