"""Supported sentences -> the sentences shown and their citations: verbatim excerpts, pages, IEEE references."""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.models import AnswerSentence, Citation, DocumentMetadata, GeneratorInfo, GroundedSentence, RetrievedChunk
from rag.protocols import Span
from rag.ranking.closest import standing_at
from rag.text.excerpts import EXCERPT_LIMIT, cut_to_words, edges_of, parts_between
from rag.text.stated import MARK

if TYPE_CHECKING:
    from citeproc import CitationStylesStyle

_SHORTEST = 20  # characters of a sentence that may stand between two quotations
_LOCATOR = "\ue000"
_STYLE = Path(__file__).parent / "styles" / "ieee.csl"
_PARTICLES = frozenset(
    ("van", "von", "de", "der", "den", "del", "della", "da", "di", "du", "la", "le", "ter", "ten", "bin")
)
_BODY = re.compile(
    r"\b(?:inc|ltd|llc|gmbh|corp|company|university|universität|institut\w*|agency|department|ministry|committee|office"
    r"|association|society|council|commission|organi[sz]ation|group|team|board|bureau|college|school|foundation"
    r"|laborator\w+|cent(?:er|re)|press|administration|service|authority|union|bank)\b",
    re.IGNORECASE,
)


def cite(
    sentences: Sequence[GroundedSentence], passages: Sequence[RetrievedChunk]
) -> tuple[tuple[AnswerSentence, ...], tuple[Citation, ...]]:
    """Return the sentences to show and their citations, in order of first use.

    Sentences that are not supported are left out. Two sentences that rest on the same excerpt share its citation.

    Args:
        sentences: Checked sentences, in order; `evidence` holds verbatim parts of the passages' contents.
        passages: The numbered passages; a sentence's passage number 1 is the first of them.

    Returns:
        The shown sentences, whose `citations` are indexes from 0 into the second value, and the citations.
    """
    shown: list[AnswerSentence] = []
    order: dict[tuple[str, Span], int] = {}
    found: list[tuple[RetrievedChunk, Span]] = []
    for sentence in sentences:
        if not sentence.supported:
            continue
        used: list[int] = []
        for number, evidence in zip(sentence.passages, sentence.evidence, strict=True):
            chunk = passages[number - 1]
            span = _locate(chunk, evidence, sentence.text)
            if span is None:
                continue
            index = order.setdefault((chunk.chunk_id, span), len(order))
            if index == len(found):
                found.append((chunk, span))
            if index not in used:
                used.append(index)
        if used:
            shown.append(AnswerSentence(text=sentence.text, support=sentence.support, citations=tuple(used)))
    return tuple(shown), tuple(_citation(chunk, span, number) for number, (chunk, span) in enumerate(found, 1))


def as_text(
    sentences: Sequence[AnswerSentence],
    citations: Sequence[Citation],
    drawn: Sequence[str],
    *,
    speaker: GeneratorInfo,
    line: str,
) -> str:
    """Return the sentences of an answer as one text.

    Args:
        sentences: The sentences, in order.
        citations: What they cite.
        drawn: How each of them is drawn, such as with its citations.
        speaker: Who speaks: a model's sentences belong together, wherever what they cite stands.
        line: The break before and after an item of a list, and between quotations that do not follow each other.
    """
    chunks = [
        "" if speaker.is_model else "".join(citations[n].chunk_id for n in one.citations[:1]) for one in sentences
    ]
    text = ""
    for place, (one, own) in enumerate(zip(sentences, drawn, strict=True)):
        before = sentences[place - 1].text if place else ""
        is_apart = place > 0 and chunks[place] != chunks[place - 1]
        if place and not is_apart and not speaker.is_model:
            is_apart = _is_gap(sentences[place - 1], one, citations)
        text += (line if is_apart or MARK.match(one.text) or MARK.match(before) else " ") + own
    return text.strip()


def _is_gap(before: AnswerSentence, after: AnswerSentence, citations: Sequence[Citation]) -> bool:
    """Return whether a document has another sentence between two that were quoted from it."""
    first, second = (next((citations[n].start for n in one.citations), None) for one in (before, after))
    return first is not None and second is not None and second - first > len(before.text) + _SHORTEST


