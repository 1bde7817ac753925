"""What lines are: rows, questions with answers, messages of a chat, fields; or such as run from page to page."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile, groupby, pairwise

from rag.exact.dates import dates
from rag.ingest.loaders.blocks import Block, grouped, row
from rag.ingest.loaders.tables import FIGURE
from rag.models import BlockKind

_ITEM = re.compile(r"[ ]*(?:[-*•‣◦▪–]|\(?\d{1,3}[.)]|\(?(?:[a-z]|[ivx]{2,5})[.)])[ ]+\S")
_ROW = re.compile(r"\|.*\|")
_SPOKEN = re.compile(r"([^\W\d_]{1,9})[ ]?\d{0,3}[.:)][ ]+(\S.*)")  # after `Q: `, `A1. `, `Question 3: `
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_HOUR = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_MESSAGE = re.compile(
    rf"\[?(?P<when>(?:{_DAY}[,T]?[ ]+)?{_HOUR}|{_DAY})\]?[ ]*[-–]?[ ]*"
    r"(?:<(?P<nick>[^<>]{1,40})>|(?P<who>[^:<>\[\]]{1,40}):)[ ]+(?P<what>\S.*)"
)
_FIELD = re.compile(r"[ ]*([^\W\d_][^:|.!?]{0,39}?)[ ]*:[ ]+(\S.{0,199})")
_FEWEST_MESSAGES = 3
_LONGEST_DAY = 60  # characters of a line above messages that says of what day they are

_ONLY_A_MARKER = re.compile(r"\s*(?:[-*•‣◦▪–]|\(?(?:\d{1,3}|[a-z])[.)])\s*")
_FEWEST_COLUMNS = 3  # Columns: fewer are a table only where the last one holds figures.
_CELL = 80  # Characters: longer cells are text that tabs set apart.
_FEWEST_LINES = 3  # Lines of a table in columns: two may stand below each other by chance.
_COLUMN = 44  # Characters: longer cells of a table in columns are text that is set in two or three columns.
_LINE = 400  # Characters: a table set with spaces has no longer lines.
_LONGEST_LINE = 2_000  # characters of a line with commas or semicolons between its cells
_LINE_END = re.compile(r"\r\n?|\n")
_GAP = re.compile(r"(?<=[^\s.!?]) {2,}(?=\S)")  # space between two cells; after a full stop it parts two sentences
_RULE = re.compile(r"[ ]*[-=_+|]{3}[-=_+| ]*")

_START = 3  # Largest number with which a count that begins anew is taken up: its first pages may have none.
PAGE_NUMBER = re.compile(
    r"(?:[-–—|\[(]\s*)?(?:page|p\.|seite|s\.)?\s*(\d{1,4}|[ivxlc]{1,7}|[A-Z]-\d{1,3})"
    r"(?:\s*(?:of|/|von|sur)\s*\d{1,4})?\s*(?:[-–—|\])])?",
    re.I,
)
PLACE = re.compile(  # a line with no words but those of places in a document: `Section 4.2 | Page 37`
    r"(?i:[\W\d_]|\b(?:page|p|chapter|section|part|sheet|slide|volume|vol|of|seite|kapitel|von|sur|[ivxlc]+|[a-z])\b)+"
)


def chat_of(lines: Sequence[str]) -> list[str]:
    """Return the lines of a chat's export, a message with its hour alone after the day of a line above it; else none.

    Some of them, and half of those with words, are messages.
    """
    found = [*map(_MESSAGE.fullmatch, lines)]
    if not max(_FEWEST_MESSAGES, sum(map(bool, lines)) / 2) <= sum(map(bool, found)):
        return []
    day, dated = "", list[str]()
    for line, match in zip(lines, found, strict=True):
        day = day if match else _day_of(line) or day
        at = match.start("when") if match and day and re.fullmatch(_HOUR, match["when"]) else None
        dated.append(line if at is None else f"{line[:at]}{day} {line[at:]}")
    return dated


def _day_of(line: str) -> str:
    """Return the day of a line that says little else, as `#ops 2026-03-02`; an empty text for any other line."""
    most = 1 if line[:1].isalnum() else 3  # words beside the day
    for one in dates(line) if len(line) <= _LONGEST_DAY else ():
        if all(one.parts) and len(re.findall(r"\w+", line[: one.start] + line[one.end :])) <= most:
            written, (year, month, number) = line[one.start : one.end], one.parts
            return written if re.fullmatch(_DAY, written) else f"{year}-{month:02}-{number:02}"
    return ""


def body_blocks(lines: Sequence[str], *, chat: bool = False) -> Iterator[Block]:
    """Yield the blocks of a paragraph's lines, without the heading above them; `chat` says that they are messages."""
    for is_row, group in groupby(lines, key=lambda line: bool(_ROW.fullmatch(line.strip()))):
        found = [*group]
        if is_row:
            yield Block("paragraph", "\n".join(line.strip() for line in found))  # its rows are parted later
        elif chat:
            yield from _messages(found)
        elif len(found) > 1 and all(map(_FIELD.fullmatch, found)) and not _asks(found):
            yield from (Block("field", " ".join(line.split())) for line in found)
        else:
            yield from _spoken(found) if _asks(found) else _pieces(found)


