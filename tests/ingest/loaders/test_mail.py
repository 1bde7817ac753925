"""Mails."""

from email.message import EmailMessage

from loader_checks import check

from rag.ingest.loaders import load_bytes
from rag.models import Document


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


def read(data: bytes) -> Document:
    return check(load_bytes("a.eml", data))


HEAD = "Prüfung\n\nFrom: Ida Berg <ida@x.example>\nTo: jo@x.example\nDate: Tue, 03 Jun 2025 10:00:00 +0200\n\n"


def test_the_head_is_fields_under_the_subject() -> None:
    document = read(mail())
    assert document.text == f"{HEAD}It is hot."
    metadata = document.metadata
    assert (metadata.title, metadata.authors, metadata.year) == ("Prüfung", ("Ida Berg",), 2025)


def test_what_is_quoted_stands_under_a_heading_of_its_own_and_the_answer_under_the_sender() -> None:
    document = read(mail("Dear Jo,\n\nOn Monday Jo wrote:\n> Is it hot?\n> Really?\n\nYes.\n"))
    assert document.text == f"{HEAD}Dear Jo,\n\nOn Monday Jo wrote:\n\nIs it hot?\nReally?\n\nIda Berg\n\nYes."
    assert [one.path[-1] for one in document.sections] == ["Prüfung", "On Monday Jo wrote:", "Ida Berg"]


def test_what_stands_below_the_head_of_an_earlier_mail_is_quoted() -> None:
    document = read(mail("Yes.\n\n-----Original-----\nVon: Jo\nGesendet: Montag\nAn: Ida\nBetreff: Lid\n\nIs it hot?"))
    assert document.text.endswith("Quoted message\n\nVon: Jo\nGesendet: Montag\nAn: Ida\nBetreff: Lid\n\nIs it hot?")


def test_a_body_that_is_a_web_page_is_read_as_one() -> None:
    html = "<p>The fee is <b>12</b> euros.</p><ul><li>one</li></ul><blockquote>How much?</blockquote>"
    assert read(mail("-", html)).text == f"{HEAD}The fee is 12 euros.\n\n- one\n\nQuoted message\n\nHow much?"


def test_an_attachment_that_is_not_read_is_told() -> None:
    assert read(mail(**{"a.pdf": b"%PDF-", "b.dwg": b"x"})).notes == (
        "The attachment 'b.dwg' was not read: its type is not supported.",
    )
