"""Stage 7, without a model: the sentences that the reader marks are quoted, and therefore cannot be invented.

A sentence counts by the probability that its window answers the question times the probability that it is part of the
answer. Form alone decides what is quoted with it: a list is quoted with the line that announces it, a table's row with
the heads of its columns.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from rag.models import BlockKind, Draft, GeneratorInfo, GroundedSentence, Grounding, RetrievedChunk, Spoken
from rag.protocols import GroundingCheck
from rag.ranking.lists import (
    Line,
    announces_list,
    answers_as_one,
    lead_of,
    lines_of,
    list_answers,
    list_around,
    rows_announced,
    said_whole,
)
from rag.ranking.versions import Place, by_version, first_of_version, rows_by_version
from rag.replies.withheld import blanked, note_on, ordering, place_of
from rag.text.rows import blocks_of, cells, silent_rows, statements_of, tells_heads, with_heads
from rag.text.stated import bare, on_one_line, without_mark

METHOD: Final = "verbatim"
ROUNDS: Final = 3  # so often is something else quoted in the place of an order; then what is left is quoted without it
MAX_SENTENCES: Final = 4  # the most sentences of an answer; a list counts as one
WITH: Final = 0.3
"""A sentence beside the best, and one elsewhere in its passage, is quoted, too, from this share of its score on."""
ELSEWHERE: Final = 0.6  # the same for a sentence of another passage
LISTED: Final = 0.8  # the same for a whole list of another passage
BESIDE: Final = 0.1  # the same for the best item of a list near the best sentence, where a whole list is wanted
FUSED_WEIGHT: Final = 3.0
"""What a fused score of 1 counts for the sentence that is quoted first, in the logarithm of its score."""
ROWS: Final = ("row", "field")  # blocks that answer one by one: of such only those that score well are quoted together
VERSION: Final = 0.1  # the same for a sentence of another version of the section that holds the best
_COLUMNS: Final = "The quoted table row has these columns, in order: {}."


def quote(
    hits: Sequence[RetrievedChunk], *, whole: bool = False, info: GeneratorInfo = GeneratorInfo(name="extractive")
) -> Spoken:
    """Return the sentences of the hits that answer, each with the number of its passage.

    Args:
        hits: The passages with their readings, best first; numbered from 1 in this order. Where none was read, the
            most similar window of the first is quoted.
        whole: Whether a list that answers is wanted whole.
        info: Who speaks, and why no model did.
    """
    scores = [_scores(hit) for hit in hits]
    chosen, notes = _chosen(hits, scores, whole=whole)
    sentences = [_grounded(hits, at, scores, heading) for at, heading in chosen.items()]
    columns = filter(None, (_columns_elsewhere(hits[place], number) for place, number in chosen))
    notes += [_COLUMNS.format(" | ".join(heads)) for heads in dict.fromkeys(columns)]
    return quotation(sentences, notes, info=info)


def quotation(sentences: Iterable[GroundedSentence], notes: Iterable[str], *, info: GeneratorInfo) -> Spoken:
    """Return sentences of documents as what was said; each is supported by itself."""
    said = tuple(sentences)
    text = " ".join(f"{one.text} [{one.passages[0]}]" for one in said)
    grounding = Grounding(is_valid=bool(said), sentences=said, answers=bool(said), method=METHOD)
    return Spoken(Draft(text=text, generator=info), grounding, notes=tuple(notes))


def _chosen(
    hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]], *, whole: bool
) -> tuple[dict[tuple[int, int], str], list[str]]:
    """Return passage and sentence, by place, of what is quoted, in order, each with a heading; what to tell of it."""
    if not any(map(any, scores)):
        start, end = hits[0].best_window if hits else (0, 0)
        silent, spans = (_silent(hits[0]), hits[0].sentences) if hits else ((), ())
        numbers = [n for n, (first, _) in enumerate(spans) if start <= first < end and n not in silent]
        return {(0, number): "" for number in numbers[:MAX_SENTENCES]}, []
    place, index = _best(hits, scores)
    versions = by_version(hits, scores, (place, index), share=VERSION, limit=MAX_SENTENCES)
    if len(versions) > 1:
        told = f"{len(versions)} versions of this section match the question. The latest comes first."
        return {at: heading for heading, at in versions}, [told]
    first, note = _with_what_belongs(hits, scores, (place, index), whole=whole)
    first = _with_one_apart(hits, scores, (place, index), first)
    others = _elsewhere(hits, scores, (place, index), first, whole=whole)
    documents = list(dict.fromkeys(hits[at[0]].document_hash for at in (*first, *others)))
    together = sorted((*first, *others), key=lambda at: documents.index(hits[at[0]].document_hash))
    places = dict.fromkeys(together)
    headings = dict(first_of_version(hits, heading, at, places) for heading, at in versions)
    return {at: headings.get(at, "") or lead_of(hits, at, places) for at in places}, [note] if note else []


def quoted_without_orders(
    hits: Sequence[RetrievedChunk], check: GroundingCheck, quoting: Callable[[Sequence[RetrievedChunk]], Spoken]
) -> Spoken:
    """Return what is quoted of passages, nothing of which stands in an order; a note says where one was passed over."""
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
    return replace(quoted, notes=(*quoted.notes, *note_on(places)))


def _found(grounding: Grounding, hits: Sequence[RetrievedChunk], check: GroundingCheck) -> dict[int, list[int]]:
    """Return for each passage that is quoted which of its quoted sentences stand in an order."""
    chosen: dict[int, list[int]] = {}
    for one in grounding.sentences:
        place, texts = one.passages[0] - 1, hits[one.passages[0] - 1].sentence_texts
        chosen.setdefault(place, []).extend(n for n, text in enumerate(texts) if text == one.evidence[0])
    return {place: ordering(hits[place], dict.fromkeys(numbers), check) for place, numbers in chosen.items()}


def _only_honest(quoted: Spoken, found: dict[int, list[int]], hits: Sequence[RetrievedChunk]) -> Spoken:
    """Return a quotation without the sentences that stand in an order, which are blank in the hits by now."""

    def is_honest(one: GroundedSentence) -> bool:
        place = one.passages[0] - 1
        return not found.get(place) or one.evidence[0] in hits[place].sentence_texts

    kept = tuple(filter(is_honest, quoted.grounding.sentences))
    changes = {"sentences": kept, "answers": bool(kept), "is_valid": bool(kept)}
    return replace(quoted, grounding=quoted.grounding.model_copy(update=changes))


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
        for index, score in enumerate(_with_lists(hits[place], each))
    )
    _, place, index = max(every)
    return -place, -index


def _with_lists(hit: RetrievedChunk, scores: Sequence[float]) -> list[float]:
    """Return the scores, where the best item of a list has that of all its items in one window together.

    That is the probability that the window answers times that at least one of them is part of the answer: of a list
    that answers as a whole, no item may do so by itself.
    """
    found, blocks = list(scores), blocks_of(hit)
    for (start, end), reading in zip(hit.windows, hit.window_readings, strict=False):
        inside = [n for n, (first, _) in enumerate(hit.sentences) if start <= first < end and scores[n]]
        listed = sorted((n for n in inside if blocks[n].list is not None), key=lambda n: blocks[n].list or 0)
        for _, group in groupby(listed, key=lambda n: blocks[n].list):
            numbers = list(group)
            best = max(numbers, key=scores.__getitem__)
            found[best] = (reading or 0.0) * (1 - math.prod(1 - hit.marks[n] for n in numbers))
    return found


def _with_what_belongs(
    hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]], best: Place, *, whole: bool
) -> tuple[list[Place], str]:
    """Return the sentences to quote with the best one, itself included, and a note on a list or table cut short."""
    place, index = best
    own = scores[place]
    lines = lines_of(hits[place])
    block = blocks_of(hits[place])[index]
    if block.kind in ROWS:
        return [(place, number) for number in _rows(hits[place], index, own, lines, block.kind)], ""
    if block.list is not None:
        return list_around(hits, scores, best, own[index], whole=whole and answers_as_one(hits, scores, best))
    plain = {n for line in lines if line.block.kind not in ROWS and line.block.list is None for n in line.sentences}
    near = [(place, number) for number in _run(index, [one if n in plain else 0.0 for n, one in enumerate(own)])]
    after = (place, near[-1][1] + 1)
    items: list[Place] = []
    note = ""
    if announces_list(hits[place], near[-1][1]):
        is_listed = any(after[1] in line.sentences and line.block.list is not None for line in lines)
        items, note = (
            list_around(hits, scores, after, own[index], whole=True) if is_listed else rows_announced(hits, near[-1])
        )
    elif (beside := _beside(hits[place], own, near, own[index], whole=whole)) is not None:
        items, note = list_around(hits, scores, (place, beside), own[index], whole=True)
    return [*dict.fromkeys(sorted([*near, *items]) if items and items[0][0] == place else [*near, *items])], note


def _beside(
    hit: RetrievedChunk, scores: Sequence[float], near: Sequence[Place], best: float, *, whole: bool
) -> int | None:
    """Return a sentence of the list that belongs to what is quoted: the next one where a whole list is wanted.

    Else a list right beside it counts only if it answers too.
    """
    first, last = near[0][1], near[-1][1]
    if not whole:
        return next((n for n in (last + 1, first - 1) if list_answers(hit, scores, n, WITH * best)), None)
    lists = {n: block.list for n, block in enumerate(blocks_of(hit)) if block.list is not None}
    found = next((n for n in lists if n > last), max((n for n in lists if n < first), default=None))
    own = None if found is None else lists[found]
    return found if any(lists[n] == own and scores[n] >= BESIDE * best for n in lists) else None


def _rows(
    hit: RetrievedChunk, index: int, scores: Sequence[float], lines: Sequence[Line], kind: BlockKind
) -> list[int]:
    rows = [n for line in lines if line.block.kind == kind for n in line.sentences]
    if dated := rows_by_version({n: cells(hit.sentence_texts[n]) for n in rows}, index):
        good = [n for n in dated if scores[n] >= VERSION * scores[index]]
        return dated[:MAX_SENTENCES] if len(good) > 1 else good  # one that alone answers is of the date asked for
    good = sorted((n for n in rows if scores[n] >= WITH * scores[index]), key=lambda n: -scores[n])[:MAX_SENTENCES]
    is_record = tells_heads(cells(hit.sentence_texts[index]))  # of a sheet, where the row asked for comes first
    return [index, *sorted(n for n in good if n != index)] if is_record else sorted(good)


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


def _counted(hits: Sequence[RetrievedChunk], quoted_places: Sequence[Place]) -> int:
    lists = [blocks_of(hits[place])[number].list for place, number in quoted_places]
    return lists.count(None) + any(one is not None for one in lists)


def _silent(hit: RetrievedChunk) -> frozenset[int]:
    """Return the sentences that say nothing: heads of columns and rules, and those that were blanked."""
    return silent_rows(hit) | {number for number, text in enumerate(hit.sentence_texts) if not text.strip()}


def _with_one_apart(
    hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]], best: Place, first: Sequence[Place]
) -> list[Place]:
    """Return what is quoted, in order, with the sentence of the best passage that answers most surely beside it."""
    place, index = best
    blocks, own = blocks_of(hits[place]), scores[place]
    taken = {blocks[number].list for at, number in first if at == place} - {None}
    free = (n for n, one in enumerate(blocks) if (place, n) not in first and one.kind not in ROWS)
    other = max((n for n in free if blocks[n].list not in taken), key=own.__getitem__, default=index)
    is_full = _counted(hits, first) >= MAX_SENTENCES or blocks[index].kind in ROWS
    if other == index or own[other] < WITH * own[index] or is_full:
        return list(first)
    places = list(dict.fromkeys(at for at, _ in first))
    return sorted({*first, *said_whole(hits, (place, other))}, key=lambda at: (places.index(at[0]), at[1]))


def _elsewhere(
    hits: Sequence[RetrievedChunk],
    scores: Sequence[Sequence[float]],
    best: Place,
    first: Sequence[Place],
    *,
    whole: bool,
) -> list[Place]:
    """Return the best sentence of each other passage that answers nearly as surely and says something else.

    Of a list, all its items are returned where a whole one is wanted.
    """
    found: list[Place] = []
    taken = {place for place, _ in first}
    told = {bare(hits[place].content) for place in taken}
    room = MAX_SENTENCES - _counted(hits, first)
    for place, each in enumerate(scores):
        index = max(range(len(each)), key=each.__getitem__, default=0)
        if place in taken or not each or len(found) >= room:
            continue
        if each[index] < ELSEWHERE * scores[best[0]][best[1]] or (hits[best[0]].named and not hits[place].named):
            continue
        text = bare(hits[place].sentence_texts[index])
        said = said_whole(hits, (place, index))
        if whole and _is_list_wanted(hits, scores, (place, index), scores[best[0]][best[1]]):
            said = list_around(hits, scores, (place, index), 0.0, whole=True)[0]
        if said and not any(text in other for other in told):
            told.add(text)
            found += [one for one in said if one not in found]
    return found


def _is_list_wanted(hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]], at: Place, best: float) -> bool:
    is_listed = blocks_of(hits[at[0]])[at[1]].list is not None
    return is_listed and scores[at[0]][at[1]] >= LISTED * best and answers_as_one(hits, scores, at)


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
    text = on_one_line(statements_of(hit)[number] or hit.sentence_texts[number])
    is_lead = announces_list(hit, number) and text[-1:] not in ("?", "!", ":")
    return f"{text.removesuffix('.')}:" if is_lead else text


def _columns_elsewhere(hit: RetrievedChunk, number: int) -> tuple[str, ...]:
    """Return the heads of a row's columns where they stand in an earlier passage, which is not the one cited."""
    block = blocks_of(hit)[number]
    if block.kind != "row" or block.table is None:
        return ()
    is_here = any(one.kind == "heads" and one.end <= block.start for one in hit.blocks)
    return () if is_here else hit.columns[block.table]
