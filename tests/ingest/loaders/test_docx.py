"""Word documents."""

import io
import zipfile

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from loader_checks import SAMPLES, check, make_docx

from rag.ingest.loaders import load, load_bytes
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
    assert len(document.blocks) == 4


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


def test_rows_of_a_table_in_a_cell_are_parted() -> None:
    word = docx.Document()
    outer = word.add_table(rows=1, cols=2)
    outer.cell(0, 0).text = "Entry"
    inner = outer.cell(0, 1).add_table(rows=2, cols=2)
    cells = [cell for line in inner.rows for cell in line.cells]
    for cell, text in zip(cells, ("Monday", "9", "Sunday", "12"), strict=True):
        cell.text = text
    assert read(word).text == "| Entry | Monday 9, Sunday 12 |"


def test_lists_carry_the_labels_that_word_shows() -> None:
    word = docx.Document()
    word.add_paragraph("gloves", style="List Bullet")
    word.add_paragraph("first", style="List Number")
    word.add_paragraph("second", style="List Number")
    assert read(word).text == "• gloves\n\n1. first\n2. second"  # two lists


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


def add(parent: object, inner: str) -> None:
    """Append XML to a paragraph or table."""
    spaces = f'{nsdecls("w")} xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    name, rest = inner.removeprefix("<").split(">", 1)
    closed = name.endswith("/")
    parent._element.append(parse_xml(f"<{name.rstrip('/')} {spaces}{'/' if closed else ''}>{rest}"))  # type: ignore[attr-defined]


def with_notes(word: "docx.document.Document", kind: str, *texts: str) -> Document:
    """The document with notes numbered from 2 on in its file, as Word does after its two separators."""
    inside = "".join(
        f'<w:{kind} w:id="{k}"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{kind}>' for k, text in enumerate(texts, 2)
    )
    separator = f'<w:{kind} w:type="separator" w:id="0"><w:p/></w:{kind}>'
    target = io.BytesIO(make_docx(word))
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr(f"word/{kind}s.xml", f"<w:{kind}s {nsdecls('w')}>{separator}{inside}</w:{kind}s>")
    return check(load_bytes("a.docx", target.getvalue()))


def test_a_note_that_nothing_refers_to_stands_at_the_end() -> None:
    word = docx.Document()
    word.add_paragraph("Text.")
    assert with_notes(word, "footnote", "Measured twice.").text == "Text.\n\n[2] Measured twice."


@pytest.mark.parametrize(("kind", "first", "second"), [("footnote", "1", "2"), ("endnote", "i", "ii")])
def test_a_note_follows_the_paragraph_that_refers_to_it(kind: str, first: str, second: str) -> None:
    word = docx.Document()
    for section, note in (("Pumps", 2), ("Valves", 3)):
        word.add_heading(section, level=1)
        add(word.add_paragraph(f"{section} are tested"), f'<w:r><w:{kind}Reference w:id="{note}"/></w:r>')
    document = with_notes(word, kind, "By the owner.", "By the maker.")
    assert document.text.split("\n\n") == [
        "Pumps", f"Pumps are tested[{first}]", f"[{first}] By the owner.",
        "Valves", f"Valves are tested[{second}]", f"[{second}] By the maker.",
    ]  # fmt: skip


def test_a_note_of_a_table_follows_the_table() -> None:
    word = docx.Document()
    table = word.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Room", "B7"
    add(table.cell(0, 1).paragraphs[0], '<w:r><w:footnoteReference w:id="2"/></w:r>')
    word.add_paragraph("Below.")
    assert with_notes(word, "footnote", "Locked.").text == "| Room | B7[1] |\n\n[1] Locked.\n\nBelow."


