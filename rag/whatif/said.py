"""What a recorded question would say: its answer, or what would be quoted of the passages that were found."""

from rag.models import Answer
from rag.quote import quote


def said(answer: Answer) -> str:
    """Return the sentences of a recorded answer; where it has none, those that would be quoted of its passages.

    A quotation is taken from the readings in the record: no model and no reader is asked, and it is not checked again.
    Empty where nothing was found, or what was found is not kept.
    """
    if answer.sentences:
        return " ".join(one.text for one in answer.sentences)
    found = [hit for hit in answer.retrieved if hit.similarity_score >= answer.query.similarity_threshold]
    return " ".join(one.text for one in quote(found[: answer.query.top_k]).grounding.sentences)
