r"""Rich Text Format: words by striprtf, headings by outline level or bold type, metadata from the group `\info`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from striprtf.striprtf import rtf_to_text

from rag.ingest.loaders.blocks import Block, build, table_blocks
from rag.ingest.loaders.cleaning import clean, squeeze
from rag.ingest.loaders.lists import ITEM
from rag.ingest.loaders.metadata import office_metadata
from rag.ingest.loaders.plain_lines import PLACE
from rag.ingest.loaders.source import Source
from rag.models import Document

_LEVEL = re.compile(r"\\outlinelevel(\d)(?!\d) ?")
_MARKED = re.compile("\ue000(\\d)\ue001")
"""Stands where a paragraph has an outline level; striprtf keeps letters and drops what it does not know."""
_BOLD, _LIGHT = "\ue002", "\ue003"  # stand where bold type begins and ends
_TYPE = re.compile(r"\\(b|plain)(?![a-z])(-?\d*) ?|\\[{}\\]|[{}]")
_MARKER = re.compile(r"\{\\(?:listtext|pntext)(?![a-z])((?:[^{}]|\{[^{}]*\})*+)\}")
_NUMBER = re.compile(r"\(?(?:\w{1,9}[.)])+|\d+(?:\.\d+)*")
_LONGEST = 120  # characters of a line in bold type that may be a heading
_DESTINATION = r"\{\\%s ((?:[^{}\\]|\\[^{}])*)\}"
_YEAR = re.compile(r"\\creatim\s*\\yr(\d{4})")
_ASIDE = re.compile(r"\{\\(footnote|(?:header|footer)[lrf]?)(?![a-z])")
_BRACE = re.compile(r"\\[{}\\]|[{}]")
_NOTE, _FRAME = "\ue004", "\ue005"  # begin the lines of notes, and of headers and footers
_STYLES = re.compile(r"\{\\stylesheet(?:[^{}]|\{[^{}]*\})*\}")
_LEVEL_9 = 9  # the level that says that a paragraph is body text


def load_rtf(source: Source) -> Document:
    """Return a text in Rich Text Format; it has no pages, since they are made when it is printed."""
    raw = source.data.decode("latin-1")
    marked = _LEVEL.sub("\ue000\\1\ue001", _STYLES.sub("", raw))
    marked = _MARKER.sub(_marker, marked)
    if "\\bin" not in marked:  # bytes of a picture, counted by the file: nothing may be put in
        marked = _with_bold_marked(_with_asides_below(marked))
    lines = [*_lines(rtf_to_text(marked, errors="replace"))]  # type: ignore[no-untyped-call]
    said = dict.fromkeys(line.words[1:].strip() for line in lines if line.words.startswith(_FRAME))
    frame = [Block("paragraph", words) for words in said if words and not PLACE.fullmatch(words)]
    blocks = [*frame, *_blocks(_with_headings(line for line in lines if not line.words.startswith(_FRAME)))]
    info = {
        name: rtf_to_text(f"{{\\rtf1 {text}}}")  # type: ignore[no-untyped-call]
        for name in ("title", "author", "subject")
        for text in re.findall(_DESTINATION % name, raw)[:1]
    }
    made = _YEAR.search(raw)
    metadata = office_metadata(
        source, blocks, title=info.get("title"), author=info.get("author"), extra=[info.get("subject", "")],
        created=date(int(made[1]), 1, 1) if made else None,
    )  # fmt: skip
    return build(source, blocks, metadata=metadata)


def _marker(found: re.Match[str]) -> str:
    """Return the number of a list item as plain words; for a bullet, which is a letter of some font, a stroke."""
    shown = squeeze(rtf_to_text(f"{{\\rtf1 {found[1]}}}", errors="replace"))  # type: ignore[no-untyped-call]
    return f"{{{shown if _NUMBER.fullmatch(shown) else '-'} }}"


def _with_asides_below(text: str) -> str:
    """Return a text with its notes, headers and footers at its end, where they are read; notes leave their number."""
    kept, below, end, count = "", "", 0, 0
    for found in _ASIDE.finditer(text):
        if found.start() < end:
            continue
        kept += text[end : found.start()]
        depth = 0
        for brace in _BRACE.finditer(text, found.start()):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            end = brace.end()
            if not depth:
                break
        inside = text[found.end() : end].removesuffix("}")
        if found[1] == "footnote":
            count += 1
            kept, inside = f"{kept}[{count}]", re.sub(r"\\par(?![a-z])", " ", f"{_NOTE}[{count}] {inside}")
        else:
            inside = _FRAME + re.sub(r"(\\(?:par|line)(?![a-z])) ?", rf"\1 {_FRAME}", inside)
        below += f"\\par {{\\plain {inside}}}"
    body, _, after = (kept + text[end:]).rpartition("}")
    return f"{body}{below}}}{after}"


def _with_bold_marked(text: str) -> str:
    """Return a text with marks where bold type begins and ends: by its codes, or with the group that it began in."""
    is_bold, around = False, list[bool]()

    def marked(found: re.Match[str]) -> str:
        nonlocal is_bold
        before = is_bold
        if found[1]:
            is_bold = found[1] == "b" and found[2] != "0"
        elif found[0] == "{":
            around.append(is_bold)
        elif found[0] == "}" and around:
            is_bold = around.pop()
        return found[0] + ("" if is_bold == before else _BOLD if is_bold else _LIGHT)

    return _TYPE.sub(marked, text)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with its words, whether all of them are in bold type, and its level; 0 for one that is no heading."""

    words: str
    is_bold: bool
    level: int


