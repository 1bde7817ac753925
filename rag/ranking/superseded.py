"""Which documents of an index are editions of one work, and which of them a question means. Ground floor.

Two documents are editions of one work where their file names say so (`rag.text.editions`) and their words agree:
minutes and incident reports are dated alike and say different things.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from rag.models import Query, Retrieval
from rag.protocols import Catalogue
from rag.text.editions import edition_of, parts_named, without_editions

EditionKind: TypeAlias = Literal["plain", "latest", "several"]
"""Which editions a question asks for: it says nothing of them, or names them by date or version; the latest; several,
as how something has changed, or what it was before."""
EDITION_KINDS: Final[tuple[EditionKind, ...]] = get_args(EditionKind)

AGREE = 1 / 3
"""Two editions share this part of all their words (Jaccard). Quarterly reports of one firm share .40 to .63, those of
two firms up to .36 (which their names keep apart), minutes of one board less than .25."""
NAMED = 3  # how many documents a note names
_DIGITS = re.compile(r"\d+")


class EditionsAsked(NamedTuple):
    """Which editions a question asks for, and the question without the words that say it is the latest."""

    kind: EditionKind
    question: str


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is searched of works in several editions, and how the question reads without the words that say it.

    Attributes:
        question: The question without those words.
        left_out: The documents that are not searched, by name: two editions may hold the same bytes.
        by_default: Whether the question itself said nothing of editions, and the latest was taken.
        notes: For each document that is searched in place of its other editions: what a reader must know of it.
    """

    question: str
    left_out: tuple[str, ...]
    by_default: bool
    notes: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """A work in several editions; compared by identity, since there may be thousands of them.

    Attributes:
        editions: All of them, oldest first; those of one date by name.
        latest: Those of the latest date or version: one, or one in each of several formats.
    """

    editions: tuple[str, ...]
    latest: tuple[str, ...]

    @property
    def nearest(self) -> tuple[str, str]:
        """The latest edition before the latest, and the latest."""
        return self.editions[-len(self.latest) - 1], self.editions[-1]


@dataclass(frozen=True, slots=True)
class Editions:
    """The documents that come in several editions.

    Attributes:
        of: For each document that has siblings by its name: their work.
        agree: Whether the words of two documents agree.
    """

    of: Mapping[str, Work] = field(default_factory=dict)
    agree: Callable[[str, str], bool] = lambda one, other: True

    def among(self, documents: Iterable[str]) -> tuple[Work, ...]:
        """Return the works that some documents belong to, in the order of the documents."""
        found = dict.fromkeys(self.of[document] for document in documents if document in self.of)
        return tuple(work for work in found if self.agree(*work.nearest))

    def _searched(self, query: Query, documents: Iterable[str]) -> Iterator[Work]:
        """Yield the works that some documents belong to, of each the editions that are searched."""
        for work in self.among(documents):
            editions = [name for name in work.editions if query.filters.holds(name)]
            whole = work if len(editions) == len(work.editions) else _work(editions)
            if len(whole.latest) < len(whole.editions):
                yield whole

    def narrowed(self, query: Query, documents: Collection[str], asked: EditionsAsked) -> Narrowing | None:
        """Return which editions a question means, of the works that were found for it; None where all are searched.

        Those that it names, else the latest; all of them where a source is chosen or it asks for several.
        """
        if not self.of or query.filters.source is not None or asked.kind == "several":
            return None
        named = parts_named(query.question)
        left_out: list[str] = []
        notes: dict[str, str] = {}
        years: set[str] = set()
        by_default = asked.kind != "latest"
        for work in self._searched(query, documents):
            meant = _meant(work, named)
            by_default = by_default and not meant
            years |= {part for name in meant for part in _parts(name) & named if part.isdigit()}
            kept = dict.fromkeys(meant or work.latest)
            others = [name for name in work.editions if name not in kept]
            left_out += others
            notes |= dict.fromkeys(kept, _note(list(kept), others, work, is_named=bool(meant))) if others else {}
        if not left_out:
            return None
        question = without_editions(asked.question, frozenset(years))
        return Narrowing(question, tuple(left_out), by_default, notes)


