"""The examples of the API's description, asked again: every request in `api/examples`, over the sample library.

An example is added by its name, summary, status and request; `PYTHONPATH=.:tests:tests/api python
tests/api/example_calls.py` writes the answers of all, where the test in tests/api/test_openapi.py says so.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from api_samples import ANSWERED, NOBODY, settings_of
from fastapi.testclient import TestClient
from library import ROOT

from api.app import create_api
from api.description import stored
from api.streams import DONE
from rag.candor import Candor

FOLDER = ROOT / "api" / "examples"
SAMPLES = ("textbook.md", "safety_manual.pdf", "faq.html")
UUID4 = "3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e"
REQUEST_ID, MOMENT = "req_20260121_3f2b8c1e4d5a", "2026-01-21T14:32:15.123Z"
MOSS = b"# Moss\n\nThe moss grows on the north side of the old stone wall, slowly, in the shade.\n"
LONGEST_TEXT, LONGEST_LIST = 200, 1
WHOLE = ("vector",)  # lists that a client must see in full, as it must a pair of numbers: their length is a rule
ORDER = (
    *("PUT /api/v1/collections", "POST /api/v1/ask", "POST /api/v1/retrieve"),
    *(f"/api/v1/{name}" for name in ("documents", "collections", "words", "requests", "unanswered", "feedback")),
    *("/api/v1/sessions", "/api/v1/health", "/api/livez", "/api/readyz"),
)
"""What is asked first, because what is asked later sees what has become of it."""


def calls() -> list[tuple[str, str, dict[str, Any]]]:
    """Every request of an example, as operation, name and example; later events of a stream come with its first."""

    def place(operation: str) -> int:
        return next((number for number, part in enumerate(ORDER) if part in operation), len(ORDER))

    return [
        (operation, name, example)
        for operation in sorted(stored(), key=place)
        for name, example in stored()[operation].items()
        if "type" not in example or "request" in example
    ]


def examples(candor: Candor, folder: Path) -> dict[str, dict[str, Any]]:
    """Make every call and return what the description shows of it, by operation and name."""
    found: dict[str, dict[str, Any]] = {}
    with Candor.open(settings_of(folder / "away", qdrant_url=NOBODY)) as away:
        client, without_store = (
            TestClient(create_api(lambda opened=opened: opened, opened.settings)) for opened in (candor, away)
        )
        known = known_ids(client)
        for operation, name, example in calls():
            response = sent(without_store if example["status"] == 503 else client, operation, example, known)
            assert response.status_code == example["status"], f"{operation} {name}: {response.text}"
            for shown_as, fresh in shown(name, example, response):
                found.setdefault(operation, {})[shown_as] = fresh
    return found


def known_ids(client: TestClient) -> dict[str, str]:
    session_id = client.post("/api/v1/sessions").json()["session_id"]
    answer = client.post("/api/v1/ask", json={"question": ANSWERED, "session_id": session_id}).json()
    return {"session_id": session_id, "request_id": answer["request_id"]}


def sent(client: TestClient, operation: str, example: dict[str, Any], known: dict[str, str]) -> Any:
    """Ask again what an example has asked, with ids that are there; one that is not found or is new is made up."""
    method, path = operation.split()
    is_new = example["status"] == 404 or operation in ("POST /api/service/query", "POST /api/backend/query")

    def real(name: str, value: Any) -> Any:
        made = {REQUEST_ID: f"req_20260121_{uuid4().hex[:12]}", UUID4: str(uuid4())}
        if not isinstance(value, str) or value not in made:
            return value
        return made[value] if is_new else known[name]

    parameters = {name: real(name, value) for name, value in example.get("parameters", {}).items()}
    path = re.sub(r"{(\w+)}", lambda match: parameters.pop(match[1]), path)
    asked = example.get("request")
    if "file" in (asked or ()):
        return client.request(method, path, files=[("file", (name, MOSS)) for name in asked["file"]])
    body = asked and {name: real(name, value) for name, value in asked.items()}
    return client.request(method, path, json=body, params=parameters)


def shown(name: str, example: dict[str, Any], response: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what the description shows of a call; of a stream the first event of each kind."""
    told = {key: value for key, value in example.items() if key in ("summary", "status", "parameters", "request")}
    if "text/event-stream" not in response.headers["content-type"]:
        yield name, {**told, "response": steady(short(response.json()))}
        return
    seen: set[str] = set()
    for part in re.findall(r"^(?:event|data): .*(?:\n.+)*", response.text, re.MULTILINE):
        event = dict(line.split(": ", 1) for line in part.splitlines())
        kind, meaning = kind_of(event)
        if kind in seen:
            continue
        if event["data"] != DONE:
            event["data"] = json.dumps(steady(short(json.loads(event["data"]))), ensure_ascii=False)
        of_one = {"type": "text/event-stream", "response": event}
        later = {"summary": f"{example['summary']}: {meaning}", "status": 200, **of_one}
        yield (f"{name}_{kind}", later) if seen else (name, {**told, **of_one})
        seen.add(kind)


