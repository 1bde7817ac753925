"""PDF: text in reading order with its pages, headings, tables and forms; running heads and page numbers removed."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from statistics import median

import pypdfium2 as pdfium  # type: ignore[import-untyped]
from PIL.Image import Image

from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.cleaning import clean, squeeze
from rag.ingest.loaders.metadata import identify, is_placeholder, year_stated
from rag.ingest.loaders.ocr import OcrLine, frames_of, page_ranges, read_note
from rag.ingest.loaders.pdf_blocks import Body, blocks_of, runs_of
from rag.ingest.loaders.pdf_bombs import check_bombs, decrypted
from rag.ingest.loaders.pdf_forms import xfa_fields
from rag.ingest.loaders.pdf_furniture import find_furniture, printed_number, without_line_numbers
from rag.ingest.loaders.pdf_grids import Drawn
from rag.ingest.loaders.pdf_order import Line, make_lines
from rag.ingest.loaders.pdf_words import Page, Part, Word, open_pdf, read_page
from rag.ingest.loaders.source import Source, page_begun, refuse
from rag.ingest.loaders.structure import parse_title
from rag.models import Document, DocumentMetadata
from rag.text.words import fold

_FILE_NAME = re.compile(r"\.(?:docx?|pdf|indd|tex|xlsx?|qxd)$", re.I)
_DPI = 200  # Dots to the inch at which a page is drawn for text recognition.
_TALL = 1.3  # a line of a picture is of another size than most where it is higher or lower by this factor
_POINTS = 10.0  # how high most lines of a picture are taken to be, whose dots to the inch are not known
_MOST_RANGES = 20  # Runs of pages that a note names.
_PLACEHOLDER = 1500  # letters of a page that asks to wait for a program which draws a form; more say something
_OCR = "run text recognition (OCR) on the file and ingest the result"

PageReader = Callable[[Image], Sequence[OcrLine]]


def load_pdf(source: Source, page_reader: PageReader | None = None) -> Document:
    """Return a PDF as a document.

    Args:
        source: The file.
        page_reader: Reads the text off the picture of a page that has none, or none that can be read; where it is
            None such pages are left out, with a note.

    Raises:
        InvalidDocument: It is encrypted, broken, unpacks to far too much, or has no text (scanned pages).
    """
    check_bombs(source.name, source.data)
    with open_pdf(source) as document:
        if (plain := decrypted(document)) is not None:
            check_bombs(source.name, plain)
        fields = xfa_fields(document)
        pages = [_read(document, number + 1, page_reader) for number in range(len(document))]
        outline, properties = _outline(document), document.get_metadata_dict()
    if fields is not None and pages[0].letters < _PLACEHOLDER:  # its page only asks to wait for what draws the form
        if not fields:
            reason = "it is an XFA form without data, which only some PDF readers can draw"
            raise refuse(source.name, reason, "Open it in such a reader, print it to a new PDF and ingest that")
        filled = [Block("field", text, page=1) for text in fields]
        return build(source, filled, metadata=_metadata(source, properties, [], []), page_count=len(pages))
    return _document(source, pages, outline, properties)


def load_picture(source: Source) -> Document:
    """Return a picture as a document; each frame of a TIFF is a page.

    Raises:
        InvalidDocument: It shows no text, is far too large, or what reads pictures is not installed.
    """
    frames, media_type = frames_of(source)
    heights = [line.height for lines, _ in frames for line in lines]
    if not heights:
        raise refuse(source.name, "no text can be seen on it", "Leave it out, or scan it again at 200 dpi")
    scale = _POINTS / median(heights)
    pages = [
        Page(number, (Part(height * scale, tuple(_words_of(lines, scale)), Drawn()),), recognised=lines)
        for number, (lines, height) in enumerate(frames, 1)
    ]
    notes = [read_note({page.number: page.recognised for page in pages if page.recognised})]
    if empty := [str(page.number) for page in pages if not page.recognised]:
        notes.append(f"No text could be seen on {'page' if len(empty) == 1 else 'pages'} {', '.join(empty)}.")
    document = _document(source, pages, {}, {}, notes)
    return document.model_copy(update={"media_type": media_type or document.media_type})


def _document(
    source: Source,
    pages: Sequence[Page],
    outline: Mapping[tuple[int, str], int],
    properties: Mapping[str, str],
    notes: Sequence[str] | None = None,
) -> Document:
    """Return the document that these pages are; without `notes`, there must be text, and it has those on that."""
    bodies, running, labels = _bodies(pages)
    if notes is None:
        notes = _notes(pages, bodies)
        _check_text(source, pages, notes)
    words = [word for line in bodies[0].lines for word in line.words]
    first = [(line, run.kind) for _, run in runs_of(bodies[0].part, words) for line in run.lines][:25]
    metadata = _metadata(source, properties, first, running)
    built = build(source, list(blocks_of(bodies, outline)), metadata=metadata, page_count=len(pages), notes=notes)
    spans = [span.model_copy(update={"label": label}) for span, label in zip(built.pages, labels, strict=True)]
    return built.model_copy(update={"pages": tuple(spans)})


def _read(document: pdfium.PdfDocument, number: int, page_reader: PageReader | None) -> Page:
    """Return a page; where its own text cannot be read, with what the reader finds on its picture."""
    page_begun(number, len(document))
    page = read_page(document, number)
    if not page.is_unreadable and (page.letters or page.is_empty):
        return page
    lines = page_reader(document[number - 1].render(scale=_DPI / 72).to_pil()) if page_reader is not None else []
    words = tuple(_words_of(lines, 72 / _DPI))
    return replace(page, parts=(replace(page.parts[0], words=words, turn=0),), recognised=lines if words else [])


def _words_of(lines: Sequence[OcrLine], scale: float) -> Iterator[Word]:
    """Yield the words of recognised lines in points, each with its share of the line's box; `scale` is points a dot."""
    order, usual = count(), median(line.height for line in lines) if lines else 0.0
    for line in lines:
        x0, y0, x1, y1 = (edge * scale for edge in line.box)
        size = (usual if usual / _TALL < line.height < usual * _TALL else line.height) * scale
        letter = (x1 - x0) / max(len(line.text), 1)
        for word in line.text.split():
            box = (x0, y0, x0 + letter * len(word), y1)
            yield Word(word, *box, size, order=next(order), shown=box)
            x0 += letter * (len(word) + 1)


