"""Sheets: tables as text and workbooks, each row told with its heads."""

from datetime import date, datetime
from typing import Any

import pytest
from loader_checks import check
from office_files import rewritten, sheet, workbook

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes


def csv(text: str, *, name: str = "stock.csv", encoding: str = "utf-8") -> str:
    return check(load_bytes(name, text.encode(encoding))).text


def xlsx(rows: list[list[object]], *merged: str) -> str:
    return check(load_bytes("stock.xlsx", sheet(rows, *merged))).text


SHEETS = {
    "quotation marks": ('Item,Price,Note\nlamp,12,"red,\nround"\n', "| Item: lamp | Price: 12 | Note: red, round |"),
    "two columns of words": ("Manager,Tomasz Wrona\nTelephone,4417\n", "Manager: Tomasz Wrona\nTelephone: 4417"),
    "labels and values side by side": (
        "Project:,Heron,,Lead:,Suri\nStart:,1 May,,Budget:,5000\nNote:,,,,\n",
        "Project: Heron\nLead: Suri\nStart: 1 May\nBudget: 5000\nNote:",
    ),
    "heads with a colon": ("A:,B:,C:\na,1,2", "| A: a | B: 1 | C: 2 |"),
    "two columns above figures": ("Item,Price\na,12\nb,80\n", "| Item: a | Price: 12 |\n| Item: b | Price: 80 |"),
    "words that recur are no heads": ("Kiel,a,red\nKiel,b,blue\n", "| Kiel | a | red |\n| Kiel | b | blue |"),
    "repeated heads": ("A,B,C\na,1,x\nA,B,C\nc,2,y\n", "| A: a | B: 1 | C: x |\n| A: c | B: 2 | C: y |"),
    "a title, and a part below a blank row": (
        "Stock,,\n,,\nItem,Qty,Bin\na,1,B\n,,\nc,2,D\n",
        "Stock\n\n| Item: a | Qty: 1 | Bin: B |\n\n| Item: c | Qty: 2 | Bin: D |",
    ),
    "no head": ("Item,,Shelf,Room\nlamp,12,A4,7\n", "| Item: lamp | Column 2: 12 | Shelf: A4 | Room: 7 |"),
    "heads in two rows": (
        "A,2025,\n,B,C\nx,1,3\ny,8,2\n",
        "| A: x | 2025 B: 1 | 2025 C: 3 |\n| A: y | 2025 B: 8 | 2025 C: 2 |",
    ),
    "formulas": ("Item,Price,Note\na,1,\"=cmd|'/C x'!A0\"\n", "| Item: a | Price: 1 | Note: =cmd/'/C x'!A0 |"),
}


@pytest.mark.parametrize(("text", "told"), SHEETS.values(), ids=SHEETS)
def test_a_table_as_text_is_told_row_by_row_and_no_row_is_taken_for_heads(text: str, told: str) -> None:
    document = check(load_bytes("stock.csv", text.encode()))
    assert (document.text, "heads" in {block.kind for block in document.blocks}) == (told, False)


def test_the_delimiter_is_found_whatever_the_suffix() -> None:
    for delimiter in ",;\t|":
        text = "Item,Price,Shelf\nlamp,12,A4\n".replace(",", delimiter)
        assert csv(text, name="a.tsv") == csv(text) == "| Item: lamp | Price: 12 | Shelf: A4 |"
    assert csv("Item;Price\nlamp;1,50\ndesk;20,00\n") == "| Item: lamp | Price: 1,50 |\n| Item: desk | Price: 20,00 |"


def test_a_row_too_long_for_a_chunk_repeats_its_first_cell() -> None:
    head = "Order," + ",".join(f"Field {n}" for n in range(30))
    lines = csv(f"{head}\nA-17,{','.join(['some thirty characters of text'] * 30)}\n").split("\n")
    assert len(lines) > 1
    assert all(line.startswith("| Order: A-17 | Field ") and len(line) < 700 for line in lines)


