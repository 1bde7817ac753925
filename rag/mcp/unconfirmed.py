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
    quotations = []
    for miss in closest(answer):
        said = " ".join((miss.stated or miss.excerpt).split())  # a table's row has the heads of its columns
        place = page_of(miss.page, miss.printed) or miss.part
        quotations.append(f"- \u201c{said}\u201d ({miss.document}{f', {place}' if place else ''})")
    if not quotations:
        return f"{CANNOT_CONFIRM} {answer.message or ''}".strip()
    return "\n".join([f"{CANNOT_CONFIRM} Closest:", "", *quotations])
