"""Where excerpts stand on a page of a PDF, so that a viewer can highlight them.

Boxes are in points, 72 to the inch, from the top left corner of the page as it is shown, y downwards.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from difflib import SequenceMatcher
from io import BytesIO
from itertools import accumulate, groupby
from pathlib import Path
from sys import maxsize
from typing import NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from rag.ingest.loaders.pdf_blocks import runs_of
from rag.ingest.loaders.pdf_words import open_pdf, read_page
from rag.ingest.loaders.source import read_source, refuse

_MARGIN = 12.0  # points that stay beside what stands on a page
_SHORTEST_RUN = 3  # fewest words in a row that are a part of an excerpt which does not stand on the page as a whole


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
    with _opened(path, page) as document:
        parts = read_page(document, page).parts
    lines = [line.read for part in parts for _, run in runs_of(part, part.words) for line in run.visual_lines()]
    words = [(number, word) for number, line in enumerate(lines) for word in line]
    found = _find([_letters(word.text) for _, word in words], excerpt)
    groups = groupby(sorted(found), key=lambda index: words[index][0])
    shown = [zip(*(words[index][1].shown for index in group), strict=True) for _, group in groups]
    return [Box(min(x0), min(y0), max(x1), max(y1)) for x0, y0, x1, y1 in shown]


def single_page(path: Path, page: int) -> tuple[bytes, int, float]:
    """Return one page as a PDF without empty margins at its sides, so that it can be read on a narrow screen.

    Beside it: how many pages the whole has, and by how many points boxes on the page move to the left.

    Args:
        path: A PDF file.
        page: Page number from 1.

    Raises:
        InvalidDocument: The file is missing, encrypted or broken, or has no such page.
    """
    with _opened(path, page) as document, closing(pdfium.PdfDocument.new()) as alone:
        buffer = BytesIO()
        alone.import_pages(document, [page - 1])
        moved = _cut_sides(alone[0])
        alone.save(buffer)
        return buffer.getvalue(), len(document), moved


def _cut_sides(page: pdfium.PdfPage) -> float:
    """Crop empty sides off a page, if it is not turned and has no fields; return by how much its left edge moved."""
    x0, y0, x1, y1 = page.get_bbox()
    is_plain = not page.get_rotation() and not pdfium_c.FPDFPage_GetAnnotCount(page)  # fields may stand outside
    bounds = [one.get_bounds() for one in page.get_objects(max_depth=1)] if is_plain else []
    seen = [(left, right) for left, _, right, _ in bounds if left < x1 and right > x0]
    if not seen:
        return 0.0
    first = max(x0, min(left for left, _ in seen) - _MARGIN)
    last = min(x1, max(right for _, right in seen) + _MARGIN)
    page.set_cropbox(first, y0, last, y1)
    return float(first - x0)


@contextmanager
def _opened(path: Path, page: int) -> Iterator[pdfium.PdfDocument]:
    with open_pdf(read_source(path, max_bytes=maxsize)) as document:  # within the limit when it was ingested
        if not 1 <= page <= len(document):
            raise refuse(path.name, f"it has no page {page}", f"Its pages are 1 to {len(document)}")
        yield document


def _letters(text: str) -> str:
    """Return the letters and digits of a text, case folded: what hyphens and bars do not change."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _find(texts: Sequence[str], excerpt: str) -> set[int]:
    if whole := _run(texts, _letters(excerpt), 0):
        return set(whole)
    found: set[int] = set()
    near = 0
    for piece in excerpt.split("|"):
        run = _run(texts, _letters(piece), near) if "|" in excerpt else None
        found.update(run or _longest_runs(texts, piece))
        near = run[0] if run else near
    return found


def _run(texts: Sequence[str], wanted: str, near: int) -> range | None:
    """Return the words whose letters contain `wanted` in one stretch, the occurrence from word `near` on first."""
    starts = [0, *accumulate(map(len, texts))]
    matches = [match.start() for match in re.finditer(re.escape(wanted), "".join(texts))] if wanted else []
    whole = set(matches) & set(starts) or matches
    best = min(whole, key=lambda at: (at < starts[near], at), default=None)
    if best is None:
        return None
    return range(bisect_right(starts, best) - 1, bisect_right(starts, best + len(wanted) - 1))


def _longest_runs(texts: Sequence[str], piece: str) -> Iterator[int]:
    """Yield the words of all runs that page and excerpt share, each of at least three words."""
    wanted = [letters for letters in map(_letters, piece.split()) if letters]
    for block in SequenceMatcher(None, texts, wanted, autojunk=False).get_matching_blocks():
        if block.size >= min(_SHORTEST_RUN, max(len(wanted), 1)):
            yield from range(block.a, block.a + block.size)
