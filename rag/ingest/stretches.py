"""Which parts of a document are cut together, and the one or two lines that are embedded and indexed before their text.

The text under one heading is cut together, and joined with others where it is very short. A passage that does not name
its subject cannot be found by it: `The limit is 5 ml.` needs its headings.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile, zip_longest
from pathlib import PurePath

from rag.models import Document, Section, SectionStart
from rag.protocols import PieceCounter
from rag.text.words import fold, words

MIN_CHARACTERS = 50  # of a chunk, its context not counted
CONTEXT_PIECES = 64  # the most word pieces that a context takes from its chunk
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

    def joined(self, other: "Stretch") -> "Stretch":
        """Return both as one; the heading between them stays in the text."""
        return Stretch(self.start, other.end, self.sections + other.sections)

    def _within(self, start: int, end: int) -> list[Section]:
        return [section for section in self.sections if section.start < end and section.end > start]


def stretches(document: Document) -> list[Stretch]:
    """Return the stretches of a document in order; with the headings they cover all its text.

    A heading is left out of its stretch: the context carries it. It stays in where a list begins right below it, which
    says little without what announces it, and where the text under it is shorter than a chunk may be. Where that is
    still too short, the section is joined with the neighbour of its chapter that shares most headings with it: a chunk
    may not be shorter, and no text may be lost. Numbered chapters are never joined, so one that is too short with its
    headings is a short stretch. A heading with nothing under it but deeper headings needs no stretch of its own.
    """
    result: list[Stretch] = []
    carried: Stretch | None = None
    candidates = _candidates(document)
    for candidate, following in zip_longest(candidates, candidates[1:]):
        stretch = carried.joined(candidate) if carried else candidate
        carried = None
        if len(document.text[stretch.start : stretch.end].strip()) >= MIN_CHARACTERS:
            result.append(stretch)
            continue
        before = _kinship(result[-1], stretch) if result and _in_one_chapter(result[-1], stretch) else -1
        # What stands in no chapter may go on: a title page, or the lines under a part's title.
        last = stretch.sections[-1]
        may_lead = following and last.chapter is None and following.sections[0].path[: len(last.path)] == last.path
        goes_on = following and (may_lead or _in_one_chapter(stretch, following))
        if following and goes_on and _kinship(stretch, following) >= before:
            carried = stretch
        elif before >= 0:
            result[-1] = result[-1].joined(stretch)
        else:
            result.append(stretch)
    return result


def _candidates(document: Document) -> list[Stretch]:
    """Return one stretch for each section that needs one, however short; gaps between sections are closed."""
    named = document.sections or (Section(start=0, end=len(document.text)),)
    bounds = pairwise([0, *(section.start for section in named[1:]), len(document.text)])
    sections = [
        section.model_copy(update={"start": start, "end": end})
        for section, (start, end) in zip(named, bounds, strict=True)
    ]
    found = []
    for section, following in zip_longest(sections, sections[1:]):
        body = _body_start(document, section)
        text = document.text[body : section.end].strip()
        depth = len(section.path)
        leads = following is not None and 0 < depth < len(following.path) and following.path[:depth] == section.path
        if text or not leads:
            found.append(Stretch(body if len(text) >= MIN_CHARACTERS else section.start, section.end, (section,)))
    return [stretch for stretch in found if document.text[stretch.start : stretch.end].strip()]


def _body_start(document: Document, section: Section) -> int:
    """Return where the text under a section's heading begins: its start where it has none, or where a list begins."""
    at = bisect_left(document.blocks, section.start, key=lambda block: block.start)
    own = [block for block in document.blocks[at : at + 2] if block.start < section.end]
    is_left_out = own and own[0].kind == "heading" and own[-1].list is None
    return own[0].end if is_left_out else section.start


def _in_one_chapter(first: Stretch, second: Stretch) -> bool:
    return first.sections[-1].chapter == second.sections[0].chapter


def _kinship(first: Stretch, second: Stretch) -> int:
    """Return how many headings two neighbours share, from the outermost: a shared section counts most."""
    one, other = first.sections[-1], second.sections[0]
    headings = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one.path, other.path, strict=False))))
    same_section = (one.chapter, one.section) == (other.chapter, other.section)
    return headings + (one.chapter == other.chapter) + (len(one.path) + 1 if same_section else 0)


def context_of(document: Document, section: Section, *, pieces: PieceCounter, budget: int = CONTEXT_PIECES) -> str:
    """Return the title and identifiers of a document and, on a second line, the headings above a section.

    The most telling parts come first into the budget: the nearest heading, the title, the file's name, identifiers,
    then the outer headings. What another part already says is left out. The name counts as an identifier unless a
    machine made it up. `budget` is the most word pieces of the result; 8 or more.
    """
    headings, title = _headings(section), document.metadata.title or ""
    last = len(headings) - 1
    subject = [(0, n, part) for n, part in enumerate((title, *_untold(document, title, *headings)))]
    place = [(1, n, part) for n, part in enumerate(headings) if fold(part) != fold(title)]
    nearest, outer = [one for one in place if one[1] == last], [one for one in place if one[1] < last]
    lines: tuple[dict[int, str], dict[int, str]] = {}, {}
    for line, position, part in (*nearest, *subject, *outer):
        part = " ".join(part.split())
        spans = pieces.spans(part)
        if len(spans) >= budget:  # of the title and the nearest heading the words that fit are kept
            may_shorten = budget > 8 and (line, position) in ((0, 0), (1, last))
            part = part[: spans[budget - 2][0]].rsplit(" ", 1)[0] if may_shorten else ""
        if part:
            lines[line][position] = part
            budget -= len(pieces.spans(part)) + 1  # and one for the separator
    parts = [[part for _, part in sorted(line.items())] for line in lines]
    return "\n".join(line for line in ("; ".join(parts[0]), " > ".join(parts[1])) if line)


def _headings(section: Section) -> tuple[str, ...]:
    said = set(words(" ".join(section.path)))
    chapter = f"Chapter {section.chapter}" if section.chapter is not None else ""
    outer, inner = (
        tuple(part for part in parts if part and not said.issuperset(words(part)))
        for parts in ((chapter, section.chapter_title), (section.section,))
    )
    return (*outer, *section.path, *inner)


def _untold(document: Document, *said: str) -> Iterator[str]:
    """Yield the words of the file's name, and the identifiers, that nothing has said yet."""
    told = set(words(" ".join(said)))
    stem = PurePath(document.name).stem
    parts = re.findall(r"[^\W_]+(?:[.,][^\W_]+)*", "" if _MACHINE_NAME.search(stem) else stem)
    yield " ".join(part for part in parts if part.casefold() not in told)
    told.update(words(" ".join(parts)))
    for identifier in document.metadata.identifiers:
        new = words(identifier)
        if not told.issuperset(new):
            told.update(new)
            yield identifier
