"""The Model Context Protocol server, with the protocol's own client."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from api_samples import ANSWERED, NOBODY, REFUSED, settings_of
from live import WithModel, live
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer

from rag.candor import Candor
from rag.mcp_server import build_server

RUN = "from rag.mcp_server import run; run()"


def call(candor: Candor, tool: str, **arguments: Any) -> Any:
    async def session() -> Any:
        async with Client(build_server(lambda: candor)) as client:
            return await client.call_tool(tool, arguments)

    return anyio.run(session)


def test_it_offers_three_tools_with_their_limits(candor: Candor) -> None:
    async def session() -> Any:
        async with Client(build_server(lambda: candor)) as client:
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


@contextmanager
def served(candor: Candor, folder: Path) -> Iterator[tuple[str, Any]]:
    """The API over the sample index, with a database of keys of its own."""
    from rag.adapters.sessions import SqlSessions

    sessions = SqlSessions(f"sqlite:///{folder / 'keys.db'}")

    class Keyed:
        wiring = type("Wiring", (), {**candor.wiring.__dict__, "sessions": sessions})

        def __getattr__(self, name: str) -> Any:
            return getattr(candor, name)

    with live(Keyed, candor.settings) as url:
        yield f"{url}/api/mcp", sessions.keys
    sessions.close()


def call_over_http(url: str, tool: str, token: str = "", **arguments: Any) -> Any:
    async def session() -> Any:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await client.call_tool(tool, arguments)

    return anyio.run(session)


def test_it_serves_the_same_tools_over_http(candor: Candor, tmp_path: Path) -> None:
    async def listed(url: str) -> Any:
        async with Client(url) as client:
            return await client.list_tools()

    with served(candor, tmp_path) as (url, _):
        assert {tool.name for tool in anyio.run(listed, url).tools} == {"ask", "retrieve", "list_documents"}
        found = call_over_http(url, "ask", question="How often is the refresher course held?").structured_content
        assert found["citations"][0]["document"] == "safety_manual.pdf"
        assert call_over_http(url, "ask", question=REFUSED).structured_content["outcome"] == "refused"
        assert call_over_http(url, "ask", question="ab").is_error


def test_over_http_it_needs_the_same_keys(candor: Candor, tmp_path: Path) -> None:
    with served(candor, tmp_path) as (url, keys):
        made = keys.create("assistant")
        assert call_over_http(url, "list_documents", made.token).structured_content["documents"]
        with pytest.raises(ExceptionGroup):
            call_over_http(url, "list_documents")
        keys.revoke(made.key.key_id)
        with pytest.raises(ExceptionGroup):
            call_over_http(url, "list_documents", made.token)
        for token in ("", made.token):
            response = httpx2.post(url, json={}, headers={"x-api-key": token})
            assert (response.status_code, response.json()["error_code"]) == (401, "INVALID_INPUT")


def test_over_http_a_foreign_page_may_not_call(candor: Candor, tmp_path: Path) -> None:
    with served(candor, tmp_path) as (url, _):
        assert httpx2.post(url, json={}, headers={"origin": "https://elsewhere.example"}).status_code == 403


def test_over_http_a_question_that_takes_too_long_is_an_error_and_the_model_is_hung_up_on(candor: Candor) -> None:
    settings = settings_of(candor.settings.data_dir, request_timeout_s=2.0)
    brain = ScriptedBrain(lambda question, passages: "")
    with (
        OllamaServer(brain, fault=Fault.HANG_BEFORE_HEADERS) as model,
        live(lambda: WithModel(candor, model.url, patience_s=300), settings) as url,
    ):
        found = call_over_http(f"{url}/api/mcp", "ask", question=ANSWERED)
        assert model.disconnect_seen.wait(30)
    assert found.is_error
    assert "SERVICE_UNAVAILABLE: The question was not answered within 2 s" in found.content[0].text
