"""OpenAI's protocol over HTTP, as its servers speak it, with the same brains and faults and some refusals.

A real server with this protocol is xllamacpp's own: `tests/adapters/asking.py`. This one is for what that never does.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from .server import Fault, OllamaServer, _Handler


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is answered instead of a chat: a status, the body as some server writes it, more headers."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class _OpenAIHandler(_Handler):
    speaks = "/v1/chat/completions"

    @property
    def owner(self) -> Any:
        return self.server.owner

    def routes(self) -> Mapping[tuple[str, str], Callable[[], None]]:
        asked = {("GET", "/v1/models"): self._models, ("POST", self.speaks): self._completions}
        sent = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.owner.key in (None, sent):
            return asked
        wrong = {"message": f"Incorrect API key provided: {sent}", "code": "invalid_api_key"}
        return dict.fromkeys(asked, lambda: self._error(401, {"error": wrong}))

    def _models(self) -> None:
        owner = self.owner
        if not owner.lists:
            return self._error(404, {"detail": "Not Found"})
        names = owner.names if owner.names is not None else [owner.brain.name] if owner.brain else []
        data = [{"id": name, "object": "model", "created": 1, "owned_by": "tests", **owner.entry} for name in names]
        return self._json({"object": "list", "data": data})

    def _completions(self) -> None:
        owner, request = self.owner, self.exchange.request
        if refusal := owner.refusal:
            return self._error(refusal.status, refusal.body, refusal.headers)
        if refused := next((name for name in owner.unknown if name in request), None):
            message = f"Unsupported parameter: '{refused}' is not supported with this model."
            return self._error(400, {"error": {"message": message, "param": refused, "code": "unsupported_parameter"}})
        brain = owner.brain
        if brain is None or brain.name != request.get("model"):
            return self._missing(str(request.get("model")))
        options = {"num_predict": request.get("max_tokens", request.get("max_completion_tokens", -1))}
        with closing(brain.reply(request.get("messages") or [], options)) as reply:
            return self._speak(reply)

    def _speak(self, reply: Any) -> None:
        """Stream a reply with the fault that is on; the counts come last, where they were asked for."""
        self._begin(200, "text/event-stream", chunked=True)
        for odd in self.owner.odd:
            self._chunk(f"{odd}\n\n".encode())
        end = self._spoken(reply, lambda text: self._part({"delta": {"content": text}, "finish_reason": None}))
        self._part({"delta": {}, "finish_reason": end.done_reason})
        if (self.exchange.request.get("stream_options") or {}).get("include_usage"):
            counts = {"prompt_tokens": end.prompt_tokens, "completion_tokens": end.completion_tokens}
            self._part(usage={**counts, "total_tokens": sum(counts.values())})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _part(self, *choices: dict[str, Any], **more: Any) -> None:
        part = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, **more}
        model = self.exchange.request["model"]
        self._event_line({**part, "model": model, "choices": [{"index": 0, **each} for each in choices]})

    def _event_line(self, event: Mapping[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _fails_at_once(self, fault: Fault) -> bool:
        if fault != Fault.SERVER_ERROR:
            return super()._fails_at_once(fault)
        self._error(500, {"error": {"message": "llama runner process has terminated: signal: killed", "code": 500}})
        return True

    def _missing(self, name: str) -> None:
        self._error(404, {"error": {"message": f"The model `{name}` does not exist", "code": "model_not_found"}})

    def _error(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self._raw(raw, status=status, content_type="application/json", **(headers or {}))


class OpenAIServer(OllamaServer):
    """The server on a loopback port of its own; a context manager."""

    handler = _OpenAIHandler
    names: Sequence[str] | None = None  # the models that it lists; None: its brain alone
    entry: Mapping[str, Any] = {}  # what it says of a model beside its name, as servers do that tell the window
    key: str | None = None  # the key that it wants; None: any, or none
    refusal: Refusal | None = None  # what it answers instead of a chat
    unknown: Sequence[str] = ()  # parameters that it refuses, one at a time
    lists = True  # whether it has a list of models at all
    odd: Sequence[str] = ()  # events that come before the answer, as they are

    @property
    def url(self) -> str:
        return f"{super().url}/v1"
