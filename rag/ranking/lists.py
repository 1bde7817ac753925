"""Which items of a list are quoted with the one that answers, whatever passages they stand in. Ground floor.

A list is quoted whole where the question asks for one (`rag.opening.lists`) or half of its items answer, and it is
short enough. Else the items that answer are quoted. What is left out is counted.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Final

from rag.models import BlockSpan, RetrievedChunk
from rag.ranking.versions import Place
from rag.text.excerpts import page_at, place_at
from rag.text.rows import blocks_of
from rag.text.stated import announces, bare, is_numbered, is_sentence, without_mark

MAX_ITEMS: Final = 15  # the most items of a list, or rows of a table, that are quoted together
LONGEST: Final = 2_000  # the most characters of them
ITEM: Final = 0.4  # an item beside the best is quoted, too, from this share of its score on
SEVERAL: Final = 1.15
"""A list answers as a whole if the scores of its items together are so many times that of the best: if no item answers
alone."""


@dataclass(frozen=True, slots=True)
class Line:
    """A block of a passage, and the numbers of the sentences that begin in it."""

    block: BlockSpan
    sentences: tuple[int, ...]


@dataclass(slots=True)
class _Item:
    """An item, or a row, with all that belongs to it but items of its own."""

    block: BlockSpan
    places: list[Place] = field(default_factory=list)


def lines_of(hit: RetrievedChunk) -> list[Line]:
    """Return the blocks of a passage with their sentences."""
    groups = groupby(enumerate(blocks_of(hit)), key=itemgetter(1))
    return [Line(block, tuple(number for number, _ in group)) for block, group in groups]


def list_around(
    hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]], at: Place, best: float, *, whole: bool
) -> tuple[list[Place], str]:
    """Return what to quote of a list in its order, the line that announces it first, and a note where some is left out.

    Args:
        hits: The passages; a list may go on in others of the same document.
        scores: How surely each of their sentences answers.
        at: A sentence within the list.
        best: The score of the sentence that answers most surely.
        whole: Whether all items are wanted, however sure.
    """
    items = _items(hits, at)
    good = [one for one in items if max(scores[place][number] for place, number in one.places) >= ITEM * best]
    shown = items if whole or 2 * len(good) >= len(items) else _with_outer(good, items)
    nearest = next((one for one in shown if at in one.places), shown[0])
    shown = _as_many_as_fit(shown, nearest, hits)
    lead = _announced_by(hits, items[0].places[0])
    is_counted = len(shown) > 1 or is_numbered(_text(hits, items[0].places[0]))
    note = _note(shown, hits, "items of this list", "list") if is_counted else ""
    return [*lead, *(place for one in shown for place in one.places)], note


def list_answers(hit: RetrievedChunk, scores: Sequence[float], number: int, least: float) -> bool:
    """Return whether a sentence stands in a list of which most items answer."""
    lines = lines_of(hit)
    own = next((line.block.list for line in lines if number in line.sentences), None)
    if own is None:
        return False
    within = [line for line in lines if line.block.list == own]
    return 2 * sum(max(scores[n] for n in line.sentences) >= least for line in within) > len(within)


def answers_as_one(hits: Sequence[RetrievedChunk], scores: Sequence[Sequence[float]], at: Place) -> bool:
    """Return whether several items of a sentence's list answer, and not one alone."""
    best = [max(scores[place][number] for place, number in one.places) for one in _items(hits, at)]
    return sum(best) >= SEVERAL * max(best) > 0


def said_whole(hits: Sequence[RetrievedChunk], at: Place) -> list[Place]:
    """Return a sentence as it can be quoted alone: an item behind the line that announces its list.

    Nothing is returned where it cannot be: a line that announces what is not quoted, or an item that no line announces
    and that is no sentence by its form.
    """
    if announces_list(hits[at[0]], at[1]):
        return []
    if blocks_of(hits[at[0]])[at[1]].list is None:
        return [at]
    lead = _announced_by(hits, _items(hits, at)[0].places[0])
    stands_alone = lead or led_from_before(hits[at[0]], at[1]) or is_sentence(without_mark(_text(hits, at)))
    return [*lead, at] if stands_alone else []


def led_from_before(hit: RetrievedChunk, number: int) -> str:
    """Return the line in an earlier passage that announces the list in which a sentence stands; empty where none is."""
    return hit.list_lead if hit.blocks and blocks_of(hit)[number].list == hit.blocks[0].list is not None else ""


def lead_of(hits: Sequence[RetrievedChunk], at: Place, quoted: Collection[Place]) -> str:
    """Return what announces the list of a quoted sentence in an earlier passage, for the first of it, if not quoted."""

    def list_at(place: int, number: int) -> tuple[str, int | None]:
        return hits[place].document_hash, blocks_of(hits[place])[number].list

    lead = led_from_before(hits[at[0]], at[1])
    first = next(other for other in quoted if list_at(*other) == list_at(*at))
    is_said = any(bare(_text(hits, other)) == bare(lead) for other in quoted)
    return "" if is_said or first != at else lead.rstrip(":")


