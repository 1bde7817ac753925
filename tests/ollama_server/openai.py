"""OpenAI's protocol over HTTP, as its servers speak it, with the same brains and faults and some refusals.

    with OpenAIServer(ScriptedBrain(lambda question, passages: "Wear gloves. [1]")) as server:
        OpenAIGenerator(server.url)

A real server with this protocol is xllamacpp's own: `tests/adapters/speakers.py`. This one is for what that never does.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from .brains import TurnEnd
from .server import Fault, OllamaServer, _drain, _Handler


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is answered instead of a chat: a status, the body as some server writes it, more headers."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class OpenAIServer(OllamaServer):
    """The server on a loopback port of its own; a context manager.

    Attributes:
        names: The models that it lists; None: its brain alone.
        entry: What it says of a model beside its name, as servers do that tell the window.
        key: The key that it wants; None: any, or none.
        refusal: What it answers instead of a chat.
        unknown: Parameters that it refuses, one at a time.
        lists: Whether it has a list of models at all.
        odd: Events that come before the answer, as they are.
    """

    names: Sequence[str] | None = None
    entry: Mapping[str, Any] = {}
    key: str | None = None
    refusal: Refusal | None = None
    unknown: Sequence[str] = ()
    lists: bool = True
    odd: Sequence[str] = ()

    @property
    def handler(self) -> type[_Handler]:
        return _OpenAIHandler

    @property
    def url(self) -> str:
        return f"{super().url}/v1"


class _OpenAIHandler(_Handler):
    speaks = ("/v1/chat/completions",)

    @property
    def owner(self) -> OpenAIServer:
        assert isinstance(self.server.owner, OpenAIServer)
        return self.server.owner

    def gets(self) -> Mapping[str, Any]:
        return {"/v1/models": self._models}

    def posts(self) -> Mapping[str, Any]:
        return {"/v1/chat/completions": self._completions}

    # --- calls ---

    def _models(self) -> None:
        owner = self.owner
        if not self._is_let_in():
            return
        if not owner.lists:
            self._error(404, {"detail": "Not Found"})
            return
        names = owner.names if owner.names is not None else [owner.brain.name] if owner.brain else []
        data = [{"id": name, "object": "model", "created": 1, "owned_by": "tests", **owner.entry} for name in names]
        self._json({"object": "list", "data": data})

    def _completions(self) -> None:
        owner, request = self.owner, self.exchange.request
        if not self._is_let_in():
            return
        if owner.refusal is not None:
            self._error(owner.refusal.status, owner.refusal.body, owner.refusal.headers)
            return
        refused = next((name for name in owner.unknown if name in request), None)
        if refused:
            message = f"Unsupported parameter: '{refused}' is not supported with this model."
            self._error(400, {"error": {"message": message, "param": refused, "code": "unsupported_parameter"}})
            return
        brain = owner.brain
        if brain is None or brain.name != request.get("model"):
            self._missing(str(request.get("model")))
            return
        options = {"num_predict": request.get("max_tokens", request.get("max_completion_tokens", -1))}
        with closing(brain.reply(request.get("messages") or [], options)) as reply:
            self._speak(reply)

    def _speak(self, reply: Any) -> None:
        """Stream a reply with the fault that is on; the counts come last, where they were asked for."""
        self._begin(200, "text/event-stream", chunked=True)
        for odd in self.owner.odd:
            self._chunk(f"{odd}\n\n".encode())
        part = {"index": 0, "finish_reason": None}
        send = self._sending(lambda text: self._part([{**part, "delta": {"content": text}}]))
        end: TurnEnd = _drain(reply, send)
        self._part([{"index": 0, "delta": {}, "finish_reason": end.done_reason}])
        if (self.exchange.request.get("stream_options") or {}).get("include_usage"):
            counts = {"prompt_tokens": end.prompt_tokens, "completion_tokens": end.completion_tokens}
            self._part([], usage={**counts, "total_tokens": sum(counts.values())})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    # --- values and bytes ---

    def _part(self, choices: list[Any], **more: Any) -> None:
        model = self.exchange.request["model"]
        self._event_line(
            {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices}
            | more
        )

    def _event_line(self, event: Mapping[str, Any]) -> None:
        self.exchange.events.append(event)
        self._chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _fails_at_once(self, fault: Fault) -> bool:
        if fault != Fault.SERVER_ERROR:
            return super()._fails_at_once(fault)
        self._error(500, {"error": {"message": "llama runner process has terminated: signal: killed", "code": 500}})
        return True

    def _missing(self, name: str) -> None:
        self._error(404, {"error": {"message": f"The model `{name}` does not exist", "code": "model_not_found"}})

    def _is_let_in(self) -> bool:
        key = self.owner.key
        sent = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if key is None or sent == key:
            return True
        self._error(401, {"error": {"message": f"Incorrect API key provided: {sent}", "code": "invalid_api_key"}})
        return False

    def _error(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.exchange.status = status
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(raw), **(headers or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(raw)
