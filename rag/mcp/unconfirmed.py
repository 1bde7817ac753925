"""What assistants are told where Candor is unsure: quotations of the documents, and no claim."""

from typing import Final

from rag.models import Answer, NearMiss, page_of

CANNOT_CONFIRM: Final = "I can't confirm this from your documents."
MOST: Final = 3
"""Quotations that are shown at most."""


def closest(answer: Answer) -> tuple[NearMiss, ...]:
    """Return the passages that may answer a question on which Candor is unsure, best first; none of other outcomes."""
    return answer.gate.nearest_misses[:MOST] if answer.outcome == "unsure" and answer.gate else ()


def unconfirmed(answer: Answer) -> str:
    """Return the text for a question on which Candor is unsure: that it is, and what comes closest, verbatim."""
    quotations = [f"- \u201c{quoted(miss)}\u201d ({stands_in(miss)})" for miss in closest(answer)]
    if not quotations:
        return f"{CANNOT_CONFIRM} {answer.message or ''}".strip()
    return "\n".join([f"{CANNOT_CONFIRM} Closest:", "", *quotations])


def quoted(miss: NearMiss) -> str:
    """Return what came close on one line; a table's row with the heads of its columns."""
    return " ".join((miss.stated or miss.excerpt).split())


def stands_in(miss: NearMiss) -> str:
    """Return the document, and the page or the section within it."""
    place = page_of(miss.page, miss.printed) or miss.part
    return f"{miss.document}, {place}" if place else miss.document
