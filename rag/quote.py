"""Stage 7, without a model: the sentences that the reader marks are quoted, and therefore cannot be invented.

A sentence counts by the probability that its window answers the question times the probability that it is part of the
answer. Form alone decides what is quoted with it: a list is quoted with the line that announces it, a table's row with
the heads of its columns.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

from rag.language.rows import blocks_of, cells, silent_rows, statements_of, tells_heads, with_heads
from rag.language.stated import MARK, on_one_line, without_mark
from rag.models import BlockSpan, Draft, GeneratorInfo, GroundedSentence, Grounding, RetrievedChunk
from rag.protocols import GroundingCheck
from rag.ranking.versions import by_version
from rag.withheld import blanked, note_on, ordering, place_of

METHOD: Final = "verbatim"
ROUNDS: Final = 3
"""So often is something else quoted in the place of an order; then what is left is quoted without it."""
MAX_SENTENCES: Final = 4
"""The most sentences of an answer; a list counts as one."""
MAX_ITEMS: Final = 15
"""The most items of a list that are quoted."""
WITH: Final = 0.3
"""A sentence beside the best is quoted, too, from this share of its score on."""
ELSEWHERE: Final = 0.5
"""The same for a sentence of another passage."""
FUSED_WEIGHT: Final = 3.0
"""What a fused score of 1 counts for the sentence that is quoted first, in the logarithm of its score."""
ROWS: Final = ("row", "field")
"""Blocks that answer one by one: of such only those that score well are quoted together."""
VERSION: Final = 0.1
"""The same for a sentence of another version of the section that holds the best."""
ITEM: Final = 0.4
"""The same for an item of the list that holds the best."""


_COLUMNS: Final = "The columns of the row quoted, which its passage does not name, are in order: {}."


@dataclass(frozen=True, slots=True)
class Quotation:
    """What is quoted, and what must be known of it."""

    draft: Draft
    grounding: Grounding
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """A block of a passage, and the numbers of the sentences that begin in it."""

    block: BlockSpan
    sentences: tuple[int, ...]


def quote(hits: Sequence[RetrievedChunk], *, info: GeneratorInfo = GeneratorInfo(name="extractive")) -> Quotation:
    """Return the sentences of the hits that answer, each with the number of its passage.

    Args:
        hits: The passages with their readings, best first; numbered from 1 in this order. Where none was read, the
            most similar window of the first is quoted.
        info: Who speaks, and why no model did.
    """
    scores = [_scores(hit) for hit in hits]
    chosen, notes = _chosen(hits, scores)
    sentences = tuple(_grounded(hits, at, scores, heading) for at, heading in chosen.items())
    columns = filter(None, (_columns_elsewhere(hits[place], number) for place, number in chosen))
    notes += [_COLUMNS.format(" | ".join(heads)) for heads in dict.fromkeys(columns)]
    text = " ".join(f"{one.text} [{one.passages[0]}]" for one in sentences)
    grounding = Grounding(is_valid=bool(sentences), sentences=sentences, answers=bool(sentences), method=METHOD)
    return Quotation(Draft(text=text, generator=info), grounding, tuple(notes))


def _chosen(
    hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]]
) -> tuple[dict[tuple[int, int], str], list[str]]:
    """Return passage and sentence, by place, of what is quoted, in its order, and what to tell of it.

    What answers most surely comes first; of versions of one section the latest, each with the heading to show.
    """
    if not any(map(any, scores)):
        numbers = _of_best_window(hits[0])[:MAX_SENTENCES] if hits else []
        return {(0, number): "" for number in numbers}, []
    place, index = _best(hits, scores)
    versions = by_version(hits, scores, (place, index), share=VERSION, limit=MAX_SENTENCES)
    if len(versions) > 1:
        told = f"{len(versions)} versions of this section say something on it. The latest comes first."
        return {at: heading for heading, at in versions}, [told]
    first, note = _with_what_belongs(hits[place], index, scores[place])
    room = MAX_SENTENCES - _counted(hits[place], first)
    others = _elsewhere(hits, scores, scores[place][index], place, room=room)
    headings = {at: heading for heading, at in versions}
    found = [*((place, number) for number in first), *others]
    return {at: headings.get(at, "") for at in found}, [note] if note else []


def quoted_without_orders(
    hits: Sequence[RetrievedChunk],
    check: GroundingCheck,
    quoting: Callable[[Sequence[RetrievedChunk]], Quotation],
) -> Quotation:
    """Return what is quoted of passages, nothing of which stands in an order; a note says where one was passed over.

    Args:
        hits: The passages.
        check: Judges texts.
        quoting: Quotes passages.
    """
    left = list(hits)
    places: dict[str, None] = {}
    for _ in range(ROUNDS):
        quoted = quoting(left)
        found = _found(quoted.grounding, left, check)
        if not any(found.values()):
            break
        for place, numbers in found.items():
            places |= dict.fromkeys([place_of(left[place])] if numbers else [])
            left[place] = blanked(left[place], numbers)
    else:
        quoted = _only_honest(quoted, found, left)
    return Quotation(quoted.draft, quoted.grounding, (*quoted.notes, *note_on(places)))


def _found(grounding: Grounding, hits: Sequence[RetrievedChunk], check: GroundingCheck) -> dict[int, list[int]]:
    """Return for each passage that is quoted which of its quoted sentences stand in an order."""
    chosen: dict[int, list[int]] = {}
    for one in grounding.sentences:
        place, texts = one.passages[0] - 1, hits[one.passages[0] - 1].sentence_texts
        chosen.setdefault(place, []).extend(n for n, text in enumerate(texts) if text == one.evidence[0])
    return {place: ordering(hits[place], dict.fromkeys(numbers), check) for place, numbers in chosen.items()}


def _only_honest(quoted: Quotation, found: dict[int, list[int]], hits: Sequence[RetrievedChunk]) -> Quotation:
    """Return a quotation without the sentences that stand in an order, which are blank in the hits by now."""

    def is_honest(one: GroundedSentence) -> bool:
        place = one.passages[0] - 1
        return not found.get(place) or one.evidence[0] in hits[place].sentence_texts

    kept = tuple(filter(is_honest, quoted.grounding.sentences))
    changes = {"sentences": kept, "answers": bool(kept), "is_valid": bool(kept)}
    return Quotation(quoted.draft, quoted.grounding.model_copy(update=changes), quoted.notes)


def joined(texts: Sequence[str], drawn: Sequence[str], *, line: str) -> str:
    """Return what is drawn of the sentences of an answer as one text, a break before and after each item of a list.

    >>> joined(["You bring:", "- gloves.", "It rains."], ["You bring: [1]", "- gloves. [1]", "It rains. [2]"], line="/")
    'You bring: [1]/- gloves. [1]/It rains. [2]'
    """
    together = ""
    for (before, text), one in zip(pairwise(["", *texts]), drawn, strict=True):
        together += (line if MARK.match(text) or MARK.match(before) else " ") + one
    return together.strip()


def _scores(hit: RetrievedChunk) -> list[float]:
    """Return for each sentence the probability that it answers; heads of tables and blanked text say nothing."""
    silent = _silent(hit)
    readings = hit.window_readings or (None,) * len(hit.windows)
    found = [0.0] * len(hit.sentences)
    for (start, end), reading in zip(hit.windows, readings, strict=True):
        for number, (first, _) in enumerate(hit.sentences):
            if start <= first < end and number not in silent and number < len(hit.marks):
                found[number] = (reading or 0.0) * hit.marks[number]
    return found


def _best(hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]]) -> tuple[int, int]:
    """Return passage and sentence, by place, of what is quoted first: by its score and what retrieval thinks of it."""
    every = (
        (score * math.exp(FUSED_WEIGHT * hits[place].fused_score), -place, -index)
        for place, each in enumerate(scores)
        for index, score in enumerate(each)
    )
    _, place, index = max(every)
    return -place, -index


def _with_what_belongs(hit: RetrievedChunk, index: int, scores: Sequence[float]) -> tuple[list[int], str]:
    """Return the sentences to quote with the best one of a passage, itself included, and a note on a list cut short."""
    lines = _lines(hit)
    own = _line_of(index, lines)
    kind = lines[own].block.kind
    if kind == "item":
        return _of_list(lines, own, index, scores, hit)
    if kind in ROWS:
        rows = [n for line in lines if line.block.kind == kind for n in line.sentences]
        good = sorted((n for n in rows if scores[n] >= WITH * scores[index]), key=lambda n: -scores[n])[:MAX_SENTENCES]
        is_record = tells_heads(cells(hit.sentence_texts[index]))  # of a sheet, where the row asked for comes first
        return ([index, *sorted(n for n in good if n != index)] if is_record else sorted(good)), ""
    plain = {n for line in lines if line.block.kind not in ("item", *ROWS) for n in line.sentences}
    near = _run(index, [score if n in plain else 0.0 for n, score in enumerate(scores)])
    last = _line_of(near[-1], lines)
    announces = hit.sentence_texts[near[-1]].rstrip("*_ ").endswith(":") and near[-1] == lines[last].sentences[-1]
    if announces and last + 1 < len(lines) and lines[last + 1].block.kind == "item":
        items, note = _of_list(lines, last + 1, index, scores, hit, whole=True)
        return sorted({*near, *items}), note
    return near, ""


def _line_of(number: int, lines: Sequence[_Line]) -> int:
    """Return the place of the line on which a sentence stands."""
    return next(place for place, line in enumerate(lines) if number in line.sentences)


def _run(index: int, scores: Sequence[float]) -> list[int]:
    """Return the sentences around the best one that score nearly as well, without a gap, four at most."""
    first = last = index
    while last - first + 1 < MAX_SENTENCES:
        after = scores[last + 1] if last + 1 < len(scores) else 0.0
        before = scores[first - 1] if first else 0.0
        if max(after, before) < WITH * scores[index] or not max(after, before):
            break
        first, last = (first - 1, last) if before > after else (first, last + 1)
    return list(range(first, last + 1))


def _of_list(
    lines: Sequence[_Line], own: int, index: int, scores: Sequence[float], hit: RetrievedChunk, *, whole: bool = False
) -> tuple[list[int], str]:
    """Return the items of a list to quote, with the line that announces it, and a note where some are left out."""
    items = _list_around(lines, own)
    good = [line for line in items if max(scores[n] for n in line.sentences) >= ITEM * scores[index]]
    shown = items if whole or 2 * len(good) >= len(items) else good
    shown = shown[max(shown.index(lines[own]) - MAX_ITEMS + 1, 0) :][:MAX_ITEMS]
    numbers = [n for line in shown for n in line.sentences if hit.sentence_texts[n].strip()]
    first = lines.index(items[0])
    above = lines[first - 1] if first else None
    if above and hit.sentence_texts[above.sentences[-1]].rstrip("*_ ").endswith(":"):
        numbers.insert(0, above.sentences[-1])
    return numbers, _list_note(shown, hit)


def _list_around(lines: Sequence[_Line], own: int) -> list[_Line]:
    """Return the items of the list in which one stands, as far as the passage has them."""
    first = last = own
    while first and lines[first - 1].block.kind == "item" and lines[first].block.number != 1:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].block.kind == "item" and lines[last + 1].block.number != 1:
        last += 1
    return list(lines[first : last + 1])


def _list_note(shown: Sequence[_Line], hit: RetrievedChunk) -> str:
    """Return a note where a list is longer than what is shown of it; one item of a list without numbers needs none."""
    count = shown[0].block.count
    is_numbered = hit.sentence_texts[shown[0].sentences[0]].lstrip("(")[:1].isdigit()
    if len(shown) >= count or (len(shown) == 1 and not is_numbered):
        return ""
    return f"{len(shown)} of {count} items of this list are shown."


def _counted(hit: RetrievedChunk, numbers: Sequence[int]) -> int:
    """Return how many sentences of a passage are quoted; the items of a list count as one."""
    items = {n for line in _lines(hit) if line.block.kind == "item" for n in line.sentences}
    return len({-1 if number in items else number for number in numbers})


def _of_best_window(hit: RetrievedChunk) -> list[int]:
    """Return the sentences of the window that is most similar to the question, or was read as the best."""
    start, end = hit.best_window
    silent = _silent(hit)
    return [n for n, (first, _) in enumerate(hit.sentences) if start <= first < end and n not in silent]


def _silent(hit: RetrievedChunk) -> frozenset[int]:
    """Return the sentences that say nothing: heads of columns and rules, and those that were blanked."""
    return silent_rows(hit) | {number for number, text in enumerate(hit.sentence_texts) if not text.strip()}


def _elsewhere(
    hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]], best: float, taken: int, *, room: int
) -> list[tuple[int, int]]:
    """Return the best sentence of each other passage that answers nearly as surely and says something else."""
    found: list[tuple[int, int]] = []
    told = {_plain(hits[taken].content)}
    for place, each in enumerate(scores):
        index = max(range(len(each)), key=each.__getitem__, default=0)
        if place == taken or not each or len(found) == room:
            continue
        if each[index] < ELSEWHERE * best or (hits[taken].named and not hits[place].named):
            continue
        text = _plain(hits[place].sentence_texts[index])
        if not any(text in other for other in told):
            told.add(text)
            found.append((place, index))
    return found


def _lines(hit: RetrievedChunk) -> list[_Line]:
    """Return the blocks of a passage with their sentences."""
    numbered = enumerate(blocks_of(hit))
    groups = ((block, [n for n, _ in group]) for block, group in groupby(numbered, key=itemgetter(1)))
    return [_Line(block, tuple(numbers)) for block, numbers in groups]


def _grounded(
    hits: Sequence[RetrievedChunk], at: tuple[int, int], scores: Sequence[Sequence[float]], version: str
) -> GroundedSentence:
    """Return one sentence as it is shown, behind the version that it belongs to; what supports it is itself."""
    place, number = at
    said = quoted(hits[place], number)
    return GroundedSentence(
        text=f"{version}: {without_mark(said)}" if version else said,
        supported=True,
        support=max(scores[place][number], 0.5),
        passages=(place + 1,),
        evidence=(hits[place].sentence_texts[number],),
    )


def quoted(hit: RetrievedChunk, number: int) -> str:
    """Return a sentence on one line; the document's own `[12]` and emphasis are dropped, and it ends with a stop.

    A row reads as `head: cell; head: cell` where its passage has the heads of its columns.
    """
    if _columns_elsewhere(hit, number):
        return on_one_line(with_heads(cells(hit.sentence_texts[number]), ()))
    return on_one_line(statements_of(hit)[number] or hit.sentence_texts[number])


def _columns_elsewhere(hit: RetrievedChunk, number: int) -> tuple[str, ...]:
    """Return the heads of a row's columns where they stand in an earlier passage, which is not the one cited."""
    block = blocks_of(hit)[number]
    if block.kind != "row" or block.table is None:
        return ()
    is_here = any(one.kind == "heads" and one.end <= block.start for one in hit.blocks)
    return () if is_here else hit.columns[block.table]


def _plain(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())
