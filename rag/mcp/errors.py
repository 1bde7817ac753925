"""The errors of the Model Context Protocol's tools as the HTTP API gives them: code, message, what to do, details."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from rag.errors import CandorError, InvalidQuery
from rag.models.complaints import complaint, reason_of
from rag.records.logline import error_object
from rag.validate import clean_question

_log = logging.getLogger(__name__)


class Server(MCPServer[Any]):
    """A server whose failed tool calls carry the canonical error object, also as text for a model to read.

    `ids_of` returns the `query_id` and `request_id` of a call; none where it has none of its own.
    """

    def __init__(self, ids_of: Callable[[Any], dict[str, Any]], **named: Any) -> None:
        with _logging_as_it_was():
            super().__init__(**named)
        self._ids_of = ids_of

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool; what goes wrong is its result, as the protocol has it."""
        try:
            await self._check_names(name, arguments)
            return await super().call_tool(name, arguments, context)
        except (CandorError, ToolError) as error:
            request_id = str(self._ids_of(context).get("request_id", ""))
            cause = error.__cause__ if isinstance(error, ToolError) else error
            return failed(_told(name, arguments, cause, request_id), request_id)

    async def _check_names(self, name: str, arguments: dict[str, Any]) -> None:
        """Refuse a tool or an argument that is not there: one that is ignored without a word misleads."""
        tools = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        if name not in tools:
            raise InvalidQuery(f"There is no tool {name!r}. There are {', '.join(tools)}.")
        for given in arguments:
            if given not in tools[name]:
                taken = ", ".join(tools[name]) or "no arguments"
                raise InvalidQuery(f"{given} is not an argument of {name}, which takes {taken}. Leave it out.")


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """Take back what is done to the root logger meanwhile: an `MCPServer` gives it a handler and a level of its own."""
    root = logging.getLogger()
    handlers, level = [*root.handlers], root.level
    try:
        yield
    finally:
        for handler in [*root.handlers]:
            if handler not in handlers:
                root.removeHandler(handler)
        root.setLevel(level)


def failed(error: CandorError, request_id: str = "") -> CallToolResult:
    """Return an error as a tool's result: the canonical object, and its code and message as text."""
    said = error_object(error, **({"request_id": request_id} if request_id else {}))
    text = TextContent(type="text", text=f"{said['error_code']}: {said['message']}")
    return CallToolResult(content=[text], structured_content=said, is_error=True)


def _told(name: str, arguments: dict[str, Any], cause: BaseException | None, request_id: str) -> CandorError:
    """Return what the client is told of what a tool raised; of a bug only where to find it."""
    if isinstance(cause, CandorError):
        return cause
    if isinstance(cause, ValidationError):
        return _invalid(arguments, cause)
    under = f" under {request_id}" if request_id else ""
    _log.error("the tool %s failed%s", name, under, exc_info=cause)
    return CandorError(f"Internal error. The operator can find the cause in the server's log{under}.")


def _invalid(arguments: dict[str, Any], error: ValidationError) -> CandorError:
    """Return pydantic's first complaint in the words of the interfaces; of a question, by the canonical rule."""
    question = arguments.get("question")
    if isinstance(question, str):
        try:
            clean_question(question)
        except InvalidQuery as refused:
            return refused
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return InvalidQuery(f"{field} is missing; add it to the arguments.", details={"field": field})
    return InvalidQuery(complaint(field, first), details={"field": field, "reason": reason_of(first)})
