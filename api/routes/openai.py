"""What OpenAI clients and Open WebUI expect, so that they can use Candor as a model.

The last user message is the question; the one before it is read together with it where that finds more. What is
streamed is the checked answer, sentence by sentence: the model's unchecked tokens are never shown.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from time import time
from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from api.completions import MODEL, ChatCompletion, ChatRequest, Model, Models, OpenAIError, Usage, beside, pieces
from api.desk import desk_of, identity_of
from api.failing import told
from api.problems import Problem, errors, refused
from api.streams import CHATTED, DONE, events
from rag.events import Event, Finished
from rag.validate import GREETING_LENGTH

router = APIRouter(prefix="/openai/v1", tags=["OpenAI-compatible"])


def render_error(problem: Problem) -> dict[str, Any]:
    """Return an error in the shape that OpenAI clients read."""
    kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    kind = kinds.get(problem.status, "invalid_request_error" if problem.status < 500 else "server_error")
    param = problem.details.get("field")
    return {"error": {"message": problem.message, "type": kind, "param": param, "code": problem.code.value}}


@router.get("/models", responses=errors(model=OpenAIError))
async def models() -> Models:
    """List the models: Candor is one."""
    return Models(data=[Model()])


@router.get("/models/{model}", responses=errors(404, model=OpenAIError))
async def model(model: Annotated[str, Path(description="`candor`.")]) -> Model:
    """Return a model: Candor is the only one."""
    if model != MODEL:
        raise refused(404, f"There is no model {model!r}; use {MODEL!r}.", field="model")
    return Model()


@router.post(
    "/chat/completions",
    response_model=ChatCompletion,
    responses=events("A chat completion, or its chunks as server-sent events.", CHATTED) | errors(model=OpenAIError),
)
async def chat_completions(
    body: ChatRequest, request: Request, response: Response
) -> ChatCompletion | StreamingResponse:
    """Answer the last user message."""
    question, ignored = body.question(), body.ignored()
    if body.stream:
        found = await desk_of(request).stream(request, question, shortest=GREETING_LENGTH, **body.options())
        return StreamingResponse(_chunks(body, found, request), media_type="text/event-stream", headers=ignored)
    response.headers.update(ignored)
    return ChatCompletion.of(await desk_of(request).ask(request, question, shortest=GREETING_LENGTH, **body.options()))


async def _chunks(body: ChatRequest, found: AsyncGenerator[Event], request: Request) -> AsyncIterator[str]:
    with_usage = bool(body.stream_options and body.stream_options.include_usage)
    completion_id = f"chatcmpl-{identity_of(request).request_id}"
    head: dict[str, Any] = {"id": completion_id, "object": "chat.completion.chunk", "created": int(time())}
    head |= {"model": MODEL, **({"usage": None} if with_usage else {})}

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _data({**head, "choices": [choice], **more})

    try:
        async with aclosing(found):
            yield chunk({"role": "assistant", "content": ""})
            async for event in found:
                if isinstance(event, Finished):
                    for piece in pieces(event.answer):
                        yield chunk({"content": piece})
                    yield chunk({}, "stop", candor=beside(event.answer))
                    if with_usage:
                        yield _data({**head, "choices": [], "usage": Usage.of(event.answer).model_dump()})
                else:
                    yield ": working\n\n"
    except Exception as error:  # the response has begun
        yield _data(render_error(await told(request, error)))
    yield f"data: {DONE}\n\n"


def _data(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"
