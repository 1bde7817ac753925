"""Who writes the draft where no model does: whole sentences quoted from the hits, which therefore cannot invent.

Which sentences, with which others, and in which words is at home in `rag.quoting`. A model's stream is cut into whole
sentences by `complete_sentences`, so that each can be checked before it is shown, and gathered by `collect`; both are
at home in `rag.drafts`.
"""

from collections.abc import Callable, Mapping, Sequence

from rag.drafts import collect, complete_sentences, draft_of, split_sentences
from rag.language.asked import understand
from rag.language.text import stems
from rag.models import Draft, GeneratorInfo, Query, RetrievedChunk
from rag.quoting.candidates import Candidate, candidates, idf_shares, named_in, sought_in
from rag.quoting.choice import choose
from rag.quoting.company import Place
from rag.quoting.layout import layout_of
from rag.quoting.wording import quoted

__all__ = ["collect", "complete_sentences", "draft_of", "extract", "split_sentences"]

FAR_BETTER = 0.8
"""A sentence that reaches this share of the score of one about another thing of its kind may still be quoted."""
MAX_SENTENCES = 3
"""The most sentences of a quoted answer; all items of a list count as one."""


def extract(
    query: Query,
    hits: Sequence[RetrievedChunk],
    *,
    document_frequency: Callable[[Sequence[int]], Mapping[int, int]],
    indexed: int,
    max_sentences: int = MAX_SENTENCES,
    language: str = "english",
) -> Draft:
    """Return an answer of whole sentences from the hits, each followed by the number of its passage.

    A sentence scores by its cosine with the question, the idf-weighted share of the question's words in it (less for
    words in the headings above it or the sentence before), and whether it has what is asked for: a number, a date, a
    name, a reason, a definition. Headings, fragments and very long sentences score less. The best is quoted, then
    further ones down to a share of its score, near duplicates and echoes of the question left out. What a sentence
    cannot be read without comes with it: the one it leans on, the words above its list. In place of a question of the
    documents stands what answers it there. Where titles tell the hits apart by a name of the question, only those that
    have it are quoted.

    Args:
        query: The question.
        hits: The passages, best first; numbered from 1 in this order.
        document_frequency: In how many chunks of the index each term id occurs.
        indexed: How many chunks the index holds; at least 1 is assumed.
        max_sentences: The most sentences to quote; all items of a list count as one.
        language: Snowball stemmer.

    Returns:
        The draft, sentences in order of hits and, within a hit, of the document; an empty text where no hit has any
        that says more than the question.
    """
    asked = understand(query.question)
    wanted = stems(asked.subject, language=language) or stems(query.question, language=language)
    sought = sought_in(query.question, asked, idf_shares(wanted, document_frequency, indexed), language)
    named = named_in(query.question, hits, language)
    found = (one for one in candidates(hits, sought) if one.passage in named)
    ranked = _quotable(sorted(found, key=lambda one: (-one.score, one.passage)))
    chosen = choose(ranked, hits, max_sentences, frozenset(stems(query.question, language=language)))
    text = " ".join(f"{_quoted(place, chosen, hits)} [{place.passage}]" for place in chosen)
    return Draft(text=text, generator=GeneratorInfo(name="extractive"))


def _quotable(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without those about another thing of a kind; none where one of those answers far better.

    What the passages say of class D is then the nearest they come to a question about class C.
    """
    own = [one for one in ranked if not one.names_another]
    others = [one for one in ranked if one.names_another]
    far_better = own and others and own[0].score < FAR_BETTER * others[0].score
    return [] if far_better else own


def _quoted(place: Place, chosen: Sequence[Place], hits: Sequence[RetrievedChunk]) -> str:
    """Return what is quoted of one place; an item keeps its bullet where the words above its list are quoted too."""
    hit = hits[place.passage - 1]
    layout = layout_of(hit)
    head = layout.head_of(place.index)
    goes_on = layout.block(place.index) in layout.items_at_start() and any(
        one.passage < place.passage for one in chosen
    )
    listed = goes_on if head is None else Place(place.passage, head) in chosen
    return quoted(hit, place.index, term_alone=place.term_alone, listed=listed)
