"""Sentences, words and what counts of them, editions in names, excerpts, rows of tables, invisible characters."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from passages import hit

from rag.errors import ConfigurationError
from rag.ingest.loaders.tables import heads_of
from rag.text.bm25 import encode_passage, encode_query
from rag.text.editions import edition_of, parts_named
from rag.text.excerpts import EXCERPT_LIMIT, best_excerpt, parts_between
from rag.text.invisible import without_invisible
from rag.text.rows import silent_rows, statements_of
from rag.text.words import sentence_spans, stems, term_id, words


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
    ("Homes go (in two weeks!).", "Data stays."),
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


@pytest.mark.parametrize(
    ("older", "newer", "is_one_work"),
    [
        ("rules v2.md", "rules v10.md", True),
        ("Rules Rev B.docx", "Rules Rev C.docx", True),
        ("rules, second edition.pdf", "rules, 3rd edition.pdf", True),
        ("rules 2021-22.pdf", "rules 2022-23.pdf", True),
        ("Q4 2022 results.pdf", "2023 Q1 results.pdf", True),
        ("minutes 2024-09.txt", "minutes 2024-10.txt", True),
        ("minutes 30 April 2024.txt", "minutes 2 May 2024.txt", True),
        ("safety manual v2.md", "travel policy v3.md", False),
        ("report 2023.md", "report 2023 Q2.md", False),  # a year and a quarter are not to be compared
        ("report v2.md", "report 2023.md", False),
        ("report 2023-11.md", "report 2011-12.md", False),  # a month, and a span of two years
        ("iso 9001 2015.md", "iso 9002 2008.md", False),
        ("invoice R-2026-0311.pdf", "invoice R-2026-0324.pdf", False),  # a date is written with two hyphens or none
    ],
)
def test_two_names_of_one_work_are_ordered_by_date_or_version_and_others_not_compared(older, newer, is_one_work):
    one, other = edition_of(older), edition_of(newer)
    assert (one.work == other.work) is is_one_work
    assert not is_one_work or one.order < other.order


def test_a_number_that_is_no_date_and_no_version_makes_no_edition():
    for name in ("faq.html", "chapter-12.md", "v-belt.md", "section 3.2.md", "march.md"):
        assert edition_of(name) is None


def test_a_question_names_an_edition_in_any_form():
    assert parts_named("the second quarter of 2023") == parts_named("Q2 2023?") == {"2023", "q2"}
    assert parts_named("minutes of 2 May 2024") == {"2024", "m5", "d2"}
    assert parts_named("third edition, revision B and v1.4") == {"v3", "v2", "v1.4"}
    assert parts_named("What is worn?") == frozenset()


def test_of_a_sentence_over_two_pages_the_part_that_says_it_is_shown() -> None:
    text = "The dome weighs 12 tonnes and the mirror 90 kilograms."  # the first page ends behind `tonnes `
    assert best_excerpt("The dome weighs 12 tonnes.", text, edges=[26]) == "The dome weighs 12 tonnes"
    assert best_excerpt("The mirror weighs 90 kilograms.", text, edges=[26]) == "and the mirror 90 kilograms."


@settings(max_examples=100, deadline=None)
@given(
    text=st.text(alphabet=st.sampled_from("abcdé .\nXYZ1,"), max_size=700),
    edges=st.lists(st.integers(0, 700), max_size=4, unique=True).map(sorted),
)
def test_every_excerpt_is_verbatim_within_the_limit_and_crosses_no_edge(text: str, edges: list[int]) -> None:
    found = best_excerpt(text, text, edges=edges)
    parts = [text[start:end] for start, end in parts_between(text, (0, len(text)), edges)]
    assert len(found) <= EXCERPT_LIMIT
    assert any(found in part for part in parts) or not text.strip()
    assert found == found.strip()


def test_a_row_is_cited_by_itself_and_not_by_the_heads_above_it() -> None:
    heads, row = "| Drug | Daily dose |", "| Zorvex | 15 mg |"
    text = f"{heads}\n{row}\n| Palinol | 20 mg |"
    assert best_excerpt("Drug: Zorvex; Daily dose: 15 mg.", text, silent=[(0, len(heads))]) == row


TICKETS = "| Ticket | Adult | Child 6 to 15 |\n| Single | CHF 9 | CHF 4 |\n| Return | CHF 13 | none |"


def test_rows_are_read_with_their_heads_and_the_heads_say_nothing() -> None:
    assert statements_of(hit(f"Prices in the halls.\n\n{TICKETS}")) == (
        "Prices in the halls.",
        "",
        "Ticket: Single; Adult: CHF 9; Child 6 to 15: CHF 4",
        "Ticket: Return; Adult: CHF 13; Child 6 to 15: none",
    )
    assert silent_rows(hit(TICKETS)) == {0}
    odd = hit("| | 2023 | 2022 |\n| Rent | 7 | |\n| Total | 9 | 8 | 3 |")
    assert statements_of(odd) == ("", "Rent; 2023: 7", "Total | 9 | 8 | 3")


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        (["| Whom to call | Number | When |", "| Fire | 112 | At any time |"], (1, ("Whom to call", "Number", "When"))),
        (["| | 2021 | 2022 |", "| Members | 120 | 145 |"], (1, ("", "2021", "2022"))),
        (["| Subject | Year 9 and 10 |", "| Dance | 150 |", "| Choir | 90 |"], (1, ("Subject", "Year 9 and 10"))),
        (["| Staff |", "| Office | Full | Part |", "| Oslo | 4 | 5 |"], (2, ("Office", "Full", "Part"))),
        (["| | 1,250 | 13% |", "| Rent | 700 | 7% |"], (0, ())),  # totals
        (["| Fume hood | checked monthly |", "| Eye wash | checked weekly |"], (0, ())),
        (["| Stage 1 | cold | none |", "| Stage 2 | warm | 10 |"], (0, ())),  # one of those below it
    ],
)
def test_heads_that_no_file_marks_are_known_by_their_form(rows: list[str], heads: tuple[int, tuple[str, ...]]) -> None:
    assert heads_of(rows) == heads


def test_heads_that_a_file_marks_are_heads_whatever_their_words() -> None:
    assert heads_of(["| 2021 | 2022 |", "| acetone | butyl |"], marked=1) == (1, ("2021", "2022"))
    rows = ["| Staff |", "| | 2021 | 2021 |", "| Office | Full time | Part time |", "| Oslo | 4 | 5 |"]
    assert heads_of(rows, marked=3) == (3, ("Office", "2021 Full time", "2021 Part time"))


@pytest.mark.parametrize("head", ["Deposit?", "Deposit, i.e. what is paid back. Always.", "Fuse 10 A. What for?"])
def test_a_row_is_one_sentence_whatever_stands_in_its_cells(head: str) -> None:
    table = f"| Tool | Price per day | {head} |\n| Chain saw | 30 euros | Yes. Paid back. |\n| Ladder | 8 euros | No? |"
    assert [table[start:end] for start, end in sentence_spans(table)] == table.split("\n")
    assert statements_of(hit(table))[2] == f"Tool: Ladder; Price per day: 8 euros; {head}: No?"
