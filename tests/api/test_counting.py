"""How often a client may come, and what is remembered of those who came."""

from types import SimpleNamespace

import pytest
from api_samples import settings_of
from fastapi.testclient import TestClient

from api import counting
from api.app import create_api
from api.counting import MOST_CLIENTS, Counting


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


def test_who_has_not_come_for_a_minute_is_forgotten(clock):
    made = Counting(2)
    for number in range(20_000):
        made.hit(f"address {number}")
    assert len(made) == 20_000
    clock.now += 30.0
    made.hit("address 0")  # came again, so it stays
    clock.now += 30.0
    made.hit("another")
    assert len(made) == 2


def test_of_more_clients_than_can_be_remembered_those_that_came_longest_ago_are_forgotten(clock):
    made = Counting(1)
    for number in range(MOST_CLIENTS + 100):
        made.hit(f"address {number}")
    assert len(made) == MOST_CLIENTS
    assert made.hit(f"address {MOST_CLIENTS + 99}") == 60.0
    assert made.hit("address 99") == 0.0


def test_another_address_of_the_same_network_does_not_get_around_the_limit(candor):
    api = create_api(lambda: candor, settings_of(candor.settings.data_dir, rate_limit_per_minute=1, allow_open=True))

    def status(address: str) -> int:
        return int(TestClient(api, client=(address, 5000)).get("/api/v1/documents").status_code)

    assert [status(f"2001:db8:1:2::{number}") for number in (1, 2)] == [200, 429]
    assert status("2001:db8:1:3::1") == 200
    assert [status(f"::ffff:192.0.2.{number}") for number in (1, 2)] == [200, 200]
    assert [status(f"192.0.2.{number}") for number in (1, 3)] == [429, 200]
