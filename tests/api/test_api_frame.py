"""What surrounds requests: errors of every kind, headers, limits, keys, queues."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from api_samples import ANSWERED, NOBODY, settings_of
from fastapi.testclient import TestClient

from api.app import create_api
from rag.candor import Candor
from rag.errors import EmbedderUnavailable, GeneratorUnavailable, StoreUnavailable
from rag.settings import Settings

CONTRACTS = [
    ("/api/v1/ask", "question"),
    ("/api/service/query", "question"),
    ("/api/textbook/query", "text"),
    ("/api/agent/query", "query"),
    ("/api/chatbot/query", "question"),
    ("/api/backend/query", "question"),
]
CANONICAL = {"error_code", "message", "details", "timestamp"}


class Breaking:
    """A Candor whose pipeline raises what it is given, or waits until it is let go."""

    def __init__(self, candor: Candor, error: Exception | None = None, gate: Event | None = None) -> None:
        self._candor, self._error, self._gate = candor, error, gate

    def __getattr__(self, name: str) -> Any:
        if name == "pipeline" and self._gate is not None:
            self._gate.wait(60)
        if name == "pipeline" and self._error is not None:
            raise self._error
        return getattr(self._candor, name)


@contextmanager
def serving(candor: Any, settings: Settings) -> Iterator[TestClient]:
    """A client whose API is not started: what is broken breaks while a question is asked."""
    yield TestClient(create_api(lambda: candor, settings))


def code_of(body: dict[str, Any]) -> str:
    return str(body.get("error_code") or body.get("code") or body["error"]["type"])


@pytest.mark.parametrize(("path", "field"), CONTRACTS)
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StoreUnavailable("The store is away."), "VECTOR_DB_ERROR"),
        (GeneratorUnavailable("The model is away."), "LLM_ERROR"),
        (EmbedderUnavailable("The embedder is away."), "SERVICE_UNAVAILABLE"),
    ],
)
def test_a_service_that_is_away_is_503_in_every_interfaces_own_shape(
    candor: Candor, path: str, field: str, error: Exception, code: str
) -> None:
    with serving(Breaking(candor, error), candor.settings) as client:
        response = client.post(path, json={field: ANSWERED})
    body = response.json()
    assert response.status_code == 503
    if "chatbot" in path:
        assert set(body) == {"error"}
        assert body["error"]["type"] == "service_unavailable"
        assert (str(error) in body["error"]["message"]) == (code == "SERVICE_UNAVAILABLE")  # else it is said kindly
    elif "textbook" in path:
        assert set(body) == {"error", "code", "details"}
        assert (body["code"], body["error"]) == (code, str(error))
    else:
        assert set(body) == CANONICAL
        assert (body["error_code"], body["message"]) == (code, str(error))


@pytest.mark.parametrize(("path", "field"), CONTRACTS)
def test_a_bug_is_500_with_a_request_id_and_no_internals(
    candor: Candor, path: str, field: str, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(Breaking(candor, KeyError("/secret/path")), candor.settings) as client:
        response = client.post(path, json={field: ANSWERED})
    assert response.status_code == 500
    assert "secret" not in response.text
    assert "KeyError" not in response.text
    assert response.headers["x-request-id"].startswith("req_")
    assert response.headers["x-request-id"] in response.text
    assert "secret" in caplog.text  # whoever runs it finds out


@pytest.mark.parametrize(("path", "field"), CONTRACTS)
@pytest.mark.parametrize("body", [b"{", b"", b"[]", b'"text"', b"\xff\xfe", b"[" * 5000])
def test_what_is_no_json_object_is_4xx_in_every_interfaces_own_shape(
    client: TestClient, path: str, field: str, body: bytes
) -> None:
    response = client.post(path, content=body, headers={"content-type": "application/json"})
    assert 400 <= response.status_code < 500
    assert code_of(response.json()) in {"INVALID_INPUT", "validation_error"}


@pytest.mark.parametrize("question", ["\ud800 half a pair", "bell\x07 rings", "nul\x00 byte"])
def test_text_that_is_no_text_is_refused(client: TestClient, question: str) -> None:
    response = client.post(
        "/api/v1/ask", content=json.dumps({"question": question}), headers={"content-type": "application/json"}
    )
    assert response.status_code == 422
    assert response.json()["error_code"] == "INVALID_INPUT"


def test_an_unknown_path_and_a_wrong_method_have_the_error_shape(client: TestClient) -> None:
    missing, wrong = client.get("/api/v1/nothing"), client.get("/api/v1/ask")
    assert (missing.status_code, wrong.status_code) == (404, 405)
    assert set(missing.json()) == set(wrong.json()) == CANONICAL


def test_every_response_has_the_security_headers(client: TestClient) -> None:
    for response in (client.get("/api/livez"), client.get("/api/nothing"), client.post("/api/v1/ask", json={})):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_body_above_the_limit_is_413_also_without_a_length(client: TestClient) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(3):
            yield b" " * 1_000_000

    for content in (b" " * 2_000_001, pieces()):
        response = client.post("/api/v1/ask", content=content, headers={"content-type": "application/json"})
        assert response.status_code == 413
        assert set(response.json()) == CANONICAL


def test_pages_from_elsewhere_may_not_call(client: TestClient, candor: Candor) -> None:
    body = {"question": ANSWERED}
    assert client.post("/api/v1/retrieve", json=body, headers={"origin": "http://evil.example"}).status_code == 403
    own = TestClient(client.app, base_url="http://localhost:8501")
    assert own.post("/api/v1/retrieve", json=body, headers={"origin": "http://localhost:8501"}).status_code == 200
    assert "access-control-allow-origin" not in client.options("/api/v1/ask", headers={"origin": "http://a.b"}).headers
    with serving(candor, settings_of(candor.settings.data_dir, cors_origins="https://desk.example")) as open_to_desk:
        response = open_to_desk.post("/api/v1/retrieve", json=body, headers={"origin": "https://desk.example"})
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "https://desk.example"


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "localhost:8501", "[::1]:8501"])
def test_a_browser_on_this_machine_may_call_without_a_key(client: TestClient, host: str) -> None:
    page = TestClient(client.app, base_url=f"http://{host}")
    assert page.get("/api/v1/documents", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_a_name_that_somebody_pointed_at_this_machine_opens_nothing(client: TestClient, candor: Candor) -> None:
    rebound = {"sec-fetch-site": "same-origin"}
    page = TestClient(client.app, base_url="http://rebound.example:8501")
    assert page.get("/api/v1/documents", headers=rebound).status_code == 403
    body = {"question": ANSWERED}
    assert (
        page.post("/api/v1/retrieve", json=body, headers={"origin": "http://rebound.example:8501"}).status_code == 403
    )
    assert page.get("/api/livez", headers=rebound).status_code == 200
    with serving(candor, settings_of(candor.settings.data_dir, allow_open=True)) as guarded:
        guarded.base_url = "http://rebound.example:8501"
        assert guarded.get("/api/v1/documents", headers=rebound).status_code == 200


@pytest.mark.parametrize("path", ["documents", "sessions", "requests"])
def test_a_name_that_somebody_pointed_at_this_machine_reads_nothing_without_tls_either(
    client: TestClient, path: str
) -> None:
    """A browser sends no Sec-Fetch-Site over plain HTTP, and no Origin with a GET of the page's own."""
    page = TestClient(client.app, "http://rebound.example:8501", client=("127.0.0.1", 5000))
    assert page.get(f"/api/v1/{path}").status_code == 403
    assert not any(service["detail"] for service in page.get("/api/v1/health").json()["services"].values())
    own = TestClient(client.app, "http://localhost:8501", client=("127.0.0.1", 5000))
    assert own.get(f"/api/v1/{path}").status_code == 200


