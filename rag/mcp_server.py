"""`candor mcp`: Candor as a server of the Model Context Protocol, for assistants that can use tools."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from rag.errors import CandorError
from rag.models import Mode

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from rag.candor import Candor

INSTRUCTIONS = """Answers questions over the documents that were indexed here, and refuses with reasons when they do
not say. Show an answer with its citations. Where `outcome` is `refused`, say so and why; do not answer in its place."""
Question = Annotated[str, Field(min_length=3, max_length=1000, description="The question, 3 to 1000 characters.")]
TopK = Annotated[int, Field(ge=1, le=20, description="Passages to look at.")]
Source = Annotated[str | None, Field(description="Only this document, by its file name.")]


def run() -> None:
    """Serve over standard input and output until the client goes away.

    Raises:
        IndexNotReady: Another process has the index open, or nothing is indexed.
    """
    from rag.candor import Candor

    with Candor.open() as candor:
        candor.pipeline  # noqa: B018 an index that cannot be opened is said at once, not at the first question
        build_server(candor).run("stdio")


def build_server(candor: "Candor") -> "MCPServer[Any]":
    """Return the server with its three tools."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    server: MCPServer[Any] = MCPServer("candor", title="Candor", instructions=INSTRUCTIONS)

    def expected(call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            return call()
        except CandorError as error:
            raise ToolError(f"{error.error_code}: {error.message}") from error

    @server.tool()
    def ask(question: Question, top_k: TopK = 5, source: Source = None) -> dict[str, Any]:
        """Answer a question from the indexed documents, every sentence cited, or refuse and say why."""
        options = {"top_k": top_k, "filters": {"source": source}, "mode": Mode.BOOK_WIDE}
        return expected(lambda: _answer(candor, question, options))

    @server.tool()
    def retrieve(question: Question, top_k: TopK = 5, source: Source = None) -> dict[str, Any]:
        """Return the passages that a question finds, and whether they are good enough to answer from."""
        options = {"top_k": top_k, "filters": {"source": source}}
        return expected(lambda: _passages(candor, question, options))

    @server.tool()
    def list_documents() -> dict[str, Any]:
        """List the indexed documents."""
        return expected(lambda: {"documents": [_listed(record) for record in candor.documents()]})

    return server


def _answer(candor: "Candor", question: str, options: dict[str, Any]) -> dict[str, Any]:
    answer = candor.ask(question, **options)
    cited = {"document", "page", "section", "excerpt", "ieee", "url"}
    return {
        "outcome": answer.outcome,
        "answer": answer.answer,
        "message": answer.message,
        "confidence": answer.confidence,
        "sentences": [sentence.model_dump(mode="json") for sentence in answer.sentences],
        "citations": [citation.model_dump(mode="json", include=cited) for citation in answer.citations],
        "notes": list(answer.notes),
        "request_id": answer.request_id,
    }


def _passages(candor: "Candor", question: str, options: dict[str, Any]) -> dict[str, Any]:
    found = candor.retrieve(question, **options)
    shown = {"rank", "chunk_id", "document", "page", "section", "similarity_score", "content"}
    return {
        "good_enough": found.decision.passed,
        "reason": found.decision.reason,
        "confidence": found.decision.confidence,
        "passages": [hit.model_dump(mode="json", include=shown) for hit in found.retrieval.hits],
    }


def _listed(record: Any) -> dict[str, Any]:
    listed: dict[str, Any] = record.model_dump(
        mode="json", include={"document", "title", "pages", "chunks", "ingested_at"}
    )
    return listed
