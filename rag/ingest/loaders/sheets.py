"""Sheets, as CSV and Excel workbooks: each row a block whose cells tell the heads of their columns.

The twentieth cell of a row says nothing without its head, and a chunk has room for one such row. So the heads are told
in the row (`| Order: 17 | City: Kiel |`) instead of once above the table. Values are those that the sheet shows.
"""

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rag.ingest.loaders.blocks import Block, build, row, table_blocks
from rag.ingest.loaders.cleaning import decode_noting, squeeze
from rag.ingest.loaders.metadata import identify, office_metadata
from rag.ingest.loaders.source import Source, refuse
from rag.ingest.loaders.tables import count_of_heads, fields_of, filled_on, together
from rag.models import Document, DocumentMetadata

if TYPE_CHECKING:
    from openpyxl import Workbook

_DELIMITERS = ",;\t|"
_DECLARED = re.compile(r"\ufeff?sep=(.)\r?\n", re.I)  # how spreadsheet programs are told the delimiter
_SAMPLE = 20_000
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s+ref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")
_NO_VALUE = re.compile(rb"</(?:\w+:)?f>\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>")
"""A formula whose value was never computed: the file was written by a program that computes nothing."""
_MOST_MERGED = 100_000  # cells that merged cells are repeated in; a whole merged column says nothing more
_MARKUP = re.compile(r"\[(?!\$)[^\]]{0,60}\]|_.|\*.")
_FORMAT = re.compile(r"([^0#?]{0,99}?)([0#?,]{0,30}[0#?])(?:\.([0#?]{1,30}))?([^0#?]{0,99})")

MAX_CELLS = 5_000_000  # the most cells that are read of a file
_LONGEST_ROW = 600  # characters of one block: a longer row becomes several, each beginning with its first cell


def load_csv(source: Source) -> Document:
    """Return a table in text form."""
    raw = decode_noting(source.data)
    declared = _DECLARED.match(raw.text)
    text = raw.text[declared.end() :] if declared else raw.text
    delimiter = declared[1] if declared else _delimiter_of(text)
    if text.count(delimiter) > MAX_CELLS:
        raise refuse(source.name, f"it has more than {MAX_CELLS:,} cells", "Split it")
    try:
        rows = [[squeeze(cell) for cell in cells] for cells in csv.reader(io.StringIO(text), delimiter=delimiter)]
    except csv.Error as error:
        advice = "Check that each quotation mark is closed, and export it again"
        raise refuse(source.name, f"its rows cannot be told apart ({error})", advice) from error
    metadata = DocumentMetadata(identifiers=identify(source.name, None, ""))
    return build(source, list(sheet_blocks(rows)), metadata=metadata, notes=raw.notes)


def _delimiter_of(text: str) -> str:
    """Return the delimiter that gives the most rows of one width, and of those the widest; a comma where none does."""
    sample = text[:_SAMPLE].rpartition("\n")[0] if len(text) > _SAMPLE else text

    def fit(delimiter: str) -> tuple[float, int]:
        widths = Counter(len(cells) for cells in csv.reader(io.StringIO(sample), delimiter=delimiter) if cells)
        del widths[1]
        return max(((count, width) for width, count in widths.items()), default=(0, 0))

    return max(_DELIMITERS, key=fit)


def load_xlsx(source: Source) -> Document:
    """Return a workbook; hidden sheets are left out, and that is told."""
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
    notes: list[str] = []
    blocks = list(_blocks(source, book, notes))
    core = book.properties
    extra = [core.subject or "", core.version or ""]
    # The name of a single sheet is no title, so no blocks are given.
    metadata = office_metadata(source, [], title=core.title, author=core.creator, created=core.modified, extra=extra)
    return build(source, blocks, metadata=metadata, notes=notes)


def _blocks(source: Source, book: "Workbook", notes: list[str]) -> Iterator[Block]:
    cells = 0
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            notes.append(f"The hidden sheet {sheet.title!r} was left out. Show it to have it read.")
            continue
        sheet.reset_dimensions()  # what a file says of its size may be wrong
        rows = [
            [_shown(cell.value, cell.number_format) if cell.value is not None else "" for cell in line]
            for line in sheet.iter_rows()
        ]
        cells += sum(map(len, rows))
        if cells > MAX_CELLS:
            raise refuse(source.name, f"it has more than {MAX_CELLS:,} cells", "Split it, or delete empty columns")
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            part = archive.read(sheet._worksheet_path)
        if empty := len(_NO_VALUE.findall(part)):
            advice = "open the file in a spreadsheet program and save it."
            notes.append(f"Sheet {sheet.title!r} has {empty} formulas without a stored value: {advice}")
        _repeat_merged(rows, part)
        found = list(sheet_blocks(rows))
        yield from (Block("heading", squeeze(sheet.title), level=2), *found) if found else ()