def _messages(lines: Sequence[str]) -> Iterator[Block]:
    said = ""
    for line in lines:
        match = _MESSAGE.fullmatch(line)
        if match or _day_of(line):
            yield from [Block("paragraph", said)] if said else []
            said = f"{(match['nick'] or match['who']).strip()} ({match['when']}): {match['what']}" if match else line
        else:
            said = f"{said}\n{line.strip()}".strip()
    yield Block("paragraph", said)


def _asks(lines: Sequence[str]) -> bool:
    """Return whether a question stands right above its answer: both with a letter or word, and not the same."""
    said = [(_SPOKEN.fullmatch(one), _SPOKEN.fullmatch(other)) for one, other in pairwise(lines)]
    return any(one and other and one[2].endswith("?") and one[1] != other[1] for one, other in said)


def _spoken(lines: Sequence[str]) -> Iterator[Block]:
    answer: list[str] = []
    for line in lines:
        match = _SPOKEN.fullmatch(line)
        if match and match[2].endswith("?"):
            yield from _pieces(answer)
            answer = []
            yield Block("heading", match[2], level=3)
        else:
            answer.append(match[2] if match else line)
    yield from _pieces(answer)


def _pieces(lines: Sequence[str]) -> Iterator[Block]:
    """Yield a paragraph, or its list items with the lines that continue them, each with where it begins on its line."""

    def goes_on(piece: list[str], line: str) -> bool:
        return not _ITEM.match(line) and (not _ITEM.match(piece[0]) or _indent(line) >= _indent(piece[0]))

    for piece in grouped(lines, goes_on):
        kind: BlockKind = "item" if _ITEM.match(piece[0]) else "paragraph"
        yield Block(kind, "\n".join(piece).strip(), indent=_indent(piece[0]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def with_rows(text: str) -> str:
    r"""Return a text in which lines of a table with tabs or in columns are rows `| cell | cell |`.

    >>> with_rows("Item\tPrice\tStock\nRope\t5\t12\n\nTo:\tAll staff")
    '| Item | Price | Stock |\n| Rope | 5 | 12 |\n\nTo:\tAll staff'
    >>> with_rows("Item    Price   Stock\nRope        5      12\nHook       14       3")
    '| Item | Price | Stock |\n| Rope | 5 | 12 |\n| Hook | 14 | 3 |'
    """
    shown: list[str] = []
    for is_text, group in groupby(_LINE_END.split(text), key=lambda line: bool(line.strip())):
        lines = [*group]
        if is_text and "\t" in "".join(lines):
            widths = groupby(((line, _cells(line)) for line in lines), key=lambda pair: len(pair[1]))
            lines = [line for width, pairs in widths for line in _tabbed([*pairs], width)]
        elif is_text and len(lines) >= _FEWEST_LINES and max(map(len, lines)) <= _LONGEST_LINE:
            lines = _parted_by_signs(lines) or _in_gaps(lines) or lines
        shown += lines
    return "\n".join(shown)


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.split("\t")]
    is_row = any(cells[1:]) and cells[0] and not _ONLY_A_MARKER.fullmatch(cells[0]) and max(map(len, cells)) <= _CELL
    return cells if is_row else []


def _tabbed(lines: Sequence[tuple[str, list[str]]], width: int) -> Iterator[str]:
    has_figures = all(re.search(r"\d", cells[-1]) for _, cells in lines[1:] if cells)
    is_form = all(cells[0].endswith(":") for _, cells in lines if cells)
    is_table = len(lines) > 1 and (width >= _FEWEST_COLUMNS or (width > 1 and has_figures and not is_form))
    yield from (row(cells) if is_table else line for line, cells in lines)


def _parted_by_signs(lines: list[str]) -> list[str]:
    """Return the lines of a paragraph as rows, if commas or semicolons part all of them into as many cells."""
    for sign in ",;":  # in running text a space follows a comma, and lines do not have as many of them
        fewest = 2 if any(f"{sign} " in line for line in lines) else 1
        if min(line.count(sign) for line in lines) < fewest or any(line.endswith((".", ",", ";")) for line in lines):
            continue
        cells = [[cell.strip() for cell in line] for line in csv.reader(lines, delimiter=sign)]
        is_short = max(len(cell) for line in cells for cell in line) <= _CELL
        if len({*map(len, cells)}) == 1 and len(cells) == len(lines) and is_short:
            return [*map(row, cells)]
    return []


def _in_gaps(lines: list[str]) -> list[str]:
    """Return the lines of a paragraph, from the first to the last with a gap as rows, if those are a table."""
    gaps = [index for index, line in enumerate(lines) if _GAP.search(line.strip()) and not _RULE.fullmatch(line)]
    if len(gaps) < _FEWEST_LINES:
        return []
    first, last = gaps[0], gaps[-1] + 1
    table = [line for line in lines[first:last] if not _RULE.fullmatch(line)]
    rows = _in_columns(table) if max(map(len, table)) <= _LINE else []
    if not rows or not _is_table(rows):
        return []
    above = [*dropwhile(_RULE.fullmatch, reversed(lines[:first]))][::-1]
    below = [*dropwhile(_RULE.fullmatch, lines[last:])]
    rule = [row(["---"] * len(rows[0]))] if _RULE.fullmatch(lines[first + 1]) else []
    drawn = [row(rows[0]), *rule, *map(row, rows[1:])]
    return [*above, *([""] if above else []), *drawn, *([""] if below else []), *below]


def _in_columns(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of lines, cut where at least two places are blank in all of them."""
    width = max(map(len, lines))
    padded = [line.ljust(width) for line in lines]
    blank = "".join(" " if all(line[place] == " " for line in padded) else "x" for place in range(width))
    cuts = [match.end() for match in re.finditer(r"(?<=x) {2,}(?=x)", blank)]
    edges = [*pairwise([0, *cuts, width])]
    rows: list[list[str]] = []
    for line in padded:
        cells = [line[start:end].strip() for start, end in edges]
        # Without a first cell it goes on with the cells above; but with a figure, or every other cell, it is a row.
        if rows and not cells[0] and not all(cells[1:]) and not any(map(FIGURE.match, cells)):
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return rows


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether cells are those of a table: short, three columns or figures in the second, and mostly full."""
    width = len(rows[0])
    if width < 2 or len(rows) < _FEWEST_LINES or max(len(cell) for cells in rows for cell in cells) > _COLUMN:
        return False
    if any(_ONLY_A_MARKER.fullmatch(cells[0]) for cells in rows) or all(cells[0].endswith(":") for cells in rows):
        return False
    body = rows[1:]
    if width < _FEWEST_COLUMNS:
        return all(FIGURE.match(cells[1]) for cells in body if cells[1])
    full = sum(bool(cell) for cells in body for cell in cells[1:])
    return 2 * full >= len(body) * (width - 1)


def says_nothing(texts: Sequence[str], pages: Sequence[int]) -> bool:
    """Whether lines that differ in their numbers only have the same numbers, or one that counts on with the pages.

    Where further numbers differ, each line tells something of its own (`Sample 3: 41.5 mg`), unless its words are no
    more than those of places in a document.
    """
    numbers = [re.findall(r"\d+", text) for text in texts]
    if all(found == numbers[0] for found in numbers):
        return any(map(str.isalpha, texts[0]))
    if not all(numbers):
        return False
    differ = [found for found in zip(*numbers, strict=False) if len(set(found)) > 1]
    if not any(_counts_on([found[at] for found in numbers], pages) for at in (0, -1)):
        return False
    return all(_counts_on(found, pages) for found in differ) or PLACE.fullmatch(texts[0]) is not None


def _counts_on(numbers: Sequence[str], pages: Sequence[int]) -> bool:
    """Whether numbers grow with the pages that they stand on, but for one jump; they become smaller at a start only."""
    found = [int(number) for number in numbers]
    grows = all(a <= b or b <= _START for a, b in pairwise(found))
    return grows and len({number - page for number, page in zip(found, pages, strict=True)}) <= 2


def is_page_number(text: str) -> bool:
    """Whether a line is no more than the number of its page.

    >>> is_page_number("- 12 -"), is_page_number("Page 3 of 9"), is_page_number("12 lamps")
    (True, True, False)
    """
    return PAGE_NUMBER.fullmatch(text) is not None


def pattern_of(text: str) -> str:
    """Return the text with every number folded, so that `Page 3` and `Page 4` are one."""
    return re.sub(r"\b[ivxlc]+\b|\d+", "#", text.casefold())
