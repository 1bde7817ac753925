"""Lists and dated lines, known by form in every format: which list an item belongs to, which lines are headings."""

from time import process_time

import docx
import pytest
from docx.shared import Inches
from loader_checks import make_docx

from rag.ingest.loaders import load_bytes
from rag.models import Document


def listed(document: Document) -> list[tuple[str, int | None, int, int, int]]:
    """The last word of each block in a list, with its list, depth, place and the number of siblings."""
    inside = [(document.text[one.start : one.end].split()[-1], one) for one in document.blocks if one.list is not None]
    return [(word, one.list, one.depth, one.number, one.count) for word, one in inside]


WITHIN = [("lid.", 0, 1, 1, 2), ("flat.", 0, 1, 0, 0), ("seal.", 0, 1, 2, 2)]
NESTED = [("Stage", 0, 1, 1, 2), ("ropes", 0, 2, 1, 2), ("lamps", 0, 2, 2, 2), ("Hall", 0, 1, 2, 2)]
TWO = [("rope", 0, 1, 1, 2), ("hook", 0, 1, 2, 2), ("Tie.", 1, 1, 1, 2), ("Pull.", 1, 1, 2, 2)]
LONG = "The tenant pays on the first day of the month. " * 10 + "\n\n"
LISTS = [
    ("a.md", "1. Lift the lid.\n\n   Hold it flat.\n\n2. Check the seal.\n\nThe end.", WITHIN),
    ("a.md", "- Lift the lid.\n\n  Hold it flat.\n\n- Check the seal.\n\nThe end.", WITHIN),
    ("a.html", "<ol><li><p>Lift the lid.</p><p>Hold it flat.</p></li><li>Check the seal.</li></ol><p>End.", WITHIN),
    ("a.html", "<ul><li>Lift the lid.<div>Hold it flat.</div></li><li>Check the seal.</li></ul><p>End.", WITHIN),
    ("a.txt", "- Lift the lid.\n\n  Hold it flat.\n\n- Check the seal.\n\nThe end.", WITHIN),
    ("a.rst", "1. Lift the lid.\n\n   Hold it flat.\n\n2. Check the seal.\n\nThe end.", WITHIN),
    ("a.md", "1. Stage\n   - ropes\n   - lamps\n2. Hall", NESTED),
    ("a.html", "<ol><li>Stage<ul><li>ropes</li><li>lamps</li></ul></li><li>Hall</li></ol>", NESTED),
    ("a.html", "<ol><li>Stage</li><ul><li>ropes</li><li>lamps</li></ul><li>Hall</li></ol>", NESTED),
    ("a.txt", "1. Stage\n   - ropes\n   - lamps\n2. Hall", NESTED),
    ("a.txt", "1. Stage\n- ropes\n- lamps\n2. Hall", NESTED),
    ("a.txt", "- rope\n- hook\n\n1. Tie.\n2. Pull.", TWO),  # other markers
    ("a.txt", "1. rope\n2. hook\n\n1. Tie.\n2. Pull.", TWO),  # from 1 again
    ("a.txt", "- rope\n- hook\n\nThen they are used.\n\n- Tie.\n- Pull.", TWO),  # a paragraph between
    ("a.html", "<ul><li>rope<li>hook</ul><ul><li>Tie.<li>Pull.</ul>", TWO),
    ("a.txt", "h) Tie\n\nMore.\n\ni) Pull", [("Tie", 0, 1, 1, 2), ("More.", 0, 1, 0, 0), ("Pull", 0, 1, 2, 2)]),
    ("a.txt", "3. Three\n2. Two\n1. One", [("Three", 0, 1, 1, 3), ("Two", 0, 1, 2, 3), ("One", 0, 1, 3, 3)]),
    ("a.txt", "• Stage\n– ropes\n– lamps\n• Hall", NESTED),  # signs within signs
    ("a.txt", f"1. Rent\n\n{LONG * 3}\n2. Heat", [("Rent", 0, 1, 1, 1), ("Heat", 1, 1, 1, 1)]),  # too far apart
]


@pytest.mark.parametrize(("name", "text", "places"), LISTS)
def test_items_belong_to_the_list_that_their_markers_say_and_what_stands_within_one_does_not_end_it(name, text, places):
    assert listed(load_bytes(name, text.encode())) == places


def test_an_indented_paragraph_between_two_items_of_a_word_document_belongs_to_the_first() -> None:
    word = docx.Document()
    word.add_paragraph("Lift the lid.", style="List Bullet")
    word.add_paragraph("Hold it flat.").paragraph_format.left_indent = Inches(0.5)
    word.add_paragraph("Check the seal.", style="List Bullet")
    word.add_paragraph("The end.")
    assert listed(load_bytes("a.docx", make_docx(word))) == WITHIN


def test_a_list_of_thousands_is_placed_at_once() -> None:
    begun = process_time()
    assert listed(load_bytes("a.txt", b"- rope\n" * 20_000))[-1] == ("rope", 0, 1, 20_000, 20_000)
    assert process_time() - begun < 5


ABOVE = "{0}\n\nThe limit is 40 MB.\n\n{1}\nThe limit is 25 MB.\n".format


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *(
            (ABOVE(newer, older), [newer, older])
            for newer, older in [
                ("2.4.1 - 2025-03-02", "2.4.0 - 2024-11-20"),
                ("v1.10 (May 2025)", "v1.9 (March 2025)"),
                ("42nd meeting, Monday, 3 March 2025", "41st meeting, Thursday, 6 February 2025"),
                ("Q2 2025", "Q1 2025"),
            ]
        ),
        ("3 March 2025\n\nDear Ms Falk,\n\nthe lift is mended.", []),  # once
        ("3 March 2025\n\n4 April 2025\n\n5 May 2025\n\nThese are the days.", []),  # above no other text
        ("The hall opened on 3 March 2025.\n\nIt closed on 5 May 2025.\n\nIt was cold.", []),  # sentences
        ("Rehearsal on 3 March 2025\n\nWater.\n\nConcert on 5 May 2025\n\nFlowers.", []),  # of different things
    ],
)
def test_a_dated_line_that_recurs_with_other_dates_is_a_heading_and_another_is_text(text, found):
    document = load_bytes("a.txt", text.encode())
    assert [document.text[one.start : one.end] for one in document.blocks if one.kind == "heading"] == found


def test_headings_that_recur_stand_below_the_versions_and_the_first_line_is_the_title() -> None:
    text = "Tidepool news\n\n" + "".join(
        f"{one}\n\nFixed\n-----\n\nThe limit is {one[-1]} MB.\n\n" for one in ("2.4.2", "2.4.1")
    )
    document = load_bytes("a.txt", text.encode())
    assert [one.path for one in document.sections][-1] == ("Tidepool news", "2.4.1", "Fixed")
    assert document.metadata.title == "Tidepool news"
