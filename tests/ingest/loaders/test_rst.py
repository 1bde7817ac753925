"""reStructuredText."""

from pathlib import Path

import pytest
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


TEXTS = {
    "lists keep their numbers": ("3. Open it.\n4. Start it.\n", "3. Open it.\n4. Start it."),
    "literal text stays": ("Run::\n\n  pump --start\n    --slow\n", "Run:\n\npump --start\n  --slow"),
    "Sphinx": ("See :ref:`it <x>` or :py:func:`go`.\n\n.. versionadded:: 3\n   It is.\n", "See it or go.\n\n3 It is."),
    "tables": ("===== =====\nDepth Limit\n===== =====\nflat  12\n===== =====\n", "| Depth | Limit |\n| flat | 12 |"),
    "notes, but no comments": (".. note:: Check it.\n\n.. a comment\n\nAfter.\n", "Note\n\nCheck it.\n\nAfter."),
}


@pytest.mark.parametrize(("text", "shown"), TEXTS.values(), ids=TEXTS)
def test_a_text_is_read_as_it_is_shown(text: str, shown: str) -> None:
    document = read(text)
    assert document.text == shown
    assert ("heads" in {block.kind for block in document.blocks}) == ("|" in shown)


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
