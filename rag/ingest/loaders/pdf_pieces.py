"""Lines of a PDF's text to headings, list items and paragraphs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.ingest.loaders import pdf_headings
from rag.ingest.loaders.pdf_grids import Grid
from rag.ingest.loaders.pdf_layout import Line
from rag.ingest.loaders.pdf_tables import Run, mend

_ITEM = re.compile(r"(?:[-*•‣◦▪●■–☒☐☑]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\((?:[ivx]+)\))\s+\S")
_TERM = re.compile(r"\w*[^\W_]_\w+(?:\(\))?|--?[^\W\d_][\w-]*|[a-z_]\w*\(\)|[a-z]+[A-Z]\w*|[A-Z][A-Z\d]{2,}")
"""A line that is one name, as of a constant, an option or a function: lists of them explain it below."""
_DIVIDED = re.compile(r"[^\W\d_][-\u00ad\u2010]$")
END = re.compile(r"[.!?:;][\"'”’)\]]*$")
"""How a paragraph ends that is whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of one block that belong together, with how they look, before levels are known."""

    kind: str
    lines: tuple[Line, ...]
    page: int
    text: str
    column: int = 0
    grid: Grid | None = None
    begins: bool = False
    heads: bool = False
    turn: int = 0


def prose(run: Run, page: int, look: pdf_headings.Look) -> Iterator[Piece]:
    """Yield headings, list items and paragraphs of a run of text lines."""
    right = max(line.x1 for line in run.lines)
    group: list[Line] = []
    for line in run.lines:
        if group and _begins_anew(group, line, right, page, look):
            yield _piece(group, page, look)
            group = []
        group.append(line)
    if group:
        yield _piece(group, page, look)


def _piece(lines: Sequence[Line], page: int, look: pdf_headings.Look) -> Piece:
    text = mend([line.text for line in lines], look.compounds)
    kind = "heading" if _is_heading(lines[0], page, look) and len(lines) <= 4 else "paragraph"
    kind = "item" if kind == "paragraph" and _ITEM.match(text) else kind
    return Piece(kind, tuple(lines), page, text)


def _is_heading(line: Line, page: int, look: pdf_headings.Look) -> bool:
    return pdf_headings.is_candidate(line, look) or pdf_headings.outline_level(line.text, page, look) is not None


def _begins_anew(group: Sequence[Line], line: Line, right: float, page: int, look: pdf_headings.Look) -> bool:
    """Whether a line begins a paragraph, a list item or a heading rather than going on."""
    above = group[-1]
    heading_above, heading = _is_heading(above, page, look), _is_heading(line, page, look)
    if heading_above or heading:
        same = pdf_headings.style_of(above)[:2] == pdf_headings.style_of(line)[:2]
        numbered = pdf_headings.number_level(line.text) is not None
        close = line.y0 - above.y1 < 0.7 * line.size
        return not (heading_above and same and close and not numbered and len(above.text) > 20)
    if _ITEM.match(line.text) and not _is_midline_number(above, line):
        return True
    if _is_torn(above, line):
        return False
    if line.y0 - above.y1 > 0.65 * line.size or line.y1 < above.y0 or abs(line.size - above.size) > 1.5:
        return True
    if _goes_on_in_entry(group, line):
        return False
    left = min(one.x0 for one in (group[1:] if len(group) > 1 and _is_term(group[0]) else group))
    indented = line.x0 - left > 0.8 * line.size and not _ITEM.match(group[0].text)
    outdented = group[0].x0 - line.x0 > 1.5 * line.size and _ITEM.match(group[0].text) is not None
    slack = right - above.x1 - (line.words[0].x1 - line.words[0].x0)
    wide = slack > 0.3 * (right - left)
    ended = END.search(above.text) is not None
    spare = slack > 2 * line.size
    return (indented and ended) or outdented or (spare and (ended or wide or _is_term(line)))


def _is_torn(above: Line, line: Line) -> bool:
    """Whether a word is divided between two lines of like type: `... by the engi-` / `neer Sofie Brandt`."""
    is_divided = _DIVIDED.search(above.text) is not None and line.text[:1].islower()
    return is_divided and abs(line.size - above.size) <= 1.5


def _goes_on_in_entry(group: Sequence[Line], line: Line) -> bool:
    """Whether a line belongs to what a term on a line of its own means: it begins right of the term, in one block."""
    if not _is_term(group[0]) or line.x0 - group[0].x0 < 0.4 * line.size:
        return False
    return len(group) == 1 or (abs(line.x0 - group[-1].x0) < 1 and not END.search(group[-1].text))


def _is_term(line: Line) -> bool:
    return _TERM.fullmatch(line.text) is not None


def _is_midline_number(above: Line, line: Line) -> bool:
    """Whether what looks like a list marker is the end of a sentence that wrapped: `... as of June` / `30. The`."""
    return (
        re.match(r"\(?[\da-zA-Z]", line.text) is not None and not END.search(above.text) and abs(above.x0 - line.x0) < 1
    )
