"""The interfaces that take a question: the canonical one, the five contracts, OpenAI's. One table for all tests."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api_samples import ANSWERED

MISSING = object()  # the value of a field that is left out
CANONICAL = {"error_code", "message", "details", "timestamp"}


@dataclass(frozen=True)
class Interface:
    """Where a question goes, and what an error looks like there."""

    path: str
    question: str = "question"  # its field
    error: set[str] = field(default_factory=lambda: CANONICAL)  # the fields of an error
    invalid: str = "INVALID_INPUT"  # the code of a request that is refused as invalid

    def body(self, question: Any = ANSWERED, **more: Any) -> dict[str, Any]:
        """A request that asks something; what is `MISSING` is left out."""
        asked = [{"role": "user", "content": question}] if self.question == "messages" else question
        return {name: value for name, value in {self.question: asked, **more}.items() if value is not MISSING}

    def ask(self, client: Any, question: Any = ANSWERED, **more: Any) -> Any:
        content = json.dumps(self.body(question, **more))  # so written, half a character can be sent too
        return client.post(self.path, content=content, headers={"content-type": "application/json"})

    def told(self, response: Any) -> tuple[str, str]:
        """The code and the message of an error, which has its interface's own shape and no other field."""
        body = response.json()
        assert set(body) == self.error, body
        if isinstance(body.get("error"), dict):
            return body["error"].get("code") or body["error"]["type"], body["error"]["message"]
        return body.get("code") or body["error_code"], body.get("error") or body["message"]


def lines_of(log: Path, response: Any) -> list[dict[str, Any]]:
    """The lines of a log about a request, found by the id in its response's header."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [line for line in lines if line["request_id"] == response.headers["x-request-id"]]


def events_of(text: str) -> list[tuple[str, Any]]:
    """The server-sent events of a stream: name, empty where there is none, and data; JSON is read."""
    found = []
    for part in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in part.splitlines() if not line.startswith(":"))
        data = fields.get("data", "")
        found.append((fields.get("event", ""), json.loads(data) if data.startswith("{") else data))
    return found


V1 = Interface("/api/v1/ask")
SERVICE = Interface("/api/service/query")
TEXTBOOK = Interface("/api/textbook/query", "text", error={"error", "code", "details"})
AGENT = Interface("/api/agent/query", "query")
CHATBOT = Interface("/api/chatbot/query", error={"error"}, invalid="validation_error")
BACKEND = Interface("/api/backend/query")
OPENAI = Interface("/api/openai/v1/chat/completions", "messages", error={"error"})
SEEDS = {"000": SERVICE, "001": TEXTBOOK, "002": AGENT, "003": CHATBOT, "004": BACKEND}
ALL = [V1, *SEEDS.values(), OPENAI]
