"""reStructuredText."""

from pathlib import Path

from loader_checks import check

from rag.ingest.loaders import load_bytes
from rag.models import Document


def read(text: str) -> Document:
    return check(load_bytes("a.rst", text.encode()))


def test_headings_nest_by_their_underlines() -> None:
    document = read("Guide\n=====\n\nSetup\n-----\n\nPump\n~~~~\n\nStart it.\n\nCare\n----\n\nClean it.\n")
    assert [section.path for section in document.sections] == [
        ("Guide",), ("Guide", "Setup"), ("Guide", "Setup", "Pump"), ("Guide", "Care"),
    ]  # fmt: skip
    assert document.metadata.title == "Guide"


def test_author_and_year_are_those_of_the_fields() -> None:
    document = read("Guide\n=====\n:Author: Ola Nord\n:Date: 2024-05-01\n:Status: draft\n\nText.\n")
    assert (document.metadata.authors, document.metadata.year) == (("Ola Nord",), 2024)
    assert "Status: draft" in document.text


def test_lists_keep_their_numbers() -> None:
    assert "3. Open it.\n4. Start it." in read("3. Open it.\n4. Start it.\n").text


def test_literal_text_is_kept_as_it_stands() -> None:
    assert "pump --start\n  --slow" in read("Run::\n\n  pump --start\n    --slow\n").text


def test_tables_have_heads() -> None:
    document = read("=======  ======\nDepth    Limit\n=======  ======\nshallow  12\n=======  ======\n")
    assert document.text == "| Depth | Limit |\n| shallow | 12 |"
    assert [block.start for block in document.blocks if block.kind == "heads"] == [0]


def test_words_of_roles_and_directives_of_sphinx_are_kept() -> None:
    text = read("See :ref:`the pool <pool>` or :py:func:`start`.\n\n.. versionadded:: 3.2\n   It has a timer.\n").text
    assert text == "See the pool or start.\n\n3.2 It has a timer."


def test_notes_are_read_and_comments_are_not() -> None:
    text = read(".. note:: Check it twice.\n\n.. a comment\n\nAfter.\n").text
    assert "Check it twice." in text
    assert "comment" not in text


def test_no_other_file_is_read_and_nothing_raw_taken_in(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret words")
    asked = (
        f".. include:: {secret}\n\n.. literalinclude:: {secret}\n\n.. csv-table::\n   :file: {secret}\n\n"
        f".. raw:: html\n   :file: {secret}\n\n.. raw:: html\n\n   <b>raw words</b>\n\nAfter.\n"
    )
    text = read(asked).text
    assert "words" not in text
    assert text.endswith("After.")
