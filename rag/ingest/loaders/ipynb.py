"""Jupyter notebooks: cells of Markdown, cells of code as code, and what they printed."""

import re
from collections.abc import Iterator
from typing import Any

from rag.ingest.loaders.blocks import Block, build, only_title
from rag.ingest.loaders.cleaning import clean, decode_noting
from rag.ingest.loaders.front_matter import metadata_of
from rag.ingest.loaders.html import fragment_blocks
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.json import parse
from rag.ingest.loaders.markdown import html_of
from rag.ingest.loaders.source import Source, refuse
from rag.models import Document

LONGEST_OUTPUT = 2_000
"""Characters of an output that are read; a longer one is cut, and that is told."""
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def load_ipynb(source: Source) -> Document:
    """Return a notebook.

    Raises:
        InvalidDocument: It is no notebook, or has no text.
    """
    raw = decode_noting(source.data)
    book: Any = parse(source, raw.text)
    cells = _cells(book) if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise refuse(source.name, "it is JSON but not a notebook", "Give it the suffix .json, or save it again")
    notes: list[str] = []
    blocks = [
        block for n, cell in enumerate(cells, 1) if isinstance(cell, dict) for block in _cell(source, n, cell, notes)
    ]
    told = book.get("metadata")
    said = metadata_of(told if isinstance(told, dict) else {})
    title = said.title or only_title(blocks)
    head = "\n".join(block.text for block in blocks[:12])
    metadata = said.model_copy(update={"title": title, "identifiers": identify(source.name, title, head)})
    return build(source, blocks, metadata=metadata, notes=(*raw.notes, *notes))


def _cells(book: dict[str, Any]) -> Any:
    """Return the cells; before version 4 of the format they stood in worksheets."""
    sheets = book.get("worksheets")
    return (
        sheets[0].get("cells")
        if isinstance(sheets, list) and sheets and isinstance(sheets[0], dict)
        else book.get("cells")
    )


def _cell(source: Source, number: int, cell: dict[str, Any], notes: list[str]) -> Iterator[Block]:
    text = clean(_joined(cell.get("source", cell.get("input"))))
    if cell.get("cell_type") == "markdown":
        yield from fragment_blocks(source.name, html_of(text))
    elif text.strip():
        yield Block("code" if cell.get("cell_type") == "code" else "paragraph", text.strip("\n"))
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        said = clean(_ANSI.sub("", _output(output))).strip("\n") if isinstance(output, dict) else ""
        if len(said) > LONGEST_OUTPUT:
            notes.append(f"An output of cell {number} was cut after {LONGEST_OUTPUT:,} characters.")
        yield Block("code", said[:LONGEST_OUTPUT])


def _output(output: dict[str, Any]) -> str:
    """Return what a cell printed or returned, as text; of an error its name and message."""
    if output.get("output_type") in ("error", "pyerr"):
        return f"{output.get('ename', '')}: {output.get('evalue', '')}"
    data = output.get("data")
    return _joined(data.get("text/plain") if isinstance(data, dict) else output.get("text"))


def _joined(text: Any) -> str:
    """Return a text that may stand in lines."""
    return "".join(map(str, text)) if isinstance(text, list) else str(text or "")
