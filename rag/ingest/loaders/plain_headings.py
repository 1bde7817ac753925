"""Which lines of a plain text are headings. Nothing marks them, so only what is unmistakable counts."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from rag.ingest.loaders.numbering import Title, parse_title

_UNDERLINE = re.compile(r"[ ]*(={3,}|-{3,}|~{3,})[ ]*")
_TITLED = re.compile(
    r"(?:chapter|lecture|lesson|kapitel|chapitre)\s+\w+[.:]?\s*[.:—–-]\s*(?:[^\s.!?;:]+\s*){1,8}\.", re.I
)
"""A chapter's number, a sign after it, and a title of at most eight words with a full stop."""
_GAP = re.compile(r"(?<=[^\s.:)])(?: {2,}|\t)(?=\S)")
"""Space between two columns; after a number, as in `2.  Messages`, it parts none."""
_LEADER = re.compile(r"(?:\.\s?){4,}")
_FIRST_CLAUSE = re.compile(r"(\d{1,2})\.[01][.):]?\s+\S")
"""How the first clause of a chapter begins: `5.1 Crates stay closed for a day.`"""
_SIGNED = re.compile(r"\d{1,2}[.):]\s*\S")
_LONGEST, _LETTERS = 80, 3


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A line alone in its paragraph that begins with a number: `2.1 X`, or `2 X`, which may be an item of a list."""

    index: int
    title: Title
    sign: str

    @property
    def chapter(self) -> int:
        """The first part of the number."""
        return self.title.chapter or 0

    @property
    def is_first(self) -> bool:
        """Whether it is the first section of its chapter: `2.1 X`."""
        return self.title.kind == "dotted" and self.title.number.split(".")[1:] in (["0"], ["1"])


def heading_of(lines: Sequence[str], *, is_chapter: bool = False) -> tuple[int, int]:
    """Return the level of the heading that a paragraph begins with, and how many lines it takes; 0, 0 for none.

    Args:
        lines: The lines of a paragraph, without white space at their ends; one or more.
        is_chapter: Whether the paragraph is one of `chapters_among` all.
    """
    first = lines[0].strip()
    if is_chapter:
        return 1, 1
    if len(lines) > 1 and len(first) <= 100 and (match := _UNDERLINE.fullmatch(lines[1])):
        length = len(lines[1].strip())
        if 0.5 * len(first) <= length <= 2 * len(first) + 3 and not _is_head(first, lines[2:]):
            return _numbered_level(first) or (1 if match[1].startswith("=") else 2), 2
    level = _numbered_level(first) if len(lines) == 1 else 0
    return (level, 1) if level else (0, 0)


def chapters_among(paragraphs: Sequence[Sequence[str]]) -> frozenset[int]:
    """Return the indexes of the paragraphs that are headings of chapters by a single number, as `2 Results`.

    A line that begins so may as well be an item of a list. It is a heading where `2.1` is the next section, or begins
    the next paragraph; in capitals (`2. RESULTS`), where text parts it from the next number's; or where it follows the
    chapter before, is numbered as other headings are, and no list goes on from or to it.
    """
    found = list(_numbered(paragraphs))
    borne_out = _borne_out(found) + [each for each in found if _is_above_its_clause(each, paragraphs)]
    signs, taken = {each.sign for each in borne_out}, {each.chapter for each in borne_out}
    chosen = {each.index for each in borne_out} | _in_capitals(paragraphs)
    for at, each in enumerate(found):
        is_like = each.title.kind == "bare" and each.sign in signs and each.chapter not in taken
        before, after = found[at - 1] if at else None, found[at + 1] if at + 1 < len(found) else None
        if is_like and _follows(each, before, chosen) and not _is_item(after, chosen):
            chosen.add(each.index)
            taken.add(each.chapter)
    return frozenset(chosen)


def _borne_out(found: Sequence[_Numbered]) -> list[_Numbered]:
    """Return the single numbers right above the first section of their chapter."""
    chosen: list[_Numbered] = []
    for at, each in enumerate(found):
        above = at - 1
        while each.is_first and above >= 0 and found[above].title.kind == "bare":
            if found[above].chapter == each.chapter:
                chosen.append(found[above])
                break
            above -= 1
    return chosen


def _is_above_its_clause(each: _Numbered, paragraphs: Sequence[Sequence[str]]) -> bool:
    """Whether the next paragraph is the first clause of the chapter: `5 Transport`, `5.1 Crates stay closed.`"""
    below = paragraphs[each.index + 1 : each.index + 2]
    clause = _FIRST_CLAUSE.match(below[0][0]) if below and each.title.kind == "bare" else None
    return clause is not None and int(clause[1]) == each.chapter


def _in_capitals(paragraphs: Sequence[Sequence[str]]) -> set[int]:
    """Return the paragraphs that begin with a numbered title in capitals, one after the other, text between them."""
    titles = {index: title for index, lines in enumerate(paragraphs) if (title := _capital(lines))}
    filled = [index for index in titles if len(paragraphs[index]) > 1 or index + 1 not in titles]
    chosen: set[int] = set()
    for one, other in pairwise(filled):
        if titles[other].chapter == (titles[one].chapter or 0) + 1 and titles[one].name != titles[other].name:
            chosen |= {one, other}
    return chosen


def _capital(lines: Sequence[str]) -> Title | None:
    """Return the numbered title in capitals that a paragraph begins with: `2. RESULTS`; not that of a list of them."""
    title = parse_title(lines[0])
    is_title = title.kind == "bare" and title.name.isupper() and _is_short_title(lines[0], title)
    if not is_title or not _SIGNED.match(lines[0]) or sum(map(str.isalpha, title.name)) < _LETTERS:
        return None
    return None if len(lines) > 1 and _SIGNED.match(lines[1]) else title


def _follows(each: _Numbered, before: _Numbered | None, chosen: Set[int]) -> bool:
    """Whether a single number is the next after the chapter above it, which is the nearest number above it."""
    if before is None:
        return each.chapter == 1
    return not _is_item(before, chosen) and each.chapter == before.chapter + 1


def _is_item(each: _Numbered | None, chosen: Set[int]) -> bool:
    return each is not None and each.title.kind == "bare" and each.index not in chosen


def _numbered(paragraphs: Sequence[Sequence[str]]) -> Iterator[_Numbered]:
    for index, lines in enumerate(paragraphs):
        line = lines[0]
        if len(lines) > 1 or line[:1].isspace() or _LEADER.search(line):
            continue
        title = parse_title(line)
        if title.kind in ("bare", "dotted") and title.chapter is not None and _is_short_title(line, title):
            sign = re.match(r"[\d.]*\d([.):]?)", line)
            yield _Numbered(index, title, sign[1] if sign else "")


def _numbered_level(line: str) -> int:
    """Return the level of a line that is a numbered heading beyond doubt: short, no full stop, `3.2 X`.

    Old books end a chapter's title with one: `CHAPTER 1. Loomings.`
    """
    if line.endswith(".") and _TITLED.fullmatch(line):
        line = line.removesuffix(".")
    title = parse_title(line)
    if not _is_short_title(line, title):
        return 0
    if title.kind == "chapter":
        return 1
    return title.depth if title.kind == "dotted" else 0


def _is_short_title(line: str, title: Title) -> bool:
    is_sentence = line.endswith((".", ",", ";", ":"))
    return len(line) <= _LONGEST and not is_sentence and title.name[:1].isupper()


def _is_head(first: str, rows: Sequence[str]) -> bool:
    """Whether an underlined line holds the heads of columns: it has gaps, and so has each row below it."""
    return bool(rows) and all(_GAP.search(line.strip()) for line in (first, *rows))
