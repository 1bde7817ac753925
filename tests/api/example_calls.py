"""The calls whose answers are the examples of the API's description, made over the sample library.

`PYTHONPATH=.:tests:tests/api python tests/api/example_calls.py` writes `api/examples` again; the test that compares
them with what is answered now, in tests/api/test_openapi.py, says when that is needed.
"""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from api_samples import ANSWERED, ANSWERED_PDF, NOBODY, REFUSED, settings_of
from fastapi.testclient import TestClient
from library import ROOT

from api.app import create_api
from api.streams import DONE
from rag.candor import Candor

FOLDER = ROOT / "api" / "examples"
SAMPLES = ("textbook.md", "safety_manual.pdf", "faq.html")
UUID4 = "3f2b8c1e-4d5a-4b6c-8d7e-9f0a1b2c3d4e"
REQUEST_ID, MOMENT = "req_20260121_3f2b8c1e4d5a", "2026-01-21T14:32:15.123Z"
SELECTED = "The keeper of the lighthouse checks the lamp every two hours. The night shift begins at ten in the evening."
MOSS = b"# Moss\n\nThe moss grows on the north side of the old stone wall, slowly, in the shade.\n"
LONGEST_TEXT, LONGEST_LIST = 200, 1
WHOLE = ("vector",)
"""Lists that a client must see in full, as it must a pair of numbers: their length is a rule."""


@dataclass(frozen=True)
class Call:
    """One request, and under which name its answer is an example."""

    operation: str
    name: str
    summary: str
    request: Any = None
    parameters: dict[str, Any] = field(default_factory=dict)
    status: int = 200
    away: bool = False
    """Asked of an API whose store is away."""


def too_short(interface: str, name: str, *paths: str) -> Iterator[Call]:
    """The call that everything that takes a question refuses."""
    for path in paths:
        yield Call(f"POST {interface}/{path}", "too_short", "A question that is too short", {name: "no"}, status=422)


