"""Questions that ask two things at once: each part is answered, or the reader is told which is not. Ground floor."""

import re
from collections.abc import Callable, Sequence

from rag.language.asked import understand
from rag.language.kinds import lacking
from rag.language.text import stems
from rag.models import RetrievedChunk

_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_PIECE = re.compile(r".+?\[(\d+)\](?=\s|$)\s?", re.DOTALL)
_MARK = re.compile(r"\[\d+\]")
_LIGHT = frozenset(("happen", "get"))
_BARE = frozenset("do done must should happen next follow".split())  # noqa: SIM905
"""Stems of a part that names nothing by itself, `what must be done`: anything would answer it."""
_LEAST = 0.6
"""The share of a part's words that must stand in what answers it, or in the headings above."""


def tells(text: str, part: str, *, headings: str = "", language: str = "english") -> bool:
    """Return whether a text tells one part of a question, as far as form shows: most of its words, and its kind."""
    wanted = set(stems(understand(part).subject, language=language)) - _LIGHT
    said = set(stems(f"{text} {headings}", language=language))
    if any(whole.casefold() not in text.casefold() for whole in _HYPHENED.findall(part)):
        return False
    return len(wanted & said) >= _LEAST * len(wanted) and not lacking(part, text)


def in_parts(parts: Sequence[str], whole: str, answer: Callable[[str], str], hits: Sequence[RetrievedChunk]) -> str:
    """Return the draft to the whole of a question where it tells every part, else with what the parts' drafts tell.

    Args:
        parts: The questions that the question is made of.
        whole: The draft to it, each sentence followed by the number of its passage: `Gloves. [1]`.
        answer: Drafts an answer to one part.
        hits: The passages; where one has such numbers itself nothing is put together.
    """
    if not parts or any(_MARK.search(hit.content) for hit in hits):
        return whole
    above = _headings(whole, hits)
    open_ones = [part for part in parts if not tells(whole, part, headings=above)]
    if not open_ones:
        return whole
    if any(_BARE.issuperset(stems(understand(part).subject)) for part in parts):
        return whole
    drafts = {part: answer(part) for part in parts}
    told = [part for part in parts if tells(drafts[part], part, headings=_headings(drafts[part], hits))]
    if len(told) == len(parts):
        pieces = [piece for part in parts for piece in _pieces(drafts[part])]
    else:
        pieces = [*_pieces(whole), *(piece for part in told if part in open_ones for piece in _pieces(drafts[part]))]
    return " ".join(dict.fromkeys(pieces))


def of_each(questions: Sequence[str], whole: str, answer: Callable[[str], str], hits: Sequence[RetrievedChunk]) -> str:
    """Return a draft with what it lacks on one of two things that a question asks the same of; mostly as it is.

    Args:
        questions: For each thing the question for it alone.
        whole: The draft to the question, each sentence followed by the number of its passage.
        answer: Drafts an answer to one of these questions.
        hits: The passages; where one has such numbers itself nothing is added.
    """
    if not questions or not whole or any(_MARK.search(hit.content) for hit in hits):
        return whole
    words = [set(stems(question)) for question in questions]
    pieces = _pieces(whole)
    for question, own in zip(questions, words, strict=True):
        alone = own - words[0].intersection(*words[1:])
        if not alone or any(alone <= set(stems(piece)) for piece in pieces):
            continue
        drafted = (piece for piece in _pieces(answer(question)) if alone <= set(stems(piece)))
        pieces += [piece for piece in drafted if tells(piece, question)][:1]
    return " ".join(dict.fromkeys(pieces))


def untold(parts: Sequence[str], text: str, headings: str, *, language: str = "english") -> tuple[str, ...]:
    """Return what a reader must know of an answer that may leave a part of the question open; mostly nothing.

    Nothing where it has the words of no part: it may tell each in other words.
    """
    left = [part for part in parts if not tells(text, part, headings=headings, language=language)]
    if len(left) == len(parts):
        return ()
    return tuple(f"The answer may leave open a part of the question: “{part}”" for part in left)


def _pieces(draft: str) -> list[str]:
    """Return the sentences of a draft, each with the number of its passage."""
    return [match.group().strip() for match in _PIECE.finditer(draft)]


def _headings(draft: str, hits: Sequence[RetrievedChunk]) -> str:
    """Return the headings above what a draft quotes."""
    quoted = {int(number) for number in _PIECE.findall(draft)}
    return " ".join(" ".join(hits[number - 1].section_path) for number in sorted(quoted))
