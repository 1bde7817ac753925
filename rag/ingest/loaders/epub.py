"""Books in EPUB: the web pages in them, in the order in which they are read, and what the book says of itself."""

import posixpath
import re
import zipfile
from typing import TYPE_CHECKING
from urllib.parse import unquote

from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.cleaning import decode, squeeze
from rag.ingest.loaders.html import fragment_blocks
from rag.ingest.loaders.metadata import identified, year_of
from rag.ingest.loaders.source import Source, leads_out, open_archive, parsed_xml, read_entry, refuse
from rag.models import Document, DocumentMetadata

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html")
_EMPTY = re.compile(r"<([a-zA-Z][\w:-]*)((?:\s[^<>]*)?)/>")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_AGAIN = "Export it again as EPUB without protection"


def load_epub(source: Source) -> Document:
    """Return a book; it has no pages, since a reader's screen makes them.

    Raises:
        InvalidDocument: It is broken, protected, or has no text.
    """
    archive = open_archive(source.name, source.data)
    container = _xml(source.name, archive, _CONTAINER)
    path = next((one.get("full-path", "") for one in container.iter("{*}rootfile")), "")
    package = _xml(source.name, archive, path)
    locked = _locked(source.name, archive)
    blocks: list[Block] = []
    notes: list[str] = []
    for page in _spine(package, posixpath.dirname(path)):
        if page in locked:
            raise refuse(source.name, "it is protected against copying", _AGAIN)
        if page in archive.namelist():
            blocks += fragment_blocks(source.name, _html(decode(read_entry(source.name, archive, page))))
        else:
            notes.append(f"The part {page!r} is missing from the file. {_AGAIN}.")
    return build(source, blocks, metadata=identified(source.name, blocks, _metadata(package)), notes=notes)


def _xml(name: str, archive: zipfile.ZipFile, path: str) -> "_Element":
    """Return a part of the book in XML; entities of its own are not followed."""
    from lxml import etree

    try:
        return parsed_xml(read_entry(name, archive, path))
    except etree.XMLSyntaxError as error:
        raise refuse(name, f"its part {path!r} is broken", _AGAIN) from error


def _locked(name: str, archive: zipfile.ZipFile) -> set[str]:
    """Return the entries that are encrypted; fonts often are, and nothing is lost with them."""
    if _ENCRYPTION not in archive.namelist():
        return set()
    return {unquote(one.get("URI", "")) for one in _xml(name, archive, _ENCRYPTION).iter("{*}CipherReference")}


def _spine(package: "_Element", folder: str) -> list[str]:
    """Return the paths of the pages in reading order, without the table of contents."""
    items = {one.get("id"): one for one in package.iter("{*}item")}
    found = [items[one.get("idref")] for one in package.iter("{*}itemref") if one.get("idref") in items]
    is_contents = {id(one) for one in found if "nav" in (one.get("properties") or "").split()}
    paths = [
        posixpath.normpath(posixpath.join(folder, unquote(one.get("href", ""))))
        for one in found
        if one.get("media-type") in _PAGES and id(one) not in is_contents
    ]
    return [path for path in paths if not leads_out(path)]


def _html(page: str) -> str:
    """Return XHTML as HTML: `<title/>` and `<a id="x"/>` have an end, which a parser of HTML would miss."""
    return _EMPTY.sub(lambda one: one[0] if one[1].lower() in _VOID else f"<{one[1]}{one[2]}></{one[1]}>", page)


def _metadata(package: "_Element") -> DocumentMetadata:
    def said(tag: str) -> list[str]:
        texts = (squeeze(one.text or "") for one in package.iter(f"{{http://purl.org/dc/elements/1.1/}}{tag}"))
        return [text for text in texts if text]

    return DocumentMetadata(
        title=next(iter(said("title")), None),
        authors=tuple(dict.fromkeys(said("creator"))),
        year=year_of(" ".join(said("date"))),
        publisher=next(iter(said("publisher")), None),
    )
