"""Which passages are relevant, what a person gets of a question, what an answer cites and shows: by hand."""

from math import log2

import pytest

from rag.evaluation import scores
from rag.evaluation.independent import not_verbatim, unsupported_sentences, why_unsupported
from rag.evaluation.relevance import Judgement, is_relevant, judge, overlaps, retrieval_scores
from rag.evaluation.scores import contains_gold, has_gold_first, is_right
from rag.models import AnswerSentence

from .made import chunk, gold, line, question


def test_a_chunk_is_relevant_where_document_page_and_section_are_those_of_the_label():
    for found, wanted, relevant in (
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
    ):
        assert is_relevant(found, wanted) is relevant, (found, wanted)


SHARED = "".join(chr(ord("a") + index * index % 26) + str(index % 10) for index in range(40))


def test_text_overlaps_when_one_contains_the_other_or_60_characters_are_shared_in_any_case():
    for one, other, overlap in (
        ("Wear  GLOVES\nalways.", "wear gloves", True),
        ("  ", "Wear gloves.", False),
        (f"XX{SHARED[:60]}YY", f"UU{SHARED[:60]}VV", True),
        (f"XX{SHARED[:59]}YY", f"UU{SHARED[:59]}VV", False),
    ):
        assert overlaps(one, other) is overlap, one


def judged(relevant, unmatched=0):
    flags = tuple(map(bool, relevant))
    return Judgement(relevant=flags, document=flags, page=None, unmatched=unmatched)


def test_any_of_several_places_suffices_and_figures_are_those_worked_by_hand_in_which_missed_ones_count():
    chunks = [chunk(1, page=9), chunk(2, page=3), chunk(3, page=4), chunk(4, document="other.md", page=3)]
    places = judge(chunks, [gold(page=3), gold(page=5), gold("third.md")])
    assert places.relevant == (False, True, False, False)
    assert places.document == (True, True, True, False)
    assert places.page == (False, True, False, False)
    assert places.unmatched == 2
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


def test_a_gold_answer_must_stand_as_whole_words_and_recall_is_the_best_ones_share_of_content_words():
    for text, answers, stands in (
        ("The count was “Robert Guiscard” [1].", ["robert guiscard"], True),  # case, quotes, articles and markers
        ("It takes 15 minutes.", ["an hour", "15 minutes"], True),
        ("At most 1,500 ml.", ["1500 ml"], True),
        ("It takes 15 minutes.", ["5 minutes"], False),  # whole words
        ("Yes.", ["?"], None),  # nothing is measured
    ):
        assert contains_gold(text, answers) is stands, text
    # content of the first gold: member, cephalochordata, named, blade, like, shape: 2 found; of the second: 1 of 1
    first = "a member of Cephalochordata, named for its blade like shape"
    found = [
        scores.answer_recall("The lancelet is a member of Cephalochordata.", golds)
        for golds in ([first], [first, "the lancelet"], ["gloves"])
    ]
    assert found == pytest.approx([2 / 6, 1, 0])


def test_citations_are_judged_by_the_chunk_that_they_cite_and_pages_by_the_citation_where_the_label_has_one():
    shown = line(retrieved=[chunk(1, page=3, section="1.1 A"), chunk(2, page=4)])
    assert [scores.citation_precision(shown, [gold(page=page)]) for page in (3, 4)] == [(1, 1), (0, 1)]
    assert scores.citation_precision(line(retrieved=[]), [gold()]) == (0, 1)
    places = gold(page=3, section="9.9"), gold("other.md", page=3), gold()
    assert [scores.page_accuracy(shown, [place]) for place in places] == [(1, 1), (0, 1), (0, 0)]


SENTENCE = "Staff wear nitrile gloves whenever strong acids are poured."
"""Content words: staff, wear, nitrile, glov, whenever, strong, acid, pour: 60% are 5 of 8."""
GOGGLES = "Goggles protect both eyes."
BOTH = [gold(text=SENTENCE), gold(text=GOGGLES)]
RINSED = {"answers": ("rinsed 15 minutes",)}


def asked(*places, kind="span", answers=()):
    return question(golds=places or [gold(text=SENTENCE)], kind=kind, answers=answers)


def said(text, document="manual.md"):
    return line(text=text, retrieved=[chunk(1, document)])