@pytest.mark.parametrize(("address", "status"), [("192.0.2.7", 403), ("2001:db8::7", 403), ("127.0.0.1", 200)])
def test_without_a_key_only_this_machine_is_answered(client: TestClient, address: str, status: int) -> None:
    elsewhere = TestClient(client.app, "http://127.0.0.1:8501", client=(address, 5000))
    assert elsewhere.get("/api/v1/documents").status_code == status
    assert elsewhere.get("/api/livez").status_code == 200


def test_with_a_key_other_machines_are_answered(keyed: tuple[TestClient, Any]) -> None:
    client, keys = keyed
    elsewhere = TestClient(client.app, client=("192.0.2.7", 5000))
    assert elsewhere.get("/api/v1/documents").status_code == 403
    held = bearer(keys.create("desk").token)
    assert elsewhere.get("/api/v1/documents", headers=held).status_code == 200


def test_over_the_limit_is_429_with_retry_after_in_every_interfaces_own_shape(candor: Candor) -> None:
    with serving(candor, settings_of(candor.settings.data_dir, rate_limit_per_minute=3)) as client:
        for _ in range(3):
            assert client.get("/api/v1/documents").status_code == 200
        for path, field in CONTRACTS:
            response = client.post(path, json={field: ANSWERED})
            assert response.status_code == 429
            assert 1 <= int(response.headers["retry-after"]) <= 60
            assert code_of(response.json()) in {"RATE_LIMIT_EXCEEDED", "rate_limit_exceeded"}
        assert client.get("/api/livez").status_code == 200  # probes are not counted


