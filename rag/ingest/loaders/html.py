"""Web pages: the main text with its headings, lists and tables; menus, banners and scripts left out."""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from rag.ingest.loaders.blocks import Block, build, only_title, table_blocks
from rag.ingest.loaders.cleaning import Decoded, clean, decode_noting, squeeze
from rag.ingest.loaders.html_depth import check_depth
from rag.ingest.loaders.identifiers import identify
from rag.ingest.loaders.source import Source
from rag.ingest.loaders.spans import Spanning, spread, without_empty_columns
from rag.models import Document, DocumentMetadata

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_META_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.I)
_NEVER = (
    "script, style, noscript, template, svg, iframe, object, form button, select, input, nav, dialog, [hidden], "
    "[role=navigation], [role=search], [aria-hidden=true], .toc, #toc, .navbox, .breadcrumb, .breadcrumbs, .noprint, "
    ".skip-link, .visually-hidden, .sr-only, .cookie-banner, .advertisement, .reference, .mw-editsection"
)
_BREAK = "\v"
"""Stands for `<br>` until lines are cut; a page cannot hold it otherwise, since it is white space to a parser."""
_WEB = re.compile(r"https?://", re.I)
_SIGN = re.compile(r"\(?[$€£]|[%)]{1,2}")
_OUTSIDE = "body > header, body > footer, body > aside, [role=banner], [role=contentinfo], [role=complementary]"
_MAIN = ("main article", "article", "main", "[role=main]", "#mw-content-text", "#content", ".content")
_BLOCKS = {
    "p", "div", "section", "article", "main", "body", "blockquote", "pre", "ul", "ol", "li", "dl", "dt", "dd", "table",
    "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "figure", "figcaption", "header", "footer", "aside",
    "address", "details", "summary", "fieldset", "form", "hr", "center", "html", "h1", "h2", "h3", "h4", "h5", "h6",
}  # fmt: skip


def load_html(source: Source) -> Document:
    """Return the main text of a web page.

    Raises:
        InvalidDocument: There is no text, or its elements are nested too deeply.
    """
    from selectolax.lexbor import LexborHTMLParser

    raw = _decode(source.data)
    check_depth(source.name, raw.text)
    tree = LexborHTMLParser(raw.text)
    metadata = _metadata(tree)
    _remove_unseen(tree)
    for node in tree.css("br"):
        node.replace_with(_BREAK)
    root = _main(tree)
    blocks = list(_walk(root, [])) if root is not None else []
    titled = any(block.kind == "heading" and block.level == 1 for block in blocks)
    if metadata.title and not titled and any(block.text.strip() for block in blocks):
        blocks.insert(0, Block("heading", metadata.title, level=1))
    heading = only_title(blocks)
    head = "\n".join(block.text for block in blocks[:12])
    title = metadata.title or heading
    metadata = metadata.model_copy(update={"title": title, "identifiers": identify(source.name, title, head)})
    return build(source, blocks, metadata=metadata, notes=raw.notes)


def _decode(data: bytes) -> Decoded:
    """Return the page as text: by byte order mark, by its own declaration, or by trial."""
    declared = _META_CHARSET.search(data[:4096])
    if declared and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        name = declared[1].decode("ascii").lower()
        try:
            return Decoded(data.decode("cp1252" if name in ("iso-8859-1", "latin1", "us-ascii") else name))
        except (LookupError, UnicodeDecodeError):
            return decode_noting(data)
    return decode_noting(data)


def _remove_unseen(tree: "LexborHTMLParser") -> None:
    """Remove what no reader of the page sees, from the last element to the first: inner ones before outer ones."""
    for node in reversed(tree.css(_NEVER)):
        node.decompose()
    for node in reversed(tree.css("[style]")):
        if node.tag not in ("html", "body") and _hides(node.attributes.get("style") or ""):
            node.decompose()


def _hides(style: str) -> bool:
    """Return whether an inline style hides its element; of two values of one property the last counts.

    >>> _hides("color: red; DISPLAY : none !important"), _hides("display: none; display: block")
    (True, False)
    """
    said = (each.partition(":") for each in re.sub(r"/\*.*?\*/", "", style, flags=re.S).casefold().split(";"))
    values = {name.strip(): re.sub(r"\s*!\s*important\s*$", "", value).strip() for name, _, value in said}
    return values.get("display") == "none" or values.get("visibility") == "hidden"


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


def _walk(node: "LexborNode", prefix: list[str]) -> Iterator[Block]:
    """Yield the blocks below an element; text that stands between block elements is a paragraph of its own."""
    loose: list[str] = []
    for child in node.iter(include_text=True):
        if child.tag in _BLOCKS or (child.tag != "-text" and _holds_blocks(child)):
            yield from _flush(loose, prefix)
            yield from _element(child, prefix)
        else:
            loose.append(_inline(child))
    yield from _flush(loose, prefix)


def _element(node: "LexborNode", prefix: list[str]) -> Iterator[Block]:
    tag = node.tag or ""
    if re.fullmatch(r"h[1-6]", tag):
        yield Block("heading", squeeze(_inline(node)), level=int(tag[1]))
    elif tag in ("ul", "ol"):
        yield from _list(node, numbered=tag == "ol")
    elif tag == "table":
        yield from _table(node, prefix)
    elif tag == "pre":
        yield Block("paragraph", clean(node.text()).strip("\n"))
    else:
        yield from _walk(node, prefix)


def _flush(loose: list[str], prefix: list[str]) -> Iterator[Block]:
    """Yield the collected text as a paragraph, or as a list item where a marker waits for its words."""
    text = "\n".join(filter(None, (squeeze(line) for line in "".join(loose).split(_BREAK))))
    loose.clear()
    if text:
        marker = prefix.pop() if prefix else ""
        yield Block("item" if marker else "paragraph", marker + text)


