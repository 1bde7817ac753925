"""Headers that no browser and no client library writes: each request gets an answer of the API's own, and no bug."""

import pytest
from api_samples import ANSWERED
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

SENT = some.text(some.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=40)
"""What a header may hold on the wire: any byte but the control characters."""
MALFORMED = ["http://[", "http://[::1", "http://]", "//", "http://[v1.x]:80", "http://a:b:c", "http://\xe9\xbf", "null"]
QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def answered(client: TestClient, name: str, value: str) -> int:
    """Ask with a header, and return the status; the body is the API's own."""
    headers = {name: value.encode("latin-1")}
    response = client.post("/api/v1/retrieve", json={"question": ANSWERED}, headers=headers)  # type: ignore[arg-type]
    assert response.status_code < 500, response.text
    assert response.headers["x-request-id"]
    if response.status_code != 200:
        assert response.json()["details"]["request_id"] == response.headers["x-request-id"]
    return response.status_code


@pytest.mark.parametrize("origin", MALFORMED)
def test_an_origin_that_is_none_is_refused_as_a_foreign_one(client, origin):
    assert answered(client, "origin", origin) == 403
    assert client.get("/api/v1/documents", headers={"origin": origin.encode("latin-1")}).status_code in {200, 403}  # type: ignore[dict-item]


@QUICK
@given(SENT)
@example("http://[")
@example("http://[::1]:80]")
def test_no_origin_breaks_a_request(client, value):
    assert answered(client, "origin", f"http://{value}") in {200, 403}
    assert answered(client, "origin", value) in {200, 403}


@QUICK
@given(SENT)
@example("[")
@example("[::1")
@example("localhost:http")
def test_no_host_breaks_a_request(client, value):
    assert answered(client, "host", value) in {200, 400, 403}


@QUICK
@given(SENT)
@example("Bearer")
@example("Bearer candor_")
@example("Bearer candor_\xff_\xfe")
def test_no_authorization_breaks_a_request(client, value):
    assert answered(client, "authorization", value) in {200, 401}
    assert answered(client, "x-api-key", value) in {200, 401}
