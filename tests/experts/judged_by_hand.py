"""Passages of four windows, read as the test says, and what was found for judged questions."""

from passages import hit

from rag.events import Found
from rag.gate import MeanSimilarity, decide
from rag.models import Query, Retrieval, Timings

TEXT = "Gloves are worn. Boots are worn too. Coats are kept outside. Hats are not allowed."
"""Four sentences, each a window of its own."""


def passage(*readings, document="manual.pdf", rank=1, text=TEXT):
    return hit(text, cut=(1, 1, 1, 1), readings=readings, document=document, rank=rank)


def found_for(judged, *hits):
    query = Query(question=judged.question, filters=judged.where)
    retrieval = Retrieval(hits=hits, searched=1, indexed=1)
    return Found(query, retrieval, decide(query, retrieval, estimator=MeanSimilarity()), Timings())
