"""Which documents of an index are editions of one another, and what a reader must know of it. Ground floor."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rag.language.editions import edition_of, latest_asked, parts_named
from rag.models import Query

_DIGITS = re.compile(r"\d+")

__all__ = ["Editions", "KnownEditions", "edition_notes", "editions_of", "latest_note"]


class Versions(Protocol):
    """What of a catalogue is needed here."""

    def fingerprint(self) -> str:
        """Return a hash over all documents and versions."""
        ...

    def versions(self) -> list[tuple[str, str]]:
        """Return name and hash of every indexed document, by name."""
        ...


@dataclass(frozen=True, slots=True)
class Editions:
    """The documents that come in several editions, by their file names.

    Attributes:
        of: For each such document all editions of its work, oldest first.
        hashes: The document hash of each.
    """

    of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)

    def superseded(self, query: Query) -> tuple[str, ...]:
        """Return the documents that a question for the latest edition is not about; none where it asks for no latest.

        An edition that the question names is left in, and so is everything where it names a source.
        """
        if query.filters.source is not None or not self.of or not latest_asked(query.question):
            return ()
        named = parts_named(query.question)
        return tuple(name for name in self.of if not self.is_latest(name) and not _is_named(name, named))

    def is_latest(self, document: str) -> bool:
        """Return whether a document is the latest edition of its work, or one of several of the same date."""
        return _order(document) == _order(self.of[document][-1])

    def among(self, documents: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """Return the works that some documents belong to, in their order: all editions of each, oldest first."""
        return tuple(dict.fromkeys(self.of[document] for document in documents if document in self.of))


class KnownEditions:
    """The editions of an index, looked for once in each of its states. Threads may share it."""

    def __init__(self) -> None:
        self._known: tuple[str, Editions] = ("", Editions())

    def of(self, catalogue: Versions) -> Editions:
        """Return the editions of an index as it is now."""
        state, editions = self._known
        now = catalogue.fingerprint()
        if state != now:
            editions = editions_of(catalogue.versions())
            self._known = (now, editions)
        return editions


def editions_of(versions: Sequence[tuple[str, str]]) -> Editions:
    """Return which documents are editions of one work.

    Args:
        versions: Name and hash of each document.

    >>> editions_of([("rules v2.md", "b"), ("rules v10.md", "c"), ("faq.md", "a")]).of["rules v2.md"]
    ('rules v2.md', 'rules v10.md')
    """
    works: dict[str, list[str]] = defaultdict(list)
    series = {_DIGITS.sub("#", name) for name, _ in versions if edition_of(name) is None}
    for name, _ in versions:
        edition = edition_of(name)
        if edition and _DIGITS.sub("#", name) not in series:  # beside ticket 812, ticket 2011 is no year
            works[edition.work].append(name)
    several = [sorted(names, key=lambda name: (_order(name), name)) for names in works.values()]
    found = {name: tuple(names) for names in several if _order(names[0]) != _order(names[-1]) for name in names}
    return Editions(found, {name: version for name, version in versions if name in found})


def latest_note(query: Query, superseded: Sequence[str], editions: Editions) -> tuple[str, ...]:
    """Return what a reader must know of a search that left earlier editions out."""
    if not superseded:
        return ()
    first = superseded[0]
    were = "document was" if len(superseded) == 1 else "documents were"
    return (
        f"“{latest_asked(query.question)}”: {len(superseded)} {were} left out, of which the library has a later edition"
        f" by file name, as “{first}” before “{editions.of[first][-1]}”. Name one to search it, too.",
    )


def edition_notes(query: Query, cited: Iterable[str], works: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return what a reader must know of an answer from one of several editions that the question does not name.

    Args:
        query: Nothing is said where it names a source or asks for the latest; a search for the latest says so itself.
        cited: The documents that the answer cites.
        works: `Retrieval.editions`.
    """
    if query.filters.source is not None or latest_asked(query.question):
        return ()
    named, documents = parts_named(query.question), set(cited)
    notes = []
    for editions in works:
        used = [name for name in editions if name in documents]
        if used and not all(_is_named(name, named) for name in used):
            notes.append(_note(used, editions))
    return tuple(notes)


def _note(used: Sequence[str], editions: Sequence[str]) -> str:
    quoted = ", ".join(f"“{name}”" for name in used)
    latest = "" if editions[-1] in used else f" The latest is “{editions[-1]}”."
    come = "is" if len(used) == 1 else "are"
    return (
        f"{quoted} {come}, by file name, {len(used)} of {len(editions)} editions in the library.{latest}"
        " Name the one that you mean, or ask for the latest."
    )


def _order(document: str) -> tuple[tuple[int, ...], ...]:
    edition = edition_of(document)
    return edition.order if edition else ()


def _is_named(document: str, named: frozenset[str]) -> bool:
    edition = edition_of(document)
    return edition is not None and edition.parts <= named
