"""The Model Context Protocol server, with the protocol's own client."""

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from api_samples import ANSWERED, NOBODY
from interfaces import CANONICAL
from library import ROOT
from live import keyed, live
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from recorded import talk, unsure

from rag.candor import Candor
from rag.confidence.calibrated import FILE_NAME, SHIPPED
from rag.errors import StoreUnavailable
from rag.mcp.server import build_server
from rag.models import Answer
from rag.pipeline import Pipeline

RUN = "from rag.mcp.server import run; run()"


def call(candor: Candor, tool: str, **arguments: Any) -> Any:
    async def session() -> Any:
        async with Client(build_server(lambda: candor)) as client:
            return await client.call_tool(tool, arguments)

    return anyio.run(session)


def test_a_call_keeps_to_its_collection_and_its_number_of_passages_or_to_the_operators(candor, monkeypatch):
    candor.wiring.sessions.collections.put("books", ["textbook.md"], by="")
    monkeypatch.setitem(candor.wiring.__dict__, "settings", candor.settings.model_copy(update={"top_k": 3}))
    try:
        inside = call(candor, "retrieve", question=ANSWERED, collection="books").structured_content
        wrong = call(candor, "ask", question=ANSWERED, collection="bokos")
    finally:
        candor.wiring.sessions.collections.remove("books")  # other tests use this index
    assert (wrong.is_error, "books" in wrong.content[0].text) == (True, True)
    assert [one["document"] for one in inside["passages"]] == ["textbook.md"] * 3
    assert inside["good_enough"] is (inside["outcome"] == "answered")
    assert len(call(candor, "retrieve", question=ANSWERED, top_k=5).structured_content["passages"]) == 5


def test_it_serves_its_tools_with_their_limits_over_http(client, candor, tmp_path):
    async def listed(url: str) -> Any:
        async with Client(url) as found:
            return {tool.name: tool for tool in (await found.list_tools()).tools}

    with served(candor, tmp_path) as (url, _):
        tools = anyio.run(listed, url)
        found = call_over_http(url, "ask", question="How often is the refresher course held?").structured_content
    number, nothing = tools["ask"].input_schema["properties"]["top_k"]["anyOf"]
    assert set(tools) == {"ask", "retrieve", "list_documents"}
    assert (number["minimum"], number["maximum"], nothing) == (1, 20, {"type": "null"})
    assert found["citations"][0]["document"] == "safety_manual.pdf"
    for method in (client.get, client.head, client.delete):  # there is nothing to listen to
        refused = method("/api/mcp", headers={"accept": "text/event-stream"})
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


def test_ask_quotes_up_to_three_passages_where_it_is_unsure_and_else_says_what_there_is_instead(candor, monkeypatch):
    def asked(answer: Answer) -> Any:
        monkeypatch.setattr(Pipeline, "ask", lambda *_, **__: answer)
        return call(candor, "ask", question=ANSWERED).structured_content

    found = asked(unsure(misses=4))
    assert (found["outcome"], found["answer"], found["citations"]) == ("unsure", None, [])
    assert found["message"].startswith("I can't confirm this from your documents. Closest:\n\n- “It is cold. Gloves of")
    assert [(one["document"], one["page"], one["sentence"]) for one in found["closest"]] == [
        ("manual.pdf", page, f"Gloves of kind {page} are\nworn.") for page in (1, 2, 3)
    ]
    found, said = asked(talk()), talk()
    assert (found["outcome"], found["answer"], found["message"], found["closest"]) == ("talk", None, said.message, [])


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "message"),
    [
        ("ask", {"question": "ab"}, "QUERY_TOO_SHORT", "The question 'ab' has 2 characters; ask with at least 3."),
        ("ask", {"question": ANSWERED, "top_k": 21}, "INVALID_INPUT", "top_k = 21 is not valid: "),
        ("ask", {}, "INVALID_INPUT", "question is missing; add it to the arguments."),
        ("retrieve", {"question": ANSWERED, "top": 3}, "INVALID_INPUT", "top is not an argument of retrieve, which "),
        ("answer", {}, "INVALID_INPUT", "There is no tool 'answer'. There are ask, retrieve, list_documents."),
    ],
)
def test_a_request_outside_its_limits_is_told_as_the_canonical_interface_tells_it(
    candor, tool, arguments, code, message
):
    found = call(candor, tool, **arguments)
    told = found.structured_content
    assert (found.is_error, set(told), told["error_code"]) == (True, CANONICAL, code)
    assert told["message"].startswith(message)
    assert found.content[0].text == f"{code}: {told['message']}"


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (StoreUnavailable("The store is away.", details={"url": "u"}), "VECTOR_DB_ERROR", "The store is away."),
        (KeyError("/secret/path"), "SERVICE_UNAVAILABLE", "Internal error."),
    ],
)
def test_what_fails_has_its_code_and_a_bug_shows_no_internals(error, code, said, caplog):
    broken: Any = Mock(documents=Mock(side_effect=error))
    found = call(broken, "list_documents")
    told = found.structured_content
    assert (told["error_code"], told["message"][: len(said)]) == (code, said)
    assert told["details"] == getattr(error, "details", {})
    assert "secret" not in str(found)
    assert ("secret" in caplog.text) == isinstance(error, KeyError)  # whoever runs it finds out


