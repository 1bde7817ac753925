"""Which passages are relevant, and the figures of retrieval, by hand."""

from math import log2

import pytest

from rag.evaluation.relevance import Judgement, is_relevant, judge, overlaps, retrieval_scores

from .made import chunk, gold


@pytest.mark.parametrize(
    ("found", "wanted", "relevant"),
    [
        (chunk(), gold(chapter=9), True),  # the chapter is no part of it
        (chunk(document="other.md"), gold(), False),
        (chunk(page=None), gold(page=3), False),
        (chunk(section="2.20 Other"), gold(section="2.2"), False),
        (chunk(section=None), gold(section="2.2"), False),
        (chunk(section=None), gold(section=" "), True),
        (chunk(section="§ 12.1 Lids"), gold(section="12.1."), True),
        (chunk(section="A.1 Forms"), gold(section="a.1"), True),
        (chunk(section="3rd party rules"), gold(section="3"), False),
        (chunk(section="  GLOSSARY "), gold(section="Glossary"), True),
        (chunk(section="Preface"), gold(section="Glossary"), False),
    ],
)
def test_a_chunk_is_relevant_where_document_page_and_section_are_those_of_the_label(found, wanted, relevant):
    assert is_relevant(found, wanted) is relevant


SHARED = "".join(chr(ord("a") + index * index % 26) + str(index % 10) for index in range(40))


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ("Wear  GLOVES\nalways.", "wear gloves", True),
        ("  ", "Wear gloves.", False),
        (f"XX{SHARED[:60]}YY", f"UU{SHARED[:60]}VV", True),
        (f"XX{SHARED[:59]}YY", f"UU{SHARED[:59]}VV", False),
    ],
)
def test_text_overlaps_when_one_contains_the_other_or_60_characters_are_shared_whatever_case_and_space(
    one, other, overlap
):
    assert overlaps(one, other) is overlap


def test_any_of_several_places_suffices_and_missed_places_are_counted():
    chunks = [chunk(1, page=9), chunk(2, page=3), chunk(3, page=4), chunk(4, document="other.md", page=3)]
    judged = judge(chunks, [gold(page=3), gold(page=5), gold("third.md")])
    assert judged.relevant == (False, True, False, False)
    assert judged.document == (True, True, True, False)
    assert judged.page == (False, True, False, False)
    assert judged.unmatched == 2


def judged(relevant, unmatched=0):
    flags = tuple(map(bool, relevant))
    return Judgement(relevant=flags, document=flags, page=None, unmatched=unmatched)


def test_figures_are_those_worked_by_hand_and_what_is_missed_counts():
    ranks = {"a": [0, 0, 1, 0, 0, 0, 1, 0, 0, 0], "b": [0] * 9 + [1], "all": [1, 0]}
    missing = {"half": judged([1, 0], unmatched=1), "missed": judged([0] * 10, unmatched=1), "empty": judged([], 1)}
    scores = retrieval_scores({**{name: judged(each) for name, each in ranks.items()}, **missing})
    assert {name: [one[f"hit@{depth}"] for depth in (1, 5, 10)] for name, one in scores.items()} == {
        "a": [0, 1, 1], "b": [0, 0, 1], "all": [1, 1, 1], "half": [1, 1, 1], "missed": [0, 0, 0], "empty": [0, 0, 0],
    }  # fmt: skip
    assert (scores["a"]["MRR@10"], scores["b"]["MRR@10"]) == pytest.approx((1 / 3, 1 / 10))
    # relevant at ranks 3 and 7: dcg = 1/log2(4) + 1/log2(8) = .5 + .3333; ideal = 1 + 1/log2(3)
    assert scores["a"]["nDCG@10"] == pytest.approx((0.5 + 1 / 3) / (1 + 1 / log2(3)))
    assert (scores["all"]["nDCG@10"], scores["half"]["nDCG@10"]) == pytest.approx((1, 1 / (1 + 1 / log2(3))))
    assert all(value == 0 for name in ("missed", "empty") for value in scores[name].values())
