"""Plain text files."""

import pytest
from loader_checks import check, page_of

from rag.ingest.loaders import load_bytes
from rag.models import Document


def load(text: str) -> Document:
    return check(load_bytes("a.txt", text.encode()))


def paths(text: str) -> list[str]:
    return [" > ".join(one.path) for one in load(text).sections if one.path]


def test_form_feeds_are_pages_and_without_them_there_are_none() -> None:
    document = load("First page.\fSecond page.\f\fFourth.\f")
    texts = [document.text[page.start : page.end].strip() for page in document.pages]
    assert texts == ["First page.", "Second page.", "", "Fourth."]
    assert load("One.\n\nTwo.").pages == ()


def test_running_lines_of_pages_are_gone_but_not_what_says_something_and_a_sentence_goes_on_over_the_page() -> None:
    texts = ("It leaves at 7.\n\nIt goes to the island and", "comes back at 9.\n\nIt is red.", "The fare is 3 euros.")
    page = f"Harbour Office{'':20}May 2020\n\n{{}}\n\nRules{'':30}[Page {{}}]\n".format
    document = load("\f".join(page(text, number) for number, text in enumerate(texts, start=1)))
    assert document.text == "\n\n".join(texts).replace("and\n\n", "and\n")
    assert [page_of(document, text) for text in ("island", "comes", "red", "fare")] == [1, 2, 2, 3]
    boats = ((1, 9, "red"), (2, 7, "blue"), (3, 8, "green"))
    document = load("\f".join(f"Boat {n} carries {m} people.\n\nIts colour is {c}.\n" for n, m, c in boats))
    assert all(text in document.text for text in ("1 carries 9", "2 carries 7", "3 carries 8"))
    two = load("Harbour Office\n\nThe ferry is red.\fHarbour Office\n\nThe boat is blue.")
    assert two.text.count("Harbour Office") == 2


HEADINGS = {
    "underlined and numbered lines": (
        "Field guide\n===========\n\nIntro.\n\n1.1 Soils\n\nClay.\n\nChapter 2: Water\n\nRain.",
        ["Field guide", "Field guide > 1.1 Soils", "Chapter 2: Water"],
    ),
    "a chapter's title may end in a full stop": ("CHAPTER 1. Loomings.\n\nCall me.", ["CHAPTER 1. Loomings."]),
    "single numbers above their own sections": (
        "1 SOILS\n\nIntro.\n\n1.1 Clay\n\nHeavy.\n\n2 WATER\n\n2.1 Rain\n\nWet.\n\n3 AIR\n\nThin.",
        ["1 SOILS", "1 SOILS > 1.1 Clay", "2 WATER", "2 WATER > 2.1 Rain", "3 AIR"],
    ),
    "numbers above their clauses": ("4 Lids\n\n4.1 They shut.\n\n5 Crates\n\n5.1 They.", ["4 Lids", "5 Crates"]),
    "capitals": ("1. TOOLS\n\nA.\n\n2. COSTS\nB.\n\n3. LIGHT\n\nC.", ["1. TOOLS", "2. COSTS", "3. LIGHT"]),
    "an underlined line with gaps": ("2.  Two pumps\n-------------\nPump A    costs 50.", ["2. Two pumps"]),
    "questions above answers": ("Q: How long?\nA: A day.\n\nQ: Who pays?\nA: Ida.", ["How long?", "Who pays?"]),
    "sentences that begin with a number are none": ("3.5 litres were used.\n\n12 people came\n\n2.1 grams of salt", []),
    "sentences on a chapter are none": ("Chapter 3 describes it.\n\nText.\n\nChapter 3. See it. Then go.", []),
    "a paragraph above a rule is none": ("This is a paragraph that ends here.\n-----\n\nNext.", []),
    "numbers that no section bears out": ("1. Open the lid\n\n2. Close the lid\n\n7 Habits\n\nText.", []),
    "a list in capitals": ("1. ACIDS\n\n2. BASES\n\n3. SALTS\n\nAll are kept apart.", []),
    "a running line in capitals": ("12. THE WHALE\n\nIt swam.\n\n13. THE WHALE\n\nIt dived.", []),
}


@pytest.mark.parametrize(("text", "found"), HEADINGS.values(), ids=HEADINGS)
def test_headings_are_lines_that_can_be_nothing_else(text: str, found: list[str]) -> None:
    assert paths(text) == found


