"""A client goes away while the model is silent: how long after it the model's connection ends, and readiness meanwhile.

    python -m benchmarks.api_leaving [--rounds 5] [--app server:app] [--json]

The API is a process of its own over the sample library. The model server speaks Ollama's protocol up to where it falls
silent for ever: before the list of models, before the first token, or after two.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from urllib.parse import urlsplit

import httpx

from benchmarks.api_load import serving
from benchmarks.figures import table
from benchmarks.options import at_least

QUESTION = "At what density does firn become glacier ice?"
WAYS = {
    "ask": ("/api/v1/ask", {"question": QUESTION}),
    "ask, streamed": ("/api/v1/ask", {"question": QUESTION, "stream": True}),
    "agent": ("/api/agent/query", {"query": QUESTION}),
    "chat, streamed": (
        "/api/openai/v1/chat/completions",
        {"messages": [{"role": "user", "content": QUESTION}], "stream": True},
    ),
}
SILENCES = ("before the list of models", "before the first token", "after two tokens")
KNOWN_S = 4.0
"""For longer than a model server that did not say what it has is left alone."""


class Silent(ThreadingHTTPServer):
    """Ollama's protocol, up to a silence; says when it was reached and when its client had gone."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.silence = SILENCES[1]
        self.reached: SimpleQueue[float] = SimpleQueue()
        self.ended: SimpleQueue[float] = SimpleQueue()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that have gone are what this is about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Silent

    def log_message(self, format: str, *arguments: object) -> None:
        """Keep the output clean."""

    def do_GET(self) -> None:
        """Tell the models."""
        if self.server.silence == SILENCES[0]:
            self._fall_silent()
            return
        self._send({"models": [{"name": "silent", "model": "silent"}]})

    def do_POST(self) -> None:
        """Describe the model, or begin to speak."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/api/show":
            self._send({"model_info": {"silent.context_length": 8192}, "capabilities": ["completion"]})
            return
        if self.server.silence == SILENCES[2]:
            self.send_response(200)
            self.send_header("Content-Type", "application/x-ndjson")
            self.end_headers()
            for word in ("Firn", " becomes"):
                part = {"model": "silent", "message": {"role": "assistant", "content": word}, "done": False}
                self.wfile.write(json.dumps(part).encode() + b"\n")
        self._fall_silent()

    def _fall_silent(self) -> None:
        self.close_connection = True
        self.server.reached.put(time.perf_counter())
        try:
            while self.connection.recv(1024):
                pass
        except OSError:  # it may have hung up hard
            pass
        self.server.ended.put(time.perf_counter())

    def _send(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Clients that leave a silent model.")
    parser.add_argument("--rounds", type=at_least(1), default=5)
    parser.add_argument("--app", default="server:app", help="server:app, or api.app:app without the dashboard")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    patient = {"CANDOR_TOKEN_TIMEOUT_S": "300", "CANDOR_GENERATION_TIMEOUT_S": "300"}
    found = []
    with Silent() as model, tempfile.TemporaryDirectory() as folder:
        Thread(target=model.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{model.server_port}"
        with serving(options.app, Path(folder), {"OLLAMA_HOST": address, **patient}) as (url, _):
            for silence in SILENCES:
                model.silence = silence
                found += [left(model, url, way, options.rounds) for way in WAYS]
                time.sleep(KNOWN_S)  # for what was found out about the server to be forgotten
        model.shutdown()
    rows = [[f"{value}" for value in one.values()] for one in found]
    print(json.dumps(found, indent=2) if options.json else table([*found[0]], rows))


def left(model: Silent, url: str, way: str, rounds: int) -> dict[str, str | float]:
    """Leave a number of times, in one way; return how long after the client the model's connection ended.

    In milliseconds; `ready_ms` is the slowest answer of `/readyz` while the model was silent.
    """
    load_average, spent, ready = os.getloadavg()[0], [], [0.0]
    for _ in range(rounds):
        time.sleep(KNOWN_S if model.silence == SILENCES[0] else 0.0)
        client = asking(url, *WAYS[way])
        try:
            model.reached.get(timeout=60)
        except Empty:
            raise SystemExit(f"The model was not asked, so it could not be silent {model.silence}.") from None
        begun = time.perf_counter()
        assert httpx.get(f"{url}/api/readyz", timeout=10).status_code == 200
        ready.append((time.perf_counter() - begun) * 1000)
        gone = time.perf_counter()
        client.close()
        spent.append((model.ended.get(timeout=60) - gone) * 1000)
    return {
        "silence": model.silence,
        "way": way,
        "rounds": rounds,
        "median_ms": round(statistics.median(spent), 1),
        "most_ms": round(max(spent), 1),
        "ready_ms": round(max(ready), 1),
        "load_average": round(load_average, 2),
    }


def asking(url: str, path: str, body: object) -> HTTPConnection:
    """Ask, and do not wait for the answer."""
    client = HTTPConnection(urlsplit(url).netloc, timeout=60)
    client.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    return client


if __name__ == "__main__":
    main()
