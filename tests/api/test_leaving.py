"""Clients that go away while the model is silent, and requests whose time is up: the model is hung up on."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from api_samples import ANSWERED, settings_of
from interfaces import ALL, CHATBOT, OPENAI, SEEDS, V1, Interface, events_of
from live import LIMIT_S, Clock, clock_of, live
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from seeds import Breaking, speaking

from api.desk import Desk
from rag.candor import Candor

FOREVER_S = 300  # how long the model may be silent: far longer than any wait of these tests
TOOL = {"name": "ask", "arguments": {"question": ANSWERED}}
ASKS = [
    *((one.path, one.body(), Fault.HANG_BEFORE_HEADERS) for one in ALL),
    *(
        (one.path, one.body(stream=True), fault)
        for one in (V1, OPENAI)
        for fault in (Fault.HANG_BEFORE_HEADERS, Fault.HANG_MID_STREAM)
    ),
    (V1.path, V1.body(), Fault.HANG_MID_STREAM),
    ("/api/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": TOOL}, Fault.HANG_BEFORE_HEADERS),
]


@contextmanager
def silent_model(fault: Fault = Fault.HANG_BEFORE_HEADERS) -> Iterator[OllamaServer]:
    said = "Firn becomes glacier ice at 830 kilograms per cubic metre. [1]"
    with OllamaServer(ScriptedBrain(lambda question, passages: said), fault=fault) as server:
        yield server


@contextmanager
def served(candor: Candor, model: OllamaServer, desks: list[Desk] | None = None, **more: Any) -> Iterator[str]:
    """The API with one worker; the model is given all the time in the world."""
    settings = settings_of(candor.settings.data_dir, **{"concurrency": 1, **more})
    with live(lambda: speaking(candor, model.url, patience_s=FOREVER_S), settings, desks=desks) as url:
        yield url


def until(holds: Callable[[], Any]) -> None:
    for _ in range(3000):
        if holds():
            return
        Event().wait(0.01)
    pytest.fail("it did not come about")


def sent(url: str, path: str, body: dict[str, Any]) -> HTTPConnection:
    """Send a request and return the connection, on which nobody waits."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", path, json.dumps(body), headers)
    return connection


@pytest.mark.parametrize(("path", "body", "fault"), ASKS)
def test_a_client_that_goes_away_hangs_up_on_a_model_that_is_silent(candor, path, body, fault):
    with silent_model(fault) as model, served(candor, model) as url:
        connection = sent(url, path, body)
        until(lambda: model.calls("/api/chat"))
        assert not model.disconnect_seen.is_set()
        connection.close()
        assert model.disconnect_seen.wait(60)
        after = httpx.post(f"{url}/api/v1/ask", json={"question": ANSWERED, "no_llm": True}, timeout=60)
        assert after.status_code == 200  # the only worker is free again


def test_a_client_that_goes_away_in_the_queue_is_never_worked_for(candor):
    desks: list[Desk] = []
    with silent_model() as model, served(candor, model, desks, queue_size=1) as url:
        first = sent(url, "/api/v1/ask", {"question": ANSWERED})
        until(lambda: model.calls("/api/chat"))
        second = sent(url, "/api/v1/ask", {"question": ANSWERED})
        until(lambda: desks[0].turns.underway == 2)
        assert httpx.post(f"{url}/api/v1/ask", json={"question": ANSWERED}, timeout=60).status_code == 503
        second.close()
        until(lambda: desks[0].turns.underway == 1)  # its place in the queue is free at once
        first.close()
        until(lambda: desks[0].turns.underway == 0)
        assert len(model.calls("/api/chat")) == 1


def too_late(url: str, interface: Interface, model: OllamaServer, clock: Clock, **more: Any) -> httpx.Response:
    """Return what is said to a question whose time is up while the model is silent."""
    before = len(model.calls("/api/chat"))
    with closing(sent(url, interface.path, interface.body(**more))) as connection:
        until(lambda: len(model.calls("/api/chat")) > before)
        clock.forward()
        got = connection.getresponse()
        return httpx.Response(got.status, content=got.read())


