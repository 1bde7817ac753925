"""The ways in which a question may be read; the one that finds most counts.

As it is written; as a model rewrites it, or joined to the question before; several questions one by one, each also
joined to the first; spelt right. Each is also read with house words put in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rag.asking.house_words import readings
from rag.asking.parts import parts_of, together
from rag.asking.search import Search, says_more
from rag.events import Found
from rag.models import Mode, Query, Timings
from rag.opening.joints import questions_in
from rag.opening.spelling import corrected
from rag.standalone import finds_anew, finds_as_asked, joined_to_previous


@dataclass(frozen=True, slots=True)
class Ways:
    """What reading a question in several ways needs: what finds as a question is written, and what that is made of."""

    find: Callable[[Query], Found]
    search: Search

    def best(self, query: Query, rewritten: Query | None = None) -> Found:
        """Return what a question finds in the way of reading it that finds most."""
        parts = parts_of(query.question)
        found = self._by_parts(query, parts) if len(parts) > 1 else self._divided(query) or self._by_names(query)
        found = self._following(query, found, rewritten)
        if not found.decision.passed and (spelt := self._spelt_right(query)):
            other = self._by_names(spelt)
            if says_more(other.decision, found.decision):
                found = _read_as(other, spelt, query)
        return found

    def _following(self, query: Query, found: Found, rewritten: Query | None = None) -> Found:
        """Return what a question finds as a follow-up where that is more, else what it found by itself."""
        for way in () if query.as_asked else filter(None, (rewritten, joined_to_previous(query))):
            other = self._by_names(way)
            is_more, reader = says_more(other.decision, found.decision), self.search.reader
            if is_more and (reader is None or finds_anew(query, other.retrieval, reader=reader)):
                return _read_as(other, way, query)
        return found

    def _divided(self, query: Query) -> Found | None:
        """Return what the questions find that a text holds without saying so by its signs.

        None where it holds one, or where not all of them are answered and reading it whole finds more.
        """
        parts = () if query.as_asked else questions_in(query.question)
        if len(parts) < 2:
            return None
        found = self._by_parts(query, parts, of_one_thing=True)
        if not all(part.decision.passed for part in found.parts):
            whole = self._by_names(query)
            if says_more(whole.decision, found.decision):
                return whole
        return replace(found, read_as=found.read_as or " ".join(parts))

    def _by_names(self, query: Query) -> Found:
        """Return what a question finds as it is written, or with other names of things put in: what finds more."""
        found = self.find(query)
        for reading in () if query.as_asked else readings(query.question, self.search.house_words()):
            way = query.model_copy(update={"question": reading.question})
            other = self.find(way)
            if says_more(other.decision, found.decision):
                found = replace(_read_as(other, way, query), house_words=tuple(map(str, reading.words)))
        return found

    def _by_parts(self, query: Query, parts: Sequence[str], *, of_one_thing: bool = False) -> Found:
        first = self._by_names(query.model_copy(update={"question": parts[0]}))
        found = [first]
        for part in parts[1:]:
            later = query.model_copy(update={"question": part, "previous": parts[0]})
            found.append(self._later(later, first if of_one_thing else None))
        retrieval = together(found, top_k=query.top_k)
        years = tuple(dict.fromkeys(year for part in found for year in part.years))
        words = tuple(dict.fromkeys(word for part in found for word in part.house_words))
        read_as = " ".join(part.read_as or part.query.question for part in found) if words else None
        decision = self.search.decide(query, retrieval)
        return Found(
            query, retrieval, decision, Timings(), read_as=read_as, house_words=words, parts=tuple(found), years=years
        )

    def _later(self, query: Query, first: Found | None) -> Found:
        """Return what a later question finds: joined to the first where that answers it elsewhere, else by itself.

        One half of a sentence (`first`: the other) may not stray by itself.
        """
        alone = self._by_names(query)
        way, reader = joined_to_previous(query), self.search.reader
        if way is not None and reader is not None and not query.as_asked:
            joined = self._by_names(way)
            is_new = not alone.decision.passed or _best_of(joined) != _best_of(alone)
            if joined.decision.passed and is_new and finds_as_asked(query, joined.retrieval, reader=reader):
                return _read_as(joined, way, query)
        return _left_out(alone) if first and _strays(alone, first) else alone

    def _spelt_right(self, query: Query) -> Query | None:
        """Return the question with words put right that the index does not know; None where there are none."""
        if query.mode is Mode.SELECTED_TEXT_ONLY or query.as_asked:
            return None
        found = corrected(query.question, self.search.catalogue.document_frequencies)
        return query.model_copy(update={"question": found}) if found else None


def _read_as(found: Found, way: Query, query: Query) -> Found:
    """Return what another way to read a question found, as what the question found."""
    return replace(found, query=query, asked=found.asked or way, read_as=found.read_as or way.question)


def _best_of(found: Found) -> str | None:
    return next((hit.chunk_id for hit in found.retrieval.hits), None)


def _strays(found: Found, first: Found) -> bool:
    """Return whether a later question finds something in another document than the first one's passages are of.

    Half a sentence that leans on the first ("and how long does it last?") is answered by anything, read alone.
    """
    documents = {hit.document for hit in first.retrieval.hits}
    is_elsewhere = any(hit.document not in documents for hit in found.retrieval.hits[:1])
    return is_elsewhere and found.decision.passed and first.decision.passed


def _left_out(found: Found) -> Found:
    """Return what a question found as if that were nothing."""
    decision = found.decision.model_copy(update={"passed": False, "outcome": "refused"})
    return replace(found, decision=decision, retrieval=found.retrieval.model_copy(update={"hits": (), "rest": ()}))
