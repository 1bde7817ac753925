"""What surrounds requests: errors of every kind, headers, limits, keys, queues."""

import subprocess
import sys
from typing import Any

import hypothesis
import live
import pytest
from api_samples import ANSWERED
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as some
from interfaces import SERVICE, V1
from library import ROOT, clean_environment
from seeds import Breaking

from api.app import create_api
from rag.errors import ConfigurationError
from rag.settings import load_settings

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
    for origin in ("http://evil.example", "http://[", "http://[::1", "http://]", "//", b"http://\xe9\xbf", "null"):
        assert client.post("/api/v1/retrieve", json=body, headers={"origin": origin}).status_code == 403, origin
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
    assert page.post(V1.path, json=V1.body(), headers={"origin": f"http://{name}"}).status_code == 403
    for headers in ({}, {"sec-fetch-site": "same-origin"}):
        assert page.get("/api/v1/documents", headers=headers).status_code == 403
    assert not any(service["detail"] for service in page.get("/api/v1/health").json()["services"].values())
    opened = TestClient(Breaking(candor).client(allow_open=True).app, client=HERE, headers={"host": name})
    assert opened.get("/api/v1/documents").status_code == 200
    for own in ("127.0.0.1:8501", "localhost", "[::1]:8501"):  # a browser on this machine needs no key
        page = TestClient(client.app, f"http://{own}", client=HERE)
        assert page.get("/api/v1/documents", headers={"sec-fetch-site": "same-origin"}).status_code == 200


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
    own, other, admin = (
        bearer(keys.create(name, role).token) for name, role in (("a", "ask"), ("b", "ask"), ("c", "admin"))
    )
    session_id = client.post("/api/v1/sessions", headers=own).json()["session_id"]
    path = f"/api/v1/sessions/{session_id}"
    assert [client.get(path, headers=who).status_code for who in (own, other, admin)] == [200, 404, 200]
    assert client.get("/api/v1/sessions", headers=other).json() == []
    assert client.post(V1.path, json=V1.body(session_id=session_id), headers=other).status_code == 404
    assert [client.delete(path, headers=who).status_code for who in (other, own)] == [404, 200]


def test_an_answer_is_judged_by_who_asked_or_may_read_it(keyed):
    client, keys = keyed
    roles = ("ask", "ask", "evaluate", "admin")
    own, *others = (bearer(keys.create(f"{role} {n}", role).token) for n, role in enumerate(roles))

    def judged(asked: Any) -> list[int]:
        body = {"request_id": asked.headers["x-request-id"], "verdict": "good"}
        return [client.post("/api/v1/feedback", json=body, headers=who).status_code for who in (own, *others)]

    session_id = client.post("/api/v1/sessions", headers=own).json()["session_id"]
    for interface, more in ((V1, {}), (V1, {"session_id": session_id}), (SERVICE, {"request_id": "judged-1"})):
        asked = client.post(interface.path, json=interface.body(**more), headers=own)
        assert judged(asked) == [200, 403, 200, 200]
    assert judged(client.get("/api/v1/nothing", headers=own)) == [403, 403, 404, 404]  # nor is it told if it is there


def test_importing_the_api_opens_nothing(tmp_path):
    code = "import api.app, sys; assert not {'torch', 'streamlit', 'openvino'} & set(sys.modules)"
    environment = clean_environment(tmp_path / "none")
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=ROOT)
    assert not (tmp_path / "none").exists()


def test_a_door_is_open_only_by_a_look_a_moment_ago(keyed, monkeypatch):
    client, keys = keyed
    clock = live.clock_of("api.guard", monkeypatch)
    assert client.get("/api/v1/documents").status_code == 200
    keys.create("desk")
    clock.forward(3.0)
    refused = client.get("/api/v1/documents")
    assert (refused.status_code, "An API key is needed" in refused.json()["message"]) == (401, True)