def _outline(document: pdfium.PdfDocument) -> dict[tuple[int, str], int]:
    """Return the level, from 1, of each entry of the outline by its page and folded title."""
    found = {}
    for entry in document.get_toc():
        target = entry.get_dest()
        index = target.get_index() if target is not None else None
        if index is not None:
            found[index + 1, fold(clean(entry.get_title()).strip())] = entry.level + 1
    return found


def _bodies(pages: Sequence[Page]) -> tuple[list[Body], list[str], list[str | None]]:
    """Return the text of pages without furniture, the lines that run through most, and the number printed on each."""
    parts = [page.parts[0] for page in pages]
    lines = [make_lines(without_line_numbers(part.words, part.height)) for part in parts]
    furniture, running = find_furniture(lines, [part.height for part in parts])
    bodies, labels = [], []
    for at, page in enumerate(pages):
        gone = {index for number, index in furniture if number == at}
        # The heads of a drawn table recur too; a box that holds nothing else goes.
        drawn = [{index for index, line in enumerate(lines[at]) if grid.holds(line.box)} for grid in parts[at].grids]
        gone = gone.difference(*(inside for inside in drawn if not inside <= gone))
        bodies.append(Body(page, parts[at], [line for index, line in enumerate(lines[at]) if index not in gone]))
        bodies += [Body(page, part, make_lines(part.words)) for part in page.parts[1:]]
        label = page.label or printed_number([lines[at][index] for index in sorted(gone)])
        labels.append(label if label != str(page.number) else None)
    return bodies, running, labels


