"""OpenDocument texts."""

import pytest
from loader_checks import check
from office_files import odt

from rag.ingest.loaders import load_bytes
from rag.models import Document

NUMBERED = (
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/>'
    "</text:list-style>"
)


def p(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def items(*texts: str, style: str = "") -> str:
    named = f' text:style-name="{style}"' if style else ""
    return f"<text:list{named}>{''.join(f'<text:list-item>{text}</text:list-item>' for text in texts)}</text:list>"


def row(*cells: str) -> str:
    inner = "".join(f"<table:table-cell>{p(cell)}</table:table-cell>" for cell in cells)
    return f"<table:table-row>{inner}</table:table-row>"


def read(body: str, **parts: str) -> Document:
    return check(load_bytes("a.odt", odt(body, **parts)))


def test_headings_have_their_levels_below_the_title() -> None:
    title = '<text:p text:style-name="P1">Club Rules</text:p>'
    based = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    body = f'{title}<text:h text:outline-level="1">Fees</text:h><text:h text:outline-level="2">Late</text:h>{p("Pay.")}'
    meta = "<meta:initial-creator>Hanna Vogt</meta:initial-creator><meta:creation-date>2025-02-11</meta:creation-date>"
    document = read(body, styles=based, meta=meta)
    assert document.sections[-1].path == ("Club Rules", "Fees", "Late")
    metadata = document.metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Club Rules", ("Hanna Vogt",), 2025)


INSIDE = f"<text:note-body>{p('A kilo.')}</text:note-body>"
NOTE = f"<text:note><text:note-citation>1</text:note-citation>{INSIDE}</text:note>"
BODIES = {
    "numbered lists and others": (
        items(p("Sign."), p("Enter.") + items(p("Wave.")), style="L1") + items(p("Gloves.")),
        "1. Sign.\n2. Enter.\n1. Wave.\n\n• Gloves.",
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
    "a text box": (p(f"a<draw:frame><draw:text-box>{p('b')}</draw:text-box></draw:frame>"), "a\n\nb"),
}


@pytest.mark.parametrize(("body", "text"), BODIES.values(), ids=BODIES)
def test_a_text_is_read_as_it_is_shown(body: str, text: str) -> None:
    assert read(body, styles=NUMBERED).text == text


def test_rows_of_heads_are_marked_and_merged_cells_repeated() -> None:
    merged = (
        f'<table:table-row><table:table-cell table:number-rows-spanned="2">{p("Kiel")}</table:table-cell>'
        f"<table:table-cell>{p('lamp')}</table:table-cell></table:table-row>"
        f"<table:table-row><table:covered-table-cell/><table:table-cell>{p('desk')}</table:table-cell></table:table-row>"
    )
    heads = f"<table:table-header-rows>{row('Town', 'Item')}</table:table-header-rows>"
    document = read(f"<table:table>{heads}{merged}</table:table>")
    assert document.text == "| Town | Item |\n| Kiel | lamp |\n| Kiel | desk |"
    assert [block.start for block in document.blocks if block.kind == "heads"] == [0]


def test_a_cell_that_claims_a_million_columns_is_bounded() -> None:
    wide = f'<table:table-cell table:number-columns-repeated="1048576">{p("x")}</table:table-cell>'
    text = read(f"<table:table><table:table-row>{wide}</table:table-row>{row('Town', 'Item')}</table:table>").text
    assert len(text) < 1_000


def test_entities_are_neither_expanded_nor_read_from_files() -> None:
    prolog = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    assert read(p("Rules.&a;&f;"), prolog=prolog).text == "Rules."