def test_each_sheet_is_a_section_and_a_hidden_one_is_left_out_and_told() -> None:
    def fill(book: Any) -> None:
        book.active.title = "North"
        book.active.append(["Manager", "Ann Ek"])
        book.create_sheet("South").append(["Manager", "Bo Li"])
        book.create_sheet("Empty")
        hidden = book.create_sheet("Salaries")
        hidden.append(["Ann Ek", 70_000])
        hidden.sheet_state = "hidden"
        book.properties.title, book.properties.creator = "Stock list", "Bo Li"

    document = check(load_bytes("a.xlsx", workbook(fill)))
    assert document.text == "North\n\nManager: Ann Ek\n\nSouth\n\nManager: Bo Li"
    assert [section.path for section in document.sections] == [("North",), ("South",)]
    assert document.notes == ("The hidden sheet 'Salaries' was left out. Show it to have it read.",)
    assert (document.metadata.title, document.metadata.authors) == ("Stock list", ("Bo Li",))


def test_merged_cells_are_told_in_each_row_and_column_and_a_merged_title_once() -> None:
    heads = [["Item", "2025", None], [None, "Price", "Sold"], ["lamp", 12, 340], ["desk", 80, 25]]
    assert "| Item: lamp | 2025 Price: 12 | 2025 Sold: 340 |" in xlsx(heads, "A1:A2", "B1:C1")
    rows = [["Town", "Item", "Price"], ["Kiel", "lamp", 12], [None, "desk", 80]]
    assert xlsx(rows, "A2:A3").endswith("| Town: Kiel | Item: desk | Price: 80 |")
    title = [["Prices of the shop"], ["Town", "Item", "Price"], ["Kiel", "lamp", 12]]
    assert xlsx(title, "A1:C1") == "Stock\n\nPrices of the shop\n\n| Town: Kiel | Item: lamp | Price: 12 |"


VALUES = [
    (0.185, "0.0%", "18.5%"),
    (1234.5, '#,##0.00 "EUR"', "1,234.50 EUR"),
    (9.5, "[$€-407]#,##0.00;[Red]-[$€-407]#,##0.00", "€9.50"),
    (7, "General", "7"),
    (42, "00000", "00042"),
    (True, "General", "TRUE"),
    (date(2026, 3, 9), "dd/mm/yyyy", "2026-03-09"),
    (datetime(2026, 3, 9, 14, 30), "dd/mm/yyyy hh:mm", "2026-03-09 14:30"),
]


def test_a_value_is_told_as_the_sheet_shows_it_and_formulas_that_were_never_computed_are_counted() -> None:
    def fill(book: Any) -> None:
        for place, (value, number_format, _) in enumerate(VALUES, 1):
            book.active.append([f"V{place}", value])
            book.active[f"B{place}"].number_format = number_format

    told = load_bytes("a.xlsx", workbook(fill)).text.split("\n")[-len(VALUES) :]
    assert told == [f"V{place}: {shown}" for place, (_, _, shown) in enumerate(VALUES, 1)]
    [note] = load_bytes("a.xlsx", sheet([["Item", "Price"], ["lamp", "=SUM(1,2)"], ["desk", "=1+1"]])).notes
    assert note.startswith("Sheet 'Stock' has 2 formulas without a stored value")


def test_a_sheet_that_claims_a_million_columns_is_read_by_its_cells_and_entities_or_too_many_cells_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def changed(old: bytes, new: bytes) -> bytes:
        book = sheet([["Manager", "Ann Ek"]])
        return rewritten(book, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(old, new))

    laughing = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><worksheet'
    with pytest.raises(InvalidDocument, match="broken or not understood"):
        load_bytes("a.xlsx", changed(b"<worksheet", laughing))
    data = changed(b'ref="A1:B1"', b'ref="A1:XFD1048576"')
    assert load_bytes("a.xlsx", data).text == "Stock\n\nManager: Ann Ek"
    monkeypatch.setattr("rag.ingest.loaders.sheets.MAX_CELLS", 3)
    for name, data in (("a.xlsx", sheet([["a", "b"], ["c", "d"]])), ("a.csv", b"a,b,c,d,e\n")):
        with pytest.raises(InvalidDocument, match="more than 3 cells"):
            load_bytes(name, data)
