"""Plain text: encoding detected, form feeds are pages without their running lines, headings where unmistakable."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import NamedTuple

from rag.ingest.loaders.blocks import END, Block, build
from rag.ingest.loaders.cleaning import clean, decode_noting
from rag.ingest.loaders.mail import load_mail
from rag.ingest.loaders.metadata import identified
from rag.ingest.loaders.plain_lines import body_blocks, chat_of, is_page_number, pattern_of, says_nothing, with_rows
from rag.ingest.loaders.source import Source
from rag.ingest.loaders.structure import Title, parse_title
from rag.models import Document, DocumentMetadata

_HEADER = r"(?:[\w-]+:[ \t].*\r?\n|[ \t].*\r?\n)*?"
_MAIL = re.compile(  # its head as mail programs write it, or save it as text
    rf"(?:From .*\n)?(?=[A-Z][\w-]*:[ \t])"
    rf"(?:{_HEADER}(?:Message-ID|MIME-Version): |(?={_HEADER}From:[ \t]){_HEADER}Subject:[ \t])",
    re.I,
)
_UNDERLINE = re.compile(r"[ ]*(={3,}|-{3,}|~{3,})[ ]*")
_TITLED = re.compile(  # a chapter's number, a sign after it, and a title of at most eight words with a full stop
    r"(?:chapter|lecture|lesson|kapitel|chapitre)\s+\w+[.:]?\s*[.:—–-]\s*(?:[^\s.!?;:]+\s*){1,8}\.", re.I
)
_GAP = re.compile(r"(?<=[^\s.:)])(?: {2,}|\t)(?=\S)")  # between two columns; after a number it parts none
_LEADER = re.compile(r"(?:\.\s?){4,}")
_SIGNED = re.compile(r"\d{1,2}[.):]\s*\S")
_LONGEST, _LETTERS = 80, 3
_FEWEST = 3  # pages on which a line must stand to be a running one


def load_plain(source: Source) -> Document:
    """Return a text file as a document; it has pages where it has form feeds."""
    raw = decode_noting(source.data)
    if _MAIL.match(raw.text[:20_000]):
        return load_mail(source)
    blocks, pages = text_blocks(raw.text), len(_pages(raw.text))
    metadata = identified(source.name, blocks, DocumentMetadata())
    return build(source, blocks, metadata=metadata, page_count=pages if pages > 1 else 0, notes=raw.notes)


def text_blocks(text: str) -> list[Block]:
    """Return the blocks of a plain text."""
    pages = _pages(text)
    paged = len(pages) > 1
    texts = _without_running(pages) if paged else pages
    placed = [(lines, number if paged else None) for number, page in enumerate(texts, 1) for lines in _paragraphs(page)]
    said = chat_of([line for lines, _ in placed for line in lines])
    chat, dated = bool(said), iter(said)
    placed = [([*islice(dated, len(lines))], page) for lines, page in placed] if chat else placed
    chapters = frozenset[int]() if chat else _chapters_among([lines for lines, _ in placed])
    found: list[Block] = []
    for index, (lines, page) in enumerate(placed):
        level, used = (0, 0) if chat else _heading_of(lines, is_chapter=index in chapters)
        blocks = [Block("heading", " ".join(lines[0].split()), level=level)] if level else []
        found += (replace(block, page=page) for block in (*blocks, *body_blocks(lines[used:], chat=chat)))
    return _joined_over_pages(found)


def _pages(text: str) -> list[str]:
    pages = [clean(with_rows(page)) for page in text.split("\f")]
    return pages if pages[-1].strip() else pages[:-1] or pages


def _paragraphs(text: str) -> list[list[str]]:
    parts = re.split(r"\n(?:[ ]*\n)+", text.strip("\n"))
    found = ([line.rstrip() for line in part.split("\n") if line.strip()] for part in parts)
    return [lines for lines in found if lines]


class _Numbered(NamedTuple):
    """A line that begins with a single number, `2 X`, and stands alone in its paragraph or is in capitals."""

    at: int
    chapter: int
    name: str
    sign: str
    is_capital: bool


def _heading_of(lines: Sequence[str], *, is_chapter: bool) -> tuple[int, int]:
    """Return the level of the heading that a paragraph begins with, and how many lines it takes; 0, 0 for none."""
    first = lines[0].strip()
    if is_chapter:
        return 1, 1
    if len(lines) > 1 and len(first) <= 100 and (match := _UNDERLINE.fullmatch(lines[1])):
        length = len(lines[1].strip())
        is_table = len(lines) > 2 and all(_GAP.search(line.strip()) for line in (first, *lines[2:]))
        if 0.5 * len(first) <= length <= 2 * len(first) + 3 and not is_table:
            return _numbered_level(first) or (1 if match[1].startswith("=") else 2), 2
    level = _numbered_level(first) if len(lines) == 1 else 0
    return (level, 1) if level else (0, 0)


def _chapters_among(paragraphs: Sequence[Sequence[str]]) -> frozenset[int]:
    found = [one for index, lines in enumerate(paragraphs) if (one := _numbered(index, lines))]
    borne_out = _borne_out(found, paragraphs)
    signs, taken = {each.sign for each in borne_out}, {each.chapter for each in borne_out}
    chosen = {each.at for each in borne_out} | _in_capitals([each for each in found if each.is_capital], paragraphs)
    # Another may be an item of a list. It follows the chapter before, and no list goes on from or to it.
    for before, each, after in zip([None, *found], found, [*found[1:], None], strict=False):
        beside = any(one and one.at not in chosen for one in (before, after))
        is_next = each.chapter == (before.chapter if before else 0) + 1 and each.chapter not in taken
        if is_next and each.sign in signs and not beside:
            chosen.add(each.at)
            taken.add(each.chapter)
    return frozenset(chosen)


def _borne_out(found: Sequence[_Numbered], paragraphs: Sequence[Sequence[str]]) -> list[_Numbered]:
    """Return the single numbers above the first section of their chapter, `5.1 X`, or right above its first clause."""
    bare, above = {each.at: each for each in found}, dict[int | None, _Numbered]()
    chosen: list[_Numbered] = []
    for index, lines in enumerate(paragraphs):
        if each := bare.get(index):
            above[each.chapter] = each
        elif (title := parse_title(lines[0])).kind == "dotted" and title.number.split(".")[1:] in (["0"], ["1"]):
            one = above.pop(title.chapter, None)
            if one and (one.at == index - 1 or (len(lines) == 1 and _is_short_title(lines[0], title))):
                chosen.append(one)
    return chosen


def _in_capitals(found: Sequence[_Numbered], paragraphs: Sequence[Sequence[str]]) -> set[int]:
    """Return the paragraphs that begin with a numbered title in capitals, one after the other, text between them."""
    indexes = {each.at for each in found}
    filled = [each for each in found if len(paragraphs[each.at]) > 1 or each.at + 1 not in indexes]
    pairs = [(a, b) for a, b in pairwise(filled) if b.chapter == a.chapter + 1 and a.name != b.name]
    return {each.at for pair in pairs for each in pair}


def _numbered(index: int, lines: Sequence[str]) -> _Numbered | None:
    line, title = lines[0], parse_title(lines[0])
    if title.kind != "bare" or title.chapter is None or not _is_short_title(line, title):
        return None
    sign = re.sub(r"[^.):]", "", line.removesuffix(title.name))
    is_list = len(lines) > 1 and _SIGNED.match(lines[1])
    is_capital = bool(sign) and title.name.isupper() and sum(map(str.isalpha, title.name)) >= _LETTERS and not is_list
    is_alone = len(lines) == 1 and not line[:1].isspace() and not _LEADER.search(line)
    return _Numbered(index, title.chapter, title.name, sign, is_capital) if is_capital or is_alone else None


def _numbered_level(line: str) -> int:
    """Return the level of a line that is a numbered heading beyond doubt: short, no full stop, `3.2 X`; else 0."""
    if line.endswith(".") and _TITLED.fullmatch(line):
        line = line.removesuffix(".")  # old books end a title with one: `CHAPTER 1. Loomings.`
    title = parse_title(line)
    return title.depth if title.kind in ("chapter", "dotted") and _is_short_title(line, title) else 0


def _is_short_title(line: str, title: Title) -> bool:
    is_sentence = line.endswith((".", ",", ";", ":"))
    return len(line) <= _LONGEST and not is_sentence and title.name[:1].isupper()


def _without_running(pages: Sequence[str]) -> list[str]:
    """Return the pages without first and last lines that stand on half of them, and on three, and say nothing new."""
    kept = [page.split("\n") for page in pages]
    for end in (0, -1, 0, -1):  # two lines at each end of a page at most
        for index in _running(kept, end):
            del kept[index][[place for place, line in enumerate(kept[index]) if line.strip()][end]]
    return ["\n".join(lines) for lines in kept]


def _running(pages: Sequence[Sequence[str]], end: int) -> Iterator[int]:
    """Yield the indexes of the pages whose first or last line that is not blank is a running one."""
    seen: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for index, page in enumerate(pages):
        lines = [line for line in page if line.strip()]
        if len(lines) > 1:
            line = " ".join(lines[end].split())
            seen["" if is_page_number(line) else pattern_of(line)][index] = line
    for uses in seen.values():
        if len(uses) >= max(_FEWEST, len(pages) / 2) and says_nothing([*uses.values()], [*uses]):
            yield from uses


def _joined_over_pages(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks; a paragraph that ends in mid sentence is one with that which goes on on the next page."""
    kept: list[Block] = []
    for block in blocks:
        if kept and _goes_on(kept[-1], block):
            before = kept.pop()
            turn = (len(before.text) + 1, block.page or 1)
            block = replace(before, text=f"{before.text}\n{block.text}", turns=(*before.turns, turn))
        kept.append(block)
    return kept


def _goes_on(before: Block, block: Block) -> bool:
    if block.page is None or before.page is None or block.kind != "paragraph" or before.kind == "heading":
        return False
    last = before.turns[-1][1] if before.turns else before.page
    return block.page > last and not END.search(before.text) and block.text[:1].islower()
