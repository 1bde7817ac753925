"""What the lines of a paragraph are: rows, questions with their answers, messages of a chat, fields."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from rag.ingest.loaders.blocks import Block
from rag.models import BlockKind

_ITEM = re.compile(r"[ ]*(?:[-*•‣◦▪–]|\(?\d{1,3}[.)]|\(?(?:[a-z]|[ivx]{2,5})[.)])[ ]+\S")
_ROW = re.compile(r"\|.*\|")
_SPOKEN = re.compile(r"([^\W\d_]{1,9})[ ]?\d{0,3}[.:)][ ]+(\S.*)")
"""A line of a question or an answer, with its letter or word: `Q: `, `A1. `, `Question 3: `."""
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_HOUR = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_MESSAGE = re.compile(
    rf"\[?(?P<when>(?:{_DAY}[,T]?[ ]+)?{_HOUR}|{_DAY})\]?[ ]*[-–]?[ ]*"
    r"(?:<(?P<nick>[^<>]{1,40})>|(?P<who>[^:<>\[\]]{1,40}):)[ ]+(?P<what>\S.*)"
)
_FIELD = re.compile(r"[ ]*([^\W\d_][^:|.!?]{0,39}?)[ ]*:[ ]+(\S.{0,199})")
_FEWEST_MESSAGES = 3


def is_chat(lines: Sequence[str]) -> bool:
    """Return whether lines are those of a chat's export: some of them, and half of those with words, are messages."""
    said = sum(map(bool, map(_MESSAGE.fullmatch, lines)))
    return said >= _FEWEST_MESSAGES and 2 * said >= sum(map(bool, lines))


def body_blocks(lines: Sequence[str], page: int | None, *, chat: bool = False) -> Iterator[Block]:
    """Yield the blocks of a paragraph's lines.

    Args:
        lines: The lines, without the heading above them.
        page: Their page.
        chat: They are part of a chat's export.
    """
    for is_row, group in groupby(lines, key=lambda line: bool(_ROW.fullmatch(line.strip()))):
        found = [*group]
        if is_row:
            yield Block("paragraph", "\n".join(line.strip() for line in found), page=page)  # its rows are parted later
        elif chat:
            yield from _messages(found, page)
        elif len(found) > 1 and all(map(_FIELD.fullmatch, found)) and not _asks(found):
            yield from (Block("field", " ".join(line.split()), page=page) for line in found)
        else:
            yield from _spoken(found, page) if _asks(found) else _pieces(found, page)


def _messages(lines: Sequence[str], page: int | None) -> Iterator[Block]:
    """Yield each message of a chat: who, when, what; lines without a head go on with the one before."""
    said = ""
    for line in lines:
        match = _MESSAGE.fullmatch(line)
        if match and said:
            yield Block("paragraph", said, page=page)
        who = (match["nick"] or match["who"]).strip() if match else ""
        said = f"{who} ({match['when']}): {match['what']}" if match else f"{said}\n{line.strip()}".strip()
    yield Block("paragraph", said, page=page)


def _asks(lines: Sequence[str]) -> bool:
    """Return whether a question stands right above its answer: both with a letter or word, and not the same."""
    said = [(_SPOKEN.fullmatch(one), _SPOKEN.fullmatch(other)) for one, other in pairwise(lines)]
    return any(one and other and one[2].endswith("?") and one[1] != other[1] for one, other in said)


def _spoken(lines: Sequence[str], page: int | None) -> Iterator[Block]:
    """Yield questions as headings, and what is said to each below it."""
    answer: list[str] = []
    for line in lines:
        match = _SPOKEN.fullmatch(line)
        if match and match[2].endswith("?"):
            yield from _pieces(answer, page)
            answer = []
            yield Block("heading", match[2], level=3, page=page)
        else:
            answer.append(match[2] if match else line)
    yield from _pieces(answer, page)


def _pieces(lines: Sequence[str], page: int | None) -> Iterator[Block]:
    """Yield a paragraph, or its list items with the lines that continue them, each with where it begins on its line."""
    pieces: list[list[str]] = []
    for line in lines:
        if not pieces or _ITEM.match(line) or (_ITEM.match(pieces[-1][0]) and _indent(line) < _indent(pieces[-1][0])):
            pieces.append([line])
        else:
            pieces[-1].append(line)
    for piece in pieces:
        kind: BlockKind = "item" if _ITEM.match(piece[0]) else "paragraph"
        yield Block(kind, "\n".join(piece).strip(), page=page, indent=_indent(piece[0]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