CALLS = (
    Call("POST /api/v1/ask", "answered", "A question that the documents answer", {"question": ANSWERED}),
    Call("POST /api/v1/ask", "refused", "A question that they do not answer", {"question": REFUSED}),
    Call(
        "POST /api/v1/ask",
        "unsure",
        "Passages that may answer, with thresholds of one's own",
        {"question": ANSWERED, "confidence_threshold": 1.0, "unsure_threshold": 0.0},
    ),
    Call(
        "POST /api/v1/ask",
        "selected_text",
        "Answered from a selected text alone",
        {
            "question": "How often does the keeper check the lamp?",
            "mode": "selected-text-only",
            "context": SELECTED,
            "estimator": "mean_similarity",
            "top_k": 1,
        },
    ),
    Call("POST /api/v1/ask", "streamed", "As server-sent events", {"question": ANSWERED, "stream": True}),
    Call("POST /api/v1/ask", "invalid", "Too many chunks", {"question": ANSWERED, "top_k": 99}, status=422),
    Call("POST /api/v1/retrieve", "found", "What a question finds", {"question": ANSWERED, "top_k": 1}),
    *too_short("/api/v1", "question", "ask", "retrieve"),
    Call("GET /api/v1/documents", "listed", "What is indexed"),
    Call("POST /api/v1/documents", "added", "A document that was added", {"file": ["moss.md"]}),
    Call("POST /api/v1/documents", "unsupported", "A file of another kind", {"file": ["moss.exe"]}, status=422),
    Call("GET /api/v1/documents/{name}", "found", "One document", parameters={"name": "textbook.md"}),
    Call("GET /api/v1/documents/{name}", "unknown", "Not indexed", parameters={"name": "none.md"}, status=404),
    Call("DELETE /api/v1/documents/{name}", "removed", "A document that is gone", parameters={"name": "moss.md"}),
    Call("DELETE /api/v1/documents/{name}", "unknown", "Not indexed", parameters={"name": "none.md"}, status=404),
    Call(
        "PUT /api/v1/collections/{name}",
        "kept",
        "A collection of two documents",
        {"documents": ["textbook.md", "faq.html"]},
        {"name": "Introduction"},
    ),
    Call(
        "PUT /api/v1/collections/{name}",
        "unknown_document",
        "A document that is not indexed",
        {"documents": ["none.md"]},
        {"name": "Introduction"},
        status=422,
    ),
    Call("GET /api/v1/collections", "listed", "All collections"),
    Call(
        "POST /api/v1/ask",
        "unknown_collection",
        "A collection that is not there",
        {"question": ANSWERED, "filters": {"collection": "Introductions"}},
        status=422,
    ),
    Call("DELETE /api/v1/collections/{name}", "removed", "It is gone", parameters={"name": "Introduction"}),
    Call("DELETE /api/v1/collections/{name}", "unknown", "Not there", parameters={"name": "Intro"}, status=404),
    Call("POST /api/v1/words", "kept", "A house word", {"word": "PPE", "means": "personal protective equipment"}),
    Call("POST /api/v1/words", "itself", "A word for itself", {"word": "PPE", "means": "ppe"}, status=422),
    Call("GET /api/v1/words", "listed", "All house words"),
    Call(
        "DELETE /api/v1/words/{word}",
        "removed",
        "It is gone",
        parameters={"word": "PPE", "means": "personal protective equipment"},
    ),
    Call("DELETE /api/v1/words/{word}", "unknown", "Not there", parameters={"word": "PPE"}, status=404),
    Call("GET /api/v1/requests", "newest", "The newest request", parameters={"limit": 1}),
    Call("GET /api/v1/requests", "limit", "A limit that is too low", parameters={"limit": 0}, status=422),
    Call("GET /api/v1/requests/{request_id}", "recorded", "An answer", parameters={"request_id": "{request_id}"}),
    Call("GET /api/v1/requests/{request_id}", "unknown", "No answer", parameters={"request_id": "req_1"}, status=404),
    Call("GET /api/v1/unanswered", "alike", "The group asked most often", parameters={"days": 30, "limit": 1}),
    Call("GET /api/v1/unanswered", "limit", "A limit that is too low", parameters={"limit": 0}, status=422),
    Call("POST /api/v1/feedback", "kept", "A judgment", {"request_id": "{request_id}", "verdict": "good"}),
    Call("POST /api/v1/feedback", "unknown", "No answer", {"request_id": "req_1", "verdict": "bad"}, status=404),
    Call("POST /api/v1/feedback", "verdict", "No verdict", {"request_id": "req_1", "verdict": "so-so"}, status=422),
    Call("POST /api/v1/sessions", "begun", "A conversation that begins", {}, status=201),
    Call("POST /api/v1/sessions", "named", "An id that is not given here", {"session_id": "my-own"}, status=422),
    Call("GET /api/v1/sessions", "newest", "The conversation last used", parameters={"limit": 1, "offset": 0}),
    Call("GET /api/v1/sessions", "limit", "A limit that is too low", parameters={"limit": 0}, status=422),
    *(
        call
        for operation, name, summary in (
            ("GET /api/v1/sessions/{session_id}", "found", "A conversation"),
            ("GET /api/v1/sessions/{session_id}/history", "turns", "Its turns"),
            ("DELETE /api/v1/sessions/{session_id}", "deleted", "Gone for good"),
        )
        for call in (
            Call(operation, name, summary, parameters={"session_id": "{session_id}"}),
            Call(operation, "unknown", "No conversation", parameters={"session_id": "{no_session_id}"}, status=404),
            Call(operation, "no_uuid", "No UUID v4", parameters={"session_id": "my-chat"}, status=422),
        )
    ),
    Call("GET /api/v1/health", "degraded", "Without a model server: answers are quoted"),
    Call("GET /api/v1/health", "unavailable", "Without the vector store", status=503, away=True),
    Call("GET /api/livez", "alive", "It lives"),
    Call("GET /api/readyz", "ready", "It answers"),
    Call("GET /api/readyz", "not_ready", "Without the vector store", status=503, away=True),
    Call(
        "POST /api/service/query", "answered", "Answered", {"question": ANSWERED_PDF, "request_id": "{new_request_id}"}
    ),
    Call("POST /api/service/query", "refused", "Not in the documents", {"question": REFUSED}),
    Call(
        "POST /api/service/query",
        "unknown_source",
        "A document that is not there",
        {"question": ANSWERED, "filters": {"source": "Textbok.md"}},
    ),
    Call(
        "POST /api/service/query",
        "invalid",
        "Too many chunks",
        {"question": ANSWERED, "filters": {"max_results": 11}},
        status=422,
    ),
    *too_short("/api/service", "question", "query", "retrieve", "prompt", "embedding"),
    Call(
        "POST /api/service/retrieve",
        "found",
        "Chunks of one document",
        {"question": ANSWERED_PDF, "filters": {"source": "safety_manual.pdf", "max_results": 1}},
    ),
    Call(
        "POST /api/service/prompt",
        "prompt",
        "What a model would be given",
        {"question": ANSWERED, "filters": {"max_results": 1}},
    ),
    Call("POST /api/service/embedding", "embedding", "A question's vector", {"question": ANSWERED}),
    Call("POST /api/textbook/query", "answered", "Answered", {"text": ANSWERED, "max_chunks": 3}),
    Call("POST /api/textbook/query", "fallback", "Not in the textbook", {"text": REFUSED}, status=404),
    Call("POST /api/textbook/embedding", "embedding", "A query's vector", {"text": ANSWERED}),
    *too_short("/api/textbook", "text", "query", "embedding"),
    Call("POST /api/agent/query", "answered", "Answered", {"query": ANSWERED, "max_tokens": 200, "temperature": 0.2}),
    Call("POST /api/agent/query", "without_sources", "Sources declined", {"query": ANSWERED, "include_sources": False}),
    Call("POST /api/agent/query", "refused", "Not in the documents", {"query": REFUSED}),
    *too_short("/api/agent", "query", "query"),
    Call("GET /api/agent/health", "degraded", "Without a model server: answers are quoted"),
    Call("GET /api/agent/health", "unavailable", "Without the vector store", status=503, away=True),
    Call("POST /api/chatbot/query", "book_wide", "Answered from the whole book", {"question": ANSWERED, "top_k": 3}),
    Call("POST /api/chatbot/query", "chapter", "With a chapter preferred", {"question": ANSWERED, "chapter_id": 1}),
    Call(
        "POST /api/chatbot/query",
        "selected_text",
        "Answered from a selected text alone",
        {"question": "How often does the keeper check the lamp?", "use_context_only": True, "context": SELECTED},
    ),
    Call("POST /api/chatbot/query", "not_covered", "Not covered in the book", {"question": REFUSED}),
    Call(
        "POST /api/chatbot/query",
        "chapter_unknown",
        "No such chapter",
        {"question": ANSWERED, "chapter_id": 9},
        status=422,
    ),
    *too_short("/api/chatbot", "question", "query"),
    Call(
        "POST /api/backend/query",
        "answered",
        "Answered",
        {"question": ANSWERED, "query_id": "{query_id}", "timestamp": MOMENT},
    ),
    Call("POST /api/backend/query", "no_relevant_content", "Not found", {"question": REFUSED}, status=404),
    Call("POST /api/backend/query", "not_ascii", "Not ASCII", {"question": "Wie heißt das?"}, status=422),
    Call("POST /api/backend/retrieve", "context", "What an answer would rest on", {"question": ANSWERED}),
    Call("POST /api/backend/retrieve", "no_relevant_content", "Nothing to rest on", {"question": REFUSED}, status=404),
    *too_short("/api/backend", "question", "query", "retrieve"),
    Call("GET /api/openai/v1/models", "models", "One model"),
    Call("GET /api/openai/v1/models/{model}", "model", "The model", parameters={"model": "candor"}),
    Call("GET /api/openai/v1/models/{model}", "unknown", "No such model", parameters={"model": "gpt-x"}, status=404),
    Call(
        "POST /api/openai/v1/chat/completions",
        "answered",
        "Answered",
        {"model": "candor", "messages": [{"role": "user", "content": ANSWERED}]},
    ),
    Call(
        "POST /api/openai/v1/chat/completions",
        "streamed",
        "As server-sent events",
        {"model": "candor", "messages": [{"role": "user", "content": ANSWERED}], "stream": True},
    ),
    Call(
        "POST /api/openai/v1/chat/completions",
        "no_question",
        "Nobody asks",
        {"messages": [{"role": "system", "content": "Be brief."}]},
        status=422,
    ),
)


