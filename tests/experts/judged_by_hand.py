"""A passage of four windows, read as the test says."""

from passages import hit

from rag.models import RetrievedChunk

TEXT = "Gloves are worn. Boots are worn too. Coats are kept outside. Hats are not allowed."
"""Four sentences, each a window of its own."""


def passage(*readings: float | None, document: str = "manual.pdf", rank: int = 1, text: str = TEXT) -> RetrievedChunk:
    return hit(text, cut=(1, 1, 1, 1), readings=readings, document=document, rank=rank)
