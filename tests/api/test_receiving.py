"""Bodies that come slowly, through a real socket: one that does not end in time is told so; slow uploads go through."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from api_samples import settings_of
from interfaces import CHATBOT, OPENAI, TEXTBOOK, V1, Interface
from live import live

from rag.candor import Candor

HEAD = "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
TIDES = b"# Tides\n\nThe tide of this harbour turns twice a day, and the spring tide follows the full moon by two days."


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=60) as opened:
        yield opened


def answer_of(opened: socket.socket) -> tuple[int, dict[str, str], Any]:
    """Read to the end of the connection: it must be closed for that."""
    received = b""
    while piece := opened.recv(65536):
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(status.split()[1]), headers, json.loads(body)


def served(candor: Candor, **more: Any) -> Any:
    return live(lambda: candor, settings_of(candor.settings.data_dir, **more))


def head_of(length: int, path: str = V1.path, kind: str = "application/json") -> bytes:
    return HEAD.format(path=path, kind=kind, length=length).encode()


@pytest.mark.parametrize("interface", [V1, TEXTBOOK, CHATBOT, OPENAI, Interface("/api/mcp")], ids=lambda one: one.path)
def test_a_body_that_stops_coming_is_408_in_the_interfaces_own_shape_and_the_connection_is_closed(candor, interface):
    with served(candor, body_timeout_s=0.5) as url, connected(url) as opened:
        opened.sendall(head_of(100, interface.path) + b'{"question": "')
        status, headers, body = answer_of(opened)
    assert (status, headers["connection"], headers["x-request-id"][:4]) == (408, "close", "req_")
    assert "0.5 s" in interface.told(httpx.Response(status, json=body))[1]


def upload_of(name: str, data: bytes) -> tuple[bytes, bytes]:
    """An upload as it is sent: head and body."""
    request = httpx.Request("POST", "http://127.0.0.1/api/v1/documents", files={"file": (name, data)})
    body = request.read()
    kind = request.headers["content-type"]
    return head_of(len(body), "/api/v1/documents", kind), body


def test_an_upload_may_take_longer_than_other_bodies_as_long_as_something_comes(tmp_path):
    head, body = upload_of("tides.md", TIDES)
    with Candor.open(settings_of(tmp_path)) as own, served(own, body_timeout_s=3.0) as url, connected(url) as opened:
        opened.sendall(head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        for start in range(0, len(body), 32):  # in 4 s or more
            sleep(0.5)
            opened.sendall(body[start : start + 32])
        status, _, told = answer_of(opened)
    assert len(body) > 250
    assert (status, told["files"][0]["outcome"]) == (200, "added")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"body_timeout_s": 0.5}, "nothing of the request's body came for 0.5 s (CANDOR_BODY_TIMEOUT_S)"),
        ({"upload_timeout_s": 0.5}, "the request's body did not arrive within 0.5 s (CANDOR_UPLOAD_TIMEOUT_S)"),
    ],
)
def test_an_upload_that_falls_silent_or_never_ends_is_408(candor, limits, said):
    head, body = upload_of("tides.md", TIDES)
    with served(candor, **limits) as url, connected(url) as opened:
        opened.sendall(head + body[:100])
        status, _, told = answer_of(opened)
    assert status == 408
    assert said in told["message"]
    assert "tides.md" not in {record.document for record in candor.documents()}


@pytest.mark.parametrize(("setting_mb", "most"), [(200, 1_000_000_000), (2000, 2_098_152_000)])
def test_an_upload_as_a_whole_has_room_for_the_largest_file_and_says_how_much(candor, setting_mb, most):
    form = ("/api/v1/documents", "multipart/form-data; boundary=b")
    with served(candor, max_upload_mb=setting_mb) as url, connected(url) as opened:
        opened.sendall(head_of(most + 1, *form))
        status, _, told = answer_of(opened)
    assert (status, "CANDOR_MAX_UPLOAD_MB" in told["message"]) == (413, True)
    assert f"more than {most} bytes; send fewer files at once" in told["message"]


@pytest.mark.parametrize(("path", "status"), [("/api/v1/ask", b"413"), ("/api/nowhere", b"404")])
@pytest.mark.parametrize("expect", [b"", b"Expect: 100-continue\r\n"])
def test_a_connection_whose_body_nobody_wants_is_closed_whenever_the_body_comes(candor, path, status, expect):
    with served(candor) as url, connected(url) as opened:
        opened.sendall(head_of(2_000_001, path).removesuffix(b"\r\n") + expect + b"\r\n")
        first = opened.recv(65536)  # the response is there before any of the body
        assert first.split()[1] == status
        assert b"\r\nconnection: close\r\n" in first.lower()
        opened.sendall(b"{")
        while opened.recv(65536):
            pass


def test_a_body_that_is_far_too_long_is_refused_also_to_who_sends_all_of_it_before_reading(candor):
    with served(candor) as url:
        with connected(url) as opened:
            opened.sendall(head_of(10**40))
            assert opened.recv(65536).split()[1] in (b"400", b"413")  # the server itself may refuse it
        with connected(url) as opened:
            opened.sendall(head_of(20_000_000) + b" " * 20_000_000)  # more than the two ends of a connection hold
            status, headers, _ = answer_of(opened)
    assert (status, headers["connection"]) == (413, "close")