def test_head_is_answered_as_get_is_without_the_body(client):
    for path in ("livez", "v1/documents", "v1/documents/textbook.md", "docs", "none"):
        got, head = client.get(f"/api/{path}"), client.head(f"/api/{path}")
        assert (head.status_code, head.headers["content-type"]) == (got.status_code, got.headers["content-type"])
        assert (head.content, int(head.headers["content-length"]) > 0) == (b"", True)


def test_a_method_or_a_path_that_is_not_there_says_what_is(client):
    assert client.head("/api/v1/ask").headers["allow"] == "POST"
    assert client.put("/api/v1/health").headers["allow"] == "GET, HEAD"
    assert V1.told(client.get("/api/v1/ask"))[1].endswith("Use POST.")
    assert V1.told(client.get("/api/v1/docs"))[1].endswith("/api/docs lists all paths.")


def test_an_upload_that_is_no_form_is_told_what_to_send(client):
    response = client.post("/api/v1/documents", json={"name": "tides.md"})
    assert response.status_code == 415
    assert "Send it as multipart/form-data, with one part 'file' for each file." in response.json()["message"]
    text = client.post("/api/v1/documents", data={"file": "hello"}, files={"other": ("a.md", b"x")})
    assert (text.status_code, text.json()["details"]["field"]) == (422, "file.0")
    assert "is text, not a file: send a part with a file name" in text.json()["message"]


def test_a_parameter_that_is_misspelt_is_refused_by_name(client):
    for path, known in (("sessions", "limit, offset"), ("documents", "none")):
        refused = client.get(f"/api/v1/{path}", params={"lmit": 2})
        assert (refused.status_code, refused.json()["details"]["field"]) == (422, "lmit")
        assert refused.json()["message"].endswith(f"It takes {known}.")


def test_what_is_no_single_origin_is_refused_at_the_start(monkeypatch):
    for origins in ("*", "https://app.example, *", "app.example", "null", "https://app.example/page"):
        monkeypatch.setenv("CANDOR_CORS_ORIGINS", origins)
        with pytest.raises(ConfigurationError, match="is not one web origin") as refused:
            load_settings()
        assert f"CANDOR_CORS_ORIGINS={origins!r}" in refused.value.message


def test_a_page_that_may_call_reads_the_ids_and_when_to_come_back_of_errors_too(candor):
    client = Breaking(candor).client(cors_origins="https://app.example", rate_limit_per_minute=1)
    for status in (404, 429):
        told = client.get("/api/v1/documents/none", headers={"origin": "https://app.example"})
        assert (told.status_code, told.headers["access-control-allow-origin"]) == (status, "https://app.example")
        exposed = {name.strip() for name in told.headers["access-control-expose-headers"].split(",")}
        assert exposed == {"X-Request-ID", "X-Request-ID-Taken", "X-Candor-Ignored", "Retry-After"}
    assert "access-control-allow-origin" not in client.get("/api/livez", headers={"origin": "https://b.c"}).headers


SENT = some.text(some.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=40)
"""What a header may hold on the wire: any byte but the control characters."""
ODD = (
    "[",
    "[::1",
    "[::1]:80]",
    "[v1.x]:80",
    "a:b:c",
    "localhost:http",
    "Bearer",
    "Bearer candor_",
    "Bearer candor_\xff",
)
MAY_GET = {"origin": {200, 403}, "host": {200, 400, 403}, "authorization": {200, 401}, "x-api-key": {200, 401}}


@hypothesis.settings(max_examples=60, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@given(SENT | some.sampled_from(ODD))
def test_no_header_breaks_a_request(client, value):
    tried = [*((name, value) for name in MAY_GET), ("origin", f"http://{value}")]
    for name, sent in tried:
        headers = {name: sent.encode("latin-1")}
        response = client.post("/api/v1/retrieve", json={"question": ANSWERED}, headers=headers)
        assert response.status_code in MAY_GET[name], (name, response.text)
        assert response.headers["x-request-id"]
        if response.status_code != 200:
            assert response.json()["details"]["request_id"] == response.headers["x-request-id"]
