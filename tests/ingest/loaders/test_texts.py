"""Formats of text with a few marks: mails, reStructuredText, Rich Text Format."""

from email.message import EmailMessage
from pathlib import Path

import pytest
from loader_checks import check

from rag.ingest.loaders import load_bytes
from rag.models import Document


def read(name: str, data: bytes) -> Document:
    return check(load_bytes(name, data))


def mail(text: str = "It is hot.", html: str = "", **attached: bytes) -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Ida Berg <ida@x.example>", "jo@x.example"
    message["Date"], message["Subject"] = "Tue, 03 Jun 2025 10:00:00 +0200", "Prüfung"
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    for name, data in attached.items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


HEAD = "Prüfung\n\nFrom: Ida Berg <ida@x.example>\nTo: jo@x.example\nDate: Tue, 03 Jun 2025 10:00:00 +0200\n\n"


def test_the_head_of_a_mail_is_fields_under_the_subject_and_an_attachment_that_is_not_read_is_told() -> None:
    document = read("a.eml", mail(**{"a.pdf": b"%PDF-", "b.dwg": b"x"}))
    assert document.text == f"{HEAD}It is hot."
    metadata = document.metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Prüfung", ("Ida Berg",), 2025)
    assert document.notes == ("The attachment 'b.dwg' was not read: its type is not supported.",)
    document = read("a.eml", mail().replace(b"Tue, 03 Jun", b"Tue, 99999999999903 Jun"))  # no date, but words
    assert "Date: Tue, 99999999999903 Jun 2025" in document.text


def test_what_a_mail_quotes_stands_under_a_heading_of_its_own_and_the_answer_under_the_sender() -> None:
    document = read("a.eml", mail("Dear Jo,\n\nOn Monday Jo wrote:\n> Is it hot?\n> Really?\n\nYes.\n"))
    assert document.text == f"{HEAD}Dear Jo,\n\nOn Monday Jo wrote:\n\nIs it hot?\nReally?\n\nIda Berg\n\nYes."
    assert [one.path[-1] for one in document.sections] == ["Prüfung", "On Monday Jo wrote:", "Ida Berg"]
    earlier = "Von: Jo\nGesendet: Montag\nAn: Ida\nBetreff: Lid\n\nIs it hot?"
    document = read("a.eml", mail(f"Yes.\n\n-----Original-----\n{earlier}"))
    assert document.text.endswith(f"Quoted message\n\n{earlier}")
    html = "<p>The fee is <b>12</b> euros.</p><ul><li>one</li></ul><blockquote>How much?</blockquote>"
    document = read("a.eml", mail("-", html))
    assert document.text == f"{HEAD}The fee is 12 euros.\n\n- one\n\nQuoted message\n\nHow much?"


def test_headings_of_restructured_text_nest_by_their_underlines_and_fields_are_metadata() -> None:
    document = read("a.rst", b"Guide\n=====\n\nSetup\n-----\n\nPump\n~~~~\n\nStart it.\n\nCare\n----\n\nClean it.\n")
    paths = [" > ".join(section.path) for section in document.sections]
    assert paths == ["Guide", "Guide > Setup", "Guide > Setup > Pump", "Guide > Care"]
    document = read("a.rst", b"Guide\n=====\n:Author: Ola Nord\n:Date: 2024-05-01\n:Status: draft\n\nText.\n")
    said = document.metadata
    assert (said.title, said.authors, said.year) == ("Guide", ("Ola Nord",), 2024)
    assert "Status: draft" in document.text


RST = {
    "lists keep their numbers": ("3. Open it.\n4. Start it.\n\nB. Bo\n", "3. Open it.\n4. Start it.\n\nB. Bo"),
    "literal text stays": ("Run::\n\n  pump --start\n    --slow\n", "Run:\n\npump --start\n  --slow"),
    "Sphinx": ("See :ref:`it <x>` or :py:func:`go`.\n\n.. versionadded:: 3\n   It is.\n", "See it or go.\n\n3 It is."),
    "tabs": (
        ".. tabs::\n\n   .. tab:: Mac\n\n      Do x_::\n\n        go\n          on\n\n      - a\n\n.. _x: b\n\nEnd.\n",
        "Mac\n\nDo x:\n\ngo\n  on\n\n- a\n\nEnd.",
    ),
    "tables": ("===== =====\nDepth Limit\n===== =====\nflat  12\n===== =====\n", "| Depth | Limit |\n| flat | 12 |"),
    "notes, but no comments": (".. note:: Check it.\n\n.. a comment\n\nAfter.\n", "Note\n\nCheck it.\n\nAfter."),
}


