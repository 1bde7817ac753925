from math import log

import pytest
from passages import hit

from rag.language.lexical import (
    frequencies,
    idf,
    passage_terms,
    question_stems,
    selected_terms,
    sentence_stems,
    stemmed,
    weighted_terms,
)
from rag.language.text import term_id


def terms(question, chunks=10, **counts):
    return weighted_terms(question, {term_id(stem): n for stem, n in counts.items()}, chunks, language="english")


def test_idf_falls_with_frequency_and_is_never_negative():
    assert idf(0, 10) == pytest.approx(log(22))  # 1 + 10.5 / 0.5
    assert idf(1, 10) == pytest.approx(log(1 + 9.5 / 1.5))
    assert 0 < idf(10, 10) < idf(1, 10)
    assert idf(12, 10) > 0


def test_a_share_is_weighted_by_idf():
    found = terms("gloves acids", glove=10, acid=0)
    light, heavy = log(1 + 0.5 / 10.5), log(22)

    assert found.share(["acid"]) == pytest.approx(heavy / (heavy + light))
    assert found.share(["glove", "hood"]) == pytest.approx(light / (heavy + light))
    assert found.share(["acid", "glove"]) == pytest.approx(1.0)


def test_a_question_without_content_words_shares_nothing():
    found = terms("What is it?")

    assert (found.stems, found.total, found.share(["glove"]), found.pair_share(["glove"])) == ((), 0, 0.0, 0.0)


def test_pairs_are_neighbours_in_the_same_order():
    found = terms("fume hood sash", fume=0, hood=0, sash=0)

    assert found.pairs == (("fume", "hood"), ("hood", "sash"))
    assert found.pair_share(["fume", "hood", "x", "sash"]) == pytest.approx(0.5)
    assert found.pair_share(["hood", "fume"]) == 0.0


def test_the_frame_of_a_question_does_not_count_unless_nothing_else_is_there():
    assert question_stems("How many gloves are called nitrile?", language="english") == ("glove", "nitril")
    assert question_stems("Between which values is the airflow?", language="english") == ("airflow",)
    assert question_stems("What is the meaning of the definition of?", language="english") == ("mean", "definit")


def test_passage_terms_keep_sentences_apart_and_in_order():
    text = "Gloves are worn. Acids burn."

    assert passage_terms(text, ((0, 16), (17, 28))).sentences == (("glove", "worn"), ("acid", "burn"))
    assert passage_terms(text, ()).sentences == (("glove", "worn", "acid", "burn"),)


def test_words_are_counted_once_for_each_passage():
    counted = frequencies([hit("Gloves, gloves."), hit("Gloves and acids.")], language="english")

    assert counted == {term_id("glove"): 2, term_id("acid"): 1}


def test_words_of_a_selection_are_weighed_among_its_passages_alone():
    found = selected_terms("gloves or hoods", [hit("Gloves."), hit("Acids.")], language="english")

    assert found.frequencies == (1, 0)
    assert found.idf == pytest.approx((log(1 + 1.5 / 1.5), log(1 + 2.5 / 0.5)))


def test_stems_that_were_kept_are_taken_as_they_are_for_the_passage_and_for_its_sentences():
    text, spans = "Kites fly. Nobody told the stemmer of this.", ((0, 10), (11, 43))

    found = passage_terms(text, spans, known=(("kept",), ("as", "written")))

    assert found.sentences == (("kept",), ("as", "written"))
    assert (found.all, found.distinct) == (("kept", "as", "written"), {"kept", "as", "written"})
    assert passage_terms(text, spans) == found  # remembered for those who do not have them
    assert sentence_stems("Kites fly.") == ("kept",)


def test_kept_stems_of_another_number_of_sentences_are_not_believed():
    text = "Ropes hang here. Bells ring there."

    assert passage_terms(text, ((0, 16), (17, 34)), known=(("rope",),)).sentences == (
        ("rope", "hang"),
        ("bell", "ring"),
    )


def test_what_is_kept_is_what_would_be_computed():
    text, spans = "Ladders lean. A. Class A is worn.", ((0, 13), (14, 16), (17, 33))

    assert stemmed(text, spans) == passage_terms(text, spans).sentences
