"""Which of the candidates are quoted, best first, and in which order they are read. Ground floor."""

import re
from collections.abc import Sequence

from rag.language.quantities import quantities
from rag.language.text import stems
from rag.models import RetrievedChunk
from rag.quoting.candidates import Candidate
from rag.quoting.company import Place, Unit, term_stems, with_company
from rag.quoting.layout import layout_of
from rag.quoting.tables import label_of

CLIFF = 0.78
"""A second sentence is quoted when its score is at least this share of the best one's."""
LATER_CLIFF = 0.9
"""The same for the sentences after it: each is less likely to be about what was asked than the one before."""
ABOVE_CLIFF = 0.85
"""The same for one that stands above the best, not next to it: it would be read first, and taken for the answer."""
ALTERNATIVE_CLIFF = 0.96
"""The same for a row, another entry, or another passage where no sections are known: it must earn its citation."""
NEIGHBOUR_CLIFF = 0.9
"""The same for a sentence of another passage of the best one's section, which goes on with its subject."""
ELSEWHERE_CLIFF = 0.98
"""The same for one of a passage that stands elsewhere: it is mostly about something else."""
LIKE_ROW_CLIFF = 0.9
"""The same for another row of the best one's table that the question does not tell from it: `gearbox oil` for "oil"."""
FOLLOWING_CREDIT = 0.5
"""What the sentence right after the best one is let off for the share of the question's words that it alone has."""
SHORTEST_LIST = 3
"""From so many lines on, what comes with a further sentence must earn its place as an alternative does."""
NEAR_DUPLICATE = 0.8
"""Two sentences that share this part of the shorter one's content words say the same."""
_DENIES = re.compile(
    r"(?:nobody|no one|none|never|neither|do not|(?:it|they|this|these) (?:\w+ )?(?:not|never)|no [a-z]+)\b",
    re.IGNORECASE,
)
_RUNG = re.compile(
    r"\W*(?:\d[\d.]* )?"
    r"(?:between|from|above|over|below|under|up to|at|beyond|after|within|more than|less than)\b[^,;.]*\d",
    re.IGNORECASE,
)
_OPENING = frozenset("the a an it this these they in".split())  # noqa: SIM905
"""With these any sentence may begin; three that begin with `Whoever` or `If` are cases of one rule."""
_LIGHT = frozenset("get got happen someon somebodi anyon anybodi someth anyth".split())  # noqa: SIM905
"""Stems of words of a question that what answers it has no reason to repeat."""
_NUMBERS = frozenset(
    """
    one two three four five six seven eight nine ten eleven twelv thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenti thirti forti fifti sixti seventi eighti nineti hundr hundred thousand million half doubl twice first
    second third fourth fifth sixth seventh eighth ninth tenth
    """.split()  # noqa: SIM905
)
"""Stems of numbers in words: sentences that differ in one do not say the same."""


def choose(
    ranked: Sequence[Candidate], hits: Sequence[RetrievedChunk], max_sentences: int, asked: frozenset[str]
) -> list[Place]:
    """Return the sentences to quote, in the order they are read; all items of a list count as one sentence.

    Args:
        ranked: The candidates, best first.
        hits: The passages.
        max_sentences: The most sentences to quote.
        asked: The stems of the question.
    """
    chosen: list[Candidate] = []
    places: set[Place] = set()
    room = max_sentences
    for candidate in ranked:
        if chosen and candidate.score < _bar(candidate, chosen, hits, asked) - _credit(candidate, chosen[0], asked):
            continue
        units = with_company(candidate.index, candidate.passage, hits, asked)
        wanted = [unit for unit in units if not places.issuperset(unit)]
        if chosen and (len(wanted) > room or _is_beside(candidate, wanted, chosen[0], hits, asked)):
            continue
        if any(_same(candidate, other) for other in chosen):
            continue
        chosen.append(candidate)
        places.update(place for unit in wanted[:room] for place in unit)
        room -= len(wanted[:room])
        if room <= 0:
            break
    places.update(_between(places, hits, asked, room))
    whole = {(place.passage, place.index) for place in places if not place.term_alone}
    return sorted(place for place in places if not place.term_alone or (place.passage, place.index) not in whole)


def _between(places: set[Place], hits: Sequence[RetrievedChunk], asked: frozenset[str], room: int) -> list[Place]:
    """Return the sentences that stand alone between two quoted ones and belong with them.

    They begin as both do, and have a word of the question: "Whoever cancels later pays 30 francs." left out between
    what is paid by those before and after them misleads. Or they deny, as "Nobody is let in later." does, or say of
    what lies between the limits of both: "Between 120 and 200 degrees" after one for less and before one for more.
    """
    found: list[Place] = []
    for place in sorted(places):
        between, after = Place(place.passage, place.index + 1), Place(place.passage, place.index + 2)
        if place.term_alone or between in places or after not in places:
            continue
        hit = hits[place.passage - 1]
        layout = layout_of(hit)
        is_one = layout.block(place.index) == layout.block(after.index) and layout.block(place.index).kind == "text"
        three = [hit.sentence_texts[each.index] for each in (place, between, after)]
        if is_one and (_DENIES.match(three[1]) or _is_rung(*three)):
            found.append(between)
        elif is_one and asked.intersection(stems(hit.sentence_texts[between.index])):
            begin = {text.split()[0].casefold() for text in three}
            found += [between] if len(begin) == 1 and begin.isdisjoint(_OPENING) else []
    return found[: max(room, 0)]