def test_an_answer_is_right_that_shows_the_gold_sentence_or_the_gold_answer():
    for wanted, shown, right in (
        (asked(), said("Nitrile gloves: wear them with strong acids."), True),  # nitrile, glov, wear, strong, acid
        (asked(), said("Nitrile gloves: wear them with acids."), False),  # four of eight
        (asked(), said(SENTENCE, document="other.md"), False),
        (asked(), said("word " * 140 + SENTENCE), True),
        (asked(), said("word " * 150 + SENTENCE), False),  # only the first words of an answer count
        (asked(gold(quote=f"**{SENTENCE}**", quote_plain=SENTENCE)), said(SENTENCE), True),
        (asked(*BOTH, kind="multi"), said(SENTENCE), False),
        (asked(*BOTH, kind="comparison"), said(f"{SENTENCE} {GOGGLES}"), True),
        (asked(**RINSED), said("It is rinsed for 15 minutes."), True),
        (asked(**RINSED), said("It is rinsed for 20 minutes."), False),  # the number is another
        (asked(**RINSED), said("15 minutes."), False),  # two of three words are less than 70%
    ):
        assert is_right(wanted, shown) is right, shown.answer


def test_the_gold_sentence_counts_among_the_first_three_passages_of_its_document():
    far, near = [chunk(rank, content="Hoods hum.") for rank in (1, 2)], chunk(3, content=SENTENCE)
    assert has_gold_first(asked(), line(retrieved=[*far, near]))
    assert not has_gold_first(asked(), line(retrieved=[*far, chunk(3), near]))
    assert not has_gold_first(asked(), line(retrieved=[chunk(1, "other.md", content=SENTENCE)]))


PASSAGE = (
    "After contact with the acid, rinse the skin for 15 minutes under the emergency shower. "
    "Dr. Maria Lindqvist of the Uppsala laboratory keeps three spare bottles; at most 1,500 ml are stored."
)


def test_a_quotation_shares_most_words_and_a_paraphrase_its_numbers_and_names():
    for sentence, quoted, reason in (
        ("Rinse the skin for fifteen minutes [1].", True, ""),
        ("At most 1500 ml are stored.", True, ""),
        ("Lindqvist's laboratory stores spare bottles.", True, ""),
        ("Rinsing skin under emergency showers.", True, ""),
        ("rinse skin minutes bananas monkeys", True, ""),  # exactly sixty percent of the content words are enough
        ("rinse skin bananas monkeys", True, "2 of its 4"),
        ("Rinse the skin for 1.5 minutes.", True, "number 1.5"),
        ("Rinse the skin for seven minutes.", True, "number seven"),
        ("Dr. Karl Lindqvist keeps bottles.", True, "name Karl"),
        ("Wash it off for 900 seconds.", False, ""),  # a model's paraphrase: few words, another unit
        ("Up to 1.5 litres may be there.", False, ""),
        ("Wash it off for 901 seconds.", False, "number 901"),
        ("Wash it off in Stockholm.", False, "name Stockholm"),
    ):
        found = why_unsupported(sentence, PASSAGE, quoted=quoted)
        assert (reason in found, bool(found)) == (True, bool(reason)), sentence


def test_a_sentence_that_cites_nothing_is_unsupported_evidence_is_the_whole_chunk_and_excerpts_are_verbatim():
    shown = line(retrieved=[chunk(content="x" * 250 + " Wear gloves.")])  # beyond the excerpt
    uncited = AnswerSentence(text="Wear gloves.", supported=True, support=1.0)
    bare = shown.model_copy(update={"sentences": (uncited, uncited.model_copy(update={"citations": (7,)}))})
    assert [finding.reason for finding in unsupported_sentences(bare)] == ["it cites nothing", "it cites nothing"]
    assert unsupported_sentences(shown) == []
    assert why_unsupported("The laboratory keeps bottles.", "The labora-\ntory keeps bottles.") == ""
    shown = line(retrieved=[chunk(content="Wear  gloves.\nAlways.")])
    assert not_verbatim(shown, {"manual.md": "# Rules\nWear gloves. Always. Yes."}.get) == []
    assert "does not stand" in not_verbatim(shown, {"manual.md": "wear gloves. always."}.get)[0].reason
    assert "not in the data set" in not_verbatim(shown, {}.get)[0].reason