def _inline(node: "LexborNode") -> str:
    return (node.text_content if node.tag == "-text" else node.text()) or ""


def _holds_blocks(node: "LexborNode") -> bool:
    return any(inner.tag in _BLOCKS for inner in node.traverse(include_text=False))


def _list(node: "LexborNode", *, numbered: bool) -> Iterator[Block]:
    if _is_menu(node):
        return
    start = node.attributes.get("start") or "1"
    number = int(start) if start.isdigit() else 1
    for item in node.iter():
        if item.tag == "li":
            yield from _walk(item, [f"{number}. " if numbered else "- "])
            number += 1
        else:
            yield from _walk(item, [])


def _is_menu(node: "LexborNode") -> bool:
    """Whether a list only leads elsewhere: eight items or more, all short, nearly all of their words links."""
    items = node.css("li")
    linked = sum(len(link.text(strip=True)) for link in node.css("a"))
    length = len(node.text(strip=True))
    return len(items) >= 8 and linked >= 0.85 * length and length <= 45 * len(items)


def _table(node: "LexborNode", prefix: list[str]) -> Iterator[Block]:
    """Yield a row a line; a table that only lays out the page is walked like any other element."""
    rows = [line for line in node.css("tr") if _owner(line) == node.mem_id]
    cells = [[cell for cell in line.iter() if cell.tag in ("td", "th")] for line in rows]
    if node.css_first("table table") or max((len(line) for line in cells), default=0) < 2:
        yield from _walk(node, prefix)
        return
    if caption := node.css_first("caption"):
        yield Block("paragraph", squeeze(_inline(caption)))
    yield from table_blocks(_texts([[_spanning(cell) for cell in line] for line in cells]))


def _texts(cells: list[list[Spanning]]) -> list[list[str]]:
    """Return the texts of a table's rows; where signs have cells of their own, columns only lay out the figures."""
    if any(_SIGN.fullmatch(cell.text) for line in cells for cell in line):
        narrow = [[cell._replace(columns=1) for cell in line] for line in cells]
        return [_merge_signs(texts) for texts in spread(narrow)]
    return without_empty_columns(spread(cells))


def _spanning(cell: "LexborNode") -> Spanning:
    """Return a cell's text and how many columns and rows it takes."""
    text = " ".join(block.text for block in _walk(cell, []))
    return Spanning(text, columns=_span(cell, "colspan"), rows=_span(cell, "rowspan"))


def _span(cell: "LexborNode", name: str) -> int:
    value = (cell.attributes.get(name) or "1").strip()
    return int(value) if value.isdecimal() else 1


def _owner(node: "LexborNode") -> int | None:
    """Return the table that a row belongs to."""
    above = node.parent
    while above is not None and above.tag != "table":
        above = above.parent
    return above.mem_id if above is not None else None


def _merge_signs(cells: list[str]) -> list[str]:
    """Return cells without the empty ones that lay out figures, and with `$`, `%` and `)` beside their number."""
    merged: list[str] = []
    for cell in cells:
        if merged and (merged[-1] in ("$", "€", "£", "($") or re.fullmatch(r"[%)]{1,2}", cell)):
            merged[-1] += cell
        elif cell or not merged:
            merged.append(cell)
    return merged


def _metadata(tree: "LexborHTMLParser") -> DocumentMetadata:
    """Return what the head says: title, authors, date, canonical address, site."""
    meta: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        key = node.attributes.get("name") or node.attributes.get("property") or node.attributes.get("itemprop") or ""
        meta.setdefault(key.casefold(), squeeze(node.attributes.get("content") or ""))
    canonical = tree.css_first("link[rel=canonical]")
    linked = _linked_data(tree)
    title = tree.css_first("title")
    author = meta.get("author") or meta.get("article:author") or meta.get("dc.creator") or linked.get("author", "")
    date = " ".join(meta.get(key, "") for key in ("article:published_time", "date", "dc.date", "article:modified_time"))
    year = re.search(r"\b(1[5-9]|20)\d\d\b", date + " " + linked.get("datePublished", ""))
    url = _absolute(tree, (canonical.attributes.get("href") if canonical else None) or meta.get("og:url") or "")
    return DocumentMetadata(
        title=squeeze(title.text() if title else "") or meta.get("og:title") or None,
        authors=tuple(name.strip() for name in re.split(r";|,| and ", author) if name.strip()),
        year=int(year[0]) if year else None,
        url=url,
        publisher=meta.get("og:site_name") or meta.get("publisher") or None,
    )


def _absolute(tree: "LexborHTMLParser", address: str) -> str | None:
    """Return a web address, a relative one completed by the page's `<base href>`; None where that makes none."""
    base = tree.css_first("base[href]")
    stem = ((base.attributes.get("href") if base else None) or "").strip()
    try:
        url = urljoin(stem, address.strip()) if address and _WEB.match(stem) else address
    except ValueError:  # such as http://[
        return None
    return url if _WEB.match(url) else None


def _linked_data(tree: "LexborHTMLParser") -> dict[str, str]:
    """Return author and date of the page's first JSON-LD object that has them."""
    for node in tree.css('script[type="application/ld+json"]'):
        try:
            loaded = json.loads(node.text())
        except ValueError:
            continue
        if isinstance(loaded, dict) and ("author" in loaded or "datePublished" in loaded):
            author = loaded.get("author")
            name = author.get("name", "") if isinstance(author, dict) else author
            return {
                "author": name if isinstance(name, str) else "",
                "datePublished": str(loaded.get("datePublished", "")),
            }
    return {}
