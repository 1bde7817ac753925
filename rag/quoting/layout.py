"""How a passage is laid out, read from its text: paragraphs, list items, rows, questions and terms. Ground floor.

A sentence may say little by itself: an item without the words above its list, an answer without its question, a
definition without its term. Here is found what belongs together; `rag.quoting.company` brings it along.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Literal

from rag.models import RetrievedChunk
from rag.protocols import Span

Kind = Literal["text", "item", "row"]

TERM_WORDS = 6
"""A line of more words is no term that the lines below it explain."""
TERM_CHARACTERS = 60
"""The same in characters."""
FEWEST_TERMS = 2
"""So many terms make a list of definitions; one short line alone may be a heading."""

MARK = re.compile(r"(?:[-*•‣◦▪–|]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
"""What a list item, a numbered paragraph or a table's row begins with."""
QUESTION_MARK = re.compile(r"[*_#\s]*Q(?:uestion)?\s?\d{0,3}[.:)][*_]*\s+", re.IGNORECASE)
"""What the questions of a list of questions begin with: `Q.`, `Q3:`, `Question 4:`."""
ANSWER_MARK = re.compile(r"[*_#\s]*A(?:nswer)?\s?\d{0,3}[.:)][*_]*\s+")
"""What their answers begin with."""

_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_NUMBERED = re.compile(r"\(?\d{1,3}[.)]\s")
_SECTION_LINE = re.compile(r"[A-Z][A-Z ]+$")
_TERM_LINE = re.compile(r"(?P<term>[^\n]+)\n(?:[ ]{2,}|\t+)(?=[^\s])")
_QUOTES = "\"'“”‘’()[]"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list item or a table's row: its first and last sentence, counted from 0."""

    first: int
    last: int
    kind: Kind
    mark: str = ""
    """Of an item: `-` for any bullet, `1` for a number, `a` for a letter."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the sentences of a passage stand together; every tuple has a place for each sentence."""

    blocks: tuple[Block, ...]
    block_of: tuple[int, ...]
    """Which block holds it."""
    asks: tuple[bool, ...]
    """Whether it is, or belongs to, a question."""
    question_of: tuple[int | None, ...]
    """The last sentence of the question that it answers or belongs to."""
    term_of: tuple[int | None, ...]
    """The sentence that begins with the term that it explains; that sentence itself included."""
    has_marks: bool
    """Whether questions are marked with `Q.`, so that `A.` begins an answer and no option."""

    def block(self, index: int) -> Block:
        """Return the block that holds a sentence."""
        return self.blocks[self.block_of[index]]

    def answers(self, index: int) -> tuple[int, ...]:
        """Return the sentences that answer the question to which a sentence belongs."""
        question = self.question_of[index]
        return tuple(
            place
            for place, owner in enumerate(self.question_of)
            if question is not None and owner == question and not self.asks[place]
        )

    def is_entry(self, index: int) -> bool:
        """Return whether a sentence stands under a question that is a paragraph by itself."""
        question = self.question_of[index]
        if question is None:
            return False
        block = self.block(question)
        return all(self.asks[block.first : block.last + 1])

    def list_below(self, index: int) -> list[Block]:
        """Return the items of the list that a sentence announces: those that follow it, up to one of its own kind."""
        block = self.block(index)
        if block.last != index:
            return []
        found = []
        for other in self.blocks[self.block_of[index] + 1 :]:
            if other.kind != "item" or (block.kind == "item" and other.mark == block.mark):
                break
            found.append(other)
        return found

    def items_at_start(self) -> list[Block]:
        """Return the items that a passage begins with."""
        return list(takewhile(lambda block: block.kind == "item" and not self.asks[block.first], self.blocks))

    def head_of(self, index: int) -> int | None:
        """Return the sentence right before the list that holds a sentence; None where the passage begins with it.

        Items with another mark than the first of them are a list within: the item right before it is above it.
        """
        own = self.block(index)
        if own.kind != "item":
            return None
        above = self.blocks[: self.block_of[index]]
        run = list(takewhile(lambda block: block.kind == "item", reversed(above)))
        is_within = bool(run) and run[-1].mark != own.mark
        if is_within:
            return next(block.last for block in run if block.mark != own.mark)
        before = above[len(above) - len(run) - 1] if len(above) > len(run) else None
        return before.last if before is not None and before.kind == "text" else None


