"""Ollama's published protocol over HTTP, with faults on demand.

    with OllamaServer(ScriptedBrain(lambda question, passages: "Wear gloves. [1]")) as server:
        OllamaGenerator(server.url)

Also `python tests/ollama_server --brain smollm2|liar --port 11434`.
"""

import json
import select
import socket
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import monotonic, monotonic_ns
from types import TracebackType
from typing import Any, Self

from .brains import Brain, TurnEnd

VERSION = "0.13.0"


class Fault(StrEnum):
    """What goes wrong while generating."""

    NONE = "none"
    HANG_BEFORE_HEADERS = "hang-before-headers"
    HANG_MID_STREAM = "hang-mid-stream"
    TRICKLE = "trickle"
    """A byte now and then, never a whole line."""
    GARBAGE = "garbage"
    MISSING_MODEL = "missing-model"
    SERVER_ERROR = "server-error"
    DIES_MID_STREAM = "dies-mid-stream"
    ENDS_WITHOUT_DONE = "ends-without-done"
    ERROR_IN_STREAM = "error-in-stream"
    SLOW_TOKENS = "slow-tokens"
    EMPTY = "empty"


@dataclass(slots=True)
class Exchange:
    """One request with what was sent back."""

    method: str
    path: str
    request: Any
    status: int = 0
    content_type: str = ""
    events: list[Any] = field(default_factory=list)
    disconnected: bool = False


