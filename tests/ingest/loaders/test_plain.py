"""Plain text files."""

import pytest
from loader_checks import check, page_of

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.plain_lines import with_rows
from rag.models import Document

ROWS = (("Item", "Price", "Stock"), ("Rope", "5.00 ", "12"), ("Hook", "9.50 ", "3"))

POOL = """The pool in the winter
Day          Lanes     Sauna     Tea room
-----------------------------------------
Monday       6-9       closed    closed
Tuesday      6-21      14-22     10-18
Wednesday    6-21                10-18
Prices are on page 2."""


def load(text: str) -> Document:
    return check(load_bytes("a.txt", text.encode()))


def test_form_feeds_are_pages() -> None:
    document = load("First page.\fSecond page.\f\fFourth.\f")
    assert [document.text[page.start : page.end].strip() for page in document.pages] == [
        "First page.", "Second page.", "", "Fourth."
    ]  # fmt: skip


def test_without_form_feeds_there_are_no_pages() -> None:
    assert load("One.\n\nTwo.").pages == ()


def test_underlined_and_numbered_lines_are_headings() -> None:
    document = load("Field guide\n===========\n\nIntro.\n\n1.1 Soils\n\nClay.\n\nChapter 2: Water\n\nRain.")
    assert [one.path[-1] for one in document.sections] == ["Field guide", "1.1 Soils", "Chapter 2: Water"]
    assert "====" not in document.text


def test_sentences_that_begin_with_a_number_are_no_headings() -> None:
    document = load("3.5 litres were used.\n\n12 people came\n\n2.1 grams of salt, then water.")
    assert len(document.sections) == 1


def test_rules_between_paragraphs_are_no_headings() -> None:
    assert len(load("This is a paragraph that ends here.\n-----\n\nNext.").sections) == 1


def test_list_items_break() -> None:
    document = load("Wear:\n- gloves that\n  fit well\n- goggles")
    assert [document.text[one.start :][:8] for one in document.blocks] == ["Wear:\n\n-", "- gloves", "- goggle"]


def test_a_chapter_s_title_may_end_in_a_full_stop_and_a_sentence_on_a_chapter_is_none() -> None:
    document = load("CHAPTER 1. Loomings.\n\nCall me.\n\nChapter II: The Carpet-Bag.\n\nI stuffed.")
    assert [one.chapter for one in document.sections] == [1, 2]
    assert document.sections[0].path == ("CHAPTER 1. Loomings.",)
    for sentence in ("Chapter 3 describes it.", "Chapter 3. See it. Then go.", "Chapter 3 Tools."):
        assert load(f"{sentence}\n\nText.").sections[0].chapter is None


def paths(text: str) -> list[str]:
    return [" > ".join(one.path) for one in load(text).sections if one.path]


def test_a_single_number_above_its_own_sections_is_a_chapter() -> None:
    text = "1 SOILS\n\nIntro.\n\n1.1 Clay\n\nHeavy.\n\n2 WATER\n\n2.1 Rain\n\nWet.\n\n3 AIR\n\nThin."
    assert paths(text) == ["1 SOILS", "1 SOILS > 1.1 Clay", "2 WATER", "2 WATER > 2.1 Rain", "3 AIR"]
    assert [(one.chapter, one.section) for one in load(text).sections][-2:] == [(2, "2.1 Rain"), (3, None)]


def test_a_chapter_before_and_after_those_with_sections_is_numbered_as_they_are() -> None:
    text = "1. Scope\n\nAll.\n\n2.  Messages\n\nTwo.\n\n2.1.  On\n\nFour octets.\n\n3.  Safety\n\nNone."
    assert paths(text) == ["1. Scope", "2. Messages", "2. Messages > 2.1. On", "3. Safety"]


@pytest.mark.parametrize(
    "steps",
    [
        "1. Open the lid\n\n2. Close the lid\n\n3. Turn the key",
        "1 Open the lid\n\n2 Close the lid",
        "3. Turn the key\n\n4. Leave",
    ],
)
def test_steps_of_a_list_are_no_chapters(steps: str) -> None:
    text = f"1. Soils\n\nIntro.\n\n1.1 Clay\n\n{steps}\n\n2. Water\n\n2.1 Rain\n\nWet."
    assert paths(text) == ["1. Soils", "1. Soils > 1.1 Clay", "2. Water", "2. Water > 2.1 Rain"]


def test_single_numbers_that_no_section_bears_out_are_no_chapters() -> None:
    assert paths("1. Open the lid\n\n2. Close the lid\n\n7 Habits\n\nText.") == []


def test_a_single_number_above_its_first_clause_is_a_chapter() -> None:
    text = "4 Insurance\n\n4.1 The borrower insures all.\n\n4.2 It lasts.\n\n5 Transport\n\n5.1 Crates stay shut.\n"
    assert paths(text) == ["4 Insurance", "5 Transport"]
    assert paths("4 Insurers came\n\n5.1 litres were drunk.") == []


