"""How well the right chunks are found: Success, reciprocal rank and nDCG, computed by ir-measures."""

from collections.abc import Iterator, Mapping

from rag.evaluation.relevance import Judgement

MEASURES = {"hit@1": "Success@1", "hit@5": "Success@5", "hit@10": "Success@10", "MRR@10": "RR@10", "nDCG@10": "nDCG@10"}
"""Our names and those of ir-measures."""
HITS = ("hit@1", "hit@5", "hit@10")
"""The figures that are 0 or 1 for a question."""


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
      So a question whose place is missed scores 0, one that finds one of two places does not score 1, and the figure is
      an upper bound of the nDCG over all chunks.

    Computed by MacAvaney, Macdonald, Ounis 2022, "Streamlining evaluation with ir-measures", ECIR.
    """
    import ir_measures

    scores = {qid: dict.fromkeys(MEASURES, 0.0) for qid in judgements}
    names = {str(ir_measures.parse_measure(theirs)): ours for ours, theirs in MEASURES.items()}
    measures = [ir_measures.parse_measure(theirs) for theirs in MEASURES.values()]
    run = [ir_measures.ScoredDoc(*entry) for entry in _run(judgements)]
    judged = [ir_measures.Qrel(*entry) for entry in _judged(judgements)]
    if run and judged:
        for metric in ir_measures.iter_calc(measures, judged, run):
            scores[metric.query_id][names[str(metric.measure)]] = float(metric.value)
    return scores


def first_relevant(relevant: tuple[bool, ...], depth: int) -> bool:
    """Return whether one of the first `depth` chunks is relevant: hit@depth."""
    return any(relevant[:depth])


def _run(judgements: Mapping[str, Judgement]) -> Iterator[tuple[str, str, float]]:
    """Yield question, chunk (named by its rank) and a score that falls with the rank."""
    for qid, judgement in judgements.items():
        for rank in range(1, len(judgement.relevant) + 1):
            yield qid, f"rank {rank}", -float(rank)


def _judged(judgements: Mapping[str, Judgement]) -> Iterator[tuple[str, str, int]]:
    """Yield question, chunk and 1 for each relevant chunk: the retrieved ones, and one for each place missed."""
    for qid, judgement in judgements.items():
        for rank, relevant in enumerate(judgement.relevant, start=1):
            if relevant:
                yield qid, f"rank {rank}", 1
        for number in range(judgement.unmatched):
            yield qid, f"missed {number}", 1