def test_a_full_queue_is_503_with_retry_after(candor: Candor) -> None:
    gate = Event()
    settings = settings_of(candor.settings.data_dir, concurrency=1, queue_size=1)
    with serving(Breaking(candor, gate=gate), settings) as client:
        codes: list[int] = []
        threads = [
            Thread(target=lambda: codes.append(client.post("/api/v1/ask", json={"question": ANSWERED}).status_code))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        desk = client.app.state.desk  # type: ignore[attr-defined]
        while desk.underway < 2:
            Event().wait(0.01)
        refused = [
            client.post("/api/v1/ask", json={"question": ANSWERED}),
            client.post("/api/v1/ask", json={"question": ANSWERED, "stream": True}),
        ]
        message = {"model": "candor", "messages": [{"role": "user", "content": ANSWERED}], "stream": True}
        chat = client.post("/api/openai/v1/chat/completions", json=message)
        gate.set()
        for thread in threads:
            thread.join()
    assert [response.status_code for response in (*refused, chat)] == [503, 503, 503]
    assert [response.json()["error_code"] for response in refused] == ["SERVICE_UNAVAILABLE"] * 2
    assert [response.headers["retry-after"] for response in (*refused, chat)] == ["1", "1", "1"]
    assert codes == [200, 200]


@pytest.fixture
def keyed(tmp_path: Path, candor: Candor) -> Iterator[tuple[TestClient, Any]]:
    """An API over the sample index whose keys live in a database of their own."""
    from rag.adapters.sessions import SqlSessions

    sessions = SqlSessions(f"sqlite:///{tmp_path / 'keys.db'}")

    class Keyed(Breaking):
        @property
        def wiring(self) -> Any:
            return type("Wiring", (), {**candor.wiring.__dict__, "sessions": sessions, "has_sessions": True})

    with serving(Keyed(candor), candor.settings) as client:
        yield client, sessions.keys
    sessions.close()


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_once_a_key_exists_every_request_needs_one(keyed: tuple[TestClient, Any]) -> None:
    client, keys = keyed
    token = keys.create("desk").token
    body = {"question": ANSWERED}
    assert client.post("/api/v1/retrieve", json=body).status_code == 401
    assert client.post("/api/v1/retrieve", json=body, headers=bearer(token + "x")).status_code == 401
    assert client.post("/api/v1/retrieve", json=body, headers=bearer(token)).status_code == 200
    assert client.post("/api/v1/retrieve", json=body, headers={"x-api-key": token}).status_code == 200
    assert client.get("/api/livez").status_code == 200


def test_the_description_is_read_without_a_key_as_a_browser_does(keyed: tuple[TestClient, Any]) -> None:
    client, keys = keyed
    keys.create("desk")
    assert "<h1>Candor: the HTTP API</h1>" in client.get("/api/docs").text
    assert "/api/v1/ask" in client.get("/api/openapi.json").json()["paths"]
    assert [client.get(path).status_code for path in ("/api/v1/documents", "/api/docs/x")] == [401, 401]


def test_health_tells_paths_and_addresses_to_whoever_has_a_key_once_there_are_keys(
    keyed: tuple[TestClient, Any],
) -> None:
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


def test_a_revoked_key_is_refused_at_once_and_the_door_stays_shut(keyed: tuple[TestClient, Any]) -> None:
    client, keys = keyed
    made = keys.create("desk")
    assert client.get("/api/v1/documents", headers=bearer(made.token)).status_code == 200
    keys.revoke(made.key.key_id)
    assert client.get("/api/v1/documents", headers=bearer(made.token)).status_code == 401
    assert client.get("/api/v1/documents").status_code == 401


def test_a_role_may_do_what_it_may(keyed: tuple[TestClient, Any]) -> None:
    client, keys = keyed
    tokens = {role: keys.create(role, role).token for role in ("ask", "evaluate", "admin")}

    def status(role: str, method: str, path: str) -> int:
        return int(client.request(method, path, headers=bearer(tokens[role])).status_code)

    assert [status(role, "DELETE", "/api/v1/documents/none.md") for role in tokens] == [403, 403, 404]
    assert [status(role, "GET", "/api/v1/requests/none") for role in tokens] == [403, 404, 404]
    assert [status(role, "GET", "/api/v1/unanswered") for role in tokens] == [403, 200, 200]
    assert [status(role, "GET", "/api/v1/documents") for role in tokens] == [200, 200, 200]
    assert status("ask", "DELETE", "/api/v1/documents/livez") == 403  # no way round by a probe's name


def test_sessions_belong_to_their_key(keyed: tuple[TestClient, Any]) -> None:
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


def test_an_answer_is_judged_by_who_asked_or_may_read_it(keyed: tuple[TestClient, Any]) -> None:
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


def test_the_api_has_its_whole_path_also_where_it_is_mounted(candor: Candor) -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount

    mounted = TestClient(Starlette(routes=[Mount("/api", app=create_api(lambda: candor, candor.settings))]))
    assert mounted.get("/api/livez").status_code == 200
    assert mounted.get("/livez").status_code == 404
    assert "/api/service/query" in mounted.get("/api/openapi.json").json()["paths"]


def test_the_docs_page_asks_nothing_of_anybody(client: TestClient) -> None:
    page = client.get("/api/docs").text
    assert "/api/service/query" in page
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page


def test_importing_the_api_opens_nothing(tmp_path: Path) -> None:
    import os
    import subprocess
    import sys

    code = "import api.app, sys; assert not {'torch', 'streamlit', 'openvino'} & set(sys.modules)"
    environment = {**os.environ, "CANDOR_DATA_DIR": str(tmp_path / "none"), "OLLAMA_HOST": NOBODY}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=Path(__file__).parents[2])
    assert not (tmp_path / "none").exists()


def test_the_first_question_finds_the_embedding_model_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Candor.open(settings_of(tmp_path)) as candor:
        embedder, read = candor.wiring.embedder, []
        real = embedder.embed
        monkeypatch.setattr(embedder, "embed", lambda texts: read.append(list(texts)) or real(texts))
        with TestClient(create_api(lambda: candor, candor.settings)):
            pass
    assert read == [["ready"]]  # nobody has asked