def _repeat_merged(rows: list[list[str]], part: bytes) -> None:
    """Put the text of each merged cell in all of its places, but a title's; rows below the table are left."""
    from openpyxl.utils import range_boundaries

    repeated = 0
    for match in _MERGED.finditer(part):
        left, top, right, bottom = (bound or 1 for bound in range_boundaries(match[1].decode()))
        left, top, bottom = left - 1, top - 1, min(bottom, len(rows))
        repeated += (right - left) * (bottom - top)
        if repeated > _MOST_MERGED:
            break
        text = rows[top][left] if top < len(rows) and left < len(rows[top]) else ""
        is_title = right - left >= max(map(len, rows[top:bottom]), default=0)
        for cells in rows[top:bottom] if text and not is_title else ():
            cells.extend([""] * (right - len(cells)))
            cells[left:right] = [text] * (right - left)


def _shown(value: Any, number_format: str) -> str:
    if isinstance(value, int | float):
        return str(value).upper() if isinstance(value, bool) else _number(value, number_format)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    return value.isoformat() if isinstance(value, date | time) else squeeze(str(value))


def _number(value: float, number_format: str) -> str:
    """Return a number in its format: percent, decimals, thousands, the sign of a currency; else with all its digits."""
    section = _MARKUP.sub("", number_format.split(";")[0])
    section = re.sub(r"\[\$([^\[\]-]*)(?:-[^\[\]]*)?\]", r"\1", section).replace('"', "").replace("\\", "")
    known = _FORMAT.fullmatch(section)
    if not known or "General" in section:
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.15g}"
    before, whole, decimals, after = known.groups(default="")
    if "%" in section:
        value *= 100
    figure = f"{value:{',' if ',' in whole else ''}.{len(decimals)}f}"
    return squeeze(f"{before}{figure.zfill(whole.count('0'))}{after}")


def sheet_blocks(rows: Iterable[Sequence[str]]) -> Iterator[Block]:
    """Yield the tables of a sheet, which blank rows part; lines of one cell above a table are its title.

    A part below a blank row that has no heads, and is as wide as the table before it, goes on with that table's heads.
    """
    heads: list[str] = []
    for is_filled, group in groupby(rows, key=lambda cells: any(cell.strip() for cell in cells)):
        if is_filled:  # all rows as long as the longest, without the columns that are empty on their left
            lines = list(group)
            filled = [[place for place, cell in enumerate(cells) if cell.strip()] for cells in lines]
            first, last = min(one[0] for one in filled), max(one[-1] for one in filled) + 1
            table = [[*cells[first:last], *[""] * (last - max(len(cells), first))] for cells in lines]
            heads = yield from _table(table, heads)


def record_blocks(records: Iterable[Mapping[str, str]]) -> Iterator[Block]:
    """Yield each record, a mapping of heads to cells, as rows of up to `_LONGEST_ROW` characters."""
    for place, record in enumerate(records):
        cells = [f"{head}: {cell}" if head else cell for head, cell in record.items() if cell.strip()]
        for nth, part in enumerate(_parts(cells)):
            text = row(part)
            yield Block("row", text if len(part) > 1 else text.strip("| "), begins=place == nth == 0)


def _parts(cells: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for cell in cells:
        if len(part) > 1 and sum(map(len, part)) + len(cell) > _LONGEST_ROW:
            yield part
            part = [cells[0]]
        part.append(cell)
    if part:
        yield part


def _table(rows: list[list[str]], above: list[str]) -> Generator[Block, None, list[str]]:
    while rows and len(rows[0]) > 1 and len({cell for cell in rows[0] if cell}) == 1:
        yield Block("paragraph", next(filter(None, rows.pop(0))))
    if fields := fields_of(rows):
        yield from (Block("field", field) for field in fields)
        return []
    count = count_of_heads(rows)
    heads = above if rows and len(above) == len(rows[0]) else []
    if count:
        heads = together(filled_on(rows[0]), rows[1]) if count == 2 else rows[0]
    if heads:
        names = [
            name or f"Column {place}" for place, name in enumerate(_distinct([head.rstrip(": ") for head in heads]), 1)
        ]
        yield from record_blocks(
            dict(zip(names, cells, strict=True)) for cells in rows[count:] if not count or cells != rows[0]
        )
    elif rows and len(rows[0]) == 2:
        yield from (Block("field", ": ".join(filter(None, (label.rstrip(": "), value)))) for label, value in rows)
    elif rows and len(rows[0]) == 1:
        yield from (Block("paragraph", cells[0]) for cells in rows)
    else:
        yield from table_blocks(rows)
    return heads


def _distinct(heads: Sequence[str]) -> Iterator[str]:
    """Yield the heads, one that recurs with its number: `Note`, `Note 2`."""
    counts: Counter[str] = Counter()
    for head in heads:
        counts[head] += 1
        yield f"{head} {counts[head]}" if head and counts[head] > 1 else head
