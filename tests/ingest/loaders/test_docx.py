"""Word documents."""

import io
import zipfile

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from loader_checks import SAMPLES, check, make_docx

from rag.ingest.loaders import load, load_bytes
from rag.ingest.loaders.docx_numbering import _format
from rag.models import Document


def read(word: "docx.document.Document") -> Document:
    return check(load_bytes("a.docx", make_docx(word)))


def test_headings_give_chapters_and_sections() -> None:
    word = docx.Document()
    word.add_heading("Travel", level=0)
    word.add_heading("1 Before", level=1)
    word.add_heading("1.1 Approval", level=2)
    word.add_paragraph("Ask first.")
    document = read(word)
    assert document.text == "Travel\n\n1 Before\n\n1.1 Approval\n\nAsk first."
    assert (document.sections[-1].chapter, document.sections[-1].section) == (1, "1.1 Approval")
    assert document.metadata.title == "Travel"
    assert document.pages == ()


def test_style_based_on_a_heading_is_a_heading() -> None:
    word = docx.Document()
    style = word.styles.add_style("House title", WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = word.styles["Heading 2"]
    word.add_paragraph("Gloves", style="House title")
    word.add_paragraph("Text.")
    assert read(word).sections[0].path == ("Gloves",)


def test_outline_level_makes_a_heading_and_level_nine_unmakes_one() -> None:
    word = docx.Document()
    for text, level in (("Gloves", "0"), ("Plain text", "9")):
        paragraph = word.add_paragraph(text, style="Heading 1" if level == "9" else None)
        outline = OxmlElement("w:outlineLvl")
        outline.set(qn("w:val"), level)
        paragraph._p.get_or_add_pPr().append(outline)
    assert [one.path for one in read(word).sections] == [("Gloves",)]


def test_tables_stand_in_document_order_as_rows() -> None:
    word = docx.Document()
    word.add_paragraph("Before.")
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip(
        (c for row in table.rows for c in row.cells), ("Class", "Wear", "A", "Gloves\nGoggles"), strict=True
    ):
        cell.text = text
    word.add_paragraph("After.")
    document = read(word)
    assert document.text == "Before.\n\n| Class | Wear |\n| A | Gloves Goggles |\n\nAfter."
    assert len(document.breaks) == 4


def test_merged_cells_are_repeated_in_each_row_and_column() -> None:
    word = docx.Document()
    table = word.add_table(rows=2, cols=3)
    for row, texts in zip(table.rows, (("A", "x", "y"), ("", "z", "")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(1, 1).merge(table.cell(1, 2))
    assert read(word).text == "| A | x | y |\n| A | z | z |"


def test_a_cell_that_takes_a_whole_row_is_a_title_and_stands_once() -> None:
    word = docx.Document()
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip((c for row in table.rows for c in row.cells), ("Fees", "", "Room", "9 euros"), strict=True):
        cell.text = text
    table.cell(0, 0).merge(table.cell(0, 1))
    assert read(word).text == "| Fees |\n| Room | 9 euros |"


def test_two_tables_with_nothing_between_them_stay_two() -> None:
    word = docx.Document()
    for texts in (("Room", "B7"), ("Staff", "9")):
        table = word.add_table(rows=1, cols=2)
        for cell, text in zip(table.rows[0].cells, texts, strict=True):
            cell.text = text
        word.add_paragraph("")
    assert read(word).text == "| Room | B7 |\n\n| Staff | 9 |"


def test_table_of_one_cell_is_a_frame_around_paragraphs() -> None:
    word = docx.Document()
    word.add_table(rows=1, cols=1).cell(0, 0).text = "Note well."
    assert read(word).text == "Note well."


def test_lists_carry_the_labels_that_word_shows() -> None:
    word = docx.Document()
    word.add_paragraph("gloves", style="List Bullet")
    word.add_paragraph("first", style="List Number")
    word.add_paragraph("second", style="List Number")
    assert read(word).text == "• gloves\n1. first\n2. second"


def test_automatic_numbers_of_headings_become_section_numbers() -> None:
    word = docx.Document()
    levels = "".join(
        f'<w:lvl w:ilvl="{k}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="{text}"/></w:lvl>'
        for k, text in enumerate(("%1", "%1.%2"))
    )
    root = word.part.numbering_part.element
    root.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="77">{levels}</w:abstractNum>'))
    root.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
    for text, depth in (("Aims", 0), ("Method", 0), ("Sampling", 1), ("Drying", 1)):
        properties = word.add_heading(text, level=depth + 1)._p.get_or_add_pPr()
        properties.append(
            parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{depth}"/><w:numId w:val="77"/></w:numPr>')
        )
    found = read(word).sections
    assert [(one.chapter, one.section) for one in found] == [
        (1, None), (2, None), (2, "2.1 Sampling"), (2, "2.2 Drying")
    ]  # fmt: skip


def test_counts_are_shown_in_every_format_of_word() -> None:
    shown = [_format(count, form) for count, form in ((3, "decimal"), (3, "decimalZero"), (27, "lowerLetter"))]
    assert shown == ["3", "03", "aa"]
    assert [_format(count, "upperRoman") for count in (4, 9, 14, 40, 99)] == ["IV", "IX", "XIV", "XL", "XCIX"]


def test_deleted_text_is_gone_and_inserted_text_stays() -> None:
    word = docx.Document()
    paragraph = word.add_paragraph("Wear ")
    for tag, inner, text in (("del", "delText", "boots"), ("ins", "t", "gloves")):
        paragraph._p.append(parse_xml(f"<w:{tag} {nsdecls('w')}><w:r><w:{inner}>{text}</w:{inner}></w:r></w:{tag}>"))
    assert read(word).text == "Wear gloves"


def test_text_in_a_content_control_is_read() -> None:
    word = docx.Document()
    word.add_paragraph("Before.")
    body = word.element.body
    control = parse_xml(
        f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>Inside.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    body.insert(1, control)
    assert read(word).text == "Before.\n\nInside."


def test_contents_made_by_word_are_left_out() -> None:
    word = docx.Document()
    word.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)
    word.add_paragraph("Gloves\t3", style="toc 1")
    word.add_heading("Gloves", level=1)
    assert read(word).text == "Gloves"


def test_footnotes_stand_at_the_end() -> None:
    word = docx.Document()
    word.add_paragraph("Text.")
    notes = (
        f'<w:footnotes {nsdecls("w")}><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        '<w:footnote w:id="1"><w:p><w:r><w:t>Measured twice.</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    target = io.BytesIO(make_docx(word))
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("word/footnotes.xml", notes)
    assert check(load_bytes("a.docx", target.getvalue())).text == "Text.\n\n[1] Measured twice."


def test_the_policy_of_the_samples_is_read_whole() -> None:
    document = check(load(SAMPLES / "travel_policy.docx"))
    assert "| North America | 190 euros | 56 euros |" in document.text
    assert {one.section_number for one in document.sections if one.chapter == 2} == {None, "2.1", "2.2", "2.3", "2.4"}
    assert "Policy TP-3" in document.metadata.identifiers
