"""What every loader makes of a file, a list of blocks, and the one place where blocks become a `Document`."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, Final, TypeVar

from rag.ingest.loaders.lists import places_of, settled
from rag.ingest.loaders.source import Source, refuse
from rag.ingest.loaders.structure import make_sections
from rag.ingest.loaders.tables import fields_of, heads_of, is_rule
from rag.models import BlockKind, BlockSpan, Document, DocumentMetadata, PageSpan
from rag.ranking.versions import Version, version_of
from rag.text.rows import cells

END: Final = re.compile(r"[.!?:;][\"'”’)\]]*$")  # How a paragraph ends that is whole
_T = TypeVar("_T")
_LONGEST, _MOST_WORDS = 80, 7  # characters of a line that dates what stands below it, and its words beside the date


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document, cleaned: a heading, paragraph, list item, table row, or `Label: value` of a form (field).

    `begins` marks the first row of a table, and the first item of a list, which a blank line keeps apart from one right
    above it. `heads` marks a row that the file itself says holds the heads of the columns; where a file says nothing,
    no row has the mark. `indent` says how far a block stands to the right, in any unit: what is indented more than an
    item belongs to it. `depth` is found from that (`rag.ingest.loaders.lists`): 1 for an item and what belongs to it, 2
    for a list within an item; 0 outside of lists.
    `turns` says where in `text` further pages begin, as (offset, page), when a paragraph runs across pages.
    """

    kind: BlockKind
    text: str
    level: int = 0
    page: int | None = None
    turns: tuple[tuple[int, int], ...] = ()
    begins: bool = False
    heads: bool = False
    indent: int = 0
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A block, and the offset of its first character in the document's text."""

    block: Block
    start: int


def grouped(items: Iterable[_T], belongs: Callable[[list[_T], _T], bool]) -> list[list[_T]]:
    """Return items in groups: each joins the group before it where it belongs to that, else it begins one.

    >>> grouped([1, 2, 7, 8], lambda group, number: number == group[-1] + 1)
    [[1, 2], [7, 8]]
    """
    groups: list[list[_T]] = []
    for item in items:
        if groups and belongs(groups[-1], item):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def row(cells: Sequence[str]) -> str:
    """Return the cells of a table row on one line, or an empty text where all are empty.

    >>> row(["Class A", "", "gloves"])
    '| Class A | | gloves |'
    """
    texts = [" ".join(cell.split()).replace("|", "/") for cell in cells]
    return " ".join(["|", *(f"{text} |" if text else "|" for text in texts)]) if any(texts) else ""


def table_blocks(rows: Iterable[Sequence[str]], *, heads: int = 0) -> Iterator[Block]:
    """Yield the rows of one table, the first of them marked as its beginning; rows without text are left out.

    The first `heads` rows hold the heads of columns, unless that would be all; 0 where the file does not say.
    """
    texts = [[" ".join(cell.split()) for cell in cells] for cells in rows]
    if not heads and (fields := fields_of(texts)):
        yield from (Block("field", field, begins=place == 0) for place, field in enumerate(fields))
        return
    written = [*map(row, texts)]
    marked = heads if heads < len(written) else 0
    told = [(text, place < marked) for place, text in enumerate(written) if text]
    yield from (Block("row", text, begins=index == 0, heads=head) for index, (text, head) in enumerate(told))


def only_title(blocks: Sequence[Block]) -> str | None:
    """Return the heading of level 1 where there is exactly one: of several, each is a chapter's."""
    titles = [block.text for block in blocks if block.kind == "heading" and block.level == 1]
    return titles[0] if len(titles) == 1 else None


def build(
    source: Source,
    blocks: Sequence[Block],
    *,
    metadata: DocumentMetadata,
    page_count: int = 0,
    chapter: int | None = None,
    notes: Sequence[str] = (),
) -> Document:
    """Return the document that these blocks are, with every offset exact.

    Args:
        source: The file.
        blocks: Its blocks in reading order; those without text are left out.
        metadata: What the document says of itself; a missing title becomes the only heading of level 1.
        page_count: Number of pages of the file; 0 where the format has none.
        chapter: Chapter number of the whole file, where it says so outside its headings.
        notes: What of the file could not be read, a sentence each.

    Raises:
        InvalidDocument: There is no text.
    """
    filled = [one for block in blocks if block.text.strip() for one in _rows_written_out(block)]
    text, placed = _join(settled(_with_dated_headings(filled)))
    if not any(character.isalnum() for character in text):
        raise refuse(source.name, "it holds no text", "Check that the file has content, and export it again")
    headings = [one for one in placed if one.block.kind == "heading"]
    title = metadata.title or only_title([one.block for one in placed])
    spans, columns = spans_of(placed)
    return Document(
        name=source.name,
        text=text,
        hash=source.hash,
        size_bytes=len(source.data),
        media_type=source.media_type,
        metadata=metadata.model_copy(update={"title": title}),
        pages=_page_spans(placed, page_count, len(text)),
        sections=make_sections(headings, len(text), chapter=chapter),
        blocks=spans,
        columns=columns,
        notes=tuple(notes),
    )


