"""The errors of the Model Context Protocol's tools as the HTTP API gives them: code, message, what to do, details."""

import logging
from datetime import UTC, datetime
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from rag.errors import CandorError, ErrorCode, InvalidQuery
from rag.validate import clean_question

_log = logging.getLogger(__name__)
_SHOWN = 80


class Server(MCPServer[Any]):
    """A server whose failed tool calls carry the canonical error object, also as text for a model to read."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool; what goes wrong is its result, as the protocol has it."""
        try:
            await self._check_names(name, arguments)
            return await super().call_tool(name, arguments, context)
        except CandorError as error:
            return failed(error)
        except ToolError as error:
            return failed(_told(name, arguments, error.__cause__))

    async def _check_names(self, name: str, arguments: dict[str, Any]) -> None:
        """Refuse a tool or an argument that is not there: one that is ignored without a word misleads.

        Raises:
            InvalidQuery: It is not there; the message names what is.
        """
        tools = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        if name not in tools:
            raise InvalidQuery(f"There is no tool {name!r}. There are {', '.join(tools)}.")
        for given in arguments:
            if given not in tools[name]:
                taken = ", ".join(tools[name]) or "no arguments"
                raise InvalidQuery(f"{given} is no argument of {name}, which takes {taken}. Leave it out.")


def failed(error: CandorError) -> CallToolResult:
    """Return an error as a tool's result: the canonical object, and its code and message as text."""
    said = {
        "error_code": error.error_code.value,
        "message": error.message,
        "details": error.details,
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }
    text = TextContent(type="text", text=f"{error.error_code.value}: {error.message}")
    return CallToolResult(content=[text], structured_content=said, is_error=True)


def _told(name: str, arguments: dict[str, Any], cause: BaseException | None) -> CandorError:
    """Return what the client is told of what a tool raised; of a bug only where to find it."""
    if isinstance(cause, CandorError):
        return cause
    if isinstance(cause, ValidationError):
        return _invalid(arguments, cause)
    _log.error("the tool %s failed", name, exc_info=cause)
    return CandorError("Something went wrong inside. Whoever runs this finds it in the server's log.")


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
    shown = repr(first["input"])
    shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
    return InvalidQuery(
        f"{field} = {shown} is not valid: {first['msg']}", code=ErrorCode.INVALID_INPUT, details={"field": field}
    )