def test_every_interface_says_in_its_own_shape_that_the_time_is_up_and_the_model_is_hung_up_on(candor, monkeypatch):
    clock = clock_of("api.turns", monkeypatch)
    with silent_model() as model, served(candor, model, request_timeout_s=LIMIT_S, concurrency=4) as url:
        for interface in (V1, *SEEDS.values()):
            model.disconnect_seen.clear()
            late = too_late(url, interface, model, clock)
            assert model.disconnect_seen.wait(60)
            code = "service_unavailable" if interface is CHATBOT else "LLM_ERROR"
            assert (late.status_code, interface.told(late)[0]) == (503, code)
        model.fault = Fault.HANG_MID_STREAM
        told = events_of(too_late(url, V1, model, clock, stream=True).text)
        *_, (_, chat), end = events_of(too_late(url, OPENAI, model, clock, stream=True).text)
    details = late.json()["details"]
    assert (details["state"], details["timeout_s"]) == ("generation_failed", LIMIT_S)  # of the last, the backend
    assert "CANDOR_REQUEST_TIMEOUT_S" in late.json()["message"]
    assert [name for name, _ in told[:3]] == ["stage", "stage", "stage"]
    name, error = told[-1]  # a stream that has begun ends with the error
    assert (name, error["error_code"], error["details"]["timeout_s"]) == ("error", "LLM_ERROR", LIMIT_S)
    assert (chat["error"]["code"], end) == ("LLM_ERROR", ("", "[DONE]"))


@contextmanager
def stuck(candor: Candor, **settings: Any) -> Iterator[tuple[str, Event]]:
    """The API whose index cannot be reached until it is let go: nobody can stop what waits there."""
    gate = Event()
    gate.set()
    opened = Breaking(candor, before=lambda: gate.wait(60))
    with live(lambda: opened, settings_of(candor.settings.data_dir, concurrency=1, **settings)) as url:
        gate.clear()
        yield url, gate
        gate.set()


def test_waiting_in_the_queue_counts_and_who_never_had_a_turn_is_told_to_come_back(candor):
    with stuck(candor, request_timeout_s=3.0) as (url, gate), ThreadPoolExecutor(1) as pool:
        holder = pool.submit(httpx.post, f"{url}/api/v1/ask", json=V1.body(), timeout=60)
        waited = httpx.post(f"{url}/api/v1/retrieve", json=V1.body(), timeout=60)
        both = sorted((holder.result(), waited), key=lambda response: "retry-after" in response.headers)
        gate.set()
        assert httpx.post(f"{url}/api/v1/ask", json=V1.body(), timeout=60).status_code == 200
    assert [(one.status_code, one.json()["error_code"]) for one in both] == [(503, "SERVICE_UNAVAILABLE")] * 2
    assert both[0].json()["details"]["queued_s"] < 3
    assert (both[1].json()["details"]["queued_s"], both[1].headers["retry-after"]) == (3.0, "1")
    assert "in the queue" in both[1].json()["message"]


@pytest.mark.parametrize(("interface", "more"), [(V1, {}), (V1, {"stream": True}), (OPENAI, {"stream": True})])
def test_of_questions_that_come_at_once_those_without_room_are_told_to_come_back(candor, interface, more):
    with stuck(candor, queue_size=1) as (url, gate), ThreadPoolExecutor(40) as pool:
        body = interface.body(**more)
        asking = [pool.submit(httpx.post, url + interface.path, json=body, timeout=60) for _ in range(40)]
        until(lambda: sum(each.done() for each in asking) >= 38)
        gate.set()
        told = [each.result() for each in asking]
    refused = [response for response in told if response.status_code == 503]
    assert sorted(response.status_code for response in told) == [200] * 2 + [503] * 38
    assert {(interface.told(one)[0], one.headers["retry-after"]) for one in refused} == {("SERVICE_UNAVAILABLE", "1")}
    assert all("data: " in response.text for response in told if response.status_code == 200 and more)
