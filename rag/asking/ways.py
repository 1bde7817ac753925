"""The ways in which a question may be read; the one that finds most counts.

As it is written; as a model rewrites it, or joined to the question before; two questions one by one; spelt right. Each
is also read with house words put in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rag.asking.house_words import readings
from rag.asking.parts import parts_of, together
from rag.asking.search import Search, says_more
from rag.events import Found
from rag.models import Mode, Query, Timings
from rag.opening.spelling import corrected
from rag.standalone import finds_anew, joined_to_previous


@dataclass(frozen=True, slots=True)
class Ways:
    """What reading a question in several ways needs: what finds as a question is written, and what that is made of."""

    find: Callable[[Query], Found]
    search: Search

    def best(self, query: Query, rewritten: Query | None = None) -> Found:
        """Return what a question finds in the way of reading it that finds most."""
        parts = parts_of(query.question)
        found = self._by_names(query) if len(parts) == 1 else self._by_parts(query, parts)
        for way in () if query.as_asked else filter(None, (rewritten, joined_to_previous(query))):
            other = self._by_names(way)
            is_more, reader = says_more(other.decision, found.decision), self.search.reader
            if is_more and (reader is None or finds_anew(query, other.retrieval, reader=reader)):
                found = _read_as(other, way, query)
                break
        if not found.decision.passed and (spelt := self._spelt_right(query)):
            other = self._by_names(spelt)
            if says_more(other.decision, found.decision):
                found = _read_as(other, spelt, query)
        return found

    def _by_names(self, query: Query) -> Found:
        """Return what a question finds as it is written, or with other names of things put in: what finds more."""
        found = self.find(query)
        for reading in () if query.as_asked else readings(query.question, self.search.house_words()):
            way = query.model_copy(update={"question": reading.question})
            other = self.find(way)
            if says_more(other.decision, found.decision):
                found = replace(_read_as(other, way, query), house_words=tuple(map(str, reading.words)))
        return found

    def _by_parts(self, query: Query, parts: Sequence[str]) -> Found:
        found = tuple(self._by_names(query.model_copy(update={"question": part})) for part in parts)
        retrieval = together(found, top_k=query.top_k)
        years = tuple(dict.fromkeys(year for part in found for year in part.years))
        words = tuple(dict.fromkeys(word for part in found for word in part.house_words))
        read_as = " ".join(part.read_as or part.query.question for part in found) if words else None
        decision = self.search.decide(query, retrieval)
        return Found(
            query, retrieval, decision, Timings(), read_as=read_as, house_words=words, parts=found, years=years
        )

    def _spelt_right(self, query: Query) -> Query | None:
        """Return the question with words put right that the index does not know; None where there are none."""
        if query.mode is Mode.SELECTED_TEXT_ONLY or query.as_asked:
            return None
        found = corrected(query.question, self.search.catalogue.document_frequencies)
        return query.model_copy(update={"question": found}) if found else None


def _read_as(found: Found, way: Query, query: Query) -> Found:
    """Return what another way to read a question found, as what the question found."""
    return replace(found, query=query, asked=found.asked or way, read_as=found.read_as or way.question)