@pytest.mark.parametrize(
    ("font", "code", "sign"),
    [
        ("Symbol", "F06D", "µ"),
        ("Symbol", "F0A3", "≤"),
        ("Symbol", "F0B0", "°"),
        ("Symbol", "B3", "≥"),
        ("Wingdings", "F0FC", "✓"),
        ("Wingdings", "F0E0", "→"),
        ("Wingdings 2", "F052", "☑"),
        ("Cambria Math", "2265", "≥"),
    ],
)
def test_a_sign_of_a_symbol_font_is_read_as_it_is_shown(font: str, code: str, sign: str) -> None:
    word = docx.Document()
    paragraph = word.add_paragraph("at 5 ")
    add(paragraph, f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>')
    paragraph.add_run("g")
    document = read(word)
    assert (document.text, document.notes) == (f"at 5 {sign}g", ())


def test_letters_set_in_the_symbol_font_are_read_as_it_shows_them() -> None:
    word = docx.Document()
    paragraph = word.add_paragraph("give 5 ")
    paragraph.add_run("m").font.name = "Symbol"
    paragraph.add_run("g in 2 ")
    paragraph.add_run("m").font.name = "Arial"
    paragraph.add_run("l")
    assert read(word).text == "give 5 µg in 2 ml"


def test_signs_that_are_not_known_are_replaced_and_told() -> None:
    word = docx.Document()
    paragraph = word.add_paragraph("at ")
    for _ in range(2):
        add(paragraph, '<w:r><w:sym w:font="House Icons" w:char="F041"/></w:r>')
    document = read(word)
    assert document.text == "at \ufffd\ufffd"
    assert document.notes == (
        "2 signs of symbol fonts are not known: U+FFFD stands there. "
        "Insert them as Unicode characters and ingest the file again.",
    )


MATH = {
    "D=5 mg/kg": "<m:r><m:t>D=5 mg/kg</m:t></m:r>",
    "a/(b+1)": "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b+1</m:t></m:r></m:den></m:f>",
    "10⁶": "<m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>6</m:t></m:r></m:sup></m:sSup>",
    "√(a+b)": "<m:rad><m:deg/><m:e><m:r><m:t>a+b</m:t></m:r></m:e></m:rad>",
    "[a]": '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:r><m:t>a</m:t></m:r></m:e></m:d>',
}


@pytest.mark.parametrize("said", MATH)
def test_equations_stand_on_the_line(said: str) -> None:
    word = docx.Document()
    paragraph = word.add_paragraph("The dose is ")
    add(paragraph, f"<m:oMath>{MATH[said]}</m:oMath>")
    paragraph.add_run(" for adults.")
    assert read(word).text == f"The dose is {said} for adults."


def test_a_fraction_is_apart_from_the_number_before_it() -> None:
    word = docx.Document()
    paragraph = word.add_paragraph("Take 1")
    half = "<m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    add(paragraph, f"<m:oMath>{half}</m:oMath>")
    assert read(word).text == "Take 1 1/2"


def test_an_equation_that_is_a_picture_is_told() -> None:
    word = docx.Document()
    ole = '<o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="Equation.3"/>'
    add(word.add_paragraph("So "), f"<w:r><w:object>{ole}</w:object></w:r>")
    assert read(word).notes == (
        "1 equation was left out: the file holds pictures of them. "
        "Convert old equations in the word processor and ingest the file again.",
    )


def test_raised_figures_do_not_join_the_number_before_them() -> None:
    word = docx.Document()
    paragraph = word.add_paragraph("At most 10")
    paragraph.add_run("6").font.superscript = True
    paragraph.add_run(" per litre since 1923")
    paragraph.add_run("3").font.superscript = True
    paragraph.add_run(" of CO")
    paragraph.add_run("2").font.subscript = True
    assert read(word).text == "At most 10⁶ per litre since 1923 [3] of CO2"


def test_hidden_text_is_left_out() -> None:
    word = docx.Document()
    hidden = word.styles.add_style("Teacher", WD_STYLE_TYPE.CHARACTER)
    hidden.font.hidden = True
    paragraph = word.add_paragraph("Wear ")
    paragraph.add_run("no ").font.hidden = True
    paragraph.add_run("old ", style="Teacher")
    shown = paragraph.add_run("new ", style="Teacher")
    shown.font.hidden = False
    paragraph.add_run("gloves.")
    assert read(word).text == "Wear new gloves."


def test_struck_text_is_left_out() -> None:
    word = docx.Document()
    withdrawn = word.styles.add_style("Withdrawn", WD_STYLE_TYPE.CHARACTER)
    withdrawn.font.strike = True
    paragraph = word.add_paragraph("A night costs ")
    paragraph.add_run("80 ").font.strike = True
    paragraph.add_run("85 ").font.double_strike = True
    paragraph.add_run("88 ", style="Withdrawn")
    kept = paragraph.add_run("90 ", style="Withdrawn")
    kept.font.strike = False
    paragraph.add_run("euros.")
    assert read(word).text == "A night costs 90 euros."


def box(*texts: str) -> str:
    """A text box, with what old programs show in its place."""
    inside = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts)
    content = f"<w:txbxContent>{inside}</w:txbxContent>"
    compatible = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    return (
        f'<w:r><mc:AlternateContent xmlns:mc="{compatible}"><mc:Choice>{content}</mc:Choice>'
        f"<mc:Fallback>{content}</mc:Fallback></mc:AlternateContent></w:r>"
    )


def test_a_text_box_stands_after_its_paragraph_and_once() -> None:
    word = docx.Document()
    paragraph = word.add_paragraph("Rinse the")
    add(paragraph, box("Warning", "Never mix acids."))
    paragraph.add_run(" flask.")
    assert read(word).text == "Rinse the flask.\n\nWarning\n\nNever mix acids."


def test_a_text_box_in_a_cell_is_read_once() -> None:
    word = docx.Document()
    table = word.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Acid", "hood"
    add(table.cell(0, 1).paragraphs[0], box("no bleach"))
    assert read(word).text == "| Acid | hood no bleach |"


def numbered(word: "docx.document.Document", number: int, override: str) -> None:
    """Define another list of the definition that the style of numbered lists has."""
    root = word.part.numbering_part.element
    used = word.styles["List Number"].element.pPr.numPr.numId.val
    known = next(n for n in root.findall(qn("w:num")) if n.get(qn("w:numId")) == str(used))
    abstract = known.find(qn("w:abstractNumId")).get(qn("w:val"))
    root.append(
        parse_xml(
            f'<w:num {nsdecls("w")} w:numId="{number}"><w:abstractNumId w:val="{abstract}"/>'
            f'<w:lvlOverride w:ilvl="0">{override}</w:lvlOverride></w:num>'
        )
    )