def test_numbered_titles_in_capitals_with_text_between_them_are_chapters() -> None:
    assert paths("1. OBJECTS\n\nA beaker.\n\n2. COSTS\nThe borrower pays.\n\n3. LIGHT\n\nDim.") == [
        "1. OBJECTS", "2. COSTS", "3. LIGHT"
    ]  # fmt: skip
    text = load("6) LIGHT\nFifty lux.\n\n7) PHOTOGRAPHS\nNo flash.")
    assert [(one.chapter, one.path) for one in text.sections] == [(6, ("6) LIGHT",)), (7, ("7) PHOTOGRAPHS",))]
    assert "Fifty lux." in text.text


@pytest.mark.parametrize(
    "text",
    [
        "1. ACIDS\n\n2. BASES\n\n3. SALTS\n\nAll are kept apart.",
        "1. ACIDS\n2. BASES\n\nBoth are kept apart.",
        "12. THE WHALE\n\nIt swam.\n\n13. THE WHALE\n\nIt dived.",
        "3. USB\n\nA plug.\n\n7. HDMI\n\nAnother.",
        "1. PVC: it bends.\n\nText.\n\n2. PE: it melts.\n\nText.",
        "1. A\n\nText.\n\n2. B\n\nText.",
    ],
    ids=["a list", "lines of a list", "a running line", "not in order", "sentences", "letters"],
)
def test_capitals_behind_a_number_alone_are_no_chapters(text: str) -> None:
    assert paths(text) == []


def test_the_underlined_heads_of_a_table_are_no_heading_and_stay_with_its_rows() -> None:
    document = load("Name      Price   Stock\n-----------------------\nPump A    50      3\nPump B    70      0")
    assert document.sections[0].path == ()
    assert document.text.startswith("| Name | Price | Stock |\n| Pump A |")
    assert [one.start for one in document.blocks if one.kind == "heads"] == [0]
    assert paths("2.  Pumps and valves\n--------------------\nPump A    costs 50.") == ["2. Pumps and valves"]
    assert paths("Pumps  and valves\n-----------------\nA pump costs 50.") == ["Pumps and valves"]


def page(number: int, text: str) -> str:
    return f"Harbour Office{'':20}May 2020\n\n{text}\n\nRules{'':30}[Page {number}]\n"


def test_running_lines_of_pages_are_gone_and_a_sentence_goes_on_over_the_page() -> None:
    texts = (
        "The ferry leaves at 7.\n\nIt goes to the island and",
        "comes back at 9.\n\nIt is red.",
        "The fare is 3 euros.",
    )
    document = load("\f".join(page(number, text) for number, text in enumerate(texts, start=1)))
    assert document.text == (
        "The ferry leaves at 7.\n\nIt goes to the island and\ncomes back at 9.\n\nIt is red.\n\nThe fare is 3 euros."
    )
    assert [page_of(document, text) for text in ("island", "comes", "red", "fare")] == [1, 2, 2, 3]


def test_first_and_last_lines_that_say_something_stay() -> None:
    document = load(
        "\f".join(
            f"Boat {n} carries {m} people.\n\nIts colour is {c}.\n"
            for n, m, c in ((1, 9, "red"), (2, 7, "blue"), (3, 8, "green"))
        )
    )
    assert [text in document.text for text in ("1 carries 9", "2 carries 7", "3 carries 8")] == [True, True, True]
    two = load("Harbour Office\n\nThe ferry is red.\fHarbour Office\n\nThe boat is blue.")
    assert two.text.count("Harbour Office") == 2


def test_lines_with_cells_parted_by_tabs_are_rows() -> None:
    document = load("Stock:\nItem\tPrice\tStock\nRope\t\t12\nBucket\t7\t\n\nLength\tDay\nto 8 m\t12\r\nover 8 m\t20\n")
    assert document.text == (
        "Stock:\n\n| Item | Price | Stock |\n| Rope | | 12 |\n| Bucket | 7 | |\n\n"
        "| Length | Day |\n| to 8 m | 12 |\n| over 8 m | 20 |"
    )


@pytest.mark.parametrize(
    "text",
    ["To:\tAll staff\nDate:\t5 May", "1.\tOpen it\n2.\tWait 5 min", "\tA paragraph\n\tof 2 lines", "a\tb c\nd\te"],
)
def test_tabs_in_forms_lists_and_paragraphs_make_no_table(text: str) -> None:
    assert "|" not in load(text).text


def test_a_question_with_its_answer_right_below_is_a_heading() -> None:
    document = load("Q: How long?\nA: Ten days.\n\nQ: Who pays?\nA: The guest.\nIn cash.")
    assert paths("Q: How long?\nA: Ten days.\n\nQ: Who pays?\nA: The guest.") == ["How long?", "Who pays?"]
    assert document.text == "How long?\n\nTen days.\n\nWho pays?\n\nThe guest.\nIn cash."


