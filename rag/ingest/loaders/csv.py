"""Tables as text, `.csv` and `.tsv`: delimiter and encoding found, each row told with the heads; formulas are text."""

import csv
import io
import re
from collections import Counter

from rag.ingest.loaders.blocks import build
from rag.ingest.loaders.cleaning import decode_noting, squeeze
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.records import MAX_CELLS, sheet_blocks
from rag.ingest.loaders.source import Source, refuse
from rag.models import Document, DocumentMetadata

_DELIMITERS = ",;\t|"
_DECLARED = re.compile(r"\ufeff?sep=(.)\r?\n", re.I)
"""The first line with which spreadsheet programs are told the delimiter."""
_SAMPLE = 20_000


def load_csv(source: Source) -> Document:
    """Return a table in text form.

    Raises:
        InvalidDocument: There is no text, it has too many cells, or its quotation marks do not end.
    """
    raw = decode_noting(source.data)
    declared = _DECLARED.match(raw.text)
    text = raw.text[declared.end() :] if declared else raw.text
    delimiter = declared[1] if declared else delimiter_of(text)
    if text.count(delimiter) > MAX_CELLS:
        raise refuse(source.name, f"it has more than {MAX_CELLS:,} cells", "Split it")
    try:
        rows = [[squeeze(cell) for cell in cells] for cells in csv.reader(io.StringIO(text), delimiter=delimiter)]
    except csv.Error as error:
        advice = "Check that each quotation mark is closed, and export it again"
        raise refuse(source.name, f"its rows cannot be told apart ({error})", advice) from error
    metadata = DocumentMetadata(identifiers=identify(source.name, None, ""))
    return build(source, list(sheet_blocks(rows)), metadata=metadata, notes=raw.notes)


def delimiter_of(text: str) -> str:
    """Return the delimiter that gives the most rows of one width, and of those the widest; a comma where none does.

    >>> delimiter_of("name;price\\nlamp;1,50\\ndesk;20,00\\n")
    ';'
    """
    sample = text[:_SAMPLE].rpartition("\n")[0] if len(text) > _SAMPLE else text
    return max(_DELIMITERS, key=lambda delimiter: _fit(sample, delimiter))


def _fit(sample: str, delimiter: str) -> tuple[float, int]:
    widths = Counter(len(cells) for cells in csv.reader(io.StringIO(sample), delimiter=delimiter) if cells)
    del widths[1]
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    return count, width
