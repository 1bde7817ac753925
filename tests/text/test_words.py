from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ConfigurationError
from rag.text.invisible import without_invisible
from rag.text.words import sentence_spans, stems, words


def sentences(text):
    return [text[start:end] for start, end in sentence_spans(text)]


def test_numbers_with_separators_and_contractions_are_one_word_and_a_language_without_a_stemmer_is_named():
    assert words("It's 1,500.5 ml (or 3.2 %).") == ["it's", "1,500.5", "ml", "or", "3.2"]
    assert stems("What is a class A chemical?") == ["class", "lettera", "chemic"]
    assert stems("glaciers") == stems("glacier") == ["glacier"]
    assert stems("Gletschern", language="german") == ["gletsch"]
    with pytest.raises(ConfigurationError, match=r"CANDOR_LANGUAGE='klingon' has no stemmer.*english"):
        stems("glacier", language="klingon")


@pytest.mark.parametrize(
    ("text", "split"),
    [
        (
            "Gloves\n\nWear them\n- in the hood\n- at the sink\n| a | b |\n| c | d |",
            ["Gloves", "Wear them", "- in the hood", "- at the sink", "| a | b |", "| c | d |"],
        ),
        (
            "Friends pay at least 40 pounds\n3.2 Fees are due in May.\nThe supply has\n3.3 V and\n2.5 A at most",
            ["Friends pay at least 40 pounds", "3.2 Fees are due in May.", "The supply has\n3.3 V and\n2.5 A at most"],
        ),
        ("It runs at 230 V. The fuse is 10 A. Off!", ["It runs at 230 V.", "The fuse is 10 A.", "Off!"]),
        ("It opens at 8 a.m. The shop closes at 6 p.m.", ["It opens at 8 a.m.", "The shop closes at 6 p.m."]),
        ("It is open from 8 a.m. Monday to Friday.", ["It is open from 8 a.m. Monday to Friday."]),
        ("In 1921 J. Weber came.", ["In 1921 J. Weber came."]),
    ],
)
def test_blank_lines_items_rows_numbered_paragraphs_and_units_of_one_letter_end_a_sentence(text, split):
    assert sentences(text) == split


@given(st.text(alphabet=st.sampled_from("ab. \n-|!?A1é"), max_size=200))
def test_sentences_are_ordered_do_not_overlap_and_lose_no_word(text):
    spans = sentence_spans(text)

    assert all(start < end for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert words(" ".join(sentences(text))) == words(text)


SHORTENED = [
    "Dr. Miller met Prof. Lena Ek.",
    "It is approx. 5 km, or approx. Twenty minutes.",
    "The U.S. Army came at 5 p.m. Monday.",
    "Wear aids, e.g. gloves; some herbs, e.g. Basil, help.",
    "J. S. Bach and T. S. Eliot wrote.",
    "The report by K. He and X. Zhang is new.",
    "St. Mary stands near St. Gallen.",
    "Acme Inc. (Global) came from Acme Co. Ltd. in Bonn.",
    "It stands in J. Chem. Phys. 12.",
    "PART II. OTHER INFORMATION",
]
WHOLE = [
    ("Apply within a month.", "The next step is payment."),
    ('"Apply within a month."', "Sent letters count."),
    ("See Part III.", "Drainage works begin."),
    ("Choose A, B or C.", "Lifts are no way out."),
    ("Pay without the PIN.", "Cards are blocked."),
    ("Add 5 min.", "Wait then."),
    ("Ask Acme Inc.", "The firm is big."),
    ("It lies in the southern Andes.", "Food suffered."),
    ("Take 90 per cent.", "Pumps run."),
    ("The enzyme is CA.", "The gas is expelled."),
    ("It circles the Sun.", "Difficulties remain."),
    ("He met Mr. Smith.", "12 men came."),
]


@pytest.mark.parametrize("whole", [*WHOLE, *((text,) for text in SHORTENED)], ids=" ".join)
def test_a_sentence_ends_at_a_whole_word_and_not_at_a_shortened_one(whole: tuple[str, ...]) -> None:
    assert sentences(" ".join(whole)) == [*whole]


HIDDEN = (
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u202e"
    "\u2060\u2065\u2067\u3164\ufe0f\ufeff\ufff9\uffa0\U000e0041\U000e0100"
)


def test_nothing_invisible_stays_in_a_text_and_what_spelling_and_pictures_need_does() -> None:
    assert without_invisible("".join(f"a{sign}" for sign in HIDDEN)) == "a" * len(HIDDEN)
    assert without_invisible("".join(f"1{sign}" for sign in HIDDEN)) == "1" * len(HIDDEN)
    for spelled in ("می\u200cخواهم", "ക\u0d4d\u200d", "क\u094d\u200dष", "\u06dd٣", "ᠠ\u180eᠠ"):
        assert without_invisible(spelled) == spelled
    for pictured in ("❤\ufe0f", "❤\ufe0f\u200d🔥", "👩🏽\u200d🔬", "1\ufe0f\u20e3"):
        assert without_invisible(pictured) == pictured
    assert without_invisible("می\u200c\u200c\u200dخواهم") == "می\u200cخواهم"  # one is spelling, more are a message
    assert without_invisible("🔥\U000e0100\U000e0101\u200d") == "🔥"