def test_lines_parted_by_commas_or_semicolons_are_rows_with_heads() -> None:
    document = load('Towns:\n\ncity,people\nAldern,"48,210"\nCastrow,120400\n\na;b;c\n1;2;3\n4;;6')
    assert document.text == (
        "Towns:\n\n| city | people |\n| Aldern | 48,210 |\n| Castrow | 120400 |\n\n"
        "| a | b | c |\n| 1 | 2 | 3 |\n| 4 | | 6 |"
    )
    heads = [document.text[one.start : one.end] for one in document.blocks if one.kind == "heads"]
    assert heads == ["| city | people |", "| a | b | c |"]


def test_running_text_with_commas_is_no_table() -> None:
    text = "It rained, and it blew,\nthe boat, a red one,\nsank, they say, at noon."
    assert load(text).text == text


def test_a_chat_says_who_when_and_what() -> None:
    lines = (
        "12/03/2024, 14:05 - Ida: The key is here.",
        "12/03/2024, 14:06 - Jo Ek: Thanks",
        "and bye",
        "[14:07] <bo> ok",
    )
    assert load("\n".join(lines)).text == (
        "Ida (12/03/2024, 14:05): The key is here.\n\nJo Ek (12/03/2024, 14:06): Thanks\nand bye\n\nbo (14:07): ok"
    )
    assert load("10:30 Tea: hot\n11:00 We leave.").text.startswith("10:30 Tea: hot")


def test_lines_of_labels_and_values_are_fields() -> None:
    assert load("Owner: Ida Berg\nValid until: 2027\n\nIt is hot.").text.startswith(
        "Owner: Ida Berg\nValid until: 2027\n\n"
    )
    assert len(load("Owner: Ida Berg\nValid until: 2027").blocks) == 2


def test_a_mail_in_a_text_file_is_read_as_one() -> None:
    document = load("From: Ida <i@x.example>\nSubject: Lid\nMIME-Version: 1.0\n\nIt is hot.")
    assert (document.metadata.title, document.text) == ("Lid", "Lid\n\nFrom: Ida <i@x.example>\n\nIt is hot.")


def text_of(text: str) -> str:
    return check(load_bytes("a.txt", text.encode())).text


def test_lines_in_columns_are_rows_with_the_caption_above_and_the_note_below():
    assert text_of(POOL) == (
        "The pool in the winter\n\n"
        "| Day | Lanes | Sauna | Tea room |\n| Monday | 6-9 | closed | closed |\n"
        "| Tuesday | 6-21 | 14-22 | 10-18 |\n| Wednesday | 6-21 | | 10-18 |\n\n"
        "Prices are on page 2."
    )


def test_figures_set_to_the_right_stand_under_their_heads():
    text = "Source              2025      2026\nProperty tax      21,340    21,900\nParking              190       220"
    assert text_of(text).split("\n")[1:] == ["| Property tax | 21,340 | 21,900 |", "| Parking | 190 | 220 |"]


def test_a_cell_that_goes_on_in_the_next_line_is_one():
    text = "Post      Pay    Who\nPorter    1,900  nights, and\n                 Sundays\nCook      2,400  days"
    assert "| Porter | 1,900 | nights, and Sundays |" in text_of(text)


def test_prose_with_wide_spaces_two_columns_of_prose_lists_and_forms_are_no_tables():
    for text in (
        "It is a truth  universally known that\na single man  in possession of\na fortune  must be in want.",
        "He left.  She stayed.\nHe came.  She wept.\nHe sang.  She left.",
        "Harris    a hawk of the desert\nBarn      an owl of the farm\nGolden    an eagle of the hills",
        "1.   Boots     2\n2.   Coats     3\n3.   Hats      1",
        "To:      All      staff\nFrom:    The      office\nOn:      5        May",
        "Ham   4\nEgg   3",
    ):
        assert "|" not in text_of(text)


def test_a_full_row_below_an_empty_first_cell_is_a_row_of_its_own() -> None:
    text = (
        "Day       Course     Teacher\nMonday    Pottery    Lind\n          Weaving    Dahl\nTuesday   Dance      Voss"
    )
    assert "| | Weaving | Dahl |" in with_rows(text)


@pytest.mark.parametrize(("gap", "is_table"), [(380, True), (420, False)])
def test_a_table_in_columns_has_lines_of_four_hundred_characters_at_most(gap: int, is_table: bool) -> None:
    text = "\n".join(f"{item}{' ' * gap}{price}   {stock}" for item, price, stock in ROWS)
    assert (with_rows(text) == "| Item | Price | Stock |\n| Rope | 5.00 | 12 |\n| Hook | 9.50 | 3 |") is is_table
    assert is_table or with_rows(text) == text
