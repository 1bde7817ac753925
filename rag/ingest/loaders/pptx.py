"""PowerPoint presentations: slides as pages, their titles as headings, text, tables, data of charts, speaker notes."""

import io
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

from rag.ingest.loaders.blocks import Block, build, table_blocks
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.metadata import office_metadata
from rag.ingest.loaders.source import Source
from rag.ingest.loaders.tables import Spanning, spread
from rag.models import Document

_ROW_HEIGHT = 457_200  # half an inch in EMU: shapes whose tops differ by less stand beside each other


def load_pptx(source: Source) -> Document:
    """Return a presentation; hidden slides are left out, and that is told."""
    deck = Presentation(io.BytesIO(source.data))
    notes: list[str] = []
    blocks = [block for page, slide in enumerate(deck.slides, 1) for block in _slide(slide, page, notes)]
    core = deck.core_properties
    saved = core.modified  # the date of its creation is that of the older deck it was made from
    extra = [core.subject or "", core.version or ""]
    metadata = office_metadata(source, blocks, title=core.title, author=core.author, created=saved, extra=extra)
    return build(source, blocks, metadata=metadata, page_count=len(deck.slides), notes=notes)


def _slide(slide: Any, page: int, notes: list[str]) -> Iterator[Block]:
    if slide.element.get("show") in ("0", "false"):
        notes.append(f"The hidden slide {page} was left out. Show it to have it read.")
        return
    title = slide.shapes.title
    text = squeeze(title.text_frame.text) if title is not None else ""
    level = 1 if page == 1 and text else 2
    body = [block for shape in _in_order(slide.shapes) if not _is_frame(shape, title) for block in _shape(shape, notes)]
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        said = map(squeeze, slide.notes_slide.notes_text_frame.text.split("\n"))
        body += [Block("footnote", line) for line in said if line]
    if body or text:
        yield Block("heading", text or f"Slide {page}", level=level, page=page)
    yield from (replace(one, page=page) for one in body)


def _in_order(shapes: Any) -> list[Any]:
    return sorted(shapes, key=lambda shape: (round((shape.top or 0) / _ROW_HEIGHT), shape.left or 0))


def _is_frame(shape: Any, title: Any) -> bool:
    frame = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.HEADER)
    is_title = title is not None and shape.shape_id == title.shape_id
    return bool(is_title or (shape.is_placeholder and shape.placeholder_format.type in frame))


def _shape(shape: Any, notes: list[str]) -> Iterator[Block]:
    if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
        for inner in _in_order(shape.shapes):
            yield from _shape(inner, notes)
    elif shape.has_text_frame:
        yield from _paragraphs(shape)
    elif shape.has_table:
        yield from _table(shape.table)
    elif shape.has_chart:
        yield from _chart(shape.chart)
    elif shape.element.tag.endswith("}graphicFrame"):
        notes.append(f"The diagram {shape.name!r} could not be read. Add its words to the slide's notes.")


def _paragraphs(shape: Any) -> Iterator[Block]:
    """Yield the paragraphs of a shape; several in the slide's body are the items of a list."""
    lines = [(text, each.level) for each in shape.text_frame.paragraphs if (text := squeeze(each.text))]
    is_list = shape.is_placeholder and len(lines) > 1
    for text, level in lines:
        yield Block("item", f"• {text}", indent=level) if is_list or level else Block("paragraph", text)


def _table(table: Any) -> Iterator[Block]:
    """Yield a row a line, the text of a merged cell in each of its rows and columns."""
    rows = [[cell for cell in line.cells if not cell.is_spanned] for line in table.rows]
    spans = [[Spanning(squeeze(one.text_frame.text), one.span_width, one.span_height) for one in row] for row in rows]
    yield from table_blocks(spread(spans), heads=int(table.first_row))


def _chart(chart: Any) -> Iterator[Block]:
    if chart.has_title and chart.chart_title.has_text_frame:
        yield Block("caption", squeeze(chart.chart_title.text_frame.text))
    for plot in chart.plots:
        labels = [squeeze(str(label)) for label in plot.categories]
        columns = [["", *labels]]
        for series in plot.series:
            shown = ["" if value is None else f"{value:.15g}" for value in series.values]
            columns.append([squeeze(series.name or ""), *shown[: len(labels)]])
        yield from table_blocks(zip_longest(*columns, fillvalue=""), heads=1)