class OllamaServer:
    """The server on a loopback port of its own; a context manager.

    Args:
        brain: Who answers; no brain: a server that has no model.
        fault: What goes wrong while generating; may be set at any time.
        everywhere: Whether the fault also hits the other calls, as the list of models.
        port: Port to listen on; 0: any free one.
        piece_pause_s: Pause between pieces of `SLOW_TOKENS` and `TRICKLE`.
        garbage: What `GARBAGE` sends.
        capabilities: What `/api/show` says that the model can.
    """

    def __init__(
        self,
        brain: Brain | None = None,
        *,
        fault: Fault = Fault.NONE,
        everywhere: bool = False,
        port: int = 0,
        piece_pause_s: float = 0.2,
        garbage: bytes = b"<html><body>It works!</body></html>\n",
        capabilities: tuple[str, ...] = ("completion",),
    ) -> None:
        self.brain = brain
        self.fault = fault
        self.everywhere = everywhere
        self.piece_pause_s = piece_pause_s
        self.garbage = garbage
        self.capabilities = capabilities
        self.exchanges: list[Exchange] = []
        self.disconnect_seen = Event()
        self.stopping = Event()
        self.port = port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def handler(self) -> "type[_Handler]":
        """What speaks the protocol."""
        return _Handler

    def calls(self, path: str) -> list[Exchange]:
        """Return the exchanges on one path, in order."""
        return [exchange for exchange in self.exchanges if exchange.path == path]

    def __enter__(self) -> Self:
        self._http = _Server(("127.0.0.1", self.port), self.handler)
        self._http.owner = self
        self.port = int(self._http.server_address[1])
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    """As a real server: with the five of the standard library, the ninth client's connection is lost for a second."""
    owner: OllamaServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that has gone is what some tests are about."""


class _Gone(Exception):
    """The client has closed the connection."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    exchange: Exchange
    speaks: tuple[str, ...] = ("/api/chat", "/api/generate")
    """The paths at which a model speaks: faults hit these."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Keep the tests' output clean."""

    def do_GET(self) -> None:
        self._answer(self.gets())

    def do_POST(self) -> None:
        self._answer(self.posts())

    def gets(self) -> Mapping[str, Any]:
        return {"/": self._root, "/api/tags": self._tags, "/api/ps": self._ps, "/api/version": self._version}

    def posts(self) -> Mapping[str, Any]:
        return {"/api/show": self._show, "/api/chat": self._chat, "/api/generate": self._generate}

    # --- dispatch ---

    def _answer(self, routes: Mapping[str, Any]) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.exchange = Exchange(self.command, self.path, None)
        owner.exchanges.append(self.exchange)
        try:
            self.exchange.request = json.loads(body) if body else None
        except ValueError:
            return self._json({"error": "invalid JSON"}, status=400)
        route = routes.get(self.path)
        if route is None:
            return self._raw(b"404 page not found", status=404, content_type="text/plain")
        generating = self.path in self.speaks
        try:
            if (generating or owner.everywhere) and self._fails_at_once(owner.fault):
                return None
            return route()
        except (_Gone, ConnectionError):
            self.exchange.disconnected = True
            owner.disconnect_seen.set()
            self.close_connection = True

    def _fails_at_once(self, fault: Fault) -> bool:
        """Answer for the faults that come before any text; return whether one did."""
        if fault == Fault.HANG_BEFORE_HEADERS:
            self._hang()
        elif fault == Fault.SERVER_ERROR:
            self._json({"error": "llama runner process has terminated: signal: killed"}, status=500)
        elif fault == Fault.GARBAGE:
            self._raw(self.server.owner.garbage, content_type="text/html")
        elif fault == Fault.MISSING_MODEL:
            self._missing(str((self.exchange.request or {}).get("model", "")))
        else:
            return False
        return True

    # --- calls ---

    def _root(self) -> None:
        self._raw(b"Ollama is running", content_type="text/plain; charset=utf-8")

    def _version(self) -> None:
        self._json({"version": VERSION})

    def _tags(self) -> None:
        brain = self.server.owner.brain
        self._json({"models": [_summary(brain)] if brain else []})

    def _ps(self) -> None:
        brain = self.server.owner.brain
        running = {"expires_at": _now(), "size_vram": 0, "context_length": brain.context_length} if brain else {}
        self._json({"models": [{**_running(brain), **running}] if brain else []})

    def _show(self) -> None:
        brain = self._brain()
        if brain is None:
            return
        info = {
            "general.architecture": "llama",
            "general.parameter_count": 134515008,
            "llama.context_length": brain.context_length,
            "llama.embedding_length": 576,
        }
        self._json(
            {
                "parameters": "temperature 0.7",
                "license": "Apache-2.0",
                "template": "{{ .Prompt }}",
                "capabilities": list(self.server.owner.capabilities),
                "modified_at": _now(),
                "details": _details(),
                "model_info": info,
            }
        )

    def _chat(self) -> None:
        messages = self.exchange.request.get("messages") or []
        self._write(messages, lambda text: {"message": {"role": "assistant", "content": text}})

    def _generate(self) -> None:
        request = self.exchange.request
        system = [{"role": "system", "content": request["system"]}] if request.get("system") else []
        messages = [*system, {"role": "user", "content": request.get("prompt") or ""}]
        self._write(messages, lambda text: {"response": text})

    # --- writing ---

    def _write(self, messages: list[Any], shape: Any) -> None:
        brain = self._brain()
        if brain is None:
            return
        started = monotonic_ns()
        options = self.exchange.request.get("options") or {}
        with closing(brain.reply(messages, options)) as reply:
            if self.exchange.request.get("stream", True):
                self._stream(brain, reply, shape, started)
            else:
                pieces: list[str] = []
                end = _drain(reply, pieces.append)
                self._json({**_event(brain), **shape("".join(pieces)), **_last(end, started)})

    def _stream(self, brain: Brain, reply: Any, shape: Any, started: int) -> None:
        self._begin(200, "application/x-ndjson", chunked=True)
        send = self._sending(lambda text: self._event_line({**_event(brain), **shape(text), "done": False}))
        end = _drain(reply, send)
        self._event_line({**_event(brain), **shape(""), **_last(end, started)})
        self._chunk(b"")

    def _sending(self, write: Callable[[str], None]) -> Callable[[str], None]:
        """Return what sends a piece of a reply, with the fault that is on."""
        owner, count = self.server.owner, 0

        def send(text: str) -> None:
            nonlocal count
            if owner.fault == Fault.EMPTY:
                return
            if count == 2:
                self._fail_mid_stream(owner.fault)
            if owner.fault == Fault.SLOW_TOKENS:
                self._wait(owner.piece_pause_s)
            write(text)
            count += 1

        return send

    def _fail_mid_stream(self, fault: Fault) -> None:
        if fault == Fault.HANG_MID_STREAM:
            self._hang()
        elif fault == Fault.TRICKLE:
            while not self.server.owner.stopping.is_set():
                self._chunk(b" ")
                self._wait(self.server.owner.piece_pause_s)
        elif fault == Fault.DIES_MID_STREAM:
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fault == Fault.ENDS_WITHOUT_DONE:
            self._chunk(b"")
            self.connection.shutdown(socket.SHUT_WR)
        elif fault == Fault.ERROR_IN_STREAM:
            self._event_line({"error": "an error was encountered while running the model: unexpected EOF"})
            self._chunk(b"")
        else:
            return
        raise _Gone

    def _brain(self) -> Brain | None:
        """Return the brain that the request names; answer 404 as Ollama does where there is none of that name."""
        brain = self.server.owner.brain
        asked = str((self.exchange.request or {}).get("model", ""))
        if brain is None or brain.name not in (asked, f"{asked}:latest"):
            self._missing(asked)
            return None
        return brain

    def _missing(self, name: str) -> None:
        self._json({"error": f"model '{name}' not found"}, status=404)

    # --- bytes ---

    def _begin(self, status: int, content_type: str, *, length: int | None = None, chunked: bool = False) -> None:
        self.exchange.status = status
        self.exchange.content_type = content_type
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        if length is not None:
            self.send_header("Content-Length", str(length))
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _json(self, value: Mapping[str, Any], *, status: int = 200) -> None:
        self.exchange.events.append(value)
        self._raw(json.dumps(value).encode(), status=status, content_type="application/json; charset=utf-8")

    def _raw(self, body: bytes, *, status: int = 200, content_type: str) -> None:
        self._begin(status, content_type, length=len(body))
        self.wfile.write(body)

    def _event_line(self, event: Mapping[str, Any]) -> None:
        self.exchange.events.append(event)
        self._chunk(json.dumps(event).encode() + b"\n")

    def _chunk(self, data: bytes) -> None:
        if self._client_has_gone():
            raise _Gone
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _client_has_gone(self) -> bool:
        """Return whether the client closed its side: nothing else is to be read during a response."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""

    def _wait(self, seconds: float) -> None:
        """Wait, but no longer than the client or the server lives."""
        ends = monotonic() + seconds
        while monotonic() < ends and not self.server.owner.stopping.wait(min(0.02, seconds)):
            if self._client_has_gone():
                raise _Gone

    def _hang(self) -> None:
        self._wait(3600)
        raise _Gone


# --- the values of the protocol -----------------------------------------------------------------------------------


def _drain(reply: Any, send: Any) -> TurnEnd:
    """Send every piece of a reply; return how it ended."""
    while True:
        try:
            piece = next(reply)
        except StopIteration as stop:
            return stop.value or TurnEnd()
        send(piece)


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def _event(brain: Brain) -> dict[str, Any]:
    return {"model": brain.name, "created_at": _now()}


def _last(end: TurnEnd, started: int) -> dict[str, Any]:
    took = monotonic_ns() - started
    return {
        "done": True,
        "done_reason": end.done_reason,
        "total_duration": took,
        "load_duration": 0,
        "prompt_eval_count": end.prompt_tokens,
        "prompt_eval_duration": took // 2,
        "eval_count": end.completion_tokens,
        "eval_duration": took // 2,
    }


def _details() -> dict[str, Any]:
    return {
        "format": "gguf",
        "family": "llama",
        "families": ["llama"],
        "parameter_size": "134.52M",
        "quantization_level": "Q4_1",
    }


def _running(brain: Brain) -> dict[str, Any]:
    digest = f"{abs(hash(brain.name)):064x}"
    return {"name": brain.name, "model": brain.name, "size": 98_000_000, "digest": digest, "details": _details()}


def _summary(brain: Brain) -> dict[str, Any]:
    return {**_running(brain), "modified_at": _now()}
