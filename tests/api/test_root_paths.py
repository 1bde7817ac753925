"""The API under a path of its own: every rule that depends on a path holds there as it does at the root."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from api_samples import ANSWERED, settings_of
from fastapi.testclient import TestClient
from live import live
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from api.app import create_api
from api.guard import OPEN_PATHS
from rag.candor import Candor
from rag.stored.values import Role


class Place(NamedTuple):
    """Where the API stands.

    Args:
        root: The root path that the server is started with, as by `uvicorn --root-path`.
        mount: Where another application mounts the API; empty: it is served alone.
        before: What its addresses have before `/api`.
    """

    root: str
    mount: str
    before: str


PLACES = [
    Place("", "", ""),
    *(Place(root, "", root) for root in ("/x", "/x/", "/x/y", "/api/x", "/xapi", "/v1/requests")),
    *(Place(root, "", root.removesuffix("/api")) for root in ("/api", "/x/api", "/x/y/api", "/api/api")),
    *(Place(root, "", root) for root in ("/api", "/x/api")),  # as uvicorn puts `--root-path` before what is asked for
    *(Place("", mount, mount.removesuffix("/api")) for mount in ("/x", "/x/y", "/api", "/x/api", "/api/x")),
    *(Place("/r", mount, f"/r{mount}".removesuffix("/api")) for mount in ("/x", "/api", "/x/api")),
    *(Place("/r/api", mount, f"/r/api{mount}".removesuffix("/api")) for mount in ("/x", "/api", "/x/api")),
]


class Served(NamedTuple):
    """The API at one place, and a key of each role."""

    client: TestClient
    before: str
    keys: dict[Role, str]

    def ask(self, method: str, path: str, role: Role | None = None, **more: Any) -> httpx.Response:
        """Return what a key of this role, or nobody's, gets for a path that begins with `/api`."""
        headers = {"authorization": f"Bearer {self.keys[role]}"} if role else {}
        response: httpx.Response = self.client.request(method, self.before + path, headers=headers, **more)
        return response


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Candor, dict[Role, str]]]:
    """A Candor without documents that has keys."""
    roles: tuple[Role, ...] = ("ask", "evaluate", "admin")
    with Candor.open(settings_of(tmp_path_factory.mktemp("root"))) as candor:
        keys = candor.wiring.sessions.keys
        yield candor, {role: keys.create(role, role).token for role in roles}


@pytest.fixture(scope="module", params=PLACES, ids=lambda place: " ".join(one or "-" for one in place))
def served(request: pytest.FixtureRequest, own: tuple[Candor, dict[Role, str]]) -> Served:
    candor, keys = own
    place: Place = request.param
    app: ASGIApp = create_api(lambda: candor, candor.settings)
    if place.mount:
        app = Starlette(routes=[Mount(place.mount, app=app)])
    return Served(TestClient(app, root_path=place.root), place.before, keys)


def test_what_needs_a_role_needs_it_under_every_root_path(served: Served) -> None:
    def statuses(method: str, path: str, **more: Any) -> list[int]:
        return [served.ask(method, path, role, **more).status_code for role in (None, "ask", "evaluate", "admin")]

    assert statuses("GET", "/api/v1/requests") == [401, 403, 200, 200]
    assert statuses("HEAD", "/api/v1/requests") == [401, 403, 200, 200]
    assert statuses("GET", "/api/v1/requests/none") == [401, 403, 404, 404]
    assert statuses("DELETE", "/api/v1/documents/none.md") == [401, 403, 403, 404]
    assert statuses("POST", "/api/v1/documents", files={"file": ("a.md", b"# A")})[:3] == [401, 403, 403]
    assert statuses("GET", "/api/v1/documents") == [401, 200, 200, 200]
    assert statuses("GET", "/api/v1/unanswered") == [401, 403, 200, 200]
    assert statuses("GET", "/api/metrics")[:2] == [401, 403]
    assert statuses("DELETE", "/api/v1/documents/livez")[:3] == [401, 403, 403]  # no way round by a probe's name


def test_probes_the_description_and_the_login_need_no_key_under_every_root_path(served: Served) -> None:
    for path in sorted(OPEN_PATHS):
        assert served.ask("GET", path).status_code in {200, 503}, path  # nothing is ready: there are no documents
    assert served.ask("GET", "/api/livez").status_code == 200
    for path in ("/api/docs", "/api/openapi.json", "/api/login"):
        assert served.ask("GET", path).status_code == 200, path


def test_an_upload_may_be_larger_than_a_question_under_every_root_path(served: Served) -> None:
    large = b"x" * 2_100_000
    taken = served.ask("POST", "/api/v1/documents", "admin", files={"file": ("a.unknown", large)})
    assert taken.status_code != 413
    assert "a.unknown" in taken.text
    asked = served.ask("POST", "/api/v1/ask", "admin", json={"question": large.decode()})
    assert asked.status_code == 413


def test_an_error_has_its_interfaces_own_shape_under_every_root_path(served: Served) -> None:
    shapes = {"openai/v1/chat/completions": {"error"}, "textbook/query": {"error", "code", "details"}}
    for path, shape in shapes.items():
        assert set(served.ask("POST", f"/api/{path}", json={"question": ANSWERED}).json()) == shape


def test_the_description_names_the_root_path_that_its_addresses_begin_with(served: Served) -> None:
    servers = served.ask("GET", "/api/openapi.json").json().get("servers", [])
    assert [server["url"] for server in servers] == [found for found in [served.before.rstrip("/")] if found]


def test_probes_are_not_counted_under_every_root_path(own: tuple[Candor, dict[Role, str]]) -> None:
    candor, keys = own
    settings = settings_of(candor.settings.data_dir, rate_limit_per_minute=1)
    client = TestClient(create_api(lambda: candor, settings), root_path="/x")
    held = {"authorization": f"Bearer {keys['ask']}"}
    assert [client.get("/x/api/v1/documents", headers=held).status_code for _ in range(2)] == [200, 429]
    assert [client.get("/x/api/docs").status_code for _ in range(2)] == [200, 429]
    assert {client.get("/x/api/livez").status_code for _ in range(3)} == {200}


@pytest.mark.parametrize("root", ["/x", "/x/api"])
def test_a_server_that_is_started_with_a_root_path_keeps_to_the_roles(
    own: tuple[Candor, dict[Role, str]], root: str
) -> None:
    candor, keys = own
    held = {"authorization": f"Bearer {keys['ask']}"}
    path = "" if root.endswith("/api") else "/api"  # uvicorn puts the root path before what it is asked for
    with live(lambda: candor, candor.settings, root_path=root) as address:
        statuses = [
            httpx.get(f"{address}{path}/{rest}", headers=headers, timeout=60).status_code
            for rest, headers in (("v1/requests", held), ("v1/documents", held), ("v1/documents", {}), ("livez", {}))
        ]
    assert statuses == [403, 200, 401, 200]


@pytest.mark.parametrize("root", ["/x/api/", "/x"])
def test_what_is_served_nowhere_is_open_to_admins_alone(own: tuple[Candor, dict[Role, str]], root: str) -> None:
    candor, keys = own
    client = TestClient(create_api(lambda: candor, candor.settings), root_path=root)
    for path in (f"{root}/v1/requests", f"{root}/elsewhere/api/v1/requests"):
        headers = [{"authorization": f"Bearer {keys[role]}"} for role in ("ask", "admin")]  # type: ignore[index]
        assert [client.get(path, headers=held).status_code for held in headers] == [403, 404], path