def item(word: "docx.document.Document", text: str, number: int) -> None:
    properties = word.add_paragraph(text, style="List Number")._p.get_or_add_pPr()
    properties.append(parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>'))


def test_a_list_that_begins_anew_is_numbered_anew() -> None:
    word = docx.Document()
    numbered(word, 77, '<w:startOverride w:val="4"/>')
    for text in ("one", "two"):
        word.add_paragraph(text, style="List Number")
    for text in ("three", "four"):
        item(word, text, 77)
    assert read(word).text == "1. one\n2. two\n4. three\n5. four"


def test_a_list_with_a_level_of_its_own_counts_on_in_its_own_form() -> None:
    word = docx.Document()
    numbered(word, 77, '<w:lvl w:ilvl="0"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%1)"/></w:lvl>')
    word.add_paragraph("one", style="List Number")
    item(word, "two", 77)
    assert read(word).text == "1. one\n\n(b) two"


@pytest.mark.parametrize(("mark", "heads"), [("<w:tblHeader/>", 1), ('<w:tblHeader w:val="0"/>', 0), ("", 0)])
def test_a_row_that_is_repeated_on_each_page_is_the_heads(mark: str, heads: int) -> None:
    word = docx.Document()
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip((c for r in table.rows for c in r.cells), ("Drug", "Dose", "Zorvex", "5 mg"), strict=True):
        cell.text = text
    if mark:
        add(table.rows[0], f"<w:trPr>{mark}</w:trPr>")
    assert [block.kind for block in read(word).blocks].count("heads") == heads


def test_the_policy_of_the_samples_is_read_whole() -> None:
    document = check(load(SAMPLES / "travel_policy.docx"))
    assert "| North America | 190 euros | 56 euros |" in document.text
    assert {one.section_number for one in document.sections if one.chapter == 2} == {None, "2.1", "2.2", "2.3", "2.4"}
    assert "Policy TP-3" in document.metadata.identifiers


def test_headers_and_footers_are_read_once_and_page_numbers_are_not() -> None:
    word = docx.Document()
    word.add_heading("Rules", level=1)
    word.add_paragraph("Park on level 2.")
    word.add_section()
    for section in word.sections:
        section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
        section.header.paragraphs[0].text = "Document HR-0042"
        field = OxmlElement("w:fldSimple")
        field.set(qn("w:instr"), " PAGE ")
        section.footer.paragraphs[0]._p.append(field)
        section.footer.paragraphs[0].add_run("Page 1")
    document = read(word)
    assert document.text == "Document HR-0042\n\nRules\n\nPark on level 2."
    assert document.metadata.title == "Rules"


def test_bold_paragraphs_are_headings_where_no_style_marks_any() -> None:
    def made(*, styled: bool) -> Document:
        word = docx.Document()
        if styled:
            word.add_heading("Rules", level=1)
        for title, text in (("1. Leave", "There are 28 days."), ("2. Pay", "It is paid in full.")):
            word.add_paragraph().add_run(title).bold = True
            word.add_paragraph(text)
        word.add_paragraph().add_run("This is meant in earnest.").bold = True
        return read(word)

    assert [one.path[-1] for one in made(styled=False).sections] == ["1. Leave", "2. Pay"]
    assert [one.path[-1] for one in made(styled=True).sections] == ["Rules"]


def control(properties: str, content: str) -> str:
    text = f"<w:r><w:t>{content}</w:t></w:r>" if content else ""
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{text}</w:sdtContent></w:sdt>"


@pytest.mark.parametrize(
    ("before", "inside", "shown"),
    [
        ("Name: ", control("", "Ida Berg"), "Name: Ida Berg"),
        ("Speed ", control("<w:dropDownList/>", "Fast"), "Speed: Fast"),
        ("", control('<w:alias w:val="Owner"/>', "Ida Berg"), "Owner: Ida Berg"),
        ("Gift ", control('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', "x"), "Gift: yes"),
        ("Gift ", control('<w14:checkbox><w14:checked w14:val="0"/></w14:checkbox>', "x"), "Gift: no"),
        ("Name: ", control("<w:showingPlcHdr/>", "Click here to enter text."), "Name:"),
        (
            "Speed: ",
            '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Slow"/>'
            '<w:listEntry w:val="Fast"/></w:ddList></w:ffData></w:fldChar></w:r>',
            "Speed: Fast",
        ),
    ],
)
def test_what_a_form_holds_is_a_field(before: str, inside: str, shown: str) -> None:
    word = docx.Document()
    space = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    xml = f'<w:p {nsdecls("w")} {space}><w:r><w:t xml:space="preserve">{before}</w:t></w:r>{inside}</w:p>'
    word.element.body.insert(0, parse_xml(xml))
    assert read(word).text == shown
