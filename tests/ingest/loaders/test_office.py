"""OpenDocument texts, PowerPoint presentations and books in EPUB."""

from datetime import datetime
from typing import Any

import pytest
from loader_checks import check, page_of
from office_files import odt, packed, presentation, slide
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from rag.errors import InvalidDocument
from rag.ingest.loaders import load_bytes
from rag.models import Document


def read(name: str, data: bytes) -> Document:
    return check(load_bytes(name, data))


NUMBERED = '<text:list-style style:name="L1"><text:list-level-style-number text:level="1"/></text:list-style>'


def p(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def items(*texts: str, style: str = "") -> str:
    named = f' text:style-name="{style}"' if style else ""
    return f"<text:list{named}>{''.join(f'<text:list-item>{text}</text:list-item>' for text in texts)}</text:list>"


def row(*cells: str) -> str:
    inner = "".join(f"<table:table-cell>{p(cell)}</table:table-cell>" for cell in cells)
    return f"<table:table-row>{inner}</table:table-row>"


def read_odt(body: str, **parts: str) -> Document:
    return read("a.odt", odt(body, **parts))


def test_headings_have_their_levels_below_the_title() -> None:
    title = '<text:p text:style-name="P1">Club Rules</text:p>'
    based = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    body = f'{title}<text:h text:outline-level="1">Fees</text:h><text:h text:outline-level="2">Late</text:h>{p("Pay.")}'
    meta = "<meta:initial-creator>Hanna Vogt</meta:initial-creator><meta:creation-date>2025-02-11</meta:creation-date>"
    document = read_odt(body, styles=based, meta=meta)
    assert document.sections[-1].path == ("Club Rules", "Fees", "Late")
    metadata = document.metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Club Rules", ("Hanna Vogt",), 2025)


INSIDE = f"<text:note-body>{p('A kilo.')}</text:note-body>"
NOTE = f"<text:note><text:note-citation>1</text:note-citation>{INSIDE}</text:note>"
BODIES = {
    "numbered lists and others": (
        items(p("Sign."), p("Enter.") + items(p("Wave.")), style="L1") + items(p("Gloves.")),
        "1. Sign.\n2. Enter.\n1. Wave.\n\n- Gloves.",
    ),
    "spans and spaces": (p("Th<text:span>re</text:span>e<text:s/>h<text:tab/>a<text:line-break/>b."), "Three h a b."),
    "a note follows its paragraph and a comment is left out": (
        p(f"One jar{NOTE} in ten.<office:annotation>{p('Check this.')}</office:annotation>"),
        "One jar in ten.\n\nA kilo.",
    ),
    "deleted text and tables of contents are left out": (
        f"<text:tracked-changes><text:changed-region>{p('Old.')}</text:changed-region></text:tracked-changes>"
        f"<text:table-of-content><text:index-body>{p('Fees 3')}</text:index-body></text:table-of-content>{p('New.')}",
        "New.",
    ),
    "a text box": (
        p(f"a<draw:frame><draw:text-box>{p('b')}{p('c' + NOTE)}</draw:text-box></draw:frame>d"),
        "ad\n\nb\n\nc\n\nA kilo.",
    ),
    "a shape with words": (p(f"a<draw:g><draw:custom-shape>{p('b')}</draw:custom-shape></draw:g>"), "a\n\nb"),
    "heads of a table and merged cells": (
        f"<table:table><table:table-header-rows>{row('Town', 'Item')}</table:table-header-rows>"
        f'<table:table-row><table:table-cell table:number-rows-spanned="2">{p("Kiel")}</table:table-cell>'
        f"<table:table-cell>{p('lamp')}</table:table-cell></table:table-row><table:table-row>"
        f"<table:covered-table-cell/><table:table-cell>{p('desk')}</table:table-cell></table:table-row></table:table>",
        "| Town | Item |\n| Kiel | lamp |\n| Kiel | desk |",
    ),
    "what hangs on a heading": (f'<text:h text:outline-level="1">a{NOTE}</text:h>{p("b")}', "a\n\nA kilo.\n\nb"),
}


@pytest.mark.parametrize(("body", "text"), BODIES.values(), ids=BODIES)
def test_an_open_document_is_read_as_it_is_shown(body: str, text: str) -> None:
    document = read_odt(body, styles=NUMBERED)
    assert (document.text, "heads" in {block.kind for block in document.blocks}) == (text, "| Town" in text)


def test_a_cell_that_claims_a_million_columns_is_bounded_and_entities_are_not_read() -> None:
    wide = f'<table:table-cell table:number-columns-repeated="1048576">{p("x")}</table:table-cell>'
    text = read_odt(f"<table:table><table:table-row>{wide}</table:table-row>{row('Town', 'Item')}</table:table>").text
    assert len(text) < 1_000
    prolog = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    assert read_odt(p("Rules.&a;&f;"), prolog=prolog).text == "Rules."


def read_pptx(*fills: Any) -> Document:
    return read("a.pptx", presentation(lambda deck: [fill(deck) for fill in fills]))


def test_slides_are_pages_titles_headings_speaker_notes_follow_them_and_a_hidden_slide_is_left_out_and_told() -> None:
    def bare(deck: Any) -> None:
        box = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(0, 0, Inches(3), Inches(1))
        box.text_frame.text = "Thank you."

    def listed(deck: Any) -> None:
        body = slide(deck, "Why now", "Old hull", "Rust", notes="Ask the insurer.\nThen the crew.").placeholders[1]
        body.text_frame.paragraphs[1].level = 1  # an item below another is deeper

    def hidden(deck: Any) -> None:
        slide(deck, "Secret", "Price").element.set("show", "0")
        deck.core_properties.author, deck.core_properties.modified = "Ingrid Moen; Bo Li", datetime(2026, 5, 1)

    document = read_pptx(lambda deck: slide(deck, "Ferry", layout=0), listed, bare, hidden)
    said = "Why now\n\n• Old hull\n• Rust\n\nAsk the insurer.\n\nThen the crew."
    assert document.text == f"Ferry\n\n{said}\n\nSlide 3\n\nThank you."
    assert [block.depth for block in document.blocks if block.kind == "item"] == [1, 2]
    assert [section.path for section in document.sections] == [("Ferry",), ("Ferry", "Why now"), ("Ferry", "Slide 3")]
    assert [page_of(document, text) for text in ("Ferry", "Old hull", "Thank you")] == [1, 2, 3]
    assert document.notes == ("The hidden slide 4 was left out. Show it to have it read.",)
    metadata = document.metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Ferry", ("Ingrid Moen", "Bo Li"), 2026)


def test_tables_have_heads_their_merged_cells_are_repeated_and_the_data_of_a_chart_is_a_table() -> None:
    place = (Inches(1), Inches(2), Inches(6), Inches(2))

    def fill(deck: Any) -> None:
        made = slide(deck, "Costs", layout=5).shapes.add_table(3, 2, *place).table
        for number, text in enumerate(("Option", "Price", "Lease", "2 euros", "", "3 euros")):
            made.cell(*divmod(number, 2)).text = text
        made.cell(1, 0).merge(made.cell(2, 0))

    def draw(deck: Any) -> None:
        data = CategoryChartData()
        data.categories = ["2024", "2025"]
        data.add_series("Riders", (310.5, 288))
        chart = slide(deck, "Use", layout=5).shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = "Riders a day"

    document = read_pptx(fill, draw)
    rows = "Costs\n\n| Option | Price |\n| Lease | 2 euros |\n| Lease | 3 euros |"
    assert document.text == f"{rows}\n\nUse\n\nRiders a day\n\n| | Riders |\n| 2024 | 310.5 |\n| 2025 | 288 |"
    assert [block.kind for block in document.blocks].count("heads") == 2


def test_boxes_are_read_from_the_top_and_the_left_those_in_groups_too() -> None:
    def fill(deck: Any) -> None:
        shapes = slide(deck, "Plan", layout=5).shapes
        group = shapes.add_group_shape()
        for home, x, y, text in ((shapes, 5, 2, "second"), (group.shapes, 1, 4, "third"), (shapes, 1, 2.1, "first")):
            home.add_textbox(Inches(x), Inches(y), Inches(2), Inches(0.5)).text_frame.text = text

    assert read_pptx(fill).text == "Plan\n\nfirst\n\nsecond\n\nthird"


CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
<dc:title>Soil</dc:title><dc:creator>Ida Berg</dc:creator><dc:date>2021</dc:date><dc:publisher>Press</dc:publisher>
</metadata><manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="b" href="b%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>"""


def book(**more: str) -> bytes:
    pages = {
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": PACKAGE,
        "OPS/nav.xhtml": "<html><body><p>Contents</p></body></html>",
        "OPS/a.xhtml": "<html><head><title/></head><body><h1>1 Clay</h1><p><a id='x'/>It is&nbsp;heavy.</p></body>",
        "OPS/b b.xhtml": "<html><body><h1>2 Loam</h1><p>It is light.</p></body></html>",
    }
    return packed(pages | more)


def test_the_pages_are_read_in_their_order_without_the_contents() -> None:
    document = read("a.epub", book())
    assert document.text == "1 Clay\n\nIt is heavy.\n\n2 Loam\n\nIt is light."
    assert [one.chapter for one in document.sections] == [1, 2]
    said = document.metadata
    assert (said.title, said.authors, said.year, said.publisher) == ("Soil", ("Ida Berg",), 2021, "Press")


def test_entities_of_its_own_are_not_followed_and_a_missing_page_is_told() -> None:
    bomb = '<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + PACKAGE.replace("Soil", "&a;Soil")
    bomb = bomb.replace("a.xhtml", "gone.xhtml").replace('<itemref idref="n"/>', '<itemref idref="none"/>')
    document = read("a.epub", book(**{"OPS/book.opf": bomb}))
    assert "root:" not in str(document)
    assert [note.split("'")[1] for note in document.notes if "is missing" in note] == ["none", "OPS/gone.xhtml"]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"META-INF/container.xml": "<container"}, "is broken"),
        ({"META-INF/encryption.xml": '<e><CipherReference URI="OPS/a.xhtml"/></e>'}, "protected against copying"),
        ({"OPS/zero.css": "0" * 60_000_000}, "zip bomb"),
    ],
)
def test_a_broken_protected_or_hostile_book_is_refused(more: dict[str, str], reason: str) -> None:
    with pytest.raises(InvalidDocument, match=reason):
        load_bytes("a.epub", book(**more))
