"""What Candor says to a person who asks nothing of the documents yet: one to three plain sentences."""

from collections.abc import Sequence
from typing import Final

from rag.models import DocumentRecord
from rag.opening.kinds import OpeningKind
from rag.text.counted import several

MOST_TITLES: Final = 20
"""How many documents are listed."""
THANKS: Final = "Glad to help. Ask again whenever you like."
_CANDOR: Final = (
    "I am Candor. I answer questions from your own documents, show the sentences that each answer rests on, "
    "and say so when the documents do not answer."
)
_NOTHING: Final = "No documents are indexed yet. Add some on the page Documents, or with 'candor ingest PATH'."


def reply(kind: OpeningKind, documents: Sequence[DocumentRecord]) -> str | None:
    """Return the reply to a greeting, to thanks and to questions about Candor and its documents; None for others."""
    if kind == "thanks":
        return THANKS
    if kind not in ("greeting", "about", "documents"):
        return None
    if not documents:
        return {"greeting": f"Hello! {_NOTHING}", "about": f"{_CANDOR} {_NOTHING}"}.get(kind, _NOTHING)
    held = several(len(documents), "document")
    if kind == "greeting":
        return f"Hello! Ask me anything about your {held}."
    if kind == "about":
        return f"{_CANDOR} I have {held} now; ask 'Which documents do you have?' for the list."
    return _list(documents, held)


def _list(documents: Sequence[DocumentRecord], held: str) -> str:
    lines = [f"- {one.title} ({one.document})" if one.title else f"- {one.document}" for one in documents[:MOST_TITLES]]
    more = len(documents) - MOST_TITLES
    rest = [f"and {more} more"] if more > 0 else []
    return "\n".join([f"I have {held}:", *lines, *rest])
