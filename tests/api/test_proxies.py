"""Who stands behind a reverse proxy: without a key not this machine, and not anybody's own rate limit."""

from typing import Any

import httpx
import pytest
import uvicorn
from api_samples import settings_of
from fastapi.testclient import TestClient
from live import live
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from api.app import create_api
from rag.candor import Candor
from rag.serving import is_from_here

FAR = {"x-forwarded-for": "192.0.2.7"}


@pytest.fixture(autouse=True)
def nobody_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)


def behind(candor: Candor, trusted: str = "", **more: Any) -> TestClient:
    """The API as a proxy on this machine reaches it; `trusted` as uvicorn has it from FORWARDED_ALLOW_IPS."""
    api: Any = create_api(lambda: candor, settings_of(candor.settings.data_dir, **more))
    app = ProxyHeadersMiddleware(api, trusted) if trusted else api
    return TestClient(app, "http://127.0.0.1:8501", client=("127.0.0.1", 1))


HEADERS = [
    *("x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "via"),
    *("x-forwarded", "x-forwarded-port", "x-forwarded-server", "x-client-ip", "true-client-ip", "cf-connecting-ip"),
]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("trusted", ["", "127.0.0.1,::1"])
def test_a_proxy_that_nobody_has_named_does_not_make_its_clients_this_machine(
    candor: Candor, header: str, trusted: str
) -> None:
    client = behind(candor, trusted)  # 127.0.0.1,::1 is what uvicorn trusts by itself
    for value in ("192.0.2.7", "127.0.0.1"):
        refused = client.get("/api/v1/documents", headers={header: value})
        assert refused.status_code == 403
        assert "not who comes through a proxy" in refused.json()["message"]
        assert "FORWARDED_ALLOW_IPS" in refused.json()["message"]
    assert client.get("/api/v1/documents").status_code == 200


def test_a_proxy_that_is_named_says_who_it_is(candor: Candor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    client = behind(candor, "127.0.0.1")
    refused = client.get("/api/v1/documents", headers=FAR)
    assert (refused.status_code, "not '192.0.2.7'" in refused.json()["message"]) == (403, True)
    forged = {"x-forwarded-for": "127.0.0.1, 192.0.2.7"}  # what a client has written stands before what the proxy adds
    assert client.get("/api/v1/documents", headers=forged).status_code == 403
    assert client.get("/api/v1/documents", headers={"x-forwarded-for": "unknown"}).status_code == 403
    assert client.get("/api/v1/documents", headers={"x-forwarded-for": "127.0.0.1"}).status_code == 200


@pytest.mark.parametrize("header", HEADERS[1:])
def test_a_proxy_that_is_named_and_does_not_say_whom_it_serves_does_not_make_them_this_machine(
    candor: Candor, monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    client = behind(candor, "127.0.0.1")
    for value in ("192.0.2.7", "127.0.0.1", ""):
        refused = client.get("/api/v1/documents", headers={header: value})
        assert refused.status_code == 403
        assert "not who comes through a proxy that does not say in X-Forwarded-For" in refused.json()["message"]
        assert client.delete("/api/v1/documents/none.md", headers={header: value}).status_code == 403
    said = {header: "127.0.0.1", "x-forwarded-for": "127.0.0.1"}
    assert client.get("/api/v1/documents", headers=said).status_code == 200
    assert client.get("/api/v1/documents").status_code == 200


@pytest.mark.parametrize("value", ["", " ", ",", ", 127.0.0.1", "127.0.0.1,"])
def test_a_proxy_that_is_named_and_leaves_out_whom_it_serves_does_not_make_them_this_machine(
    candor: Candor, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    client = behind(candor, "127.0.0.1")
    assert client.get("/api/v1/documents", headers={"x-forwarded-for": value}).status_code == 403


def test_when_another_proxy_is_named_than_passes_a_request_on_its_client_is_not_this_machine(
    candor: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "192.0.2.1")
    client = behind(candor, "192.0.2.1")
    assert client.get("/api/v1/documents", headers=FAR).status_code == 403
    assert client.get("/api/v1/documents").status_code == 200


def test_when_every_proxy_is_believed_nobody_behind_one_is_this_machine(
    candor: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    client = behind(candor, "*")
    assert client.get("/api/v1/documents", headers={"x-forwarded-for": "127.0.0.1"}).status_code == 403


def test_what_health_tells_this_machine_it_does_not_tell_through_a_proxy(candor: Candor) -> None:
    client = behind(candor)
    told = [client.get("/api/v1/health", headers=headers).json()["services"] for headers in ({}, FAR)]
    assert told[0]["embedding"]["detail"]
    assert not any(service["detail"] for service in told[1].values())


def test_clients_behind_a_proxy_that_nobody_has_named_share_one_rate_limit_and_the_server_says_so_once(
    candor: Candor, caplog: pytest.LogCaptureFixture
) -> None:
    client = behind(candor, "127.0.0.1", rate_limit_per_minute=2, allow_open=True)
    statuses = [
        client.get("/api/v1/documents/none", headers={"x-forwarded-for": f"192.0.2.{number}"}).status_code
        for number in range(3)  # who writes another address each time gets no further
    ]
    assert statuses == [404, 404, 429]
    assert caplog.text.count("a proxy that FORWARDED_ALLOW_IPS does not name") == 1
    assert client.get("/api/v1/documents/none").status_code == 404  # this machine has its own


def test_clients_whom_a_proxy_that_is_named_leaves_out_share_one_rate_limit(
    candor: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    client = behind(candor, "127.0.0.1", rate_limit_per_minute=1, allow_open=True)
    statuses = [
        client.get("/api/v1/documents/none", headers={"x-real-ip": f"192.0.2.{number}"}).status_code
        for number in range(2)
    ]
    assert statuses == [404, 429]
    assert client.get("/api/v1/documents/none").status_code == 404  # this machine has its own


def test_clients_behind_a_proxy_that_is_named_have_rate_limits_of_their_own(
    candor: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    client = behind(candor, "127.0.0.1", rate_limit_per_minute=1, allow_open=True)
    for number in range(3):
        headers = {"x-forwarded-for": f"192.0.2.{number}"}
        assert client.get("/api/v1/documents/none", headers=headers).status_code == 404
        assert client.get("/api/v1/documents/none", headers=headers).status_code == 429


def test_a_server_as_uvicorn_starts_it_by_itself_refuses_who_comes_through_a_proxy(candor: Candor) -> None:
    assert uvicorn.Config("api.app:app").proxy_headers  # it believes proxies on this machine
    with live(lambda: candor, candor.settings) as url, httpx.Client(timeout=60) as http:
        assert http.get(f"{url}/api/v1/documents", headers={"x-forwarded-for": "127.0.0.1"}).status_code == 403
        assert http.get(f"{url}/api/v1/documents").status_code == 200


def test_an_address_and_headers_together_say_whether_a_request_is_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_from_here("127.0.0.1", {})
    assert is_from_here("testclient", {})  # a name may be this machine's
    assert not is_from_here("192.0.2.7", {})
    assert not is_from_here("127.0.0.1", {"X-Forwarded-For": "192.0.2.7"})
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    assert is_from_here("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"})
    assert is_from_here("127.0.0.1", {"X-Forwarded-For": "127.0.0.1:50000, [::1]:50000"})
    assert not is_from_here("testclient", {"X-Forwarded-For": "testclient"})
    assert not is_from_here("127.0.0.1", {"X-Forwarded-For": ""})
    assert not is_from_here("127.0.0.1", {"X-Real-IP": "127.0.0.1"})


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        *(("127.0.0.1:8501", True), ("localhost", True), ("[::1]:8501", True), ("", True)),
        *(("rebound.example:8501", False), ("127.0.0.1.rebound.example", False), ("192.0.2.7", False), ("[::1", False)),
    ],
)
def test_a_request_under_a_foreign_name_is_not_from_here(host: str, is_own: bool) -> None:
    assert is_from_here("127.0.0.1", {"Host": host} if host else {}) is is_own
