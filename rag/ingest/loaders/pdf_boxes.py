"""Where excerpts stand on a page of a PDF, so that a viewer can highlight them.

Boxes are in points, 72 to the inch, from the top left corner of the page as it is shown, y downwards.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from io import BytesIO
from itertools import groupby
from pathlib import Path
from sys import maxsize
from typing import NamedTuple

from rag.ingest.loaders.pdf_blocks import runs_of, visual_lines
from rag.ingest.loaders.pdf_words import Page, Word, open_pdf, read_page
from rag.ingest.loaders.source import read_source, refuse

_SHORTEST_RUN = 3
"""Fewest words in a row that are taken for a part of an excerpt which does not stand on the page as a whole."""


class Box(NamedTuple):
    """A rectangle of a page: the part of an excerpt that stands on one line."""

    x0: float
    y0: float
    x1: float
    y1: float


def excerpt_boxes(path: Path, page: int, excerpt: str) -> list[Box]:
    """Return where an excerpt stands on a page: one box a line, top to bottom of the text.

    White space, case, hyphens at line ends and the bars between table cells make no difference. Of an excerpt that
    begins or ends on another page, the part on this page is returned; an empty list where nothing of it is found.

    Args:
        path: A PDF file.
        page: Page number from 1.
        excerpt: The text to find.

    Raises:
        InvalidDocument: The file is missing, encrypted or broken, or has no such page.
    """
    lines = _lines(_read(path, page))
    words = [(number, word) for number, line in enumerate(lines) for word in line]
    texts = [_letters(word.text) for _, word in words]
    found = _find(texts, excerpt)
    groups = groupby(sorted(found), key=lambda index: words[index][0])
    return [_union([words[index][1] for index in group]) for _, group in groups]


def _read(path: Path, page: int) -> Page:
    source = read_source(path, max_bytes=maxsize)  # within the limit when it was ingested
    with open_pdf(source) as document:
        if not 1 <= page <= len(document):
            raise refuse(path.name, f"it has no page {page}", f"Its pages are 1 to {len(document)}")
        return read_page(document, page)


def _lines(page: Page) -> list[tuple[Word, ...]]:
    """Return the words of a page line by line, cell by cell in tables; those in other directions come last."""
    return [
        line.read for part in page.parts for _, run in runs_of(part, part.words) for line in visual_lines(run, part)
    ]


def _letters(text: str) -> str:
    """Return the letters and digits of a text, case folded: what hyphens and bars do not change."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _find(texts: Sequence[str], excerpt: str) -> set[int]:
    """Return the indexes of the page's words that make up the excerpt."""
    whole = _run(texts, _letters(excerpt), 0)
    if whole:
        return set(whole)
    found: set[int] = set()
    near = 0
    for piece in excerpt.split("|"):
        run = _run(texts, _letters(piece), near) if "|" in excerpt else None
        found.update(run or _longest_runs(texts, piece))
        near = min(run) if run else near
    return found


def _run(texts: Sequence[str], wanted: str, near: int) -> range | None:
    """Return the words whose letters contain `wanted` in one stretch, the occurrence from word `near` on first."""
    starts, joined = [0], "".join(texts)
    for text in texts:
        starts.append(starts[-1] + len(text))
    if not wanted:
        return None
    matches = [match.start() for match in re.finditer(re.escape(wanted), joined)]
    whole = [at for at in matches if at in set(starts)] or matches
    best = min(whole, key=lambda at: (at < starts[near], at), default=None)
    if best is None:
        return None
    return range(bisect_right(starts, best) - 1, bisect_right(starts, best + len(wanted) - 1))


def _longest_runs(texts: Sequence[str], piece: str) -> Iterable[int]:
    """Yield the words of all runs that page and excerpt share, each of at least three words."""
    wanted = [letters for letters in map(_letters, piece.split()) if letters]
    matcher = SequenceMatcher(None, texts, wanted, autojunk=False)
    for block in matcher.get_matching_blocks():
        if block.size >= min(_SHORTEST_RUN, max(len(wanted), 1)):
            yield from range(block.a, block.a + block.size)


def _union(words: Sequence[Word]) -> Box:
    x0, y0, x1, y1 = zip(*(word.shown for word in words), strict=True)
    return Box(min(x0), min(y0), max(x1), max(y1))


def single_page(path: Path, page: int) -> tuple[bytes, int]:
    """Return one page as a PDF, and how many pages the whole has.

    Args:
        path: A PDF file.
        page: Page number from 1.

    Raises:
        InvalidDocument: The file is missing, encrypted or broken, or has no such page.
    """
    import pypdfium2 as pdfium  # type: ignore[import-untyped]

    with open_pdf(read_source(path, max_bytes=maxsize)) as document:  # within the limit when it was ingested
        if not 1 <= page <= len(document):
            raise refuse(path.name, f"it has no page {page}", f"Its pages are 1 to {len(document)}")
        alone, buffer = pdfium.PdfDocument.new(), BytesIO()
        alone.import_pages(document, [page - 1])
        alone.save(buffer)
        alone.close()
        return buffer.getvalue(), len(document)
