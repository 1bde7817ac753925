"""Which parts of a document are cut together, and the one or two lines that are embedded and indexed before their text.

The text under one heading is cut together, and joined with others where it is very short. A passage that does not name
its subject cannot be found by it: `The limit is 5 ml.` needs its headings.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath

from rag.language.text import fold, words
from rag.models import Document, Section, SectionStart
from rag.protocols import PieceCounter

MIN_CHARACTERS = 50

CONTEXT_PIECES = 64
"""The most word pieces that a context takes from its chunk."""
_MACHINE_NAME = re.compile(r"(?i)[0-9a-f]{12,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text that is cut together, and the sections it belongs to: one, or several where very short ones were joined."""

    start: int
    end: int
    sections: tuple[Section, ...]

    def section_of(self, start: int, end: int) -> Section:
        """Return the section that holds most of the characters from `start` to `end`."""
        return max(self.sections, key=lambda section: min(end, section.end) - max(start, section.start))

    def chapter_of(self, start: int, end: int) -> Section:
        """Return the section that names the chapter: the one that holds most, or else one that stands in a chapter."""
        most = self.section_of(start, end)
        return next((one for one in (most, *self._within(start, end)) if one.chapter is not None), most)

    def starts_within(self, start: int, end: int) -> tuple[SectionStart, ...]:
        """Return where each section begins between two offsets, relative to the first; empty where there is but one."""
        found: list[SectionStart] = []
        for one in self._within(start, end):
            begun = SectionStart(
                offset=max(one.start - start, 0),
                chapter=one.chapter,
                section=one.section,
                section_number=one.section_number,
            )
            if not found or (begun.chapter, begun.section) != (found[-1].chapter, found[-1].section):
                found.append(begun)
        return tuple(found) if len(found) > 1 else ()

    def _within(self, start: int, end: int) -> list[Section]:
        return [section for section in self.sections if section.start < end and section.end > start]


def stretches(document: Document) -> list[Stretch]:
    """Return the stretches of a document in order; with the headings they cover all its text.

    A heading is left out of its stretch: the context carries it. Where the text under it is shorter than a chunk may
    be, the heading stays in. Where that is still too short, the section is joined with the neighbour of its chapter
    that shares most headings with it: a chunk may not be shorter, and no text may be lost. Numbered chapters are never
    joined, so one that is too short with its headings is a short stretch. A heading with nothing under it but deeper
    headings needs no stretch of its own.
    """
    result: list[Stretch] = []
    carried: Stretch | None = None
    candidates = _candidates(document)
    for index, candidate in enumerate(candidates):
        stretch = _joined(carried, candidate) if carried else candidate
        following = candidates[index + 1] if index + 1 < len(candidates) else None
        carried = None
        if not _is_short(document.text, stretch):
            result.append(stretch)
            continue
        before = result[-1] if result and _in_one_chapter(result[-1], stretch) else None
        goes_on = following and (_in_one_chapter(stretch, following) or _is_above(stretch, following))
        after = following if goes_on else None
        if after and (not before or _kinship(stretch, after) >= _kinship(before, stretch)):
            carried = stretch
        elif before:
            result[-1] = _joined(before, stretch)
        else:
            result.append(stretch)
    return result


def sections_of(document: Document) -> list[Section]:
    """Return the document's sections so that they cover its text: one for all where it has none, gaps closed."""
    if not document.sections:
        return [Section(start=0, end=len(document.text))]
    starts = [0, *(section.start for section in document.sections[1:]), len(document.text)]
    return [
        section
        if (section.start, section.end) == span
        else section.model_copy(update={"start": span[0], "end": span[1]})
        for section, span in zip(document.sections, pairwise(starts), strict=True)
    ]


def _body_start(document: Document, section: Section) -> int:
    """Return where the text under a section's heading begins: its start where it has none."""
    at = bisect_left(document.blocks, section.start, key=lambda block: block.start)
    first = document.blocks[at] if at < len(document.blocks) else None
    is_heading = first is not None and first.kind == "heading" and first.start < section.end
    return first.end if first and is_heading else section.start


def _candidates(document: Document) -> list[Stretch]:
    """Return one stretch for each section that needs one, however short."""
    sections = sections_of(document)
    found = []
    for section, following in zip(sections, [*sections[1:], None], strict=True):
        body = _body_start(document, section)
        text = document.text[body : section.end].strip()
        leads = following is not None and _leads_to(section, following)
        if text or not leads:
            found.append(Stretch(body if len(text) >= MIN_CHARACTERS else section.start, section.end, (section,)))
    return [stretch for stretch in found if document.text[stretch.start : stretch.end].strip()]


def _leads_to(section: Section, following: Section) -> bool:
    """Whether the next section stands below this one, so that its context carries this one's heading."""
    depth = len(section.path)
    return 0 < depth < len(following.path) and following.path[:depth] == section.path


def _joined(first: Stretch, second: Stretch) -> Stretch:
    """Return both as one; the heading between them stays in the text."""
    return Stretch(first.start, second.end, first.sections + second.sections)


def _in_one_chapter(first: Stretch, second: Stretch) -> bool:
    return first.sections[-1].chapter == second.sections[0].chapter


def _is_above(first: Stretch, second: Stretch) -> bool:
    """Whether the first stands in no chapter, but above the second: a title page, or the lines under a part's title."""
    one, other = first.sections[-1], second.sections[0]
    return one.chapter is None and other.path[: len(one.path)] == one.path


def _is_short(text: str, stretch: Stretch) -> bool:
    return len(text[stretch.start : stretch.end].strip()) < MIN_CHARACTERS


def _kinship(first: Stretch, second: Stretch) -> int:
    """Return how many headings two neighbours share, from the outermost: a shared section counts most."""
    one, other = first.sections[-1], second.sections[0]
    shared = [a == b for a, b in zip(one.path, other.path, strict=False)]
    headings = shared.index(False) if False in shared else len(shared)
    same_section = (one.chapter, one.section) == (other.chapter, other.section)
    return headings + (one.chapter == other.chapter) + (len(one.path) + 1 if same_section else 0)


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
