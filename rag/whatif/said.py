"""What a recorded question would say: its answer, or what would be quoted of the passages that were found."""

from rag.asking.parts import quoted_for_each
from rag.events import Found
from rag.models import Answer, GeneratorInfo
from rag.quote import quote


def said(answer: Answer) -> str:
    """Return the sentences of a recorded answer; where it has none, those that would be quoted of its passages.

    A quotation is taken from the readings in the record: no model and no reader is asked, and it is not checked again.
    Empty where nothing was found, or what was found is not kept.
    """
    if answer.sentences:
        return " ".join(one.text for one in answer.sentences)
    found = [hit for hit in answer.retrieved if hit.similarity_score >= answer.query.similarity_threshold]
    quoted = quote(found[: answer.query.top_k], whole=answer.asks_for_list)
    return " ".join(one.text for one in quoted.grounding.sentences)


def would_say(found: Found) -> str:
    """Return the sentences that would be quoted of what a question has found; as in `said`, they are not checked."""
    hits = found.retrieval.hits
    if any(part.decision.passed for part in found.parts):
        quoted = quoted_for_each(found.parts, hits, info=GeneratorInfo(name="extractive"))
    else:
        quoted = quote(hits, whole=found.retrieval.asks_for_list)
    return " ".join(one.text for one in quoted.grounding.sentences)
