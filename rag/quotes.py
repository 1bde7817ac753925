"""An answer of quotations: to a question as a whole, or to each of the questions that it is made of."""

from collections.abc import Callable, Mapping, Sequence

from rag.followup import asked_at_once, asked_of_each
from rag.generate import extract
from rag.models import Draft, Query, RetrievedChunk
from rag.quoting.parts import in_parts, of_each


def quote(
    query: Query,
    hits: Sequence[RetrievedChunk],
    *,
    document_frequency: Callable[[Sequence[int]], Mapping[int, int]],
    indexed: int,
    language: str,
) -> Draft:
    """Return what `rag.generate.extract` quotes; of two questions at once, what it quotes for each.

    Where one question asks the same of two things, what it leaves out on one of them is added.

    Args:
        query: The question.
        hits: The passages, best first; numbered from 1 in this order.
        document_frequency: In how many chunks of the index each term id occurs.
        indexed: How many chunks the index holds.
        language: Snowball stemmer.
    """

    def draft(question: str) -> Draft:
        asked = query.model_copy(update={"question": question})
        return extract(asked, hits, document_frequency=document_frequency, indexed=indexed, language=language)

    whole = draft(query.question)
    text = in_parts(asked_at_once(query.question), whole.text, lambda part: draft(part).text, hits)
    text = of_each(asked_of_each(query.question), text, lambda thing: draft(thing).text, hits)
    return whole.model_copy(update={"text": text})