def examples(candor: Candor, folder: Path) -> dict[str, dict[str, Any]]:
    """Make every call and return what the description shows of it, by operation and name."""
    found: dict[str, dict[str, Any]] = {}
    with ExitStack() as stack:
        away = stack.enter_context(Candor.open(settings_of(folder / "away", qdrant_url=NOBODY)))
        clients = [TestClient(create_api(lambda opened=opened: opened, opened.settings)) for opened in (candor, away)]
        known = known_ids(clients[0])
        for call in CALLS:
            response = sent(clients[call.away], call, known)
            assert response.status_code == call.status, f"{call.operation} {call.name}: {response.text}"
            for name, example in shown(call, response):
                found.setdefault(call.operation, {})[name] = example
    return found


def known_ids(client: TestClient) -> dict[str, str]:
    """Begin a conversation of one turn, and return the ids that calls may name."""
    session_id = client.post("/api/v1/sessions").json()["session_id"]
    answer = client.post("/api/v1/ask", json={"question": ANSWERED, "session_id": session_id}).json()
    named = {"{session_id}": session_id, "{request_id}": answer["request_id"], "{no_session_id}": str(uuid4())}
    return {**named, "{new_request_id}": f"req_20260121_{uuid4().hex[:12]}", "{query_id}": str(uuid4())}


