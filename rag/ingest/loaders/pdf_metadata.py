"""What a PDF says of itself: title, author and year, from its properties or from its first page."""

import re
from collections.abc import Sequence

from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.identifiers import identify, is_placeholder
from rag.ingest.loaders.numbering import parse_title
from rag.ingest.loaders.pdf_layout import Line
from rag.ingest.loaders.source import Source
from rag.models import DocumentMetadata

_DATED = re.compile(r"effective|issued|dated|revised|end(?:ed|ing)", re.I)


def metadata_of(
    source: Source, properties: dict[str, str], first: Sequence[Line], running: Sequence[str]
) -> DocumentMetadata:
    """Return title, author and year from the properties where they tell something, else from the first page."""
    title = squeeze(properties.get("Title", ""))
    if not _tells(title):
        title = _largest(first) or ""
    head = "\n".join(line.text for line in first)
    author = squeeze(properties.get("Author", ""))
    extra = [*running[:2], squeeze(properties.get("Subject", ""))]
    return DocumentMetadata(
        title=title or None,
        authors=() if is_placeholder(author) else (author,),
        year=_year(head),
        identifiers=identify(source.name, title or None, head, extra),
    )


def _year(head: str) -> int | None:
    """Return the year of the date that the first page gives; the file may have been made in any other year."""
    dates = [text for text in identify("", None, head) if _DATED.search(text)]
    years = re.findall(r"\b(?:19|20)\d\d\b", " ".join(dates))
    return int(years[0]) if years else None


def _tells(title: str) -> bool:
    """Whether a title property is one, and not a file name, a number, or what a program wrote."""
    words = [word for word in re.findall(r"[^\W\d_]+", title) if len(word) > 2]
    program = re.match(r"(?:microsoft|untitled|document\d|slide|powerpoint|word -|\(anonymous\))", title, re.I)
    return len(words) >= 2 and not program and not re.search(r"\.(?:docx?|pdf|indd|tex|xlsx?|qxd)$", title, re.I)


def _largest(lines: Sequence[Line]) -> str | None:
    """Return the text set largest on the first page, where it is larger than the rest and short.

    A numbered line of that size with other lines above it is the heading of what follows, and ends the title.
    """
    if not lines:
        return None
    size = max(line.size for line in lines[:25])
    largest = [(index, line.text) for index, line in enumerate(lines[:25]) if line.size == size]
    headings = [index for index, text in largest[1:] if parse_title(text).kind != "plain"]
    text = " ".join(text for index, text in largest if not headings or index < headings[0])
    return text if len(text) <= 150 and size > min(line.size for line in lines) else None