@pytest.mark.parametrize(("text", "shown"), RST.values(), ids=RST)
def test_restructured_text_is_read_as_it_is_shown(text: str, shown: str) -> None:
    document = read("a.rst", text.encode())
    assert document.text == shown
    assert ("heads" in {block.kind for block in document.blocks}) == ("|" in shown)


def test_no_other_file_is_read_and_nothing_raw_taken_in(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret words")
    asked = (
        f".. include:: {secret}\n\n.. literalinclude:: {secret}\n\n.. csv-table::\n   :file: {secret}\n\n"
        f".. raw:: html\n   :file: {secret}\n\n.. raw:: html\n\n   <b>raw words</b>\n\nAfter.\n"
    )
    document = read("a.rst", asked.encode())
    assert "words" not in document.text
    assert document.text.endswith("After.")
    assert document.notes[0].startswith(f"Included files were not read: 4, the first '{secret}'.")


STYLES = rb"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}"


def read_rtf(body: bytes, head: bytes = b"") -> Document:
    return read("a.rtf", rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}" + STYLES + head + body + b"}")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"\pard The \b rent\b0  is.\par\pard Two days\'92 notice.\par", "The rent is.\n\nTwo days’ notice."),
        (rb"\trowd\intbl a\cell b\cell\row\trowd\intbl 4 m\cell 5\cell\row\pard c\par", "| a | b |\n| 4 m | 5 |\n\nc"),
        (
            rb"{\headerl \b Hut\b0\par}{\headerr Hut}{\footer Page \chpgn}\pard a{\footnote {\i b}\par {c}} d.\par",
            "Hut\n\na[1] d.\n\n[1] b c",
        ),
        (rb"\pard Gr\u246?\u223?e, \'e9t\'e9.\par", "Größe, été."),
        (rb"\pard See {\field{\*\fldinst HYPERLINK x}{\fldrslt it}}.{\pict\pngblip 89504e47}\par", "See it."),
        (
            rb"\pard{\pntext\f1\'B7\tab}{\*\pn\pnlvlblt{\pntxtb\'B7}}\fi-360 One\par{\listtext\f2 o\tab}two\par"
            rb"\pard{\listtext\tab}three\par \bullet\tab four\par\pard{\pntext\f0 1.\tab}Five\par\pard End.\par",
            "- One\n- two\n- three\n\n\u2022 four\n\n1. Five\n\nEnd.",
        ),
    ],
)
def test_words_of_rich_text_are_read_without_their_codes(body: bytes, text: str) -> None:
    assert read_rtf(body).text == text


def test_headings_of_rich_text_are_known_by_their_outline_level_and_metadata_are_those_of_the_group_info() -> None:
    body = rb"\pard\s1\outlinelevel0 Rent\par\pard\outlinelevel1 Deposit\par\pard\outlinelevel9 Two months.\par"
    info = rb"{\info{\title Lease of \'dcnit 18}{\author Karin Holm}{\creatim\yr2024\mo3\dy5}}"
    document = read_rtf(body, info)
    assert document.sections[-1].path == ("Rent", "Deposit")
    said = document.metadata
    assert (said.title, said.authors, said.year) == ("Lease of Ünit 18", ("Karin Holm",), 2024)


def test_lines_that_stand_alone_in_bold_type_are_headings_where_rich_text_marks_none() -> None:
    body = (
        rb"\pard\b LEAVE\b0\par\pard Valid now.\par{\b Who can}\par\plain You, {\b all}.\par"
        rb"\pard{\b Note:} no more.\par\pard\b One \plain two\par\pard\b No end.\b0\par"
    )
    assert [one.path for one in read_rtf(body).sections] == [("LEAVE",), ("LEAVE", "Who can")]
    assert "heading" not in {block.kind for block in read_rtf(rb"\pard\uc0\b a\par b\par c\par").blocks[1:2]}
    marked = read_rtf(rb"\pard\outlinelevel0 Rent\par\pard\b Two months\b0\par")
    assert [block.kind for block in marked.blocks] == ["heading", "paragraph"]
