"""Candor as a server of the Model Context Protocol, for assistants that can use tools.

`candor mcp` serves it over standard input and output; the HTTP API serves it at `/api/mcp` (`api/routes/mcp.py`).
"""

from collections.abc import Awaitable, Callable
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from rag.models import Answer, Mode, NearMiss, page_of
from rag.process.product import product_version

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from rag.candor import Candor

INSTRUCTIONS = """Answers questions over the documents that were indexed here, and refuses with reasons when they do
not say. Show an answer with its citations. Where `outcome` is `unsure`, show the quotations in `message` and say that
they may answer, no more. Where it is `refused`, say so and why; do not answer in its place. Where it is `talk`, pass
the message on. `left_out` is how many sentences of the model the check did not let pass."""
CANNOT_CONFIRM: Final = "I can't confirm this from your documents."
MOST: Final = 3  # quotations that are shown at most
Question = Annotated[str, Field(min_length=3, max_length=1000, description="The question, 3 to 1000 characters.")]
TopK = Annotated[
    int | None, Field(ge=1, le=20, description="Passages to look at; default: as many as the operator has set.")
]
Source = Annotated[str | None, Field(description="Only this document, by its file name.")]
Collected = Annotated[str | None, Field(description="Only the documents of this collection, by its name.")]
Check = Callable[[], None]  # raises when the work is not wanted any more
Work = Callable[[Check], dict[str, Any]]
Run = Callable[[Work], Awaitable[dict[str, Any]]]  # does blocking work beside the event loop
IdsOf = Callable[[Any], dict[str, Any]]
"""Returns the `query_id` and `request_id` of the HTTP request that a call came with."""


def run() -> None:
    """Serve over standard input and output until the client goes away; raises IndexNotReady where there is no index."""
    from rag.candor import Candor
    from rag.workspace import in_force as inforce

    with Candor.open() as candor:
        inforce.put_in_force(candor)
        candor.pipeline  # noqa: B018 an index that cannot be opened is said at once, not at the first question

        def following() -> Candor:
            inforce.follow(candor, every_s=inforce.FOLLOW_EVERY_S)
            return candor

        build_server(following).run("stdio")


def build_server(
    open_candor: "Callable[[], Candor]", work: Run | None = None, ids_of: IdsOf | None = None
) -> "MCPServer[Any]":
    """Return the server with its three tools.

    Args:
        open_candor: Returns the Candor to ask; called where the work is done.
        work: Does a tool's work, so that it waits its turn where others ask too; None: in a thread, at once.
        ids_of: Says which request a call belongs to; None: each question has ids of its own.
    """
    from mcp.server.mcpserver import Context

    from rag.mcp.errors import Server

    def ids(context: Any) -> dict[str, Any]:
        request = context.request_context.request if context is not None else None
        return ids_of(request) if ids_of and request is not None else {}

    server = Server(ids, name="candor", title="Candor", version=product_version(), instructions=INSTRUCTIONS)
    do = work or _in_a_thread

    @server.tool()
    async def ask(
        context: Context[Any, Any],
        question: Question,
        top_k: TopK = None,
        source: Source = None,
        collection: Collected = None,
    ) -> dict[str, Any]:
        """Answer a question from the indexed documents, every sentence cited; or quote what may answer; or refuse."""
        asked = {"top_k": top_k, "filters": {"source": source, "collection": collection}, "mode": Mode.BOOK_WIDE}
        return await do(lambda check: _answer(open_candor(), question, {**asked, **ids(context)}, check))

    @server.tool()
    async def retrieve(
        context: Context[Any, Any],
        question: Question,
        top_k: TopK = None,
        source: Source = None,
        collection: Collected = None,
    ) -> dict[str, Any]:
        """Return the passages that a question finds, and whether they are good enough to answer from."""
        options = {"top_k": top_k, "filters": {"source": source, "collection": collection}, **ids(context)}
        return await do(lambda _: _passages(open_candor(), question, options))

    @server.tool()
    async def list_documents() -> dict[str, Any]:
        """List the indexed documents."""
        told = {"document", "title", "pages", "chunks", "ingested_at"}
        return await do(
            lambda _: {"documents": [one.model_dump(mode="json", include=told) for one in open_candor().documents()]}
        )

    return server


class Left(Exception):
    """The client has gone away, or has cancelled what it asked for."""


async def _in_a_thread(work: Work) -> dict[str, Any]:
    """Do work in a thread; where nobody waits for it any more, it ends at its next check."""
    from anyio import to_thread

    left = Event()

    def check() -> None:
        if left.is_set():
            raise Left

    try:
        return await to_thread.run_sync(work, check, abandon_on_cancel=True)
    finally:
        left.set()


def _answer(candor: "Candor", question: str, options: dict[str, Any], check: Check) -> dict[str, Any]:
    answer = candor.pipeline.ask(candor.query(question, **options), check=check)
    cited = {"document", "page", "section", "excerpt", "ieee", "url"}
    quoted = {"document", "page", "section", "excerpt", "sentence"}
    return {
        "outcome": answer.outcome,
        "answer": answer.answer,
        "message": unconfirmed(answer) if answer.outcome == "unsure" else answer.message,
        "closest": [miss.model_dump(mode="json", include=quoted) for miss in closest(answer)],
        "confidence": answer.confidence,
        "sentences": [sentence.model_dump(mode="json") for sentence in answer.sentences],
        "citations": [citation.model_dump(mode="json", include=cited) for citation in answer.citations],
        "notes": list(answer.notes),
        "left_out": len(answer.left_out),
        "generator": answer.generator.model_dump(mode="json"),
        "request_id": answer.request_id,
    }


def _passages(candor: "Candor", question: str, options: dict[str, Any]) -> dict[str, Any]:
    found = candor.retrieve(question, **options)
    shown = {"rank", "chunk_id", "document", "page", "section", "similarity_score", "content"}
    return {
        "outcome": found.decision.outcome,
        "good_enough": found.decision.passed,
        "reason": found.decision.reason,
        "confidence": found.decision.confidence,
        "passages": [hit.model_dump(mode="json", include=shown) for hit in found.retrieval.hits],
    }


def closest(answer: Answer) -> tuple[NearMiss, ...]:
    """Return the passages that may answer a question on which Candor is unsure, best first; none of other outcomes."""
    return answer.gate.nearest_misses[:MOST] if answer.outcome == "unsure" and answer.gate else ()


def unconfirmed(answer: Answer) -> str:
    """Return the text for a question on which Candor is unsure: that it is, and what comes closest, verbatim."""
    quotations = []
    for miss in closest(answer):
        said = " ".join((miss.stated or miss.excerpt).split())  # a table's row has the heads of its columns
        place = page_of(miss.page, miss.printed) or miss.part
        quotations.append(f"- \u201c{said}\u201d ({miss.document}{f', {place}' if place else ''})")
    if not quotations:
        return f"{CANNOT_CONFIRM} {answer.message or ''}".strip()
    return "\n".join([f"{CANNOT_CONFIRM} Closest:", "", *quotations])
