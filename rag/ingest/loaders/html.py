"""Web pages: the main text with its headings, lists and tables; menus, banners and scripts left out."""

import json
import re
from collections import Counter
from contextlib import suppress
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.cleaning import decode_declared, decode_noting, squeeze
from rag.ingest.loaders.html_blocks import blocks_of, mark_signs
from rag.ingest.loaders.html_tree import remove_menus, remove_unseen, show_panels, write_fields
from rag.ingest.loaders.metadata import authors_of, identified, year_of
from rag.ingest.loaders.source import FLATTER, TOO_DEEP, Source, refuse
from rag.models import Document, DocumentMetadata

_META_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.I)
_OUTSIDE = "body > header, body > footer, body > aside, [role=banner], [role=contentinfo], [role=complementary]"
_MAIN = ("main article", "article", "main", "[role=main]", "#mw-content-text", "#content", ".content")
_DEEPEST = 2_000  # most elements within each other; a browser keeps 512, and a hand-made page has fewer than 50
_FEW_TAGS = 20_000  # a page with fewer is not looked at: it is parsed within a second, and refused by what walks it
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)(?:[^<>]{0,2000}(/)>)?")
VOID = frozenset(  # elements that hold nothing and have no end
    "area base br col embed frame hr img input link meta param source track wbr".split()  # noqa: SIM905
)
_ENDS_ITSELF = frozenset(  # elements that the next one of their kind ends
    ("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "caption", "colgroup", "option", "rt", "rp")
)


def load_html(source: Source) -> Document:
    """Return the main text of a web page.

    Raises:
        InvalidDocument: There is no text, or its elements are nested too deeply.
    """
    declared = _META_CHARSET.search(source.data[:4096])
    raw = decode_declared(source.data, declared[1].decode("ascii")) if declared else decode_noting(source.data)
    _check_depth(source.name, raw.text)
    tree = LexborHTMLParser(raw.text)
    metadata = _metadata(tree)
    hidden = _prepare(tree)
    root = _main(tree)
    menus, blocks = (remove_menus(root), list(blocks_of(root))) if root is not None else ((), [])
    titled = any(block.kind == "heading" and block.level == 1 for block in blocks)
    if metadata.title and not titled and any(block.text.strip() for block in blocks):
        blocks.insert(0, Block("heading", metadata.title, level=1))
    metadata = identified(source.name, blocks, metadata)
    is_declared = root is not None and root.tag != "body"
    return build(source, blocks, metadata=metadata, notes=(*raw.notes, *hidden, *(menus if is_declared else ())))


def fragment_blocks(name: str, text: str) -> list[Block]:
    """Return the blocks of a piece of HTML that stands in another text.

    Raises:
        InvalidDocument: Its elements are nested too deeply; `name` is the file that it stands in.
    """
    _check_depth(name, text)
    tree = LexborHTMLParser(text)
    _prepare(tree)
    return list(blocks_of(tree.body)) if tree.body is not None else []


def _prepare(tree: LexborHTMLParser) -> tuple[str, ...]:
    """Make a page ready to be walked: panels shown, fields written, what nobody sees removed; return notes on that."""
    show_panels(tree)
    hidden = remove_unseen(tree)
    write_fields(tree)
    mark_signs(tree)
    return hidden


def _main(tree: LexborHTMLParser) -> LexborNode | None:
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


def _metadata(tree: LexborHTMLParser) -> DocumentMetadata:
    meta: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        key = node.attributes.get("name") or node.attributes.get("property") or node.attributes.get("itemprop") or ""
        meta.setdefault(key.casefold(), squeeze(node.attributes.get("content") or ""))
    canonical = tree.css_first("link[rel=canonical]")
    linked, published = _linked_data(tree)
    title = tree.css_first("title")
    author = meta.get("author") or meta.get("article:author") or meta.get("dc.creator") or linked
    date = " ".join(meta.get(key, "") for key in ("article:published_time", "date", "dc.date", "article:modified_time"))
    url = _absolute(tree, (canonical.attributes.get("href") if canonical else None) or meta.get("og:url") or "")
    return DocumentMetadata(
        title=squeeze(title.text() if title else "") or meta.get("og:title") or None,
        authors=authors_of(author),
        year=year_of(f"{date} {published}"),
        url=url,
        publisher=meta.get("og:site_name") or meta.get("publisher") or None,
    )


def _absolute(tree: LexborHTMLParser, address: str) -> str | None:
    """Return an address, a relative one completed by the page's `<base href>`; metadata keep only web addresses."""
    base = tree.css_first("base[href]")
    with suppress(ValueError):  # such as http://[
        return urljoin((base.attributes.get("href") if base else None) or "", address.strip()) if address else None
    return None


def _linked_data(tree: LexborHTMLParser) -> tuple[str, str]:
    for node in tree.css('script[type="application/ld+json"]'):
        with suppress(ValueError):
            loaded = json.loads(node.text())
            if isinstance(loaded, dict) and ("author" in loaded or "datePublished" in loaded):
                author = loaded.get("author")
                name = author.get("name", "") if isinstance(author, dict) else author
                return name if isinstance(name, str) else "", str(loaded.get("datePublished", ""))
    return "", ""


def _check_depth(name: str, text: str) -> None:
    """Refuse a web page with more than `_DEEPEST` elements within each other, counted roughly."""
    stack: list[str] = []
    standing: Counter[str] = Counter()
    for match in _TAG.finditer(text) if text.count("<") >= _FEW_TAGS else ():
        tag = match[2].lower()
        if match[1]:
            while standing[tag]:  # it ends the innermost element of its kind and all within; without one, nothing
                standing[last := stack.pop()] -= 1
                if last == tag:
                    break
        elif tag not in VOID and not (match[3] and (standing["svg"] or standing["math"])):
            while tag in _ENDS_ITSELF and stack and stack[-1] in _ENDS_ITSELF:
                standing[stack.pop()] -= 1
            stack.append(tag)
            standing[tag] += 1
            if len(stack) > _DEEPEST:
                raise refuse(name, f"{TOO_DEEP} (more than {_DEEPEST:,} elements within each other)", FLATTER)
