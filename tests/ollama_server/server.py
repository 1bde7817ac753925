"""Ollama's published protocol over HTTP, as far as its client asks for it to write, with faults on demand.

    with OllamaServer(ScriptedBrain(lambda question, passages: "Wear gloves. [1]")) as server:
        OllamaGenerator(server.url)

Also `python tests/ollama_server --port 11434`.
"""

import json
import select
import socket
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import monotonic
from typing import Any, Self

from .brains import Brain, TurnEnd


class Fault(StrEnum):
    """What goes wrong while generating."""

    NONE = "none"
    HANG_BEFORE_HEADERS = "hang-before-headers"
    HANG_MID_STREAM = "hang-mid-stream"
    TRICKLE = "trickle"  # A byte now and then, never a whole line
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
    disconnected: bool = False


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    """As a real server: with the five of the standard library, the ninth client's connection is lost for a second."""
    owner: "OllamaServer"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that has gone is what some tests are about."""


class _Gone(Exception):
    """The client has closed the connection."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    exchange: Exchange
    speaks = "/api/chat"  # the path at which a model speaks: faults hit this

    def log_message(self, format: str, *arguments: Any) -> None:
        """Keep the tests' output clean."""

    def routes(self) -> Mapping[tuple[str, str], Callable[[], None]]:
        return {("GET", "/api/tags"): self._tags, ("POST", "/api/show"): self._show, ("POST", "/api/chat"): self._chat}

    def _answer(self) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.exchange = Exchange(self.command, self.path, None)
        owner.exchanges.append(self.exchange)
        try:
            self.exchange.request = json.loads(body) if body else None
        except ValueError:
            return self._json({"error": "invalid JSON"}, status=400)
        route = self.routes().get((self.command, self.path))
        if route is None:
            return self._raw(b"404 page not found", status=404, content_type="text/plain")
        try:
            if not ((self.path == self.speaks or owner.everywhere) and self._fails_at_once(owner.fault)):
                route()
        except (_Gone, ConnectionError):
            self.exchange.disconnected = True
            owner.disconnect_seen.set()
            self.close_connection = True

    do_GET = do_POST = _answer  # noqa: N815  # as the standard library looks them up

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

    def _tags(self) -> None:
        brain = self.server.owner.brain
        self._json({"models": [{"name": brain.name, "model": brain.name}] if brain else []})

    def _show(self) -> None:
        if brain := self._brain():
            info = {"general.architecture": "llama", "llama.context_length": brain.context_length}
            self._json({"capabilities": list(self.server.owner.capabilities), "model_info": info})

    def _chat(self) -> None:
        request = self.exchange.request
        brain = self._brain()
        if brain is None:
            return

        def event(text: str, **end: Any) -> dict[str, Any]:
            message = {"role": "assistant", "content": text}
            return {"model": brain.name, "message": message, "done": False, **end}

        with closing(brain.reply(request.get("messages") or [], request.get("options") or {})) as reply:
            self._begin(200, "application/x-ndjson", chunked=True)
            end = self._spoken(reply, lambda text: self._event_line(event(text)))
            counts = {"prompt_eval_count": end.prompt_tokens, "eval_count": end.completion_tokens}
            self._event_line(event("", done=True, done_reason=end.done_reason, **counts))
            self._chunk(b"")

    # --- writing ---

    def _spoken(self, reply: Any, write: Callable[[str], None]) -> TurnEnd:
        """Write every piece of a reply, with the fault that is on; return how it ended."""
        owner, count = self.server.owner, 0
        while True:
            try:
                text = next(reply)
            except StopIteration as stop:
                return stop.value or TurnEnd()
            if owner.fault == Fault.EMPTY:
                continue
            if count == 2:
                self._fail_mid_stream(owner.fault)
            if owner.fault == Fault.SLOW_TOKENS:
                self._wait(owner.piece_pause_s)
            write(text)
            count += 1

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

    def _begin(self, status: int, content_type: str, *, chunked: bool = False, **headers: str) -> None:
        self.send_response(status)
        framing = {"Transfer-Encoding": "chunked"} if chunked else {}
        for name, value in {"Content-Type": content_type, **framing, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _json(self, value: Mapping[str, Any], *, status: int = 200) -> None:
        self._raw(json.dumps(value).encode(), status=status, content_type="application/json; charset=utf-8")

    def _raw(self, body: bytes, *, status: int = 200, content_type: str, **headers: str) -> None:
        self._begin(status, content_type, **{"Content-Length": str(len(body)), **headers})
        self.wfile.write(body)

    def _event_line(self, event: Mapping[str, Any]) -> None:
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


class OllamaServer:
    """The server on a loopback port of its own; a context manager. Its attributes may be set at any time.

    Args:
        brain: Who answers; no brain: a server that has no model.
        port: Port to listen on; 0: any free one.
        changes: Other values of its attributes.
    """

    fault = Fault.NONE
    everywhere = False  # whether the fault also hits the other calls, as the list of models
    piece_pause_s = 0.2  # pause between pieces of `SLOW_TOKENS` and `TRICKLE`
    capabilities: tuple[str, ...] = ("completion",)  # what `/api/show` says that the model can
    garbage = b"<html><body>It works!</body></html>\n"  # what `GARBAGE` sends
    handler = _Handler  # what speaks the protocol

    def __init__(self, brain: Brain | None = None, *, port: int = 0, **changes: Any) -> None:
        self.brain, self.port = brain, port
        vars(self).update(changes)
        self.exchanges: list[Exchange] = []
        self.disconnect_seen, self.stopping = Event(), Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

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

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)
