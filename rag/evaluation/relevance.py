"""Whether a chunk is what the label points at, and how well the right ones are found (by ir-measures)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pydantic import Field

from rag.evaluation.datasets import Gold
from rag.evaluation.lines import LineChunk, LineCitation
from rag.models import Value

RUN = 60  # two texts overlap when they share so many characters in a row, white space and case folded
_SECTION_NUMBER = re.compile(r"(?:section|sec\.|§)?\s*((?:[a-z]\.?)?\d+(?:\.\d+)*)(?![^\W_])")


class Judgement(Value):
    """The retrieved chunks of one question, judged."""

    relevant: tuple[bool, ...] = Field(description="For each retrieved chunk, by rank: whether it is relevant.")
    document: tuple[bool, ...] = Field(description="The same by document alone.")
    page: tuple[bool, ...] | None = Field(description="The same by document and page alone; null: no page is known.")
    unmatched: int = Field(ge=0, description="Places in the label that no retrieved chunk matches.")


def judge(retrieved: Sequence[LineChunk], gold: Sequence[Gold]) -> Judgement:
    """Judge retrieved chunks, best first, against all places that hold an answer; any one suffices."""
    paged = [place for place in gold if place.page is not None]
    matches = [[is_relevant(chunk, place) for place in gold] for chunk in retrieved]
    return Judgement(
        relevant=tuple(any(row) for row in matches),
        document=tuple(any(chunk.document == place.document for place in gold) for chunk in retrieved),
        page=tuple(on_gold_page(chunk, paged) for chunk in retrieved) if paged else None,
        unmatched=sum(not any(row[index] for row in matches) for index in range(len(gold))),
    )


def is_relevant(chunk: LineChunk, gold: Gold) -> bool:
    """Return whether a chunk is relevant for one place: its document, and page, section and text where given."""
    return (
        chunk.document == gold.document
        and (gold.page is None or chunk.page == gold.page)
        and (not (gold.section or "").strip() or same_section(chunk.section, gold.section))
        and (not gold.passage.strip() or overlaps(chunk.content, gold.passage))
    )


def on_gold_page(chunk: LineChunk | LineCitation, gold: Sequence[Gold]) -> bool:
    """Return whether document and page equal those of one of the places."""
    return any(chunk.document == place.document and chunk.page == place.page for place in gold)


def same_section(section: str | None, gold: str | None) -> bool:
    """Return whether two sections have the same number or, where the label has no number, the same folded title.

    >>> same_section("2.2 Working with hoods", "2.2"), same_section("2.2.1 Sashes", "2.2")
    (True, False)
    """
    number = section_number(gold)
    if number is None:
        return _fold(section or "") == _fold(gold or "")
    return section_number(section) == number


def section_number(section: str | None) -> str | None:
    """Return the number that a section begins with, without a full stop at its end; None where it has none.

    >>> section_number("2.2. Working with hoods"), section_number("Section 4: Spills"), section_number("Glossary")
    ('2.2', '4', None)
    """
    found = _SECTION_NUMBER.match(_fold(section or ""))
    return found.group(1) if found else None


def overlaps(text: str, gold: str) -> bool:
    """Return whether one text contains the other or both share 60 characters in a row; white space, case folded.

    A text of nothing but white space overlaps with nothing.
    """
    one, other = _fold(text), _fold(gold)
    if not one or not other:
        return False
    return one in other or other in one or not _runs(other).isdisjoint(_runs_of(one))


@lru_cache(maxsize=4096)
def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _runs_of(text: str) -> Iterator[str]:
    return (text[start : start + RUN] for start in range(len(text) - RUN + 1))


@lru_cache(maxsize=8)
def _runs(text: str) -> frozenset[str]:
    return frozenset(_runs_of(text))


MEASURES = {"hit@1": "Success@1", "hit@5": "Success@5", "hit@10": "Success@10", "MRR@10": "RR@10", "nDCG@10": "nDCG@10"}
"""Our names and those of ir-measures."""
HITS = ("hit@1", "hit@5", "hit@10")  # the figures that are 0 or 1 for a question


def retrieval_scores(judgements: Mapping[str, Judgement]) -> dict[str, dict[str, float]]:
    """Return for each question every retrieval figure, by name.

    With rel(i) 1 where the chunk at rank i is relevant, else 0:

    - hit@k = 1 when some rel(i) = 1 with i <= k.
    - MRR@10: 1 / (the first i <= 10 with rel(i) = 1), 0 without one. Voorhees 1999, "The TREC-8 question answering
      track report".
    - nDCG@10 = sum rel(i) / log2(i + 1) over i <= 10, divided by the same sum of an ideal ranking. Järvelin &
      Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20. The ideal needs R, the number of
      relevant chunks, which a label that names a section or page does not tell. R is taken as the relevant chunks
      that were retrieved plus one for each labelled place that none of them matches: the least that the label proves.
      So the figure is an upper bound of the nDCG over all chunks.

    Computed by MacAvaney, Macdonald, Ounis 2022, "Streamlining evaluation with ir-measures", ECIR.
    """
    import ir_measures

    scores = {qid: dict.fromkeys(MEASURES, 0.0) for qid in judgements}
    names = {ir_measures.parse_measure(theirs): ours for ours, theirs in MEASURES.items()}
    run, judged = [], []
    for qid, judgement in judgements.items():
        for rank, relevant in enumerate(judgement.relevant, start=1):
            run.append(ir_measures.ScoredDoc(qid, f"rank {rank}", -float(rank)))
            judged += [ir_measures.Qrel(qid, f"rank {rank}", 1)] if relevant else []
        judged += [ir_measures.Qrel(qid, f"missed {number}", 1) for number in range(judgement.unmatched)]
    if run and judged:
        for metric in ir_measures.iter_calc([*names], judged, run):
            scores[metric.query_id][names[metric.measure]] = float(metric.value)
    return scores
