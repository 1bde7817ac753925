"""The Model Context Protocol server, with the protocol's own client."""

import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from api_samples import ANSWERED, NOBODY, REFUSED
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from rag.candor import Candor
from rag.mcp_server import build_server

RUN = "from rag.mcp_server import run; run()"


def call(candor: Candor, tool: str, **arguments: Any) -> Any:
    async def session() -> Any:
        async with Client(build_server(candor)) as client:
            return await client.call_tool(tool, arguments)

    return anyio.run(session)


def test_it_offers_three_tools_with_their_limits(candor: Candor) -> None:
    async def session() -> Any:
        async with Client(build_server(candor)) as client:
            return await client.list_tools()

    tools = {tool.name: tool for tool in anyio.run(session).tools}
    assert set(tools) == {"ask", "retrieve", "list_documents"}
    assert tools["ask"].input_schema["properties"]["top_k"]["maximum"] == 20


def test_ask_answers_with_citations(candor: Candor) -> None:
    found = call(candor, "ask", question="How often is the refresher course held?")
    assert not found.is_error
    assert found.structured_content["outcome"] == "answered"
    assert found.structured_content["citations"][0]["document"] == "safety_manual.pdf"


def test_ask_refuses_and_says_why(candor: Candor) -> None:
    found = call(candor, "ask", question=REFUSED).structured_content
    assert (found["outcome"], found["answer"]) == ("refused", None)
    assert found["message"]


def test_retrieve_returns_passages(candor: Candor) -> None:
    found = call(candor, "retrieve", question=ANSWERED, top_k=2).structured_content
    assert len(found["passages"]) == 2
    assert "830" in found["passages"][0]["content"]


def test_list_documents_lists_them(candor: Candor) -> None:
    found = call(candor, "list_documents").structured_content["documents"]
    assert {"safety_manual.pdf", "textbook.md"} <= {record["document"] for record in found}


@pytest.mark.parametrize(
    "arguments", [{"question": "ab"}, {"question": ANSWERED, "top_k": 21}, {"question": "bell\x07"}]
)
def test_a_request_outside_its_limits_is_an_error_that_says_so(candor: Candor, arguments: dict[str, Any]) -> None:
    found = call(candor, "ask", **arguments)
    assert found.is_error


def test_it_serves_over_standard_input_and_output(tmp_path: Path) -> None:
    text = "# Harbour rules\n\nThe harbour crane lifts at most twelve tonnes and is inspected every second Monday.\n"
    (tmp_path / "harbour.md").write_text(text)
    environment = {**os.environ, "CANDOR_DATA_DIR": str(tmp_path / "data"), "OLLAMA_HOST": NOBODY}
    with Candor.open(data_dir=tmp_path / "data") as candor:
        candor.ingest([tmp_path / "harbour.md"])
    server = StdioServerParameters(
        command=sys.executable, args=["-c", RUN], env=environment, cwd=Path(__file__).parents[2]
    )

    async def session() -> Any:
        async with Client(stdio_client(server)) as client:
            return await client.call_tool("list_documents", {})

    assert [record["document"] for record in anyio.run(session).structured_content["documents"]] == ["harbour.md"]
