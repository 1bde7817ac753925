from math import log

import pytest
from passages import hit

from rag.confidence.signals import SIGNALS, reading, signals
from rag.confidence.windows import windows
from rag.language.lexical import weighted_terms
from rag.language.text import term_id
from rag.models import Retrieval

QUESTION = "Which gloves protect from acids?"


def terms(question=QUESTION, chunks=10, **counts):
    return weighted_terms(question, {term_id(stem): n for stem, n in counts.items()}, chunks, language="english")


def measured(retrieval, known=None, question=QUESTION):
    best = windows(question, retrieval.hits)
    return signals(question, retrieval, known or terms(glove=1, protect=1, acid=1), best=best, language="english")


def test_without_hits_every_signal_is_0():
    assert measured(Retrieval()) == dict.fromkeys(SIGNALS, 0.0)


def test_similarities_are_those_of_hits_the_margin_reaches_into_the_rest():
    first = hit("Gloves.", rank=1, similarity=0.5, cosines=(0.5,))
    second = hit("Acids.", rank=2, similarity=0.7, cosines=(0.9,))
    third = hit("Hoods.", rank=3, similarity=0.1)
    found = measured(Retrieval(hits=(first, second), rest=(third,)))

    assert found["best_similarity"] == 0.7
    assert found["best_sentence_similarity"] == 0.9
    assert found["mean_similarity"] == pytest.approx(0.6)
    assert found["margin"] == pytest.approx(0.6)


def test_words_and_pairs_are_those_of_the_best_single_passage():
    # stems: glove, protect, acid, equally rare: 2 of 3 words, 1 of 2 pairs
    hits = (hit("Gloves protect.", rank=1), hit("Acids burn.", rank=2))
    found = measured(Retrieval(hits=hits), terms(glove=1, protect=1, acid=1))

    assert found["words_in_chunk"] == pytest.approx(2 / 3)
    assert found["pairs_in_chunk"] == pytest.approx(1 / 2)


def test_unknown_words_weigh_by_idf():
    found = measured(Retrieval(hits=(hit("Gloves."),)), terms(glove=1, protect=1, acid=0))
    known, unknown = log(1 + 9.5 / 1.5), log(22)

    assert found["unknown_words"] == pytest.approx(unknown / (unknown + 2 * known))


def test_a_question_without_content_words_is_unknown():
    found = measured(Retrieval(hits=(hit("Gloves."),)), terms("What is it?"), question="What is it?")

    assert (found["unknown_words"], found["question_words"]) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("dense", "bm25", "agreement"), [(1, 1, 1.0), (1, None, 0.5), (2, 4, 0.375), (None, None, 0.0)]
)
def test_rank_agreement_is_the_mean_of_the_inverse_ranks(dense, bm25, agreement):
    first = hit("Gloves.").model_copy(update={"dense_rank": dense, "bm25_rank": bm25})

    assert measured(Retrieval(hits=(first,)))["rank_agreement"] == agreement


def test_the_best_joint_sentence_has_most_of_cosine_and_words_together():
    # sentences: cosine 0.8 with 2 of 3 words; 0.6 with 1 of 3; 0.4 with none
    first = hit("Gloves protect. Acids burn. Hoods hum.", cosines=(0.8, 0.6, 0.4))
    found = measured(Retrieval(hits=(first,)), terms(glove=1, protect=1, acid=1))

    assert found["best_joint_sentence"] == pytest.approx((0.8 + 2 / 3) / 2)


def test_every_named_signal_is_measured_and_no_other():
    assert tuple(measured(Retrieval(hits=(hit("Gloves."),)))) == SIGNALS


class Judge:
    """Says how likely each passage answers, by whether it holds a word."""

    name = "judge"

    def __init__(self, word, yes=0.9, no=0.2):
        self.word, self.yes, self.no = word, yes, no

    def read(self, question, passages):
        return [self.yes if self.word in passage else self.no for passage in passages]


def test_reading_is_the_probability_of_the_best_passage():
    hits = (hit("Acid burns the skin."), hit("Gloves protect the hands.", rank=2))

    question = "What protects the hands?"
    assert reading(question, windows(question, hits), reader=Judge("Gloves")) == 0.9


def test_without_hits_there_is_nothing_to_read():
    assert reading("What burns?", (), reader=Judge("x")) == 0.0


def test_a_contrary_word_counts_only_where_the_best_passage_says_it_about_the_same():
    question = "Which gloves protect from strong acids?"
    found = [
        measured(Retrieval(hits=(hit(text),)), question=question)["contrary"]
        for text in ("Latex gloves protect from weak acids.", "Gloves protect from strong and weak acids.", "Weak tea.")
    ]
    assert found == [1.0, 0.0, 0.0]


def test_a_question_for_no_kind_of_thing_is_told_from_one_whose_kind_is_missing():
    passage = Retrieval(hits=(hit("Gloves come in a box."),))

    def fit(question, retrieval=passage):
        return measured(retrieval, question=question)["sentence_fit"]

    assert fit("How many gloves are in a box?") == 0.0  # a number is asked for, and there is none
    assert fit("Which gloves protect from acids?") == 0.075  # half of what a number found is worth
    assert fit("How many gloves are in a box?", Retrieval(hits=(hit("A box holds 100 gloves."),))) == 0.15