def layout_of(hit: RetrievedChunk) -> Layout:
    """Return how a passage is laid out; remembered, because the same passages come back for many questions."""
    known = frozenset(" ".join(name.split()) for name in (*hit.section_path, hit.section or "") if name)
    starts = frozenset(start.section for start in hit.section_starts if start.section)
    return _layout(hit.content, hit.sentences, known | starts)


@lru_cache(maxsize=1_024)
def _layout(content: str, sentences: tuple[Span, ...], headings: frozenset[str]) -> Layout:
    texts = [content[start:end] for start, end in sentences]
    blocks = tuple(_blocks(content, sentences))
    block_of = tuple(number for number, block in enumerate(blocks) for _ in range(block.first, block.last + 1))
    has_marks = any(QUESTION_MARK.match(texts[block.first]) for block in blocks)
    asks = tuple(_asking(texts, blocks))
    return Layout(
        blocks=blocks,
        block_of=block_of,
        asks=asks,
        question_of=tuple(_questions(texts, blocks, block_of, asks)),
        term_of=tuple(_terms(texts, blocks, asks, headings)),
        has_marks=has_marks,
    )


def is_question(text: str) -> bool:
    """Return whether a sentence ends as a question does, emphasis and quotation marks around it left out.

    >>> is_question("**Is it safe?**"), is_question('He asked "why?" and left.')
    (True, False)
    """
    bare = text.strip("*_ \t")
    return (bare.strip(_QUOTES) if bare[:1] in _QUOTES else bare).endswith("?")


def announces(text: str) -> bool:
    """Return whether a sentence ends with a colon, emphasis left out: what follows belongs to it.

    >>> announces("**You need:**"), announces("You need a coat.")
    (True, False)
    """
    return text.rstrip("*_ ").endswith(":")


def without_mark(text: str) -> str:
    """Return a sentence without the mark of its list or question.

    >>> without_mark("8. Is it safe?"), without_mark("- a coat"), without_mark("Q. Is it safe?")
    ('Is it safe?', 'a coat', 'Is it safe?')
    """
    mark = QUESTION_MARK.match(text) or MARK.match(text)
    return text[mark.end() :] if mark else text


def without_answer_mark(text: str) -> str:
    """Return a sentence without the `A.` of an answer.

    >>> without_answer_mark("A. Yes.")
    'Yes.'
    """
    mark = ANSWER_MARK.match(text)
    return text[mark.end() :] if mark else text


def _blocks(content: str, sentences: Sequence[Span]) -> list[Block]:
    """Return the paragraphs, items and rows of a passage, in order."""
    firsts = [
        index
        for index, (start, end) in enumerate(sentences)
        if not index or MARK.match(content, start, end) or _BLANK_LINE.search(content, sentences[index - 1][1], start)
    ]
    return [_block(content, sentences, first, after - 1) for first, after in pairwise([*firsts, len(sentences)])]


def _block(content: str, sentences: Sequence[Span], first: int, last: int) -> Block:
    start, end = sentences[first]
    mark = MARK.match(content, start, end)
    if content[start] == "|":
        return Block(first, last, "row")
    if not mark:
        return Block(first, last, "text")
    sign = next((sign for sign in mark.group() if sign.isalnum()), "-")
    return Block(first, last, "item", "1" if sign.isdigit() else "a" if sign.isalpha() else "-")


# --- questions ----------------------------------------------------------------------------------------------------


def _asking(texts: Sequence[str], blocks: Sequence[Block]) -> list[bool]:
    """Return for each sentence whether it belongs to a question.

    All of a paragraph marked `Q.` does; and a numbered line alone does where other numbered lines are questions.
    """
    numbered = any(_NUMBERED.match(texts[block.first]) and is_question(texts[block.last]) for block in blocks)
    asking: list[bool] = []
    for place, block in enumerate(blocks):
        own = [block.kind != "row" and is_question(text) for text in texts[block.first : block.last + 1]]
        if QUESTION_MARK.match(texts[block.first]):
            own = [True] * len(own)
        elif numbered and len(own) == 1 and _NUMBERED.match(texts[block.first]):
            own = [own[0] or [each.kind for each in blocks[max(place - 1, 0) : place + 2 : 2]] == ["text", "text"]]
        asking += own
    return asking


