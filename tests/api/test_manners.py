"""What HTTP expects of a server, and what a programmer needs to be told of a request that is not quite right."""

import pytest
from api_samples import ANSWERED, settings_of
from fastapi.testclient import TestClient
from interfaces import V1

from api.app import create_api
from rag.errors import ConfigurationError
from rag.settings import load_settings


@pytest.mark.parametrize("path", ["livez", "v1/documents", "v1/documents/textbook.md", "docs", "openapi.json", "none"])
def test_head_is_answered_as_get_is_without_the_body(client, path):
    got, head = client.get(f"/api/{path}"), client.head(f"/api/{path}")
    assert head.status_code == got.status_code
    assert head.headers["content-type"] == got.headers["content-type"]
    assert head.headers["x-request-id"] != got.headers["x-request-id"]
    assert head.content == b""
    assert int(head.headers["content-length"]) > 0


def test_a_method_or_a_path_that_is_not_there_says_what_is(client):
    refused = client.head("/api/v1/ask")
    assert (refused.status_code, refused.headers["allow"], refused.content) == (405, "POST", b"")
    assert client.put("/api/v1/health").headers["allow"] == "GET, HEAD"
    assert V1.told(client.get("/api/v1/ask"))[1].endswith("Use POST.")
    assert V1.told(client.get("/api/v1/docs"))[1].endswith("/api/docs lists all paths.")


def test_an_upload_that_is_no_form_is_told_what_to_send(client):
    response = client.post("/api/v1/documents", json={"name": "tides.md"})
    assert response.status_code == 415
    assert "Send it as multipart/form-data, with one part 'file' for each file." in response.json()["message"]
    assert client.post("/api/v1/documents", files={"files": ("a.md", b"x")}).status_code == 422
    text = client.post("/api/v1/documents", data={"file": "hello"}, files={"other": ("a.md", b"x")})
    assert (text.status_code, text.json()["details"]["field"]) == (422, "file.0")
    assert "is text, not a file: send a part with a file name" in text.json()["message"]


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "application/vnd.candor+json"])
def test_json_under_its_names_is_taken(client, kind):
    content = f'{{"question": "{ANSWERED}"}}'.encode()
    assert client.post("/api/v1/retrieve", content=content, headers={"content-type": kind}).status_code == 200


@pytest.mark.parametrize(
    ("path", "known"), [("sessions", "limit, offset"), ("requests", "limit"), ("documents", "none")]
)
def test_a_parameter_that_is_misspelt_is_refused_by_name(client, path, known):
    refused = client.get(f"/api/v1/{path}", params={"lmit": 2})
    assert refused.status_code == 422
    assert refused.json()["details"]["field"] == "lmit"
    assert refused.json()["message"].endswith(f"It takes {known}.")
    assert client.get(f"/api/v1/{path}", params={} if known == "none" else {"limit": 2}).status_code == 200


@pytest.mark.parametrize("origins", ["*", "https://app.example, *", "app.example", "null", "https://app.example/page"])
def test_what_is_no_single_origin_is_refused_at_the_start(monkeypatch, origins):
    monkeypatch.setenv("CANDOR_CORS_ORIGINS", origins)
    with pytest.raises(ConfigurationError, match="is not one web origin") as refused:
        load_settings()
    assert f"CANDOR_CORS_ORIGINS={origins!r}" in refused.value.message


def test_a_page_that_may_call_reads_the_ids_and_when_to_come_back_of_errors_too(candor):
    settings = settings_of(candor.settings.data_dir, cors_origins="https://app.example", rate_limit_per_minute=1)
    client = TestClient(create_api(lambda: candor, settings))
    for status in (404, 429):
        told = client.get("/api/v1/documents/none", headers={"origin": "https://app.example"})
        assert told.status_code == status
        assert told.headers["access-control-allow-origin"] == "https://app.example"
        exposed = {name.strip() for name in told.headers["access-control-expose-headers"].split(",")}
        assert exposed == {"X-Request-ID", "X-Request-ID-Taken", "X-Candor-Ignored", "Retry-After"}
    assert (
        "access-control-allow-origin" not in client.get("/api/livez", headers={"origin": "https://b.example"}).headers
    )
