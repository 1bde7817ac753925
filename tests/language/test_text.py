from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ConfigurationError
from rag.language.text import fold, sentence_spans, stems, term_id, words


def sentences(text):
    return [text[start:end] for start, end in sentence_spans(text)]


def test_folding_makes_ligatures_case_and_white_space_equal():
    assert fold(" The\u00a0ﬁrst  LINE\n") == "the first line"


def test_numbers_with_separators_and_contractions_are_one_word():
    assert words("It's 1,500.5 ml (or 3.2 %).") == ["it's", "1,500.5", "ml", "or", "3.2"]


def test_stop_words_are_no_content_but_the_letter_of_a_class_is():
    assert stems("What is a class A chemical?") == ["class", "lettera", "chemic"]


def test_plural_and_singular_share_a_stem():
    assert stems("glaciers") == stems("glacier") == ["glacier"]


def test_another_language_has_another_stemmer():
    assert stems("Gletschern", language="german") == ["gletsch"]


def test_a_language_without_a_stemmer_is_named_with_those_that_have_one():
    with pytest.raises(ConfigurationError, match=r"CANDOR_LANGUAGE='klingon' has no stemmer.*english"):
        stems("glacier", language="klingon")


def test_a_term_id_is_the_crc_32_of_the_stem():
    assert term_id("123456789") == 0xCBF43926  # the check value that every CRC-32 table gives


def test_abbreviations_and_decimals_do_not_end_a_sentence():
    assert sentences("Dr. Ek measured 0.5 metres. It rained.") == ["Dr. Ek measured 0.5 metres.", "It rained."]


def test_blank_lines_items_and_rows_end_a_sentence():
    text = "Gloves\n\nWear them\n- in the hood\n- at the sink\n| a | b |\n| c | d |"

    assert sentences(text) == ["Gloves", "Wear them", "- in the hood", "- at the sink", "| a | b |", "| c | d |"]


@given(st.text(alphabet=st.sampled_from("ab. \n-|!?A1é"), max_size=200))
def test_sentences_are_ordered_do_not_overlap_and_lose_no_word(text):
    spans = sentence_spans(text)

    assert all(start < end for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert words(" ".join(sentences(text))) == words(text)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It runs at 230 V. The fuse is 10 A. Switch it off.", 3),
        ("Add 5 g. Stir well. The lake is 1,642 m. It is deep.", 4),
        ("It opens at 8 a.m. The shop closes at 6 p.m. Visitors pay.", 3),
        ("It is open from 8 a.m. Monday to Friday.", 1),
        ("In 1921 J. Weber came.", 1),
        ("See No. 5 A. Weber said so.", 1),
    ],
)
def test_a_full_stop_behind_a_unit_of_one_letter_ends_a_sentence(text: str, sentences: int) -> None:
    assert len(sentence_spans(text)) == sentences