def _join(blocks: Sequence[Block]) -> tuple[str, list[Placed]]:
    text, placed = "", list[Placed]()
    for block in blocks:
        if placed:  # no blank line parts rows of a table, fields of a form, and what is in one list
            above = placed[-1].block
            is_one = above.kind == block.kind in ("row", "field") or (above.depth > 0 and block.depth > 0)
            text += "\n" if is_one and not block.begins else "\n\n"
        placed.append(Placed(block, len(text)))
        text += block.text
    return text, placed


def _rows_written_out(block: Block) -> Iterator[Block]:
    """Yield the rows of a paragraph that is a table written with strokes, its rule left out; else the block itself."""
    lines = block.text.strip().split("\n")
    if block.kind != "paragraph" or not all(map(cells, lines)):
        yield block
        return
    ruled = len(lines) > 1 and is_rule(lines[1])
    for place, line in enumerate(lines):
        if not is_rule(line):
            yield replace(block, kind="row", text=line.strip(), begins=place == 0, heads=ruled and place == 0, turns=())


def spans_of(placed: Sequence[Placed]) -> tuple[tuple[BlockSpan, ...], tuple[tuple[str, ...], ...]]:
    """Return where each block stands, its place in its list or table, and the heads of the columns of all tables."""
    spans: list[BlockSpan] = []
    columns: list[tuple[str, ...]] = []
    for group in grouped(
        placed, lambda table, one: not one.block.begins and table[-1].block.kind == one.block.kind == "row"
    ):
        if group[0].block.kind != "row":
            spans.append(_span(group[0]))
            continue
        marked = len(list(takewhile(lambda one: one.block.heads, group)))
        above, heads = heads_of([one.block.text for one in group], marked)
        if heads and heads not in columns:
            columns.append(heads)
        table = columns.index(heads) if heads else None
        spans += [_span(one, kind="heads") for one in group[:above]]
        places = enumerate(group[above:], start=1)
        spans += [_span(one, number=number, count=len(group) - above, table=table) for number, one in places]
    listed = zip(spans, places_of([one.block for one in placed]), strict=True)
    return tuple(span.model_copy(update=place) if place else span for span, place in listed), tuple(columns)


def _span(one: Placed, **known: Any) -> BlockSpan:
    return BlockSpan(**{"kind": one.block.kind, "start": one.start, "end": one.start + len(one.block.text), **known})


def _page_spans(placed: Sequence[Placed], page_count: int, length: int) -> tuple[PageSpan, ...]:
    """Return one span a page; each ends where the next begins, so that every offset lies on exactly one page."""
    first: dict[int | None, int] = {}
    for one in placed:
        for offset, page in ((0, one.block.page), *one.block.turns):
            first.setdefault(page, one.start + offset)
    spans, end = list[PageSpan](), length
    for number in range(page_count, 0, -1):
        start = first.get(number, end) if number > 1 else 0
        spans.append(PageSpan(number=number, start=start, end=end))
        end = start
    return tuple(reversed(spans))


def _with_dated_headings(blocks: Sequence[Block]) -> list[Block]:
    found = [part for block in blocks for part in _parted(block)]
    chosen = _chosen(found)
    if not chosen:
        return list(blocks)
    first = min(chosen)
    found[0] = _as_title(found[0]) if first else found[0]
    level = 1 + max((block.level for block in found[:first] if block.kind == "heading"), default=0)
    below = [(place, block) for place, block in enumerate(found) if place >= first and block.kind == "heading"]
    deeper = Counter(block.text for _, block in below if block.level >= level)
    for place, block in below:
        if block.level >= level and deeper[block.text] > 1:  # `Added`, `Fixed`: they recur within the versions
            found[place] = replace(block, level=block.level + 1)
    for place in chosen:
        text = found[place].text.rstrip(": ")
        found[place] = replace(found[place], kind="heading", text=text, level=level, indent=0)
    return found


def _parted(block: Block) -> list[Block]:
    parts = block.text.split("\n", 1)
    is_dated = len(parts) == 2 and not block.turns and _version(replace(block, text=parts[0]))
    return [replace(block, text=part) for part in parts] if is_dated else [block]


def _version(block: Block) -> Version | None:
    text = block.text
    if block.kind != "paragraph" or block.indent or len(text) > _LONGEST or text.endswith((".", ",", ";", "?", "!")):
        return None
    version = version_of(text)
    return version if version and len(version.series[0].split()) <= _MOST_WORDS else None


def _as_title(block: Block) -> Block:
    is_line = block.kind == "paragraph" and len(block.text) <= _LONGEST and block.text[-1:].isalnum()
    return replace(block, kind="heading", level=1) if is_line and "\n" not in block.text else block


def _chosen(blocks: Sequence[Block]) -> set[int]:
    """Return the places of the lines that name several versions of one series, most of them right above other text."""
    series: defaultdict[tuple[str, bool, bool], dict[int, Version]] = defaultdict(dict)
    for place, block in enumerate(blocks):
        if version := _version(block):
            series[version.series][place] = version
    candidates = {place for places in series.values() for place in places}
    chosen: set[int] = set()
    for places in series.values():
        above_text = sum(place + 1 < len(blocks) and place + 1 not in candidates for place in places)
        below_heading = sum(place > 0 and blocks[place - 1].kind == "heading" for place in places)
        are_several = len({version.order for version in places.values()}) > 1
        if are_several and 2 * above_text > len(places) and 2 * max(below_heading - 1, 0) < len(places):
            chosen.update(places)
    return chosen
