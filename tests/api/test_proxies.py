"""Who stands behind a reverse proxy: without a key not this machine, and not anybody's own rate limit."""

from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from seeds import Breaking
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from api import counting
from api.counting import MOST_CLIENTS, Counting
from rag.candor import Candor


@pytest.fixture(autouse=True)
def nobody_is_named(monkeypatch):
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)


@pytest.fixture
def named(monkeypatch):
    """The proxy on this machine is named."""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")


def behind(candor: Candor, trusted: str = "", **more: Any) -> TestClient:
    """The API as a proxy on this machine reaches it; `trusted` as uvicorn has it from FORWARDED_ALLOW_IPS."""
    api: Any = Breaking(candor).client(**more).app
    app = ProxyHeadersMiddleware(api, trusted) if trusted else api
    return TestClient(app, "http://127.0.0.1:8501", client=("127.0.0.1", 1))


def status(client: TestClient, **headers: str) -> int:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return int(client.get("/api/v1/documents/none", headers=sent).status_code)


HEADERS = [
    *("x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "via"),
    *("x-forwarded", "x-forwarded-port", "x-forwarded-server", "x-client-ip", "true-client-ip", "cf-connecting-ip"),
]


@pytest.mark.parametrize("trusted", ["", "127.0.0.1,::1"])  # the latter is what uvicorn trusts by itself
def test_a_proxy_that_nobody_has_named_does_not_make_its_clients_this_machine(candor, trusted):
    client = behind(candor, trusted)
    for header in HEADERS:
        for value in ("192.0.2.7", "127.0.0.1"):
            refused = client.get("/api/v1/documents", headers={header: value})
            assert (refused.status_code, "FORWARDED_ALLOW_IPS" in refused.json()["message"]) == (403, True), header
    assert client.get("/api/v1/documents").status_code == 200


def test_clients_behind_a_proxy_that_is_named_have_rate_limits_of_their_own_if_it_says_who_they_are(candor, named):
    client = behind(candor, "127.0.0.1", rate_limit_per_minute=1, allow_open=True)
    for number in range(3):
        assert [status(client, x_forwarded_for=f"192.0.2.{number}") for _ in range(2)] == [404, 429]
    assert [status(client, x_real_ip=f"192.0.2.{number}") for number in range(2)] == [404, 429]
    assert status(client) == 404  # this machine has its own


def test_a_proxy_that_is_named_says_who_it_is(candor, named):
    client = behind(candor, "127.0.0.1")
    refused = client.get("/api/v1/documents", headers={"x-forwarded-for": "192.0.2.7"})
    assert (refused.status_code, "not from '192.0.2.7'" in refused.json()["message"]) == (403, True)
    forged = "127.0.0.1, 192.0.2.7"  # what a client has written stands before what the proxy adds
    assert [status(client, x_forwarded_for=value) for value in (forged, "unknown", "127.0.0.1")] == [403, 403, 404]


def test_a_proxy_that_is_named_and_does_not_say_whom_it_serves_does_not_make_them_this_machine(candor, named):
    client = behind(candor, "127.0.0.1")
    for header in HEADERS[1:]:
        for value in ("192.0.2.7", "127.0.0.1", ""):
            refused = client.get("/api/v1/documents", headers={header: value})
            said = "not through a proxy without the header X-Forwarded-For" in refused.json()["message"]
            assert (refused.status_code, said) == (403, True), header
        told = {header: "127.0.0.1", "x-forwarded-for": "127.0.0.1"}
        assert client.get("/api/v1/documents", headers=told).status_code == 200, header


def test_a_proxy_that_is_not_named_or_leaves_out_whom_it_serves_does_not_make_them_this_machine(candor, monkeypatch):
    for proxies, value in (
        *(("127.0.0.1", value) for value in ("", " ", ",", ", 127.0.0.1", "127.0.0.1,")),  # left out
        ("192.0.2.1", "192.0.2.7"),  # another proxy is named than passes the request on
        ("*", "127.0.0.1"),  # when every proxy is believed, nobody behind one is this machine
    ):
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", proxies)
        assert status(behind(candor, proxies), x_forwarded_for=value) == 403


def test_clients_behind_a_proxy_that_nobody_has_named_share_one_rate_limit_and_the_server_says_so_once(candor, caplog):
    client = behind(candor, "127.0.0.1", rate_limit_per_minute=2, allow_open=True)
    asked = [status(client, x_forwarded_for=f"192.0.2.{number}") for number in range(3)]
    assert asked == [404, 404, 429]  # who writes another address each time gets no further
    assert caplog.text.count("a proxy that FORWARDED_ALLOW_IPS does not name") == 1
    assert status(client) == 404  # this machine has its own


@pytest.fixture
def clock(monkeypatch):
    """The clock that is counted by, in seconds."""
    read = SimpleNamespace(now=1_000.0)
    monkeypatch.setattr(counting, "monotonic", lambda: read.now)
    return read


def test_so_many_requests_pass_within_any_minute_and_the_next_is_told_when(clock):
    made = Counting(3)
    waits = []
    for later in (0.0, 10.0, 20.0, 5.0):  # at 0, 10, 30 and 35 s
        clock.now += later
        waits.append(made.hit("a"))
    assert waits == [0.0, 0.0, 0.0, 25.0]
    assert made.hit("b") == 0.0
    clock.now += 24.0
    assert made.hit("a") == 1.0  # who asks meanwhile waits no longer for it
    clock.now += 1.0
    assert made.hit("a") == 0.0  # the first is a minute ago
    assert made.hit("a") == 10.0  # and the second is not


def test_who_has_not_come_for_a_minute_is_forgotten_and_of_too_many_those_that_came_longest_ago(clock):
    made = Counting(2)
    for number in range(MOST_CLIENTS + 100):
        made.hit(f"address {number}")
    assert len(made) == MOST_CLIENTS
    clock.now += 30.0
    made.hit("address 100")  # came again, so it stays; the first hundred are forgotten
    clock.now += 30.0
    made.hit("another")
    assert (len(made), made.hit("address 100"), made.hit("address 100")) == (2, 0.0, 30.0)


def test_another_address_of_the_same_network_does_not_get_around_the_limit(candor):
    api = Breaking(candor).client(rate_limit_per_minute=1, allow_open=True).app
    for address, limited in (
        *(("2001:db8:1:2::1", False), ("2001:db8:1:2::2", True), ("2001:db8:1:3::1", False)),
        *(("::ffff:192.0.2.1", False), ("192.0.2.1", True), ("192.0.2.2", False)),
    ):
        assert status(TestClient(api, client=(address, 5000))) == (429 if limited else 404), address
