"""Books in EPUB: the web pages in them, in the order in which they are read, and what the book says of itself."""

import posixpath
import re
from urllib.parse import unquote

from lxml.etree import _Element

from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.cleaning import decode, squeeze
from rag.ingest.loaders.html import VOID, fragment_blocks
from rag.ingest.loaders.metadata import identified, year_of
from rag.ingest.loaders.source import Source, leads_out, open_archive, parsed_xml, read_entry, refuse, xml_part
from rag.models import Document, DocumentMetadata

_PAGES = ("application/xhtml+xml", "text/html")
_EMPTY = re.compile(r"<([a-zA-Z][\w:-]*)((?:\s[^<>]*)?)/>")
_AGAIN = "Export it again as EPUB without protection"


def load_epub(source: Source) -> Document:
    """Return a book; it has no pages, since a reader's screen makes them."""
    archive = open_archive(source.name, source.data)
    container = parsed_xml(read_entry(source.name, archive, "META-INF/container.xml"))
    path = next((one.get("full-path", "") for one in container.iter("{*}rootfile")), "")
    package, locks = parsed_xml(read_entry(source.name, archive, path)), xml_part(archive, "META-INF/encryption.xml")
    references = locks.iter("{*}CipherReference") if locks is not None else ()
    locked = {unquote(one.get("URI", "")) for one in references}  # fonts often are, and nothing is lost with them

    def ended(tag: re.Match[str]) -> str:  # `<title/>` with the end that HTML asks for, unless it never has one
        return tag[0] if tag[1].lower() in VOID else f"<{tag[1]}{tag[2]}></{tag[1]}>"

    blocks, notes = list[Block](), list[str]()
    for page in _spine(package, posixpath.dirname(path)):
        if page in locked:
            raise refuse(source.name, "it is protected against copying", _AGAIN)
        if page in archive.namelist():
            text = decode(read_entry(source.name, archive, page))
            blocks += fragment_blocks(source.name, _EMPTY.sub(ended, text))
        else:
            notes.append(f"The part {page!r} is missing from the file. {_AGAIN}.")
    return build(source, blocks, metadata=identified(source.name, blocks, _metadata(package)), notes=notes)


def _spine(package: _Element, folder: str) -> list[str]:
    items = {one.get("id"): one for one in package.iter("{*}item")}
    paths = list[str]()
    for named in (one.get("idref", "") for one in package.iter("{*}itemref")):
        item = items.get(named)
        if item is None:
            paths.append(named)  # it names nothing, and is told as missing
        elif item.get("media-type") in _PAGES and "nav" not in (item.get("properties") or "").split():
            paths.append(posixpath.normpath(posixpath.join(folder, unquote(item.get("href", "")))))
    return [path for path in paths if not leads_out(path)]


def _metadata(package: _Element) -> DocumentMetadata:
    def said(tag: str) -> list[str]:
        texts = (squeeze(one.text or "") for one in package.iter(f"{{http://purl.org/dc/elements/1.1/}}{tag}"))
        return [text for text in texts if text]

    return DocumentMetadata(
        title=next(iter(said("title")), None),
        authors=tuple(dict.fromkeys(said("creator"))),
        year=year_of(" ".join(said("date"))),
        publisher=next(iter(said("publisher")), None),
    )