def _questions(
    texts: Sequence[str], blocks: Sequence[Block], block_of: Sequence[int], asks: Sequence[bool]
) -> list[int | None]:
    """Return for each sentence the last one of the question that it belongs to or answers.

    A question amid a paragraph is answered by the rest of it; one that ends its paragraph by what follows, up to the
    next question. Questions marked `Q.` that follow each other are answered together.
    """
    owners: list[int | None] = [None] * len(texts)
    for index, asking in enumerate(asks):
        if not asking:
            before = index - 1
            goes_on = before >= 0 and owners[before] is not None
            if goes_on and (block_of[before] == block_of[index] or not _is_amid(owners[before], blocks, block_of)):
                owners[index] = owners[before]
        else:
            owners[index] = _last_of(index, texts, blocks, block_of, asks)
    return owners


def _is_amid(question: int | None, blocks: Sequence[Block], block_of: Sequence[int]) -> bool:
    """Return whether a question has its answer in its own paragraph."""
    return question is not None and blocks[block_of[question]].last != question


def _last_of(
    index: int, texts: Sequence[str], blocks: Sequence[Block], block_of: Sequence[int], asks: Sequence[bool]
) -> int:
    """Return the last sentence of the question that a sentence belongs to."""
    while index + 1 < len(asks) and asks[index + 1]:
        block, following = block_of[index], block_of[index + 1]
        marked = QUESTION_MARK.match(texts[blocks[following].first]) and QUESTION_MARK.match(texts[blocks[block].first])
        if following != block and not marked:
            break
        index += 1
    return index


# --- terms --------------------------------------------------------------------------------------------------------


def _terms(
    texts: Sequence[str], blocks: Sequence[Block], asks: Sequence[bool], headings: frozenset[str]
) -> list[int | None]:
    """Return for each sentence the one that begins with its term, where the passage is a list of definitions."""
    found = [
        block.first
        for place, block in enumerate(blocks)
        if block.kind == "text"
        and not asks[block.first]
        and (_is_term_line(texts, blocks, place, headings) or term_in(texts[block.first]))
    ]
    terms: list[int | None] = [None] * len(texts)
    if len(found) < FEWEST_TERMS:
        return terms
    for first, after in pairwise([*found, len(texts)]):
        terms[first:after] = [first] * (after - first)
    return terms


def _is_term_line(texts: Sequence[str], blocks: Sequence[Block], place: int, headings: frozenset[str]) -> bool:
    """Return whether a block is a term alone and the next one explains it."""
    if place + 1 >= len(blocks) or blocks[place + 1].kind != "text":
        return False
    block, text = blocks[place], texts[blocks[place].first]
    explains = texts[blocks[place + 1].last].endswith((".", "!", "?", ":", ".)"))
    return block.first == block.last and _may_be_term(text) and "\n" not in text and explains and text not in headings


def term_in(text: str) -> str:
    """Return the term that a sentence begins with on a line of its own, its text indented below; else nothing.

    >>> term_in("--help\\n    Print a short text and exit."), term_in("OPTIONS\\n       The following are known:")
    ('--help', '')
    """
    match = _TERM_LINE.match(text)
    if not match or not _may_be_term(match["term"]):
        return ""
    goes_on = text[match.end()].islower() and not match["term"].startswith("-")
    return "" if goes_on or _SECTION_LINE.match(match["term"]) else match["term"].strip()


def _may_be_term(line: str) -> bool:
    """Return whether a line is short and does not end as a sentence does."""
    ends = line.rstrip()[-1:] not in ".!?:;,"
    return ends and len(line) <= TERM_CHARACTERS and len(line.split()) <= TERM_WORDS and not line.startswith(("#", "|"))


def first_row_above(hit: RetrievedChunk, index: int) -> str:
    """Return the first row of a table for a later row of it; nothing for the first one or another sentence."""
    texts = hit.sentence_texts
    first = index
    while first > 0 and texts[first].startswith("|") and texts[first - 1].startswith("|"):
        first -= 1
    return texts[first] if first < index else ""