def _check_text(source: Source, pages: Sequence[Page], notes: Sequence[str]) -> None:
    letters = sum(page.letters for page in pages)
    if letters == 0 or (letters < 10 and any(page.has_picture for page in pages)):
        advice = " ".join(notes) or "Export it again with its text"
        raise refuse(source.name, "it holds no text that can be read", advice)


def _notes(pages: Sequence[Page], bodies: Sequence[Body]) -> list[str]:
    """Return what could not be read, or by text recognition only, a sentence each, with the pages."""
    lost = [page.number for page in pages if page.is_unreadable and not page.recognised]
    read = {body.page.number for body in bodies if body.lines}.union(lost)
    bare = [page.number for page in pages if not page.is_empty and page.number not in read]
    slanted = {page.number: page.slanted for page in pages if page.slanted}
    notes = []
    if bare:
        notes.append(
            f"No text could be read on {_where(bare, len(pages))}: scanned pictures or drawings. To read it, {_OCR}."
        )
    if lost:
        told = f"The text of {_where(lost, len(pages))} cannot be read: its fonts have no Unicode map."
        notes.append(f"{told} To read it, {_OCR}.")
    if words := sum(slanted.values()):
        said = f"{words} word{'' if words == 1 else 's'} across the page, as of a watermark or a chart"
        notes.append(f"Slanted text was left out on {_where(slanted, len(pages))}: {said}.")
    if recognised := {page.number: page.recognised for page in pages if page.recognised}:
        notes.append(read_note(recognised))
    return notes


def _where(numbers: Collection[int], whole: int) -> str:
    ranges = page_ranges(numbers)
    if len(numbers) == 1:
        return f"page {next(iter(ranges))} of {whole}"
    named, rest = list(ranges)[:_MOST_RANGES], sum(list(ranges.values())[_MOST_RANGES:])
    return f"{len(numbers)} of {whole} pages ({', '.join(named)}{f' and {rest} more' if rest else ''})"


def _metadata(
    source: Source, properties: Mapping[str, str], first: Sequence[tuple[Line, str]], running: Sequence[str]
) -> DocumentMetadata:
    """Return title, author and year from the properties where they tell something, else from the first page."""
    title = squeeze(properties.get("Title", ""))
    if not _tells(title):
        title = _largest([line for line, kind in first if kind != "fields"]) or ""
    head = "\n".join(line.text for line, _ in first)
    author = squeeze(properties.get("Author", ""))
    return DocumentMetadata(
        title=title or None,
        authors=() if is_placeholder(author) else (author,),
        year=year_stated(head),  # The file may have been made in any other year.
        identifiers=identify(source.name, title or None, head, [*running[:2], squeeze(properties.get("Subject", ""))]),
    )


def _tells(title: str) -> bool:
    """Whether a title property is one, and not a file name, a number, or what a program wrote."""
    words = [word for word in re.findall(r"[^\W\d_]+", title) if len(word) > 2]
    return len(words) >= 2 and not is_placeholder(title) and not _FILE_NAME.search(title)


def _largest(lines: Sequence[Line]) -> str | None:
    """Return the text set largest on the first page, where it is larger than the rest or stands alone, and short."""
    size = max((line.size for line in lines), default=0.0)
    largest = [line for line in lines if line.size == size]
    # A numbered line of that size with other lines above it is the heading of what follows.
    end = next((at for at, line in enumerate(largest) if at and parse_title(line.text).kind != "plain"), None)
    text = " ".join(line.text for line in largest[:end])
    is_larger = len(lines) == 1 or any(line.size < size for line in lines)
    return text if is_larger and len(text) <= 150 and not text.endswith(".") else None
