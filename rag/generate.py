"""Who writes the draft where no model does: whole sentences quoted from the hits, which therefore cannot invent.

Which sentences, with which others, and in which words is at home in `rag.quoting`. A model's stream is cut into whole
sentences, so that each can be checked before it is shown, by `rag.drafts`.
"""

from collections.abc import Callable, Mapping, Sequence

from rag.language.asked import understand
from rag.language.counterparts import is_of_counterpart, speaks_of_it
from rag.language.limits import is_limited
from rag.language.text import stems
from rag.language.titled import only_its_title
from rag.language.unnamed import unnamed_in
from rag.models import Draft, GeneratorInfo, Query, RetrievedChunk
from rag.quoting.candidates import Candidate, candidates, idf_shares, named_in, sought_in, telling_stems
from rag.quoting.case import with_case
from rag.quoting.company import Place
from rag.quoting.continued import with_continuation
from rag.quoting.contrary import with_contrary
from rag.quoting.indirect import only_counts
from rag.quoting.layout import layout_of
from rag.quoting.members import members_of
from rag.quoting.sequel import asks_outcome, with_entry, with_sequel
from rag.quoting.steps import steps_under
from rag.quoting.telling import company_of, read_at, telling
from rag.quoting.wording import quoted

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
    cannot be read without comes with it: the one it leans on, the words above its list; with one that only counts what
    is asked about come those that name it, up to six. In place of a question of the documents stands what answers it
    there. Where titles tell the hits apart by a name of the question, only those that have it are quoted.

    Args:
        query: The question.
        hits: The passages, best first; numbered from 1 in this order.
        document_frequency: In how many chunks of the index each term id occurs.
        indexed: How many chunks the index holds; at least 1 is assumed.
        max_sentences: The most sentences to quote; all items of a list count as one.
        language: Snowball stemmer.

    Returns:
        The draft, sentences in order of hits and, within a hit, of the document; an empty text where no hit has any
        that says more than the question, none tells what is asked for as far as form shows, what would be quoted shares
        with the question only a name in its title, or the hits name others of the kind that the question names, as
        tank 3 for tank 5.
    """
    if unnamed_in(query.question, hits):
        return Draft(text="", generator=GeneratorInfo(name="extractive"))
    asked = understand(query.question)
    wanted = telling_stems(asked.subject, language=language) or stems(query.question, language=language)
    sought = sought_in(query.question, asked, idf_shares(wanted, document_frequency, indexed), language)
    named = named_in(query.question, hits, language)
    found = (one for one in candidates(hits, sought) if one.passage in named)
    ranked = _quotable(query.question, sorted(found, key=lambda one: (-one.score, one.passage)))
    words = frozenset(stems(query.question, language=language))
    chosen = telling(query.question, ranked, hits, max_sentences, words, language)
    best = Place(ranked[0].passage, ranked[0].index) if ranked else None
    chosen = steps_under(query.question, hits, named) or chosen
    if best in chosen and only_counts(query.question, ranked[0].text):
        members = members_of(query.question, best, hits)
        chosen = sorted({*company_of(ranked[0], hits, words), *members}) if members else chosen
    if best in chosen:
        chosen = with_entry(query.question, words, chosen, best, hits, max_sentences)
    if best in chosen and asks_outcome(query.question):
        chosen = with_sequel(query.question, chosen, best, hits, max_sentences)
    if best in chosen:
        chosen = with_contrary(query.question, chosen, best, hits, max_sentences)
    if best in chosen and not ranked[0].is_row:
        chosen = with_continuation(query.question, chosen, best, hits, max_sentences)
        chosen = with_case(words, chosen, best, hits, max_sentences)
    if _shares_the_title_only(query.question, chosen, hits, language):
        chosen = []
    text = " ".join(f"{_quoted(place, chosen, hits)} [{place.passage}]" for place in chosen)
    return Draft(text=text, generator=GeneratorInfo(name="extractive"))


def _shares_the_title_only(
    question: str, chosen: Sequence[Place], hits: Sequence[RetrievedChunk], language: str
) -> bool:
    """Return whether what is quoted and the headings above it say nothing of what is asked of the title's subject.

    What limits something that the question names a value of says something: `Children under 12` of an 8-year-old.
    """
    if is_limited(question, read_at(chosen, hits)):
        return False
    cited = [hits[number - 1] for number in sorted({place.passage for place in chosen})]
    said = " ".join(
        (read_at(chosen, hits), *(part for hit in cited for part in (*hit.section_path, hit.chapter_title or "")))
    )
    return only_its_title(question, said, [hit.metadata.title or "" for hit in cited], language=language)


def _quotable(question: str, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without those about another thing of a kind; none where one of those answers far better.

    What the passages say of class D is then the nearest they come to a question about class C. Where they tell
    that deed of another party, what is left must speak of the party and the deed that were asked about.
    """
    own = [one for one in ranked if not one.names_another]
    others = [one for one in ranked if one.names_another]
    if any(is_of_counterpart(question, one.text) for one in others):
        own = [one for one in own if speaks_of_it(question, one.text)]
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
