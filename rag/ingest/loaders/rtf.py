r"""Rich Text Format: words by striprtf, headings by outline level, title and author from the group `\info`."""

import re
from collections.abc import Iterator

from striprtf.striprtf import rtf_to_text

from rag.ingest.loaders.blocks import Block, build, table_blocks
from rag.ingest.loaders.cleaning import clean, squeeze
from rag.ingest.loaders.lists import ITEM
from rag.ingest.loaders.metadata import authors_of, identified, is_person, title_of
from rag.ingest.loaders.source import Source
from rag.models import Document, DocumentMetadata

_LEVEL = re.compile(r"\\outlinelevel(\d)(?!\d) ?")
_MARKED = re.compile("\ue000(\\d)\ue001")
"""Stands where a paragraph has an outline level; striprtf keeps letters and drops what it does not know."""
_DESTINATION = r"\{\\%s ((?:[^{}\\]|\\[^{}])*)\}"
_YEAR = re.compile(r"\\creatim\s*\\yr(\d{4})")
_STYLES = re.compile(r"\{\\stylesheet(?:[^{}]|\{[^{}]*\})*\}")
_LEVEL_9 = 9  # the level that says that a paragraph is body text


def load_rtf(source: Source) -> Document:
    """Return a text in Rich Text Format; it has no pages, since they are made when it is printed."""
    raw = source.data.decode("latin-1")
    marked = _LEVEL.sub(lambda found: f"\\u57344?{found[1]}\\u57345?", _STYLES.sub("", raw))
    blocks = list(_blocks(rtf_to_text(marked, errors="replace")))  # type: ignore[no-untyped-call]
    said = {
        name: rtf_to_text(f"{{\\rtf1 {text}}}")  # type: ignore[no-untyped-call]
        for name in ("title", "author", "subject")
        for text in re.findall(_DESTINATION % name, raw)[:1]
    }
    author, made = said.get("author", ""), _YEAR.search(raw)
    metadata = DocumentMetadata(
        title=title_of(said.get("title", ""), blocks),
        authors=authors_of(author) if is_person(author) else (),
        year=int(made[1]) if made and is_person(author) else None,
    )
    return build(source, blocks, metadata=identified(source.name, blocks, metadata, [said.get("subject", "")]))


def _blocks(text: str) -> Iterator[Block]:
    """Yield the lines of a text: headings by their marks, rows by their bars, items by what they begin with."""
    rows: list[list[str]] = []
    for line in clean(text).split("\n"):
        level, words = _MARKED.search(line), squeeze(_MARKED.sub("", line))
        if words.endswith("|"):
            rows.append([cell.strip() for cell in words[:-1].split("|")])
            continue
        yield from table_blocks(rows)
        rows = []
        if level and int(level[1]) < _LEVEL_9:
            yield Block("heading", words, level=int(level[1]) + 1)
        else:
            yield Block("item" if ITEM.match(words) else "paragraph", words)
    yield from table_blocks(rows)
