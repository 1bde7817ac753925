import pytest

from rag.text.bm25 import encode_passage, encode_query
from rag.text.words import term_id


def weights(sparse):
    return dict(zip(sparse.indices, sparse.values, strict=True))


def test_the_weight_of_a_term_is_its_saturated_frequency():
    # 4 content words, two of them "glove": tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * 4 / 80)) = 4.4 / 2.345
    found = weights(encode_passage("gloves and gloves, acid, hood"))

    assert found[term_id("glove")] == pytest.approx(4.4 / 2.345)
    assert found[term_id("acid")] == pytest.approx(2.2 / 1.345)


def test_a_word_of_the_context_counts_half_once_and_does_not_lengthen_the_passage():
    # 1 content word: saturation 1.2 * (0.25 + 0.75 / 80) = 0.31125; context word twice: tf 0.5 all the same
    found = weights(encode_passage("acid", context="Gloves\nGloves"))

    assert found[term_id("glove")] == pytest.approx(0.5 * 2.2 / (0.5 + 0.31125))
    assert found[term_id("acid")] == pytest.approx(2.2 / (1 + 0.31125))


def test_a_question_has_weight_one_for_each_distinct_content_word():
    sparse = encode_query("Which gloves, which acids: gloves?")

    assert weights(sparse) == {term_id("glove"): 1.0, term_id("acid"): 1.0}
    assert list(sparse.indices) == sorted(sparse.indices)