def announces_list(hit: RetrievedChunk, number: int) -> bool:
    """Return whether a sentence announces what comes after it: it ends with a colon, or is a heading above a list."""
    blocks = blocks_of(hit)
    below = blocks[number + 1 : number + 2]
    is_above = blocks[number].kind == "heading" and any(block.list is not None for block in below)
    return is_above or announces(hit.sentence_texts[number])


def rows_announced(hits: Sequence[RetrievedChunk], at: Place) -> tuple[list[Place], str]:
    """Return the rows of the table that begins right after a sentence, and a note where some are left out."""
    lines = lines_of(hits[at[0]])
    after = next(place for place, line in enumerate(lines) if at[1] in line.sentences) + 1
    rows: list[_Item] = []
    for line in lines[after:]:
        if line.block.kind not in ("row", "heads") or line.block.number < len(rows):
            break
        if line.block.kind == "row":
            rows.append(_Item(line.block, [(at[0], number) for number in line.sentences]))
    if not rows:
        return [], ""
    shown = _as_many_as_fit(rows, rows[0], hits)
    return [place for one in shown for place in one.places], _note(shown, hits, "rows of this table", "table")


def _one_after_another(hits: Sequence[RetrievedChunk], place: int) -> list[int]:
    """Return the passages that stand right before and after one in its document, and that one, in their order."""
    own = hits[place]
    by_index = {
        hit.chunk_index: at
        for at, hit in enumerate(hits)
        if (hit.document, hit.document_hash) == (own.document, own.document_hash)
    }
    first = last = own.chunk_index
    while first - 1 in by_index:
        first -= 1
    while last + 1 in by_index:
        last += 1
    return [by_index[index] for index in range(first, last + 1)]


def _items(hits: Sequence[RetrievedChunk], at: Place) -> list[_Item]:
    """Return the items of a sentence's list, as far as the passages have them; one that a cut divides is one."""
    own = blocks_of(hits[at[0]])[at[1]].list
    items: list[_Item] = []
    for place in _one_after_another(hits, at[0]):
        for line in lines_of(hits[place]):
            if line.block.list != own:
                continue
            block, last = line.block, items[-1].block if items else None
            is_new = block.kind == "item" and (last is None or (block.depth, block.number) != (last.depth, last.number))
            if is_new or not items:
                items.append(_Item(block))
            items[-1].places += [(place, number) for number in line.sentences if _text(hits, (place, number)).strip()]
    return [one for one in items if one.places]


def _with_outer(good: Sequence[_Item], items: Sequence[_Item]) -> list[_Item]:
    """Return items with those that they stand within, in the order of the list."""
    above: list[_Item] = []
    kept: list[_Item] = []
    for one in items:
        above = [outer for outer in above if outer.block.depth < one.block.depth]
        if one in good:
            kept += [outer for outer in (*above, one) if outer not in kept]
        above.append(one)
    return kept


def _as_many_as_fit(items: Sequence[_Item], nearest: _Item, hits: Sequence[RetrievedChunk]) -> list[_Item]:
    """Return the items from the first on that an answer may hold, or those that end with the one that answers."""
    shown = list(items[max(items.index(nearest) - MAX_ITEMS + 1, 0) :][:MAX_ITEMS])
    while len(shown) > 1 and sum(len(_text(hits, place)) for one in shown for place in one.places) > LONGEST:
        shown = shown[1:] if shown[-1] is nearest else shown[:-1]
    return shown


def _announced_by(hits: Sequence[RetrievedChunk], first: Place) -> list[Place]:
    """Return the line right above a list that announces it: a heading, or a sentence that ends with a colon."""
    place, number = first
    if not number or not announces_list(hits[place], number - 1):
        return []
    blocks = blocks_of(hits[place])
    above = blocks[number - 1]
    return [(place, n) for n in range(number) if n == number - 1 or (above.kind == "heading" and blocks[n] == above)]


def _note(shown: Sequence[_Item], hits: Sequence[RetrievedChunk], told: str, what: str) -> str:
    """Return a note on a list or table of which not all is shown: how much is, and where the rest stands."""
    outermost = min(one.block.depth for one in shown)
    own = [one for one in shown if one.block.depth == outermost]
    if len(own) >= own[0].block.count:
        return ""
    place, number = own[0].places[0]
    hit = hits[place]
    offset = hit.sentences[number][0]
    page, section = page_at(hit, offset), place_at(hit, offset).section
    where = ", ".join(
        filter(None, (hit.document, f"page {page}" if page else "", f"section “{section}”" if section else ""))
    )
    are = "is" if len(own) == 1 else "are"
    return f"{len(own)} of {own[0].block.count} {told} {are} shown; the whole {what} is in {where}."


def _text(hits: Sequence[RetrievedChunk], place: Place) -> str:
    return hits[place[0]].sentence_texts[place[1]]