def _lines(text: str) -> Iterator[_Line]:
    is_bold = False
    for line in clean(text).split("\n"):
        level, types = _MARKED.search(line), set[bool]()
        for part in re.split(f"([{_BOLD}{_LIGHT}])", _MARKED.sub("", line)):
            if part in (_BOLD, _LIGHT):
                is_bold = part == _BOLD
            elif part.strip():
                types.add(is_bold)
        words = squeeze(re.sub(f"[{_BOLD}{_LIGHT}]", "", _MARKED.sub("", line)))
        if words:
            yield _Line(words, types == {True}, int(level[1]) + 1 if level and int(level[1]) < _LEVEL_9 else 0)


def _with_headings(lines: Iterable[_Line]) -> list[_Line]:
    """Return lines, those that stand alone in bold type as headings where the file marks none; the first is a title."""
    found = list(lines)
    if any(line.level for line in found):
        return found
    around = [False, *(line.is_bold for line in found), False]
    alone = [line.is_bold and not (around[at] and around[at + 2]) for at, line in enumerate(found)]
    return [
        replace(line, level=min(at, 1) + 1) if is_alone and _may_be_title(line.words) else line
        for at, (line, is_alone) in enumerate(zip(found, alone, strict=True))
    ]


def _may_be_title(words: str) -> bool:
    is_short = len(words) <= _LONGEST and not words.endswith((".", ",", ";", ":", "|"))
    return is_short and not words.startswith("- ") and any(map(str.isalpha, words))


def _blocks(lines: Iterable[_Line]) -> Iterator[Block]:
    """Yield the lines of a text: headings by their levels, rows by their bars, items by what they begin with."""
    rows: list[list[str]] = []
    for line in lines:
        if line.words.endswith("|"):
            rows.append([cell.strip() for cell in line.words[:-1].split("|")])
            continue
        yield from table_blocks(rows)
        rows = []
        if line.level:
            yield Block("heading", line.words.removeprefix("- "), level=line.level)
        elif line.words.startswith(_NOTE):
            yield Block("footnote", line.words.removeprefix(_NOTE))
        else:
            yield Block("item" if ITEM.match(line.words) else "paragraph", line.words)
    yield from table_blocks(rows)
