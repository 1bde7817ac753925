"""The API within another application that refuses odd paths by itself, as the dashboard does in `candor serve`."""

from typing import Any

import pytest
from api_samples import ANSWERED
from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from streamlit.web.server.starlette.starlette_path_security_middleware import PathSecurityMiddleware

from api.frame import InOwnShape


@pytest.fixture(scope="module")
def mounted(client: TestClient) -> TestClient:
    """The API mounted behind Streamlit's guard of paths, beside a page."""

    def page(request: Request) -> PlainTextResponse:
        return PlainTextResponse("no", status_code=400)

    api: Any = client.app
    guards = [Middleware(InOwnShape, api=api), Middleware(PathSecurityMiddleware)]
    app = Starlette(routes=[Mount("/api", app=api), Route("/page", page)], middleware=guards)
    return TestClient(app, "http://127.0.0.1:8501", client=("127.0.0.1", 1))


@pytest.mark.parametrize("path", ["v1/requests/a%2f..%2fb", "v1/documents/..%2fa.md", "v1/documents/a%00.md", "%00"])
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_path_that_is_refused_outside_gets_the_apis_own_error(mounted: TestClient, method: str, path: str) -> None:
    refused = mounted.request(method, f"/api/{path}")
    assert refused.status_code in {404, 405}
    assert set(refused.json()) == {"error_code", "message", "details", "timestamp"}
    assert refused.json()["details"]["request_id"] == refused.headers["x-request-id"]
    assert refused.headers["content-security-policy"]


def test_a_path_that_is_refused_outside_gets_the_apis_own_error_under_a_root_path_too(mounted: TestClient) -> None:
    under = TestClient(mounted.app, "http://127.0.0.1:8501", root_path="/x", client=("127.0.0.1", 1))
    refused = under.get("/x/api/v1/requests/a%2f..%2fb")
    assert refused.status_code == 404
    assert refused.json()["details"]["request_id"] == refused.headers["x-request-id"]
    assert under.get("/x/api/livez").status_code == 200


def test_what_the_api_answers_itself_and_what_is_not_its_own_pass_as_they_are(mounted: TestClient) -> None:
    assert mounted.post("/api/v1/retrieve", json={"question": ANSWERED}).status_code == 200
    assert mounted.post("/api/v1/retrieve", content="{", headers={"content-type": "application/json"}).json()["details"]
    assert (mounted.get("/page").status_code, mounted.get("/page").text) == (400, "no")
    assert mounted.get("/page/a%2f..%2fb").text == "Bad Request"


def test_a_body_that_was_read_outside_is_not_handed_on(client: TestClient) -> None:
    async def reads_and_refuses(scope: Any, receive: Any, send: Any) -> None:
        body = await Request(scope, receive).body()
        await PlainTextResponse(f"{len(body)} bytes are too many", status_code=400)(scope, receive, send)

    outside = TestClient(InOwnShape(reads_and_refuses, api=client.app), "http://127.0.0.1", client=("127.0.0.1", 1))
    refused = outside.post("/api/v1/ask", json={"question": ANSWERED})
    assert (refused.status_code, "bytes are too many" in refused.text) == (400, True)


@pytest.mark.parametrize("request_id", ["a..b", "...", "..a/b..", "a/b", "req.1"])
def test_an_id_with_other_points_and_slashes_is_taken_and_its_answer_can_be_read_again(
    client: TestClient, request_id: str
) -> None:
    answer = client.post("/api/service/query", json={"question": ANSWERED, "request_id": request_id})
    assert answer.headers["x-request-id"] == request_id
    assert client.get(f"/api/v1/requests/{request_id}").json()["request_id"] == request_id
    assert client.get(f"/api/v1/requests/{request_id.replace('/', '%2F')}").json()["request_id"] == request_id
