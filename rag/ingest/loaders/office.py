"""What office formats share: the properties of a file, and XML parts of a ZIP archive read without entities."""

import io
import re
import zipfile
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block, only_title
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.identifiers import identify, is_placeholder
from rag.ingest.loaders.numbering import parse_title
from rag.ingest.loaders.source import Source
from rag.models import DocumentMetadata

if TYPE_CHECKING:
    from lxml.etree import _Element

_PROGRAMS = frozenset(("python-docx", "python-pptx", "openpyxl", "unknown", "user", "admin", "author", "steve canny"))
_TEMPLATE = re.compile(r"(?:word|microsoft word|powerpoint|document|presentation|untitled|template)\b.*", re.I)


def office_metadata(
    source: Source,
    blocks: Sequence[Block],
    *,
    title: str | None = None,
    author: str | None = None,
    created: date | None = None,
    extra: Sequence[str] = (),
) -> DocumentMetadata:
    """Return what the properties of an office file say of it, those that programs fill in left out.

    Args:
        source: The file.
        blocks: Its blocks, for a title that the properties lack.
        title: The title property.
        author: The author property, names between semicolons or commas.
        created: When it was created; without an author it is the template's.
        extra: More properties that may tell it from its siblings, as the subject.
    """
    authors = tuple(squeeze(name) for name in re.split(r"[;,]", author or "") if is_person(name))
    told = title_of(title or "", blocks)
    head = "\n".join(block.text for block in blocks[:12])
    return DocumentMetadata(
        title=told,
        authors=authors,
        year=created.year if created and created.year > 2000 and is_person(author or "") else None,
        identifiers=identify(source.name, told, head, extra),
    )


def is_person(name: str) -> bool:
    """Return whether an author property is one: libraries and word processors write their own names there."""
    return bool(name.strip()) and name.strip().casefold() not in _PROGRAMS


def title_of(title: str, blocks: Sequence[Block]) -> str | None:
    """Return the title property, unless it is a template's; else the heading that the document begins with."""
    known = squeeze(title)
    if known and not _TEMPLATE.fullmatch(known) and not is_placeholder(known):
        return known
    first = blocks[0] if blocks else None
    if first and first.kind == "heading" and first.level == 1 and parse_title(first.text).kind == "plain":
        return first.text
    return only_title(blocks)


def xml_part(archive: zipfile.ZipFile, name: str) -> "_Element | None":
    """Return the root of an XML part of an archive, entities unresolved; None where the archive lacks it."""
    from lxml import etree

    if name not in archive.namelist():
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    return etree.parse(io.BytesIO(archive.read(name)), parser).getroot()
