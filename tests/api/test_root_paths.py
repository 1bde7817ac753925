"""The API under a path of its own and within other applications: what depends on a path holds as at the root."""

from typing import Any, NamedTuple

import httpx
import pytest
from api_samples import ANSWERED, settings_of
from fastapi.testclient import TestClient
from interfaces import CANONICAL, OPENAI, TEXTBOOK
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp
from streamlit.web.server.starlette.starlette_path_security_middleware import PathSecurityMiddleware

from api.app import create_api
from api.frame import InOwnShape
from api.guard import OPEN_PATHS
from rag.candor import Candor
from rag.workspace.values import Role

PLACES = [
    ("", "", ""),
    *((root, "", root) for root in ("/x/", "/x/y", "/api/x", "/xapi", "/v1/requests")),
    *((root, "", root.removesuffix("/api")) for root in ("/api", "/x/api", "/api/api")),
    *((root, "", root) for root in ("/api", "/x/api")),  # as uvicorn puts `--root-path` before what is asked for
    *(("", mount, mount.removesuffix("/api")) for mount in ("/x/y", "/x/api", "/api/x")),
    *(("/r", mount, f"/r{mount}".removesuffix("/api")) for mount in ("/x", "/x/api")),
    *(("/r/api", mount, f"/r/api{mount}".removesuffix("/api")) for mount in ("/x", "/x/api")),
]
"""The root path of the server, where another application mounts the API, what its addresses have before `/api`."""


class Served(NamedTuple):
    client: TestClient
    before: str
    keys: dict[Role, str]

    def ask(self, method: str, path: str, role: Role | None = None, **more: Any) -> httpx.Response:
        """Return what a key of this role, or nobody's, gets for a path that begins with `/api`."""
        headers = {"authorization": f"Bearer {self.keys[role]}"} if role else {}
        response: httpx.Response = self.client.request(method, self.before + path, headers=headers, **more)
        return response


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A Candor without documents that has keys."""
    roles: tuple[Role, ...] = ("ask", "evaluate", "admin")
    with Candor.open(settings_of(tmp_path_factory.mktemp("root"))) as candor:
        keys = candor.wiring.sessions.keys
        yield candor, {role: keys.create(role, role).token for role in roles}


@pytest.fixture(scope="module", params=PLACES, ids=lambda place: " ".join(one or "-" for one in place))
def served(request, own):
    candor, keys = own
    root, mount, before = request.param
    app: ASGIApp = create_api(lambda: candor, candor.settings)
    if mount:
        app = Starlette(routes=[Mount(mount, app=app)])
    return Served(TestClient(app, root_path=root), before, keys)


NEEDED = {
    ("GET", "/api/v1/requests"): [401, 403, 200, 200],
    ("HEAD", "/api/v1/requests"): [401, 403, 200, 200],
    ("GET", "/api/v1/requests/none"): [401, 403, 404, 404],
    ("DELETE", "/api/v1/documents/none.md"): [401, 403, 403, 404],
    ("POST", "/api/v1/documents"): [401, 403, 403, 415],
    ("GET", "/api/v1/documents"): [401, 200, 200, 200],
    ("GET", "/api/v1/unanswered"): [401, 403, 200, 200],
    ("GET", "/api/metrics"): [401, 403],
    ("DELETE", "/api/v1/documents/livez"): [401, 403, 403, 404],  # no way round by a probe's name
}
"""What nobody, and the roles from ask to admin, get."""


def test_what_depends_on_a_path_holds_under_every_root_path(served):
    for (method, path), statuses in NEEDED.items():
        roles: tuple[Role | None, ...] = (None, "ask", "evaluate", "admin")
        assert [
            served.ask(method, path, role).status_code for role, _ in zip(roles, statuses, strict=False)
        ] == statuses
    for path in sorted(OPEN_PATHS):
        assert served.ask("GET", path).status_code in {200, 503}, path  # nothing is ready: there are no documents
    for path in ("/api/livez", "/api/docs", "/api/openapi.json", "/api/login"):
        assert served.ask("GET", path).status_code == 200, path
    servers = served.ask("GET", "/api/openapi.json").json().get("servers", [])
    assert [server["url"] for server in servers] == [found for found in [served.before.rstrip("/")] if found]
    large = b"x" * 2_100_000  # an upload may be larger than a question
    taken = served.ask("POST", "/api/v1/documents", "admin", files={"file": ("a.unknown", large)})
    asked = served.ask("POST", "/api/v1/ask", "admin", json={"question": large.decode()})
    assert (taken.status_code == 413, "a.unknown" in taken.text, asked.status_code) == (False, True, 413)
    for interface in (OPENAI, TEXTBOOK):
        interface.told(served.ask("POST", interface.path, json=interface.body()))  # in its own shape


@pytest.mark.parametrize("path", ["v1/requests/a%2f..%2fb", "v1/documents/..%2fa.md", "v1/documents/a%00.md", "%00"])
@pytest.mark.parametrize("root", ["", "/x"])
def test_a_path_that_streamlit_refuses_gets_the_apis_own_error_and_all_else_passes(client, root, path):
    def page(request: Request) -> PlainTextResponse:
        return PlainTextResponse("no", status_code=400)

    api: Any = client.app
    guards = [Middleware(InOwnShape, api=api), Middleware(PathSecurityMiddleware)]
    app = Starlette(routes=[Mount("/api", app=api), Route("/page", page)], middleware=guards)
    mounted = TestClient(app, "http://127.0.0.1:8501", root_path=root, client=("127.0.0.1", 1))
    for method in ("GET", "DELETE"):
        refused = mounted.request(method, f"{root}/api/{path}")
        assert refused.status_code in {404, 405}
        assert set(refused.json()) == CANONICAL
        assert refused.json()["details"]["request_id"] == refused.headers["x-request-id"]
        assert refused.headers["content-security-policy"]
    assert mounted.get(f"{root}/api/livez").status_code == 200
    malformed = mounted.post(f"{root}/api/v1/ask", content="{", headers={"content-type": "application/json"})
    assert malformed.json()["details"]
    assert [mounted.get(root + there).text for there in ("/page", "/page/a%2f..%2fb")] == ["no", "Bad Request"]


def test_a_body_that_was_read_outside_is_not_handed_on(client):
    async def reads_and_refuses(scope: Any, receive: Any, send: Any) -> None:
        body = await Request(scope, receive).body()
        await PlainTextResponse(f"{len(body)} bytes are too many", status_code=400)(scope, receive, send)

    outside = TestClient(InOwnShape(reads_and_refuses, api=client.app), "http://127.0.0.1", client=("127.0.0.1", 1))
    refused = outside.post("/api/v1/ask", json={"question": ANSWERED})
    assert (refused.status_code, "bytes are too many" in refused.text) == (400, True)
