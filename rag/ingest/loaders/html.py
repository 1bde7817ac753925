"""Web pages: the main text with its headings, lists and tables; menus, banners and scripts left out."""

import re
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block, build, only_title
from rag.ingest.loaders.cleaning import Decoded, decode_declared, decode_noting
from rag.ingest.loaders.html_blocks import blocks_of, mark_signs
from rag.ingest.loaders.html_depth import check_depth
from rag.ingest.loaders.html_fields import write_fields
from rag.ingest.loaders.html_metadata import page_metadata
from rag.ingest.loaders.html_panels import show_panels
from rag.ingest.loaders.html_unseen import remove_menus, remove_unseen
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.source import Source
from rag.models import Document

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_META_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.I)
_OUTSIDE = "body > header, body > footer, body > aside, [role=banner], [role=contentinfo], [role=complementary]"
_MAIN = ("main article", "article", "main", "[role=main]", "#mw-content-text", "#content", ".content")


def load_html(source: Source) -> Document:
    """Return the main text of a web page.

    Raises:
        InvalidDocument: There is no text, or its elements are nested too deeply.
    """
    from selectolax.lexbor import LexborHTMLParser

    raw = _decode(source.data)
    check_depth(source.name, raw.text)
    tree = LexborHTMLParser(raw.text)
    metadata = page_metadata(tree)
    hidden = _prepare(tree)
    root = _main(tree)
    menus = remove_menus(root) if root is not None else ()
    blocks = list(blocks_of(root)) if root is not None else []
    titled = any(block.kind == "heading" and block.level == 1 for block in blocks)
    if metadata.title and not titled and any(block.text.strip() for block in blocks):
        blocks.insert(0, Block("heading", metadata.title, level=1))
    heading = only_title(blocks)
    head = "\n".join(block.text for block in blocks[:12])
    title = metadata.title or heading
    metadata = metadata.model_copy(update={"title": title, "identifiers": identify(source.name, title, head)})
    is_declared = root is not None and root.tag != "body"
    return build(source, blocks, metadata=metadata, notes=(*raw.notes, *hidden, *(menus if is_declared else ())))


def _prepare(tree: "LexborHTMLParser") -> tuple[str, ...]:
    """Make a page ready to be walked: panels shown, fields written, what nobody sees removed; return notes on that."""
    show_panels(tree)
    hidden = remove_unseen(tree)
    write_fields(tree)
    mark_signs(tree)
    return hidden


def _decode(data: bytes) -> Decoded:
    """Return the page as text: by byte order mark, by its own declaration, or by trial."""
    declared = _META_CHARSET.search(data[:4096])
    return decode_declared(data, declared[1].decode("ascii")) if declared else decode_noting(data)


def _main(tree: "LexborHTMLParser") -> "LexborNode | None":
    """Return the element that holds most of the page's text: its declared main part, or the body without its frame."""
    body = tree.body
    if body is None:
        return None
    whole = len(body.text())
    for selector in _MAIN:
        found = tree.css(selector)
        if len(found) == 1 and len(found[0].text()) >= 0.4 * whole:
            return found[0]
    for node in tree.css(_OUTSIDE):
        node.decompose()
    return body


def fragment_blocks(name: str, text: str) -> list[Block]:
    """Return the blocks of a piece of HTML that stands in another text.

    Raises:
        InvalidDocument: Its elements are nested too deeply; `name` is the file that it stands in.
    """
    from selectolax.lexbor import LexborHTMLParser

    check_depth(name, text)
    tree = LexborHTMLParser(text)
    _prepare(tree)
    return list(blocks_of(tree.body)) if tree.body is not None else []
