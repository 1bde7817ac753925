"""Where a chunk stands, in one or two short lines that are embedded and indexed before its text.

A passage that does not name its subject cannot be found by it: `The limit is 5 ml.` needs its headings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

from rag.language.text import fold, words
from rag.models import Document, Section
from rag.protocols import PieceCounter

CONTEXT_PIECES = 64
"""The most word pieces that a context takes from its chunk."""
_MACHINE_NAME = re.compile(r"(?i)[0-9a-f]{12,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}")


@dataclass
class _Lines:
    """The two lines while they are filled: parts by their place in the line, most telling first, within a budget."""

    pieces: PieceCounter
    budget: int
    subject: dict[int, str] = field(default_factory=dict)
    place: dict[int, str] = field(default_factory=dict)

    def add(self, line: dict[int, str], position: int, part: str, *, shorten: bool = False) -> None:
        """Put `part` at its position if it fits; the separator costs one piece. `shorten` keeps the words that fit."""
        part = " ".join(part.split())
        spans = self.pieces.spans(part)
        if len(spans) >= self.budget:
            part = part[: spans[self.budget - 2][0]].rsplit(" ", 1)[0] if shorten and self.budget > 8 else ""
        if part:
            line[position] = part
            self.budget -= len(self.pieces.spans(part)) + 1

    def __str__(self) -> str:
        lines = ("; ".join(_in_order(self.subject)), " > ".join(_in_order(self.place)))
        return "\n".join(line for line in lines if line)


def context_of(document: Document, section: Section, *, pieces: PieceCounter, budget: int = CONTEXT_PIECES) -> str:
    """Return the title and identifiers of a document and, on a second line, the headings above a section.

    The most telling parts come first into the budget: the nearest heading, the title, the file's name, identifiers,
    then the outer headings. What another part already says is left out.

    Args:
        document: The document; its name counts as an identifier unless a machine made it up.
        section: The section.
        pieces: The embedding model's tokenizer.
        budget: The most word pieces of the result; 8 or more.
    """
    headings = heading_path(section)
    title = document.metadata.title or ""
    lines = _Lines(pieces, budget)
    if headings and fold(headings[-1]) != fold(title):
        lines.add(lines.place, len(headings), headings[-1], shorten=True)
    lines.add(lines.subject, 0, title, shorten=True)
    told = set(words(" ".join((title, *headings))))
    for position, part in enumerate(_untold(document, told), start=1):
        lines.add(lines.subject, position, part)
    for position, heading in enumerate(headings[:-1]):
        if fold(heading) != fold(title):
            lines.add(lines.place, position, heading)
    return str(lines)


def heading_path(section: Section) -> tuple[str, ...]:
    """Return all headings of a section, outermost first, its chapter and number included though no heading names them.

    >>> heading_path(Section(start=0, end=9, chapter=2, chapter_title="Fumes", path=("Fumes", "2.2 Hoods")))
    ('Chapter 2', 'Fumes', '2.2 Hoods')
    """
    said = set(words(" ".join(section.path)))
    chapter = f"Chapter {section.chapter}" if section.chapter is not None else ""
    outer = (part for part in (chapter, section.chapter_title) if part and not said.issuperset(words(part)))
    missing = section.section if section.section and not said.issuperset(words(section.section)) else None
    return (*outer, *section.path, *((missing,) if missing else ()))


def _untold(document: Document, told: set[str]) -> Iterator[str]:
    """Yield the words of the file's name, and the identifiers, that nothing has said yet."""
    stem = PurePath(document.name).stem
    parts = re.findall(r"[^\W_]+(?:[.,][^\W_]+)*", "" if _MACHINE_NAME.search(stem) else stem)
    yield " ".join(part for part in parts if part.casefold() not in told)
    told.update(words(" ".join(parts)))
    for identifier in document.metadata.identifiers:
        new = words(identifier)
        if not told.issuperset(new):
            told.update(new)
            yield identifier


def _in_order(line: dict[int, str]) -> list[str]:
    return [line[position] for position in sorted(line)]