def sent(client: TestClient, call: Call, known: dict[str, str]) -> Any:
    """Make a call."""
    method, path = call.operation.split()
    parameters = {name: known.get(value, value) for name, value in call.parameters.items()}
    path = re.sub(r"{(\w+)}", lambda match: parameters.pop(match[1]), path)
    if "file" in (call.request or ()):
        return client.request(method, path, files=[("file", (name, MOSS)) for name in call.request["file"]])
    body = call.request and {
        name: known.get(value, value) if isinstance(value, str) else value for name, value in call.request.items()
    }
    return client.request(method, path, json=body, params=parameters)


def shown(call: Call, response: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what the description shows of a call; of a stream the first event of each kind."""
    told: dict[str, Any] = {"summary": call.summary, "status": call.status}
    if call.parameters:
        told["parameters"] = steady(call.parameters)
    if call.request is not None:
        told["request"] = steady(call.request)
    if "text/event-stream" not in response.headers["content-type"]:
        yield call.name, {**told, "response": steady(short(response.json()))}
        return
    parts = [part for part in response.text.split("\n\n") if part.startswith(("event: ", "data: "))]
    seen: set[str] = set()
    for part in parts:
        event = dict(line.split(": ", 1) for line in part.splitlines())
        name, meaning = kind_of(event)
        if name in seen:
            continue
        if event["data"] != DONE:
            event["data"] = json.dumps(steady(short(json.loads(event["data"]))), ensure_ascii=False)
        of_one = {"type": "text/event-stream", "response": event}
        later = {"summary": f"{call.summary}: {meaning}", "status": 200, **of_one}
        yield (f"{call.name}_{name}", later) if seen else (call.name, {**told, **of_one})
        seen.add(name)


def kind_of(event: dict[str, str]) -> tuple[str, str]:
    """Return the name under which an event is shown, and what it is."""
    if "event" in event:
        return event["event"], f"the event `{event['event']}`"
    if event["data"] == DONE:
        return "done", "the end"
    choice = json.loads(event["data"])["choices"][0]
    if choice["finish_reason"]:
        return "last", "the last chunk of the answer"
    return ("first", "the first chunk") if "role" in choice["delta"] else ("chunk", "a sentence with its markers")


def short(value: Any, name: str = "") -> Any:
    """Return an answer with long texts and long lists cut, numbers rounded."""
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
    """Return an answer with ids and times that are always the same."""
    text = json.dumps(value, ensure_ascii=False)
    text = re.sub(r"req_\d{8}_[0-9a-f]{12}|{(new_)?request_id}", REQUEST_ID, text)
    text = re.sub(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|{(\w*session|query)_id}", UUID4, text
    )
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(Z|\+00:00)", MOMENT, text)
    text = re.sub(r'"created": \d+', '"created": 1769005935', text)
    return json.loads(re.sub(r"sqlite:///+[^\s\"]+", "sqlite:///.candor/sessions.db", text))


def same(stored: Any, fresh: Any, name: str = "") -> bool:
    """Return whether an example is still what is answered, but for what varies."""
    is_decision = name == "gate" and isinstance(stored, dict)
    if VARYING.match(name) and not isinstance(stored, str) and not is_decision:
        return type(stored) is type(fresh) or {type(stored), type(fresh)} <= {int, float, type(None)}
    if isinstance(stored, dict) and isinstance(fresh, dict):
        return stored.keys() == fresh.keys() and all(same(stored[key], fresh[key], key) for key in stored)
    if isinstance(stored, list) and isinstance(fresh, list):
        return len(stored) == len(fresh) and all(
            same(one, other, name) for one, other in zip(stored, fresh, strict=True)
        )
    if isinstance(stored, float) and isinstance(fresh, float):
        return abs(stored - fresh) <= 0.05
    if name == "data" and isinstance(stored, str) and stored.startswith("{"):
        return isinstance(fresh, str) and fresh.startswith("{") and same(json.loads(stored), json.loads(fresh))
    if isinstance(stored, str) and isinstance(fresh, str):
        return bool(VARYING.match(name)) or _words(stored) == _words(fresh)
    return type(stored) is type(fresh) and stored == fresh


def _words(text: str) -> str:
    """Return a text without the numbers that a machine or a fit of the gate may change a little."""
    return re.sub(r"\d+\.\d+|\d+%", "0", text)


def write(folder: Path, found: dict[str, dict[str, Any]]) -> None:
    """Write a file for each part of the interface."""
    parts: dict[str, dict[str, Any]] = {}
    for operation, named in found.items():
        words = operation.split("/api/")[1].split("/")
        parts.setdefault(words[1] if words[0] == "v1" else words[0], {})[operation] = named
    for old in folder.glob("*.json"):
        old.unlink()
    for part, operations in parts.items():
        text = json.dumps(operations, indent=1, ensure_ascii=False)
        text = re.sub(
            r"\[\s+(-?[\d.e-]+(?:,\s+-?[\d.e-]+)*)\s+\]", lambda match: f"[{' '.join(match[1].split())}]", text
        )
        (folder / f"{part}.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Write the examples again."""
    with TemporaryDirectory() as home, Candor.open(settings_of(Path(home) / "data")) as candor:
        candor.ingest([ROOT / "samples" / name for name in SAMPLES])
        write(FOLDER, examples(candor, Path(home)))


if __name__ == "__main__":
    main()