def test_over_standard_input_a_gate_that_is_fitted_meanwhile_decides_from_the_next_question_on(tmp_path):
    text = "# Harbour rules\n\nThe harbour crane lifts at most twelve tonnes and is inspected every second Monday.\n"
    with Candor.open(data_dir=tmp_path / "data") as candor:
        candor.ingest_bytes("harbour.md", text.encode())
    environment = {**os.environ, "CANDOR_DATA_DIR": str(tmp_path / "data"), "OLLAMA_HOST": NOBODY}
    server = StdioServerParameters(command=sys.executable, args=["-c", RUN], env=environment, cwd=ROOT)
    shipped, own = json.loads(SHIPPED.read_text(encoding="utf-8")), tmp_path / "data" / FILE_NAME
    lax, strict = (json.dumps({**shipped, "threshold": limit, "unsure_threshold": 0.0}) for limit in (0.0, 1.0))
    own.write_text(lax, encoding="utf-8")
    asked = {"question": "How much does the harbour crane lift?"}

    async def session() -> list[Any]:
        async with Client(stdio_client(server)) as client:
            found = [await client.call_tool("list_documents", {}), await client.call_tool("retrieve", asked)]
            own.write_text(strict, encoding="utf-8")
            return [*found, await client.call_tool("retrieve", asked)]

    documents, before, after = (found.structured_content for found in anyio.run(session))
    assert [record["document"] for record in documents["documents"]] == ["harbour.md"]
    assert (before["good_enough"], after["good_enough"]) == (True, False)
    assert "threshold 1.00, and at or above the unsure threshold" in after["reason"]


@contextmanager
def served(candor: Candor, folder: Path) -> Iterator[tuple[str, Any]]:
    """The API over the sample index, with a database of keys of its own."""
    with keyed(candor, folder) as (opened, keys), live(lambda: opened, candor.settings) as url:
        yield f"{url}/api/mcp", keys


def call_over_http(url: str, tool: str, token: str = "", **arguments: Any) -> Any:
    async def session() -> Any:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await client.call_tool(tool, arguments)

    return anyio.run(session)


def posted(url: str, tool: str, token: str = "", **arguments: Any) -> httpx2.Response:
    """Call a tool without the protocol's client, so that the response's headers can be seen."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {"accept": "application/json, text/event-stream", "x-api-key": token}
    return httpx2.post(url, json=body, headers=headers, timeout=60)


def test_over_http_it_needs_the_same_keys_whose_answers_they_may_judge_and_no_foreign_page_may_call(candor, tmp_path):
    with served(candor, tmp_path) as (url, keys), httpx2.Client(timeout=60) as http:
        assert http.post(url, json={}, headers={"origin": "https://elsewhere.example"}).status_code == 403
        made, other = keys.create("one"), keys.create("two")
        assert call_over_http(url, "list_documents", made.token).structured_content["documents"]
        asked = posted(url, "ask", made.token, question=ANSWERED)
        judged = {"request_id": asked.json()["result"]["structuredContent"]["request_id"], "verdict": "good"}
        assert judged["request_id"] == asked.headers["x-request-id"]
        for key, status in ((made, 200), (other, 403)):
            at = url.replace("/mcp", "/v1/feedback")
            assert http.post(at, json=judged, headers={"x-api-key": key.token}).status_code == status
        keys.revoke(made.key.key_id)
        for token in ("", made.token):
            response = posted(url, "list_documents", token)
            assert (response.status_code, response.json()["error_code"]) == (401, "INVALID_INPUT")
            assert response.headers["www-authenticate"] == "Bearer"


def test_a_client_that_goes_away_before_its_request_is_whole_is_no_bug(candor, caplog):
    log = candor.settings.data_dir / "logs" / "candor.jsonl"
    with live(lambda: candor, candor.settings) as url:
        before, server = log.read_text().count("request_failed"), urlsplit(url)
        for path in ("/api/mcp", "/api/v1/ask"):
            with socket.create_connection((server.hostname, server.port)) as connection:
                head = f"POST {path} HTTP/1.1\r\nHost: {server.netloc}\r\nContent-Type: application/json\r\n"
                connection.sendall(f'{head}Content-Length: 1000\r\n\r\n{{"jsonrpc":'.encode())
        posted(f"{url}/api/mcp", "list_documents")  # those before it have been seen off when this one is answered
    assert log.read_text().count("request_failed") == before
    assert not [said for said in ("failed", "Disconnect") if said in caplog.text]