def _is_rung(before: str, text: str, after: str) -> bool:
    """Return whether a sentence begins with a limit, in a unit in which those around it have numbers too.

    >>> _is_rung("It keeps at 5 degrees or less.", "From 5 to 9 degrees it keeps a day.", "Above 9 degrees it spoils.")
    True
    """
    units = [{one.unit for one in quantities(each) if one.unit} for each in (before, text, after)]
    return bool(_RUNG.match(text)) and bool(set.intersection(*units))


def _bar(
    candidate: Candidate, chosen: Sequence[Candidate], hits: Sequence[RetrievedChunk], asked: frozenset[str]
) -> float:
    """Return the score that a further sentence must reach: high for what stands beside the best, not with it."""
    best = chosen[0]
    if _are_like_rows(candidate, best, asked):
        return _share_of(best, LIKE_ROW_CLIFF)
    there, here = hits[candidate.passage - 1], hits[best.passage - 1]
    if candidate.passage == best.passage:
        if candidate.is_row or _are_entries(candidate.index, best.index, here):
            return _share_of(best, ALTERNATIVE_CLIFF)
        is_above = candidate.index < best.index - 1
        return _share_of(best, LATER_CLIFF if len(chosen) > 1 else ABOVE_CLIFF if is_above else CLIFF)
    if _place_of(there) != _place_of(here):
        return _share_of(best, ELSEWHERE_CLIFF)
    return _share_of(best, ALTERNATIVE_CLIFF if candidate.is_row or there.section is None else NEIGHBOUR_CLIFF)


def _place_of(hit: RetrievedChunk) -> tuple[str, int | None, str | None]:
    return hit.document, hit.chapter, hit.section


def _are_like_rows(candidate: Candidate, best: Candidate, asked: frozenset[str]) -> bool:
    """Return whether two rows of a passage have the same words of the question, some of them in their labels."""
    if not (candidate.is_row and best.is_row and candidate.passage == best.passage):
        return False
    labels = [asked.intersection(stems(label_of(one.text))) for one in (candidate, best)]
    return bool(labels[0]) and labels[0] == labels[1] and candidate.stems & asked == best.stems & asked


def _credit(candidate: Candidate, best: Candidate, asked: frozenset[str]) -> float:
    """Return how much lower the bar is for the sentence right after the best one that says more of what was asked."""
    follows = (candidate.passage, candidate.index) == (best.passage, best.index + 1)
    if not follows or not asked or candidate.is_row or best.is_row:  # the next row is about another thing
        return 0.0
    telling = asked - _LIGHT or asked
    return FOLLOWING_CREDIT * len((candidate.stems & telling) - best.stems) / len(telling)


def _share_of(best: Candidate, share: float) -> float:
    """Return a share of the best score, without the part of it that is owed to the place."""
    return best.place + (best.score - best.place) * share


def _is_beside(
    candidate: Candidate,
    wanted: Sequence[Unit],
    best: Candidate,
    hits: Sequence[RetrievedChunk],
    asked: frozenset[str],
) -> bool:
    """Return whether a further sentence would bring a list without earning it, or explains a term that was not asked.

    The latter where the question names the term that the best sentence explains.
    """
    if any(len(unit) >= SHORTEST_LIST for unit in wanted) and candidate.score < _share_of(best, ALTERNATIVE_CLIFF):
        return True
    terms = [term_stems(one.index, hits[one.passage - 1]) for one in (best, candidate)]
    return all(terms) and terms[0] <= asked and not terms[1] <= asked


def _are_entries(one: int, other: int, hit: RetrievedChunk) -> bool:
    """Return whether two sentences of a passage stand under different questions or terms, or are different items."""
    layout = layout_of(hit)
    questions = {layout.question_of[index] if layout.is_entry(index) else None for index in (one, other)}
    if len(questions) > 1 or layout.term_of[one] != layout.term_of[other]:
        return True
    blocks = layout.block(one), layout.block(other)
    return blocks[0] != blocks[1] and all(block.kind == "item" for block in blocks)


def _same(one: Candidate, other: Candidate) -> bool:
    """Return whether two sentences share nearly all content words of the shorter, and have the same numbers."""
    if _numbers(one.stems) != _numbers(other.stems):
        return False
    shorter = min(len(one.stems), len(other.stems))
    return shorter > 0 and len(one.stems & other.stems) >= NEAR_DUPLICATE * shorter


def _numbers(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(stem for stem in stems if stem in _NUMBERS or any(letter.isdigit() for letter in stem))
