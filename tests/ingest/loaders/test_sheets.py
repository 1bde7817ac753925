"""Sheets: tables as text and workbooks, each row told with its heads."""

import io
import zipfile
from datetime import date, datetime
from typing import Any

import pytest
from loader_checks import check
from office_files import sheet, workbook
from passages import hit

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.language.rows import statements_of


def csv(text: str, *, name: str = "stock.csv", encoding: str = "utf-8") -> str:
    return check(load_bytes(name, text.encode(encoding))).text


def xlsx(rows: list[list[object]], *merged: str) -> str:
    return check(load_bytes("stock.xlsx", sheet(rows, *merged))).text


def test_each_row_tells_the_heads_of_its_columns() -> None:
    assert csv("Item,Price,Shelf\nlamp,12,A4\ndesk,80,B1\n") == (
        "| Item: lamp | Price: 12 | Shelf: A4 |\n| Item: desk | Price: 80 | Shelf: B1 |"
    )


def test_a_row_is_read_as_it_stands_and_is_never_taken_for_heads() -> None:
    rows = csv("Item,Price,Shelf\nlamp,twelve,A4\ndesk,80,B1\nsofa,90,B2\n")
    assert statements_of(hit(rows)) == (
        "Item: lamp; Price: twelve; Shelf: A4",
        "Item: desk; Price: 80; Shelf: B1",
        "Item: sofa; Price: 90; Shelf: B2",
    )


