from math import log2

import pytest

from rag.evaluation.relevance import Judgement
from rag.evaluation.retrieval import retrieval_scores


def judged(relevant, unmatched=0):
    flags = tuple(bool(flag) for flag in relevant)
    return Judgement(relevant=flags, document=flags, page=None, unmatched=unmatched)


def test_figures_are_those_worked_by_hand():
    scores = retrieval_scores({"a": judged([0, 0, 1, 0, 0, 0, 1, 0, 0, 0])})["a"]
    # relevant at ranks 3 and 7: dcg = 1/log2(4) + 1/log2(8) = .5 + .3333; ideal = 1 + 1/log2(3)
    assert (scores["hit@1"], scores["hit@5"], scores["hit@10"]) == (0, 1, 1)
    assert scores["MRR@10"] == pytest.approx(1 / 3)
    assert scores["nDCG@10"] == pytest.approx((0.5 + 1 / 3) / (1 + 1 / log2(3)))


def test_a_place_that_was_missed_keeps_ndcg_below_one():
    scores = retrieval_scores({"all": judged([1, 0]), "half": judged([1, 0], unmatched=1)})
    assert scores["all"]["nDCG@10"] == pytest.approx(1)
    assert scores["half"]["nDCG@10"] == pytest.approx(1 / (1 + 1 / log2(3)))
    assert scores["half"]["hit@1"] == 1


def test_questions_without_a_hit_count_as_zero_instead_of_vanishing():
    scores = retrieval_scores({"missed": judged([0] * 10, unmatched=1), "empty": judged([], unmatched=1)})
    assert set(scores) == {"missed", "empty"}
    assert all(value == 0 for one in scores.values() for value in one.values())


def test_no_questions_give_no_scores():
    assert retrieval_scores({}) == {}


def test_the_tenth_rank_counts_and_order_is_by_rank_not_by_name():
    scores = retrieval_scores({"a": judged([0] * 9 + [1])})["a"]
    assert (scores["hit@5"], scores["hit@10"]) == (0, 1)
    assert scores["MRR@10"] == pytest.approx(0.1)
