"""Excel workbooks: each sheet a heading, each row told with its heads, values as the sheet shows them."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.office import office_metadata
from rag.ingest.loaders.records import MAX_CELLS, sheet_blocks
from rag.ingest.loaders.source import Source, refuse
from rag.models import Document

if TYPE_CHECKING:
    from openpyxl import Workbook

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s+ref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")
_NO_VALUE = re.compile(rb"</(?:\w+:)?f>\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>")
"""A formula whose value was never computed: the file was written by a program that computes nothing."""
_MOST_MERGED = 100_000
"""Cells that merged cells are repeated in; a whole merged column says nothing more."""
_MARKUP = re.compile(r"\[(?!\$)[^\]]{0,60}\]|_.|\*.")
_FORMAT = re.compile(r"([^0#?]{0,99}?)([0#?,]{0,30}[0#?])(?:\.([0#?]{1,30}))?([^0#?]{0,99})")


def load_xlsx(source: Source) -> Document:
    """Return a workbook; hidden sheets are left out, and that is told.

    Raises:
        InvalidDocument: It is broken, has too many cells, or no text.
    """
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
        rows = _rows(sheet)
        cells += sum(map(len, rows))
        if cells > MAX_CELLS:
            raise refuse(source.name, f"it has more than {MAX_CELLS:,} cells", "Split it, or delete empty columns")
        found = list(sheet_blocks(_merged(rows, source, sheet, notes)))
        yield from (Block("heading", squeeze(sheet.title), level=2), *found) if found else ()


def _rows(sheet: Any) -> list[list[str]]:
    sheet.reset_dimensions()  # what a file says of its size may be wrong
    rows: list[list[str]] = []
    for cells in sheet.iter_rows():
        texts = [_shown(cell.value, cell.number_format) if cell.value is not None else "" for cell in cells]
        rows.append(texts)
    return rows


def _merged(rows: list[list[str]], source: Source, sheet: Any, notes: list[str]) -> list[list[str]]:
    """Return the rows with the text of each merged cell in all of its places; rows below the table are left."""
    from openpyxl.utils import range_boundaries

    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        part = archive.read(sheet._worksheet_path)
    if empty := len(_NO_VALUE.findall(part)):
        advice = "open the file in a spreadsheet program and save it."
        notes.append(f"Sheet {sheet.title!r} has {empty} formulas without a stored value: {advice}")
    repeated = 0
    for match in _MERGED.finditer(part):
        left, top, right, bottom = (bound or 1 for bound in range_boundaries(match[1].decode()))
        repeated += (right - left + 1) * (min(bottom, len(rows)) - top + 1)
        if repeated > _MOST_MERGED:
            break
        _repeat(rows, (left - 1, top - 1, right, min(bottom, len(rows))))
    return rows


def _repeat(rows: list[list[str]], bounds: tuple[int, int, int, int]) -> None:
    left, top, right, bottom = bounds
    text = rows[top][left] if top < len(rows) and left < len(rows[top]) else ""
    is_title = right - left >= max(map(len, rows[top:bottom]), default=0)
    for row in rows[top:bottom] if text and not is_title else ():
        row.extend([""] * (right - len(row)))
        row[left:right] = [text] * (right - left)


def _shown(value: Any, number_format: str) -> str:
    """Return a cell's value as the sheet shows it, dates as ISO 8601."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    return value.isoformat() if isinstance(value, date | time) else squeeze(str(value))


def _number(value: float, number_format: str) -> str:
    """Return a number in its format: percent, decimals, thousands, the sign of a currency; else with all its digits.

    >>> _number(0.185, "0.0%"), _number(1234.5, '#,##0.00 "EUR"'), _number(7, "General"), _number(42, "00000")
    ('18.5%', '1,234.50 EUR', '7', '00042')
    """
    section = _MARKUP.sub("", number_format.split(";")[0])
    section = re.sub(r"\[\$([^\]-]*)[^\]]*\]", r"\1", section).replace('"', "").replace("\\", "")
    known = _FORMAT.fullmatch(section)
    if not known or "General" in section:
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.15g}"
    before, whole, decimals, after = known.groups(default="")
    if "%" in section:
        value *= 100
    figure = f"{value:{',' if ',' in whole else ''}.{len(decimals)}f}"
    return squeeze(f"{before}{figure.zfill(whole.count('0'))}{after}")
