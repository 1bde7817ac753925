import pytest

from rag.text.bm25 import encode_passage, encode_query
from rag.text.words import term_id


@pytest.mark.parametrize(
    ("sparse", "weights"),
    [
        # 4 content words, two of them "glove": tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * 4 / 80)) = 4.4 / 2.345
        (encode_passage("gloves and gloves, acid, hood"), {"glove": 4.4 / 2.345, "acid": 2.2 / 1.345}),
        # 1 content word: saturation 1.2 * (0.25 + 0.75 / 80) = 0.31125; context word twice: tf 0.5 all the same
        (encode_passage("acid", context="Gloves\nGloves"), {"glove": 1.1 / 0.81125, "acid": 2.2 / 1.31125}),
        (encode_query("Which gloves, which acids: gloves?"), {"glove": 1.0, "acid": 1.0}),
    ],
)
def test_the_weight_of_a_term_is_its_saturated_frequency_of_context_half_and_in_a_question_one(sparse, weights):
    found = dict(zip(sparse.indices, sparse.values, strict=True))

    assert list(sparse.indices) == sorted(sparse.indices)
    assert {word: found[term_id(word)] for word in weights} == pytest.approx(weights)
