"""PowerPoint presentations."""

from datetime import datetime
from typing import Any

from loader_checks import check, page_of
from office_files import presentation, slide
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from rag.ingest.loaders import load_bytes
from rag.models import Document


def read(*fills: Any) -> Document:
    return check(load_bytes("a.pptx", presentation(lambda deck: [fill(deck) for fill in fills])))


def test_slides_are_pages_their_titles_headings_and_speaker_notes_follow_them() -> None:
    def bare(deck: Any) -> None:
        box = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(0, 0, Inches(3), Inches(1))
        box.text_frame.text = "Thank you."

    notes = "Ask the insurer.\nThen the crew."
    document = read(
        lambda d: slide(d, "Ferry", layout=0), lambda d: slide(d, "Why now", "Old hull", "High cost", notes=notes), bare
    )
    assert document.text == (
        "Ferry\n\nWhy now\n\n• Old hull\n• High cost\n\nAsk the insurer.\n\nThen the crew.\n\nSlide 3\n\nThank you."
    )
    assert [section.path for section in document.sections] == [("Ferry",), ("Ferry", "Why now"), ("Ferry", "Slide 3")]
    assert [page_of(document, text) for text in ("Ferry", "Old hull", "Thank you")] == [1, 2, 3]
    assert document.metadata.title == "Ferry"


def test_an_item_below_another_is_deeper() -> None:
    def fill(deck: Any) -> None:
        body = slide(deck, "Plan", "Hull", "Paint").placeholders[1]
        body.text_frame.paragraphs[1].level = 1

    assert [block.depth for block in read(fill).blocks] == [0, 1, 2]


def test_tables_have_heads_and_merged_cells_are_repeated() -> None:
    def fill(deck: Any) -> None:
        place = (Inches(1), Inches(2), Inches(6), Inches(2))
        made = slide(deck, "Costs", layout=5).shapes.add_table(3, 2, *place).table
        for r, cells in enumerate((("Option", "Price"), ("Lease", "2 euros"), ("", "3 euros"))):
            for c, text in enumerate(cells):
                made.cell(r, c).text = text
        made.cell(1, 0).merge(made.cell(2, 0))

    document = read(fill)
    assert document.text == "Costs\n\n| Option | Price |\n| Lease | 2 euros |\n| Lease | 3 euros |"
    assert [block.start for block in document.blocks if block.kind == "heads"] == [document.text.index("| Option")]


def test_boxes_are_read_from_the_top_and_the_left_those_in_groups_too() -> None:
    def fill(deck: Any) -> None:
        shapes = slide(deck, "Plan", layout=5).shapes
        group = shapes.add_group_shape()
        for home, x, y, text in ((shapes, 5, 2, "second"), (group.shapes, 1, 4, "third"), (shapes, 1, 2.1, "first")):
            home.add_textbox(Inches(x), Inches(y), Inches(2), Inches(0.5)).text_frame.text = text

    assert read(fill).text == "Plan\n\nfirst\n\nsecond\n\nthird"


def test_the_data_of_a_chart_is_a_table() -> None:
    def fill(deck: Any) -> None:
        data = CategoryChartData()
        data.categories = ["2024", "2025"]
        data.add_series("Riders", (310.5, 288))
        place = (Inches(1), Inches(2), Inches(4), Inches(3))
        chart = slide(deck, "Use", layout=5).shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = "Riders a day"

    assert read(fill).text == "Use\n\nRiders a day\n\n| | Riders |\n| 2024 | 310.5 |\n| 2025 | 288 |"


def test_a_hidden_slide_is_left_out_and_told() -> None:
    def fill(deck: Any) -> None:
        slide(deck, "Ferry", "Old hull")
        slide(deck, "Secret", "Price").element.set("show", "0")
        deck.core_properties.title, deck.core_properties.author = "Renewal of the ferry", "Ingrid Moen; Bo Li"
        deck.core_properties.modified = datetime(2026, 5, 1)

    document = read(fill)
    assert "Secret" not in document.text
    assert document.notes == ("The hidden slide 2 was left out. Show it to have it read.",)
    said = document.metadata
    assert (said.title, said.authors, said.year) == ("Renewal of the ferry", ("Ingrid Moen", "Bo Li"), 2026)