def kind_of(event: dict[str, str]) -> tuple[str, str]:
    if "event" in event or event["data"] == DONE:
        return (event["event"], f"the event `{event['event']}`") if "event" in event else ("done", "the end")
    choice = json.loads(event["data"])["choices"][0]
    if choice["finish_reason"]:
        return "last", "the last chunk of the answer"
    return ("first", "the first chunk") if "role" in choice["delta"] else ("chunk", "a sentence with its markers")


def short(value: Any, name: str = "") -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT or name in ("pattern", "message") else value[:LONGEST_TEXT] + "…"
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, list):
        is_whole = name in WHOLE or (len(value) == 2 and all(isinstance(item, int) for item in value))
        return [short(item) for item in (value if is_whole else value[:LONGEST_LIST])]
    if isinstance(value, dict):
        return {key: short(item, key) for key, item in value.items()}
    return value


VARYING = re.compile(
    r"^(latency_ms|detail|\w*time_ms|seconds|created|index|settings|ingestion|embedding|gate|inputs|estimates|\w+_ms"
    r"|(unsure_)?threshold|margin|fused|\w*hash|validate|embed|retrieve|read|generate|ground|total|size_bytes|model"
    r"|window_\w+|marks|reading|times|refused)$"
)
"""What differs from run to run, or from machine to machine: only its type counts."""


def steady(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    text = re.sub(r"req_\d{8}_[0-9a-f]{12}", REQUEST_ID, text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", UUID4, text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(Z|\+00:00)", MOMENT, text)
    text = re.sub(r'"created": \d+', '"created": 1769005935', text)
    return json.loads(re.sub(r"sqlite:///+[^\s\"]+", "sqlite:///.candor/sessions.db", text))


def same(stored: Any, fresh: Any, name: str = "") -> bool:
    if VARYING.match(name) and not (name == "gate" and isinstance(stored, dict)):
        return True
    if isinstance(stored, dict) and isinstance(fresh, dict):
        return stored.keys() == fresh.keys() and all(same(stored[key], fresh[key], key) for key in stored)
    if isinstance(stored, list) and isinstance(fresh, list):
        return len(stored) == len(fresh) and all(map(partial(same, name=name), stored, fresh))
    if isinstance(stored, float) and isinstance(fresh, float):
        return abs(stored - fresh) <= 0.05
    if isinstance(stored, str) and isinstance(fresh, str):
        if name == "data" and stored.startswith("{"):
            return fresh.startswith("{") and same(json.loads(stored), json.loads(fresh))
        return _words(stored) == _words(fresh)
    return type(stored) is type(fresh) and bool(stored == fresh)


def _words(text: str) -> str:
    """Return a text without the numbers that a machine or a fit of the gate may change a little."""
    return re.sub(r"\d+\.\d+|\d+%", "0", text)


def write(folder: Path, found: dict[str, dict[str, Any]]) -> None:
    parts: dict[str, dict[str, Any]] = {}
    for operation, named in found.items():
        words = operation.split("/api/")[1].split("/")
        parts.setdefault(words[1] if words[0] == "v1" else words[0], {})[operation] = named
    for old in folder.glob("*.json"):
        old.unlink()
    for part, operations in parts.items():
        numbers = r"\[\s+(-?[\d.e-]+(?:,\s+-?[\d.e-]+)*)\s+\]"
        text = json.dumps(operations, indent=1, ensure_ascii=False)
        text = re.sub(numbers, lambda match: f"[{' '.join(match[1].split())}]", text)
        (folder / f"{part}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    with TemporaryDirectory() as home, Candor.open(settings_of(Path(home) / "data")) as candor:
        candor.ingest([ROOT / "samples" / name for name in SAMPLES])
        write(FOLDER, examples(candor, Path(home)))
