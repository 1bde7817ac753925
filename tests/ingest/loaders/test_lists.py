"""Which list an item belongs to, what else stands in it, and where one list ends and the next begins."""

import io

import docx
import pytest
from docx.shared import Inches

from rag.ingest.loaders import load_bytes
from rag.ingest.loaders.blocks import Block
from rag.ingest.loaders.lists import places_of, settled
from rag.models import Document


def listed(document: Document) -> list[tuple[str, int | None, int, int, int]]:
    """The last word of each block in a list, with its list, depth, place and the number of siblings."""
    return [
        (document.text[one.start : one.end].split()[-1], one.list, one.depth, one.number, one.count)
        for one in document.blocks
        if one.list is not None
    ]


def placed(*lines: str) -> list[tuple[int, int, int, int] | None]:
    """The place of each line: an item where it begins with a marker, else a paragraph; spaces before it indent it."""
    blocks = [
        Block(
            "item" if line.strip()[1:2] in (".", ")", " ") else "paragraph",
            line.strip(),
            indent=len(line) - len(line.lstrip()),
        )
        for line in lines
    ]
    places = places_of(settled(blocks))
    return [
        place and (place["list"], place["depth"], place.get("number", 0), place.get("count", 0)) for place in places
    ]


WITHIN = [("lid.", 0, 1, 1, 2), ("flat.", 0, 1, 0, 0), ("seal.", 0, 1, 2, 2)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "1. Lift the lid.\n\n   Hold it flat.\n\n2. Check the seal.\n\nThe end."),
        ("a.md", "1. Lift the lid.\n\nHold it flat.\n\n2. Check the seal.\n\nThe end."),
        ("a.md", "- Lift the lid.\n\n  Hold it flat.\n\n- Check the seal.\n\nThe end."),
        ("a.html", "<ol><li><p>Lift the lid.</p><p>Hold it flat.</p></li><li>Check the seal.</li></ol><p>The end.</p>"),
        ("a.html", "<ul><li>Lift the lid.<div>Hold it flat.</div></li><li>Check the seal.</li></ul><p>The end.</p>"),
        ("a.txt", "1) Lift the lid.\n\n   Hold it flat.\n\n2) Check the seal.\n\nThe end."),
        ("a.txt", "- Lift the lid.\n\n  Hold it flat.\n\n- Check the seal.\n\nThe end."),
        ("a.rst", "1. Lift the lid.\n\n   Hold it flat.\n\n2. Check the seal.\n\nThe end."),
    ],
)
def test_a_paragraph_within_an_item_does_not_end_its_list(name: str, text: str) -> None:
    assert listed(load_bytes(name, text.encode())) == WITHIN


@pytest.mark.parametrize("style", ["List Number", "List Bullet"])
def test_an_indented_paragraph_between_two_items_of_a_word_document_belongs_to_the_first(style: str) -> None:
    word = docx.Document()
    word.add_paragraph("Lift the lid.", style=style)
    word.add_paragraph("Hold it flat.").paragraph_format.left_indent = Inches(0.5)
    word.add_paragraph("Check the seal.", style=style)
    word.add_paragraph("The end.")
    file = io.BytesIO()
    word.save(file)
    assert listed(load_bytes("a.docx", file.getvalue())) == WITHIN


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "1. Stage\n   - ropes\n   - lamps\n2. Hall"),
        ("a.html", "<ol><li>Stage<ul><li>ropes</li><li>lamps</li></ul></li><li>Hall</li></ol>"),
        ("a.html", "<ol><li>Stage</li><ul><li>ropes</li><li>lamps</li></ul><li>Hall</li></ol>"),
        ("a.txt", "1. Stage\n   - ropes\n   - lamps\n2. Hall"),
        ("a.txt", "1. Stage\n- ropes\n- lamps\n2. Hall"),
    ],
)
def test_a_list_within_an_item_does_not_end_the_outer_one(name: str, text: str) -> None:
    assert listed(load_bytes(name, text.encode())) == [
        ("Stage", 0, 1, 1, 2), ("ropes", 0, 2, 1, 2), ("lamps", 0, 2, 2, 2), ("Hall", 0, 1, 2, 2)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "- rope\n- hook\n\n1. Tie.\n2. Pull."),  # other markers
        ("a.txt", "1. rope\n2. hook\n\n1. Tie.\n2. Pull."),  # from 1 again
        ("a.txt", "- rope\n- hook\n\nThen they are used.\n\n- Tie.\n- Pull."),  # a paragraph between
        ("a.md", "- rope\n- hook\n\n* Tie.\n* Pull."),
        ("a.html", "<ul><li>rope<li>hook</ul><ul><li>Tie.<li>Pull.</ul>"),
    ],
)
def test_two_lists_one_after_the_other_are_two(name: str, text: str) -> None:
    assert [(number, place, count) for _, number, _, place, count in listed(load_bytes(name, text.encode()))] == [
        (0, 1, 2), (0, 2, 2), (1, 1, 2), (1, 2, 2)
    ]  # fmt: skip


def test_letters_and_roman_numbers_count_on() -> None:
    texts = ("ii. One", "iii. Two", "iv. Three", "c) Other", "d) Others")
    assert [place and place["list"] for place in places_of(settled([Block("item", one) for one in texts]))] == [
        0, 0, 0, 1, 1
    ]  # fmt: skip
    assert placed("h) One", "More.", "i) Two", "j) Three") == [(0, 1, 1, 3), (0, 1, 0, 0), (0, 1, 2, 3), (0, 1, 3, 3)]


def test_a_list_that_counts_down_is_one() -> None:
    assert placed("3. Three", "2. Two", "1. One") == [(0, 1, 1, 3), (0, 1, 2, 3), (0, 1, 3, 3)]


def test_signs_between_items_of_another_sign_are_a_list_within() -> None:
    assert placed("• a", "– b", "– c", "• d") == [(0, 1, 1, 2), (0, 2, 1, 2), (0, 2, 2, 2), (0, 1, 2, 2)]


def test_a_heading_ends_a_list_whatever_its_numbers() -> None:
    blocks = settled([Block("item", "1. One"), Block("heading", "Next", level=2), Block("item", "2. Two")])
    assert [place and place["list"] for place in places_of(blocks)] == [0, None, 1]


def test_numbered_paragraphs_with_much_text_between_them_are_no_list() -> None:
    long = "The tenant pays on the first day of the month. " * 10
    assert placed("1. Rent", long, long, long, "2. Heating") == [(0, 1, 1, 1), None, None, None, (1, 1, 1, 1)]
