"""Small office files, built by the libraries that people's programs resemble or written by hand."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{"drawing" if name == "draw" else name}:1.0"'
    for name in ("office", "text", "table", "style", "draw", "meta", "manifest")
)


def packed(parts: Mapping[str, bytes | str]) -> bytes:
    """Return a ZIP archive of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return target.getvalue()


def workbook(fill: Callable[[Any], None]) -> bytes:
    """Return an Excel workbook that `fill` wrote into."""
    from openpyxl import Workbook

    book, target = Workbook(), io.BytesIO()
    fill(book)
    book.save(target)
    return target.getvalue()


def sheet(rows: Sequence[Sequence[object]], *merged: str, title: str = "Stock") -> bytes:
    """Return a workbook of one sheet."""

    def fill(book: Any) -> None:
        book.active.title = title
        for cells in rows:
            book.active.append(list(cells))
        for cells_ in merged:
            book.active.merge_cells(cells_)

    return workbook(fill)


def rewritten(data: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """Return a zipped file with one of its parts changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    return packed({**parts, part: change(parts[part])})


def presentation(fill: Callable[[Any], None]) -> bytes:
    """Return a presentation that `fill` wrote into."""
    from pptx import Presentation

    deck, target = Presentation(), io.BytesIO()
    fill(deck)
    deck.save(target)
    return target.getvalue()


def slide(deck: Any, title: str, *lines: str, notes: str = "", layout: int = 1) -> Any:
    """Add a slide with a title and the lines of a list to a presentation."""
    added = deck.slides.add_slide(deck.slide_layouts[layout])
    added.shapes.title.text = title
    if lines:
        added.placeholders[1].text = "\n".join(lines)
    if notes:
        added.notes_slide.notes_text_frame.text = notes
    return added


def odt(body: str, *, styles: str = "", meta: str = "", prolog: str = "", manifest: str = "") -> bytes:
    """Return an OpenDocument text with this XML as its body."""
    content = (
        f"{prolog}<office:document-content {ODF}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    said = (
        f'<office:document-meta {ODF} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>{meta}</office:meta>'
        "</office:document-meta>"
    )
    listed = f"<manifest:manifest {ODF}>{manifest}</manifest:manifest>"
    return packed({"content.xml": content, "meta.xml": said, "META-INF/manifest.xml": listed})


def notebook(*cells: dict[str, object], **metadata: object) -> bytes:
    """Return a notebook of these cells."""
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}).encode()


def code(source: str, *outputs: dict[str, object]) -> dict[str, object]:
    """Return a cell of code with what it gave."""
    return {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": list(outputs)}
