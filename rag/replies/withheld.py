"""Text of a document that gives orders to an assistant: indexed, read and prompted with, but never an answer.

Whether a text gives such orders is judged by the entailment (docs/decisions/0007-grounding.md). A sentence stands in an
order where it gives one, or where it does together with the sentence before it in its paragraph: what an order dictates
often follows it, and alone looks like any other sentence.
"""

from collections.abc import Collection, Iterable, Sequence

from rag.models import RetrievedChunk
from rag.protocols import GroundingCheck


def ordering(hit: RetrievedChunk, numbers: Iterable[int], check: GroundingCheck) -> list[int]:
    """Return which of some sentences of a passage stand in an order to an assistant."""
    asked = list(numbers)
    alone = [hit.content[slice(*hit.sentences[n])] for n in asked]
    verdicts = check.gives_orders([*alone, *(_with_before(hit, n) for n in asked)])
    return [n for place, n in enumerate(asked) if verdicts[place] or verdicts[place + len(asked)]]


def _with_before(hit: RetrievedChunk, number: int) -> str:
    """Return a sentence with the one before it, where that stands in the same paragraph."""
    start, end = hit.sentences[number]
    if number:
        before, stop = hit.sentences[number - 1]
        start = start if "\n\n" in hit.content[stop:start] else before
    return hit.content[start:end]


def stands_in_order(excerpt: str, hit: RetrievedChunk, check: GroundingCheck) -> bool:
    """Return whether an excerpt of a passage rests on a sentence that stands in an order."""
    start = hit.content.find(excerpt)
    start, end = (start, start + len(excerpt)) if start >= 0 else (0, len(hit.content))
    return bool(ordering(hit, [n for n, (a, b) in enumerate(hit.sentences) if a < end and b > start], check))


def note_on(places: Collection[str]) -> tuple[str, ...]:
    """Return what a reader must know where text was passed over."""
    if not places:
        return ()
    return (
        f"Some of the text found gives orders to an assistant and is not shown as an answer: {'; '.join(places)}. Open "
        "the document to read it.",
    )


def blanked(hit: RetrievedChunk, numbers: Sequence[int]) -> RetrievedChunk:
    """Return a passage with some sentences blank, so that offsets stay; such sentences say nothing."""
    content = hit.content
    for start, end in (hit.sentences[n] for n in numbers):
        content = content[:start] + " " * (end - start) + content[end:]
    return hit.model_copy(update={"content": content})


def place_of(hit: RetrievedChunk) -> str:
    """Return where a passage stands, in words."""
    return f"{hit.document}, {hit.section}" if hit.section else hit.document