def test_a_cell_of_several_sentences_leaves_its_row_one_block() -> None:
    document = load_bytes("a.csv", b"Item,Shelf,Note\nlamp,A4,It failed. We sent it back.\n")
    assert [block.kind for block in document.blocks] == ["row"]
    assert statements_of(hit(document.text)) == ("Item: lamp; Shelf: A4; Note: It failed. We sent it back.",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_whatever_the_suffix(delimiter: str) -> None:
    text = "Item,Price,Shelf\nlamp,12,A4\n".replace(",", delimiter)
    assert csv(text, name="a.tsv") == csv(text) == "| Item: lamp | Price: 12 | Shelf: A4 |"


def test_commas_in_numbers_are_no_delimiters_beside_semicolons() -> None:
    assert csv("Item;Price;Tax\nlamp;12,50;1,25\ndesk;80,00;8,00\n").startswith(
        "| Item: lamp | Price: 12,50 | Tax: 1,25 |"
    )


def test_a_declared_delimiter_is_believed() -> None:
    assert csv("sep=;\nItem;Price, net;Shelf\nlamp;12;A4\n") == "| Item: lamp | Price, net: 12 | Shelf: A4 |"


def test_line_feeds_and_delimiters_within_quotation_marks_belong_to_a_cell() -> None:
    assert csv('Item,Price,Note\nlamp,12,"red,\nround"\n') == "| Item: lamp | Price: 12 | Note: red, round |"


def test_a_table_in_a_western_code_page_is_decoded() -> None:
    assert "Guest: Marie Dupré" in csv("Room,Guest,Nights\n4,Marie Dupré,3\n", encoding="cp1252")


@pytest.mark.parametrize("formula", ["=cmd|'/C calc'!A0", "=1+1", "+1+1", "@SUM(A1)", '=HYPERLINK("http://x")'])
def test_formulas_in_text_stay_text(formula: str) -> None:
    quoted = formula.replace('"', '""')
    said = formula.replace("|", "/")
    assert csv(f'Item,Price,Note\nlamp,12,"{quoted}"\n') == f"| Item: lamp | Price: 12 | Note: {said} |"


def test_quotation_marks_that_never_end_are_refused() -> None:
    with pytest.raises(InvalidDocument, match="rows cannot be told apart"):
        load_bytes("a.csv", b'Item,Note\nlamp,"' + b"x, y\n" * 50_000)


def test_two_columns_of_words_are_labels_and_values() -> None:
    assert csv("Manager,Tomasz Wrona\nTelephone,4417\n") == "Manager: Tomasz Wrona\nTelephone: 4417"


def test_two_columns_above_figures_have_heads() -> None:
    assert csv("Item,Price\nlamp,12\ndesk,80\n").startswith("| Item: lamp | Price: 12 |")


def test_rows_without_heads_stay_rows() -> None:
    assert csv("1,lamp,12\n2,desk,80\n") == "| 1 | lamp | 12 |\n| 2 | desk | 80 |"


def test_a_first_row_whose_words_recur_below_is_no_row_of_heads() -> None:
    assert csv("Kiel,lamp,red\nKiel,desk,blue\n") == "| Kiel | lamp | red |\n| Kiel | desk | blue |"


def test_heads_that_are_repeated_between_the_rows_are_told_once() -> None:
    assert csv("Item,Price,Shelf\nlamp,12,A4\nItem,Price,Shelf\ndesk,80,B1\n").count("\n") == 1


def test_a_title_above_a_table_is_a_paragraph() -> None:
    assert csv("Stock of the north shop,,\n,,\nItem,Price,Shelf\nlamp,12,A4\n") == (
        "Stock of the north shop\n\n| Item: lamp | Price: 12 | Shelf: A4 |"
    )


def test_a_part_below_a_blank_row_keeps_the_heads() -> None:
    assert csv("Item,Price,Shelf\nlamp,12,A4\n,,\ndesk,80,B1\n").endswith("| Item: desk | Price: 80 | Shelf: B1 |")


def test_a_row_too_long_for_a_chunk_repeats_its_first_cell() -> None:
    head = "Order," + ",".join(f"Field {n}" for n in range(30))
    lines = csv(f"{head}\nA-17,{','.join(['some thirty characters of text'] * 30)}\n").split("\n")
    assert len(lines) > 1
    assert all(line.startswith("| Order: A-17 | Field ") and len(line) < 700 for line in lines)


def test_a_column_without_a_head_is_told_by_its_place() -> None:
    assert csv("Item,,Shelf,Room\nlamp,12,A4,7\n") == "| Item: lamp | Column 2: 12 | Shelf: A4 | Room: 7 |"


def test_each_sheet_is_a_section() -> None:
    def fill(book: Any) -> None:
        book.active.title = "North"
        book.active.append(["Manager", "Ann Ek"])
        book.create_sheet("South").append(["Manager", "Bo Li"])
        book.create_sheet("Empty")

    document = check(load_bytes("a.xlsx", workbook(fill)))
    assert document.text == "North\n\nManager: Ann Ek\n\nSouth\n\nManager: Bo Li"
    assert [section.path for section in document.sections] == [("North",), ("South",)]
    assert document.metadata.title is None


def test_a_hidden_sheet_is_left_out_and_told() -> None:
    def fill(book: Any) -> None:
        book.active.append(["Manager", "Ann Ek"])
        hidden = book.create_sheet("Salaries")
        hidden.append(["Ann Ek", 70_000])
        hidden.sheet_state = "hidden"

    document = load_bytes("a.xlsx", workbook(fill))
    assert "70" not in document.text
    assert document.notes == ("The hidden sheet 'Salaries' was left out. Show it to have it read.",)


def test_heads_in_two_rows_are_told_together_and_merged_ones_repeated() -> None:
    rows: list[list[object]] = [["Item", "2025", None], [None, "Price", "Sold"], ["lamp", 12, 340], ["desk", 80, 25]]
    told = "| Item: lamp | 2025 Price: 12 | 2025 Sold: 340 |"
    assert xlsx(rows, "A1:A2", "B1:C1").split("\n")[2] == told
    assert csv("Item,2025,\n,Price,Sold\nlamp,12,340\ndesk,80,25\n").split("\n")[0] == told


def test_a_merged_cell_is_told_in_each_of_its_rows() -> None:
    rows: list[list[object]] = [["Town", "Item", "Price"], ["Kiel", "lamp", 12], [None, "desk", 80]]
    assert xlsx(rows, "A2:A3").endswith("| Town: Kiel | Item: desk | Price: 80 |")


def test_a_merged_title_stands_once() -> None:
    rows: list[list[object]] = [["Prices of the shop"], ["Town", "Item", "Price"], ["Kiel", "lamp", 12]]
    assert xlsx(rows, "A1:C1") == "Stock\n\nPrices of the shop\n\n| Town: Kiel | Item: lamp | Price: 12 |"


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (0.185, "0.0%", "18.5%"),
        (0.5, "0%", "50%"),
        (1234.5, "#,##0.00", "1,234.50"),
        (1234.5, '#,##0.00 "EUR"', "1,234.50 EUR"),
        (9.5, "[$€-407]#,##0.00;[Red]-[$€-407]#,##0.00", "€9.50"),
        (42, "00000", "00042"),
        (0.1 + 0.2, "General", "0.3"),
        (123456789012, "General", "123456789012"),
        (1.5, "# ?/?", "1.5"),
        (True, "General", "TRUE"),
        (date(2026, 3, 9), "dd/mm/yyyy", "2026-03-09"),
        (datetime(2026, 3, 9, 14, 30), "dd/mm/yyyy hh:mm", "2026-03-09 14:30"),
    ],
)
def test_a_value_is_told_as_the_sheet_shows_it(value: object, number_format: str, shown: str) -> None:
    def fill(book: Any) -> None:
        book.active.append(["Item", "Shown"])
        book.active.append(["lamp", value])
        book.active["B2"].number_format = number_format

    assert load_bytes("a.xlsx", workbook(fill)).text.endswith(f": {shown}")


