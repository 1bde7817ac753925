"""Two questions in one: each is searched, read and judged by itself.

Question marks tell them here, words in `rag.opening.joints`. The passages of both stand in one list, the best of each
part first: a passage has one number for all parts.
"""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from rag.events import Found
from rag.models import GeneratorInfo, GroundedSentence, Retrieval, RetrievedChunk, Spoken
from rag.quote import quotation, quote

MOST_PARTS: Final = 3
"""A text with more question marks is read whole: it is a form or a list, and each part costs a reading."""
SHORTEST_PART: Final = 3
"""Words that a part has at least: `Really?` is no question of its own."""
_END: Final = re.compile(r"(?<=\?)\s+")


def parts_of(question: str) -> tuple[str, ...]:
    """Return the questions that a text holds, in order; one of them where it is to be read whole.

    >>> parts_of("How long is the break? Who pays for it?")
    ('How long is the break?', 'Who pays for it?')
    >>> parts_of("How long is the break and who pays for it?"), parts_of("I lost my key. What now?")
    (('How long is the break and who pays for it?',), ('I lost my key. What now?',))
    >>> len(parts_of("Is it true that it is paid? Really?")), len(parts_of("Who is it? " * 4))
    (1, 1)
    """
    parts = [part for part in _END.split(question) if part]
    is_each_one = all(part.endswith("?") and len(part.split()) >= SHORTEST_PART for part in parts)
    return tuple(parts) if is_each_one and 1 < len(parts) <= MOST_PARTS else (question,)


def together(parts: Sequence[Found], *, top_k: int) -> Retrieval:
    """Return what several questions found as one retrieval; a passage that several found has its best readings."""
    first = parts[0].retrieval
    best: dict[str, RetrievedChunk] = {}
    for row in zip_longest(*((*part.retrieval.hits, *part.retrieval.rest) for part in parts)):
        for hit in row:
            if hit is not None:
                best[hit.chunk_id] = _surest(best.get(hit.chunk_id, hit), hit)
    ranked = tuple(hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(best.values(), start=1))
    return first.model_copy(
        update={
            "hits": ranked[:top_k],
            "rest": ranked[top_k:],
            "absent": tuple(dict.fromkeys(one for part in parts for one in part.retrieval.absent)),
            "notes": tuple(dict.fromkeys(note for part in parts for note in part.retrieval.notes)),
            "narrowed": {name: note for part in parts for name, note in part.retrieval.narrowed.items()},
            "editions": tuple(dict.fromkeys(work for part in parts for work in part.retrieval.editions)),
        }
    )


def quoted_for_each(parts: Sequence[Found], hits: Sequence[RetrievedChunk], *, info: GeneratorInfo) -> Spoken:
    """Return what is quoted for one part after the other; a part that the passages shown do not answer is left out.

    Args:
        parts: What each found.
        hits: The passages of all, as they are shown: sentences are cited by their places.
        info: Who speaks, and why no model did.
    """
    read = [(part.retrieval.asks_for_list, _read_for(part, hits)) for part in parts if part.decision.passed]
    found = [quote(own, whole=whole, info=info) for whole, own in read if any(hit.reading for hit in own)]
    if not found:
        return quote(hits, info=info)
    sentences: dict[str, GroundedSentence] = {}
    for one in (one for each in found for one in each.grounding.sentences):
        sentences.setdefault(one.text, one)  # one sentence may answer both
    return quotation(sentences.values(), dict.fromkeys(note for each in found for note in each.notes), info=info)


def unanswered(parts: Sequence[Found]) -> tuple[str, ...]:
    """Return a note on each part that is not answered beside one that is."""
    if not any(part.decision.passed for part in parts):
        return ()
    return tuple(f"Not answered: {part.query.question}" for part in parts if not part.decision.passed)


def _surest(one: RetrievedChunk, other: RetrievedChunk) -> RetrievedChunk:
    if one is other:
        return one
    readings = tuple(
        max((value for value in pair if value is not None), default=None)
        for pair in zip(one.window_readings, other.window_readings, strict=True)
    )
    better = max(one, other, key=lambda hit: hit.cosine)
    marks = tuple(map(max, one.marks, other.marks))
    return better.model_copy(update={"window_readings": readings, "marks": marks})


def _read_for(part: Found, hits: Sequence[RetrievedChunk]) -> tuple[RetrievedChunk, ...]:
    """Return the passages with the readings and marks for one part; those that it did not find have none."""
    own = {hit.chunk_id: hit for hit in (*part.retrieval.hits, *part.retrieval.rest)}
    found = ((hit, own.get(hit.chunk_id)) for hit in hits)
    return tuple(
        hit.model_copy(
            update={"window_readings": one.window_readings if one else (), "marks": one.marks if one else ()}
        )
        for hit, one in found
    )