class KnownEditions:
    """The editions of an index, looked for once in each of its states. Threads may share it."""

    def __init__(self) -> None:
        self._known: tuple[str, Editions] = ("", Editions())

    def of(self, catalogue: Catalogue) -> Editions:
        """Return the editions of an index as it is now."""
        state, editions = self._known
        now = catalogue.fingerprint()
        if state != now:
            editions = editions_of(catalogue.versions(), catalogue.terms)
            self._known = (now, editions)
        return editions


def editions_of(
    versions: Sequence[tuple[str, str]], terms: Callable[[str], frozenset[int]] = lambda _: frozenset()
) -> Editions:
    """Return which documents are editions of one work.

    Args:
        versions: Name and hash of each document.
        terms: Says which terms occur in a document; read only for the works that a question finds.

    >>> editions_of([("rules v2.md", "b"), ("rules v10.md", "c"), ("faq.md", "a")]).of["rules v2.md"].editions
    ('rules v2.md', 'rules v10.md')
    """
    works: dict[str, list[str]] = defaultdict(list)
    series = {_DIGITS.sub("#", name) for name, _ in versions if edition_of(name) is None}
    for name, _ in versions:
        edition = edition_of(name)
        if edition and _DIGITS.sub("#", name) not in series:  # beside ticket 812, ticket 2011 is no year
            works[edition.work].append(name)
    several = [_work(names) for names in works.values() if len(names) > 1]
    found = {name: work for work in several if len(work.latest) < len(work.editions) for name in work.editions}

    @lru_cache(maxsize=4_096)
    def agree(one: str, other: str) -> bool:
        said, also = terms(one), terms(other)
        return len(said & also) >= AGREE * len(said | also)

    return Editions(found, agree)


def edition_notes(query: Query, retrieval: Retrieval, cited: Sequence[str]) -> tuple[str, ...]:
    """Return what a reader must know of the editions that an answer quotes, or a refusal searched.

    Args:
        query: Nothing is said of an earlier edition where it names a source or all editions that are quoted.
        retrieval: What was found, and of which editions.
        cited: The documents that the answer cites; none: it was refused.
    """
    documents = list(dict.fromkeys(cited or (hit.document for hit in retrieval.hits)))
    searched = dict.fromkeys(retrieval.narrowed[name] for name in documents if name in retrieval.narrowed)
    return (*searched, *(() if query.filters.source or retrieval.narrowed else _quoted(query, retrieval, cited)))


def _quoted(query: Query, retrieval: Retrieval, cited: Sequence[str]) -> list[str]:
    """Return which works are quoted in another edition than the latest, or in several."""
    named, documents = parts_named(query.question), set(cited)
    notes = []
    for work in retrieval.editions:
        used = [name for name in work if name in documents]
        is_latest = all(_order(name) == _order(work[-1]) for name in used)
        if not is_latest and not all(_parts(name) <= named for name in used):
            notes.append(f"The answer quotes {_listed(used)}; by file name, the latest edition is “{work[-1]}”.")
    return notes


def _work(names: Iterable[str]) -> Work:
    ordered = sorted(names, key=lambda name: (_order(name), name))
    last = _order(ordered[-1])
    return Work(tuple(ordered), tuple(name for name in ordered if _order(name) == last))


def _meant(work: Work, named: frozenset[str]) -> list[str]:
    """Return the editions that a question names as far as any; a month or day alone names none."""
    if not named:
        return []
    shared = {name: _parts(name) & named for name in work.editions}
    telling = {name: parts for name, parts in shared.items() if any(part[0] not in "md" for part in parts)}
    most = max((len(parts) for parts in telling.values()), default=0)
    return [name for name, parts in telling.items() if len(parts) == most]


def _note(kept: Sequence[str], others: Sequence[str], work: Work, *, is_named: bool) -> str:
    of_all = f"Of {len(work.editions)} editions by file name,"
    if is_named:
        latest = work.editions[-1]
        later = "" if latest in kept else f" The latest edition is “{latest}”."
        return f"{of_all} the one named was searched: {_listed(kept)}.{later}"
    searched = f"{of_all} the latest was searched: {_listed(kept)}, not {_listed(others)}."
    return f"{searched} To search another edition, name it; or ask what has changed."


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[-NAMED:])
    more = len(names) - NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _order(document: str) -> tuple[tuple[int, ...], ...]:
    return edition.order if (edition := edition_of(document)) else ()


def _parts(document: str) -> frozenset[str]:
    return edition.parts if (edition := edition_of(document)) else frozenset()