def test_formulas_that_were_never_computed_are_counted() -> None:
    document = load_bytes("a.xlsx", sheet([["Item", "Price"], ["lamp", "=SUM(1,2)"], ["desk", "=1+1"]]))
    assert document.notes == (
        "Sheet 'Stock' has 2 formulas without a stored value: open the file in a spreadsheet program and save it.",
    )


def test_title_author_and_year_are_those_of_the_properties() -> None:
    def fill(book: Any) -> None:
        book.active.append(["Manager", "Ann Ek"])
        book.properties.title, book.properties.creator = "Stock list", "Bo Li"
        book.properties.modified = datetime(2025, 4, 1)

    said = load_bytes("a.xlsx", workbook(fill)).metadata
    assert (said.title, said.authors) == ("Stock list", ("Bo Li",))


def rewritten(data: bytes, part: str, change: bytes, into: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, text.replace(change, into) if name == part else text)
    return target.getvalue()


def test_entities_in_a_sheet_are_refused() -> None:
    laughing = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><worksheet'
    data = rewritten(sheet([["Manager", "Ann Ek"]]), "xl/worksheets/sheet1.xml", b"<worksheet", laughing)
    with pytest.raises(InvalidDocument, match="broken or not understood"):
        load_bytes("a.xlsx", data)


def test_a_sheet_that_claims_a_million_columns_is_read_by_its_cells() -> None:
    data = rewritten(sheet([["Manager", "Ann Ek"]]), "xl/worksheets/sheet1.xml", b'ref="A1:B1"', b'ref="A1:XFD1048576"')
    assert load_bytes("a.xlsx", data).text == "Stock\n\nManager: Ann Ek"


def test_more_cells_than_can_be_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.ingest.loaders.sheets.MAX_CELLS", 3)
    with pytest.raises(InvalidDocument, match="more than 3 cells"):
        load_bytes("a.xlsx", sheet([["a", "b"], ["c", "d"]]))
    with pytest.raises(InvalidDocument, match="more than 3 cells"):
        load_bytes("a.csv", b"a,b,c,d,e\n")
