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


@pytest.mark.parametrize("interface", [V1, TEXTBOOK, CHATBOT, OPENAI, Interface("/api/mcp")], ids=lambda one: one.path)
def test_a_body_that_stops_coming_is_408_in_the_interfaces_own_shape_and_the_connection_is_closed(candor, interface):
    with served(candor, body_timeout_s=0.5) as url, connected(url) as opened:
        head = HEAD.format(path=interface.path, kind="application/json", length=100)
        opened.sendall(head.encode() + b'{"question": "')
        status, headers, body = answer_of(opened)
    assert status == 408
    assert headers["connection"] == "close"
    assert headers["x-request-id"].startswith("req_")
    assert "0.5 s" in interface.told(httpx.Response(status, json=body))[1]


def test_a_body_that_drips_is_408_when_the_whole_of_it_takes_too_long(candor):
    with served(candor, body_timeout_s=1.0) as url, connected(url) as opened:
        opened.sendall(HEAD.format(path="/api/v1/ask", kind="application/json", length=1000).encode())
        for _ in range(40):  # never silent for long
            sleep(0.05)
            try:
                opened.sendall(b" ")
            except OSError:
                break
        status, _, body = answer_of(opened)
    assert status == 408
    assert "did not arrive within 1 s (CANDOR_BODY_TIMEOUT_S); send it again." in body["message"]


def upload_of(name: str, data: bytes) -> tuple[bytes, bytes]:
    """An upload as it is sent: head and body."""
    request = httpx.Request("POST", "http://127.0.0.1/api/v1/documents", files={"file": (name, data)})
    body = request.read()
    kind = request.headers["content-type"]
    return HEAD.format(path="/api/v1/documents", kind=kind, length=len(body)).encode(), body


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
    with served(candor, max_upload_mb=setting_mb) as url:
        head = HEAD.format(path="/api/v1/documents", kind="multipart/form-data; boundary=b", length="{}") + "--b--\r\n"
        with connected(url) as opened:
            opened.sendall(head.format(most).encode())
            opened.settimeout(0.5)
            with pytest.raises(TimeoutError):  # the rest is awaited
                opened.recv(1)
        with connected(url) as opened:
            opened.sendall(head.format(most + 1).encode())
            status, _, told = answer_of(opened)
    assert status == 413
    assert f"more than {most} bytes; send fewer files at once" in told["message"]
    assert "CANDOR_MAX_UPLOAD_MB" in told["message"]


@pytest.mark.parametrize(("path", "status"), [("/api/v1/ask", b"413"), ("/api/nowhere", b"404")])
@pytest.mark.parametrize("expect", ["", "Expect: 100-continue\r\n"])
def test_a_connection_whose_body_nobody_wants_is_closed_whenever_the_body_comes(candor, path, status, expect):
    with served(candor) as url, connected(url) as opened:
        head = HEAD.format(path=path, kind="application/json", length=2_000_001)
        opened.sendall(head.replace("\r\n\r\n", f"\r\n{expect}\r\n").encode())
        first = opened.recv(65536)  # the response is there before any of the body
        assert first.split()[1] == status
        assert b"\r\nconnection: close\r\n" in first.lower()
        opened.sendall(b"{")
        opened.settimeout(60)
        while opened.recv(65536):
            pass


def test_a_body_of_a_length_that_nobody_can_mean_is_refused(candor):
    with served(candor) as url, connected(url) as opened:
        opened.sendall(HEAD.format(path="/api/v1/ask", kind="application/json", length=10**40).encode())
        assert opened.recv(65536).split()[1] in (b"400", b"413")  # the server itself may refuse it


def test_a_client_that_sends_all_of_a_body_before_it_reads_still_learns_why_it_was_refused(candor):
    with served(candor) as url, connected(url) as opened:
        body = b" " * 20_000_000  # more than the two ends of a connection hold
        opened.sendall(HEAD.format(path="/api/v1/ask", kind="application/json", length=len(body)).encode() + body)
        status, headers, _ = answer_of(opened)
    assert (status, headers["connection"]) == (413, "close")
