"""Word documents, written as the XML that Word writes."""

import io
import zipfile

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from loader_checks import check, make_docx

from rag.ingest.loaders import load_bytes
from rag.models import Document

SPACES = (
    f'{nsdecls("w")} xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:o="urn:schemas-microsoft-com:office:office"'
)


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(*runs: str, style: str = "", properties: str = "") -> str:
    """A paragraph of texts and of XML."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    inside = "".join(run if run.startswith("<") else r(run) for run in runs)
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{inside}</w:p>"


def cell(inside: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside if inside.startswith('<') else p(inside)}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    inside = "".join(each if each.startswith("<w:tc>") else cell(each) for each in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inside}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def read(xml: str, word: "docx.document.Document | None" = None, **parts: str) -> Document:
    """Load a document with this XML at the beginning of its body; `parts` are further files under `word/`."""
    word = word or docx.Document()
    for place, element in enumerate(parse_xml(f"<w:body {SPACES}>{xml}</w:body>")):
        word.element.body.insert(place, element)
    target = io.BytesIO(make_docx(word))
    with zipfile.ZipFile(target, "a") as archive:
        for name, text in parts.items():
            archive.writestr(f"word/{name}.xml", text)
    return check(load_bytes("a.docx", target.getvalue()))


LEVEL = '<w:outlineLvl w:val="{}"/>'.format
BOLD = "".join(p(r(title, "<w:b/>")) + p("It is so.") for title in ("1. Leave", "2. Pay"))
BOLD += p(r("This is meant in earnest.", "<w:b/>"))
HEADINGS = {
    "styles": (
        p("Travel", style="Title") + p("1 Before", style="Heading1") + p("1.1 Ask", style="Heading2") + p("Ask first."),
        ["Travel", "1 Before", "1 Before > 1.1 Ask"],
    ),
    "a style based on a heading's, and contents made by Word": (
        p("Gloves 3", style="toc1") + p("Gloves", style="Housetitle") + p("Text."),
        ["Gloves"],
    ),
    "an outline level makes a heading and level nine unmakes one": (
        p("Gloves", properties=LEVEL(0)) + p("Plain text", style="Heading1", properties=LEVEL(9)),
        ["Gloves"],
    ),
    "bold paragraphs where no style marks any": (BOLD, ["1. Leave", "2. Pay"]),
    "no bold ones where a style does": (p("Rules", style="Heading1") + BOLD, ["Rules"]),
}


@pytest.mark.parametrize(("xml", "paths"), HEADINGS.values(), ids=HEADINGS)
def test_headings_are_known_by_their_styles_or_looks(xml: str, paths: list[str]) -> None:
    word = docx.Document()
    word.styles.add_style("House title", WD_STYLE_TYPE.PARAGRAPH).base_style = word.styles["Heading 2"]
    word.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)
    document = read(xml, word)
    assert [" > ".join(one.path) for one in document.sections] == paths
    assert ("Gloves 3" in document.text, document.pages) == (False, ())


def test_headers_and_footers_are_read_once_and_page_numbers_are_not() -> None:
    word = docx.Document()
    word.add_section()
    for section in word.sections:
        section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
        section.header.paragraphs[0].text = "Document HR-0042"
        section.footer.paragraphs[0]._p.append(parse_xml(f'<w:fldSimple {nsdecls("w")} w:instr=" PAGE "/>'))
        section.footer.paragraphs[0].add_run("Page 1")
    document = read(p("Rules", style="Heading1") + p("Park on level 2."), word)
    assert document.text == "Document HR-0042\n\nRules\n\nPark on level 2."
    assert document.metadata.title == "Rules"


m = "<m:r><m:t>{}</m:t></m:r>".format
maths = "<m:oMath>{}</m:oMath>".format
sign = '<w:r><w:sym w:font="{}" w:char="{}"/></w:r>'.format


def box(*texts: str) -> str:
    """A text box, with what old programs show in its place."""
    content = f"<w:txbxContent>{''.join(map(p, texts))}</w:txbxContent>"
    old = f"<mc:Fallback>{content}</mc:Fallback>"
    return f"<w:r><mc:AlternateContent><mc:Choice>{content}</mc:Choice>{old}</mc:AlternateContent></w:r>"


UP, DOWN = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
SYMBOL = '<w:rFonts w:ascii="Symbol"/>'
control = "<w:sdt><w:sdtPr>{}</w:sdtPr><w:sdtContent><w:r><w:t>{}</w:t></w:r></w:sdtContent></w:sdt>".format
CHOICE = '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Slow"/><w:listEntry w:val="Fast"/></w:ddList>'
CHECKED = '<w14:checked w14:val="{}"/>'.format
WIDE = '<w:gridSpan w:val="2"/>'
BODIES = {
    "deleted text is gone and inserted text stays": (
        p("Wear ", "<w:del><w:r><w:delText>boots</w:delText></w:r></w:del>", f"<w:ins>{r('gloves')}</w:ins>"),
        "Wear gloves",
    ),
    "a content control": (p("One.") + f"<w:sdt><w:sdtContent>{p('Two.')}</w:sdtContent></w:sdt>", "One.\n\nTwo."),
    "hidden and struck": (p("a ", r("b ", "<w:vanish/>"), r("c", "<w:strike/>"), r("d", "<w:dstrike/>"), "e"), "a e"),
    "raised figures": (p("10", r("6", UP), " in 1923", r("3", UP), ", CO", r("2", DOWN)), "10⁶ in 1923 [3], CO2"),
    "letters in the symbol font": (p("give 5 ", r("m", SYMBOL), "g in 2 ml"), "give 5 µg in 2 ml"),
    "signs of symbol fonts": (p("at 5 ", sign("Symbol", "F06D"), sign("Wingdings", "F0FC")), "at 5 µ✓"),
    "an equation": (p("The dose is ", maths(m("D=5 mg/kg")), " a day."), "The dose is D=5 mg/kg a day."),
    "a fraction": (p("1", maths(f"<m:f><m:num>{m(1)}</m:num><m:den>{m(2)}</m:den></m:f>"), " cup"), "1 1/2 cup"),
    "a power": (p(maths(f"<m:sSup><m:e>{m(10)}</m:e><m:sup>{m(6)}</m:sup></m:sSup>")), "10⁶"),
    "a root": (p(maths(f"<m:rad><m:deg/><m:e>{m('a+b')}</m:e></m:rad>")), "√(a+b)"),
    "a text box": (p("Rinse the", box("Warning", "No acids."), " lid."), "Rinse the lid.\n\nWarning\n\nNo acids."),
    "a field with a choice": (p("Speed ", control("<w:dropDownList/>", "Fast")), "Speed: Fast"),
    "a field with a name of its own": (p(control('<w:alias w:val="Owner"/>', "Ida Berg")), "Owner: Ida Berg"),
    "a ticked box": (p("Gift ", control(f"<w14:checkbox>{CHECKED(1)}</w14:checkbox>", "x")), "Gift: yes"),
    "a box without a tick": (p("Gift ", control(f"<w14:checkbox>{CHECKED(0)}</w14:checkbox>", "x")), "Gift: no"),
    "a field with nothing in it": (p("Name: ", control("<w:showingPlcHdr/>", "Click here to enter text.")), "Name:"),
    "an old field": (p("Speed: ", f"<w:r><w:fldChar><w:ffData>{CHOICE}</w:ffData></w:fldChar></w:r>"), "Speed: Fast"),
    "tables stand in document order": (
        p("Before.") + table(row("Class", "Wear"), row("A", cell(p("Gloves") + p("Goggles")))) + p("After."),
        "Before.\n\n| Class | Wear |\n| A | Gloves Goggles |\n\nAfter.",
    ),
    "merged cells are repeated in each row and column": (
        table(row(cell("A", '<w:vMerge w:val="restart"/>'), "x", "y"), row(cell("", "<w:vMerge/>"), cell("z", WIDE))),
        "| A | x | y |\n| A | z | z |",
    ),
    "a whole row is a title": (table(row(cell("Fees", WIDE)), row("Room", "9")), "| Fees |\n| Room | 9 |"),
    "two tables": (table(row("Room", "B7")) + p("") + table(row("Staff", "9")), "| Room | B7 |\n\n| Staff | 9 |"),
    "a table of one cell is a frame around paragraphs": (table(row("Note well.")), "Note well."),
    "a table in a cell": (table(row("a", cell(table(row("b", "9"), row("c", "12")) + p("")))), "| a | b 9, c 12 |"),
    "a text box in a cell": (table(row("Acid", cell(p("hood", box("no bleach"))))), "| Acid | hood no bleach |"),
}


@pytest.mark.parametrize(("xml", "text"), BODIES.values(), ids=BODIES)
def test_a_body_is_read_as_word_shows_it(xml: str, text: str) -> None:
    document = read(xml)
    assert (document.text, document.notes) == (text, ())


def test_a_style_hides_what_does_not_say_otherwise() -> None:
    word = docx.Document()
    word.styles.add_style("Teacher", WD_STYLE_TYPE.CHARACTER).font.hidden = True
    teacher = '<w:rStyle w:val="Teacher"/>'
    runs = [r("old ", teacher), r("new ", f'{teacher}<w:vanish w:val="0"/>')]
    assert read(p("Wear ", *runs, "gloves."), word).text == "Wear new gloves."


def test_signs_and_equations_that_cannot_be_read_are_told() -> None:
    ole = '<w:r><w:object><o:OLEObject ProgID="Equation.3"/></w:object></w:r>'
    document = read(p("at ", sign("House Icons", "F041"), sign("House Icons", "F041"), ole))
    assert document.text == "at \ufffd\ufffd"
    assert [note.partition(". ")[0] for note in document.notes] == [
        "Characters of symbol fonts that are not known, replaced by U+FFFD: 2",
        "Equations that were left out, being pictures: 1",
    ]


def notes(kind: str, *texts: str) -> dict[str, str]:
    """The part of the file with notes, numbered from 2 on, as Word does after its two separators."""
    inside = "".join(f'<w:{kind} w:id="{k}">{p(text)}</w:{kind}>' for k, text in enumerate(texts, 2))
    separator = f'<w:{kind} w:type="separator" w:id="0"><w:p/></w:{kind}>'
    return {f"{kind}s": f"<w:{kind}s {nsdecls('w')}>{separator}{inside}</w:{kind}s>"}


@pytest.mark.parametrize(("kind", "first", "second"), [("footnote", "1", "2"), ("endnote", "i", "ii")])
def test_a_note_follows_the_paragraph_or_table_that_refers_to_it(kind: str, first: str, second: str) -> None:
    mark = f'<w:r><w:{kind}Reference w:id="{{}}"/></w:r>'.format
    xml = p("Pumps are tested", mark(2)) + table(row("Room", cell(p("B7", mark(3))))) + p("Below.")
    text = read(xml, **notes(kind, "By the owner.", "Locked.", "Lost.")).text
    pumps = f"Pumps are tested[{first}]\n\n[{first}] By the owner."
    assert text == f"{pumps}\n\n| Room | B7[{second}] |\n[{second}] Locked.\n\nBelow.\n\n[4] Lost."


def level(depth: int, pattern: str, form: str = "decimal") -> str:
    return f'<w:lvl w:ilvl="{depth}"><w:numFmt w:val="{form}"/><w:lvlText w:val="{pattern}"/></w:lvl>'


def item(text: str, number: int = 77, *, style: str = "ListNumber", depth: int = 0) -> str:
    """A paragraph of a list."""
    return p(text, style=style, properties=f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>')


LISTS = {
    "of styles": (p("gloves", style="ListBullet") + p("first", style="ListNumber"), "", "• gloves\n\n1. first"),
    "that begins anew": (item("a") + item("b", 78), '<w:startOverride w:val="4"/>', "1 a\n4 b"),
    "that counts on in its own form": (item("a") + item("b", 78), level(0, "(%1)", "lowerLetter"), "1 a\n\n(b) b"),
    "of headings": (
        "".join(item(f"T{k}", style=f"Heading{depth + 1}", depth=depth) for k, depth in enumerate((0, 0, 1, 1))),
        "",
        "1 T0\n\n2 T1\n\n2.1 T2\n\n2.2 T3",
    ),
}


@pytest.mark.parametrize(("xml", "override", "text"), LISTS.values(), ids=LISTS)
def test_a_list_has_the_labels_that_word_shows(xml: str, override: str, text: str) -> None:
    word = docx.Document()
    root = word.part.numbering_part.element
    levels = level(0, "%1") + level(1, "%1.%2")
    root.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="77">{levels}</w:abstractNum>'))
    for number, own in ((77, ""), (78, f'<w:lvlOverride w:ilvl="0">{override}</w:lvlOverride>')):
        shared = f'<w:abstractNumId w:val="77"/>{own}'
        root.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="{number}">{shared}</w:num>'))
    assert read(xml, word).text == text


@pytest.mark.parametrize(("mark", "heads"), [("<w:tblHeader/>", 1), ('<w:tblHeader w:val="0"/>', 0), ("", 0)])
def test_a_row_that_is_repeated_on_each_page_is_the_heads(mark: str, heads: int) -> None:
    xml = table(row("Drug", "Dose", properties=mark), row("Zorvex", "5 mg"))
    assert [block.kind for block in read(xml).blocks].count("heads") == heads