def ieee_reference(
    metadata: DocumentMetadata,
    document: str,
    *,
    page: int | None = None,
    printed: str | None = None,
    section: str | None = None,
    chapter: int | None = None,
) -> str:
    """Return a document's reference in IEEE form, without its number.

    >>> ieee_reference(DocumentMetadata(title="Safe Work", authors=("Åse Ek",), year=2021), "a.pdf", page=3)
    'Å. Ek, Safe Work, 2021, p. 3.'
    """
    section = re.split(r"(?<=\d)[.)]?\s", section, maxsplit=1)[0] if section else None
    on_page = "" if page is None else f"p. {page} (printed: {printed})" if printed else f"p. {page}"
    parts = [on_page, f"sec. {section}" if section else ""]
    if chapter is not None and not any(parts):
        parts = [f"ch. {chapter}"]
    locator = ", ".join(part for part in parts if part)
    text = _formatted(metadata, document)
    return text.replace(_LOCATOR, locator) if locator else text.replace(f", {_LOCATOR}", "")


def _citation(chunk: RetrievedChunk, span: Span, number: int) -> Citation:
    where = standing_at(chunk, span[0])
    named = {name: value for name, value in where.items() if name != "chapter_title"}
    return Citation(
        document=chunk.document,
        **where,
        excerpt=chunk.content[span[0] : span[1]],
        chunk_id=chunk.chunk_id,
        similarity_score=chunk.similarity_score,
        url=chunk.metadata.url,
        ieee=f"[{number}] {ieee_reference(chunk.metadata, chunk.document, **named)}",
        start=chunk.start + span[0],
        end=chunk.start + span[1],
    )


def _locate(chunk: RetrievedChunk, evidence: str, sentence: str) -> Span | None:
    """Return where the evidence stands, in the sentence first, cut to the limit and the page that has most of it."""
    if not evidence:
        return None
    start = chunk.content.find(evidence, max(chunk.content.find(sentence), 0))
    start = chunk.content.find(evidence) if start < 0 else start
    parts = parts_between(chunk.content, (start, start + len(evidence)), edges_of(chunk)) if start >= 0 else []
    return cut_to_words(chunk.content, max(parts, key=lambda part: part[1] - part[0]), EXCERPT_LIMIT) if parts else None


@lru_cache(maxsize=4096)
def _formatted(metadata: DocumentMetadata, document: str) -> str:
    """Return the reference with a placeholder where page and section go: one run of citeproc for each document."""
    from citeproc import Citation as Cited
    from citeproc import CitationItem, CitationStylesBibliography, formatter
    from citeproc.source.json import CiteProcJSON

    item: dict[str, Any] = {"id": "d", "type": "book", "title": metadata.title or document, "page": _LOCATOR}
    if metadata.authors:
        item["author"] = [_name(author) for author in metadata.authors]
    if metadata.year is not None:
        item["issued"] = {"date-parts": [[metadata.year]]}
    if metadata.publisher:
        item["publisher"] = metadata.publisher
    if metadata.url:
        item["URL"] = metadata.url
    bibliography = CitationStylesBibliography(_style(), CiteProcJSON([item]), formatter.plain)
    bibliography.register(Cited([CitationItem("d")]))
    return " ".join(str(bibliography.bibliography()[0]).split())


@lru_cache(maxsize=1)
def _style() -> "CitationStylesStyle":
    from citeproc import CitationStylesStyle

    return CitationStylesStyle(str(_STYLE), validate=False)


def _name(author: str) -> dict[str, str]:
    """Return family and given name as citeproc wants them; an institution stays whole."""
    if "," in author:
        family, _, given = author.partition(",")
        return {"family": family.strip(), "given": given.strip()}
    parts = author.split()
    if len(parts) < 2 or _BODY.search(author):
        return {"literal": author.strip()}
    first = len(parts) - 1
    while first > 1 and parts[first - 1] in _PARTICLES:
        first -= 1
    return {"family": " ".join(parts[first:]), "given": " ".join(parts[:first])}