POOL = """The pool in the winter
Day          Lanes     Sauna     Tea room
-----------------------------------------
Wednesday    6-21                10-18
Friday       6-21      14-22     10-18
Prices are on page 2."""
LINES = {
    "columns with a caption above and a note below": (
        POOL,
        "The pool in the winter\n\n| Day | Lanes | Sauna | Tea room |\n| Wednesday | 6-21 | | 10-18 |\n"
        "| Friday | 6-21 | 14-22 | 10-18 |\n\nPrices are on page 2.",
    ),
    "items": ("Wear:\n- gloves that\n  fit well\n- goggles", "Wear:\n\n- gloves that\n  fit well\n- goggles"),
    "answers": ("Q: How long?\nA: A day.\n\nQ: Who?\nA: Ida.\nJo.", "How long?\n\nA day.\n\nWho?\n\nIda.\nJo."),
    "a chat": (
        "12/03/2024, 14:05 - Ida: The key is here.\n12/03/2024, 14:06 - Jo Ek: Thanks\nand bye\n[14:07] <bo> ok",
        "Ida (12/03/2024, 14:05): The key is here.\n\nJo Ek (12/03/2024, 14:06): Thanks\nand bye\n\nbo (14:07): ok",
    ),
    "a chat by days": (
        "#ops 2026-03-02\n\n10:01 ida: on\n10:04 bo: off,\nby 2026-03-09 at last\n--- Tue 3 March 2026\n[9:00] bo: on",
        "#ops 2026-03-02\n\nida (2026-03-02 10:01): on\n\nbo (2026-03-02 10:04): off,\nby 2026-03-09 at last\n\n"
        "--- Tue 3 March 2026\n\nbo (2026-03-03 9:00): on",
    ),
    "no chat": ("10:30 Tea: hot\n11:00 We leave.", "10:30 Tea: hot\n11:00 We leave."),
    "a mail saved as text": (
        "From: Iðda\nSent:\t5 May\nSubject: Lid\n\nHøt.\n\n> Cold?\n\nI.",
        "Lid\n\nFrom: Iðda\nSent: 5 May\n\nHøt.\n\nQuoted message\n\nCold?\n\nIðda\n\nI.",
    ),
    "a mail": ("From: Ida <i@x.y>\nSubject: Lid\nMIME-Version: 1.0\n\nHot.", "Lid\n\nFrom: Ida <i@x.y>\n\nHot."),
    "figures set to the right": (
        "Source              2025      2026\nProperty tax      21,340    21,900\nParking              190       220",
        "| Source | 2025 | 2026 |\n| Property tax | 21,340 | 21,900 |\n| Parking | 190 | 220 |",
    ),
    "tabs": (
        "Stock:\nItem\tPrice\tStock\nRope\t\t12\nBucket\t7\t\n\nLength\tDay\nto 8 m\t12\r\nover 8 m\t20\n",
        "Stock:\n\n| Item | Price | Stock |\n| Rope | | 12 |\n| Bucket | 7 | |\n\n"
        "| Length | Day |\n| to 8 m | 12 |\n| over 8 m | 20 |",
    ),
    "commas and semicolons": (
        'Towns:\n\ncity,people\nAldern,"48,210"\nCastrow,120400\n\na;b;c\n1;2;3\n4;;6',
        "Towns:\n\n| city | people |\n| Aldern | 48,210 |\n| Castrow | 120400 |\n\n"
        "| a | b | c |\n| 1 | 2 | 3 |\n| 4 | | 6 |",
    ),
}


@pytest.mark.parametrize(("text", "shown"), LINES.values(), ids=LINES)
def test_lines_are_read_as_what_they_stand_for(text: str, shown: str) -> None:
    assert load(text).text == shown


@pytest.mark.parametrize(
    "text",
    [
        "To:\tAll staff\nDate:\t5 May",
        "\tA paragraph\n\tof 2 lines",
        "It rained, and it blew,\nthe boat, a red one,\nsank, they say, at noon.",
        "It is a truth  universally known that\na single man  in possession of\na fortune  must be in want.",
        "Harris    a hawk of the desert\nBarn      an owl of the farm\nGolden    an eagle of the hills",
        "1.   Boots     2\n2.   Coats     3\n3.   Hats      1",
        "To:      All      staff\nFrom:    The      office\nOn:      5        May",
    ],
)
def test_forms_lists_prose_and_two_columns_of_text_are_no_tables(text: str) -> None:
    assert "|" not in load(text).text


def test_the_underlined_heads_of_a_table_are_no_heading_and_its_lines_have_400_characters_at_most() -> None:
    document = load("Name      Price   Stock\n-----------------------\nPump A    50      3\nPump B    70      0")
    assert document.sections[0].path == ()
    assert document.text.startswith("| Name | Price | Stock |\n| Pump A |")
    assert [one.start for one in document.blocks if one.kind == "heads"] == [0]
    for gap, is_table in ((380, True), (420, False)):
        rows = (("Item", "Price", "Stock"), ("Rope", "5.00 ", "12"), ("Hook", "9.50 ", "3"))
        text = load("\n".join(f"{item}{' ' * gap}{price}   {stock}" for item, price, stock in rows)).text
        assert ("| Rope | 5.00 | 12 |" in text) is is_table
