"""Mails, as `.eml` and as Outlook's `.msg`: their head as fields, the body, and what it quotes set apart."""

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from email import message_from_bytes, message_from_string, policy
from email.message import EmailMessage, MIMEPart
from itertools import groupby

from rag.ingest.loaders.blocks import Block, build
from rag.ingest.loaders.cleaning import clean, decode, squeeze
from rag.ingest.loaders.html import fragment_blocks
from rag.ingest.loaders.metadata import identified, year_of
from rag.ingest.loaders.source import KINDS, Source
from rag.models import Document, DocumentMetadata

QUOTED = "Quoted message"
_HEAD = ("From", "To", "Cc", "Date")
_QUOTE = re.compile(r"[ ]?>[ ]?")
_ANNOUNCES = re.compile(r"\S.{0,150}:\s*")
_HEADS_BELOW = re.compile(r"(?:^[ *]*[^\W\d_][^:\n]{1,20}:[ *]+\S.*\n){3,}", re.M)  # of an earlier mail: three or more
_RULE = re.compile(r"(?<!\s)\s*+(?:[-_]{5}.*)?$")
_HTML_QUOTE = re.compile(r"<blockquote|<div[^>]+(?:gmail_quote|divRplyFwdMsg|yahoo_quoted)", re.I)


@dataclass(frozen=True, slots=True)
class Letter:
    """What a mail holds, whatever program wrote it."""

    subject: str
    head: dict[str, str]
    plain: str
    html: str
    attachments: tuple[tuple[str, bytes], ...]


def load_mail(source: Source) -> Document:
    """Return a mail in the form in which it is sent (`.eml`), or as Outlook saves it (`.msg`)."""
    letter = letter_of(source)
    sender = re.sub(r"(?<!\s)\s*<[^<>]*>", "", letter.head.get("From", ""))
    blocks = [
        *([Block("heading", letter.subject, level=1)] if letter.subject else []),
        *(Block("field", f"{label}: {text}") for label, text in letter.head.items()),
        *_body(source.name, letter, sender),
    ]
    authors, year = (sender,) if sender else (), year_of(letter.head.get("Date", ""))
    metadata = DocumentMetadata(title=letter.subject or None, authors=authors, year=year)
    notes = [
        f"The attachment {name!r} was not read: its type is not supported."
        for name, _ in letter.attachments
        if not name.lower().endswith(tuple(KINDS))
    ]
    return build(source, blocks, metadata=identified(source.name, blocks, metadata), notes=notes)


def letter_of(source: Source) -> Letter:
    """Return what a mail holds; raises anything at all where the file is broken."""
    if source.kind == "msg":
        return _of_outlook(source)
    message = message_from_bytes(source.data, policy=policy.default)
    if not any(label in message for label in ("Content-Type", "MIME-Version", "Message-ID")):  # saved as text
        message = message_from_string(decode(source.data), policy=policy.default)
        head = {name.capitalize(): said for name, text in message.raw_items() if (said := squeeze(str(text)))}
        return Letter(head.pop("Subject", ""), head, str(message.get_payload()), "", ())
    assert isinstance(message, EmailMessage)
    return Letter(
        _header(message, "Subject"),
        {label: text for label in _HEAD if (text := _header(message, label))},
        _text(message.get_body(("plain",))),
        _text(message.get_body(("html",))),
        tuple(_attached(message)),
    )


def _header(message: EmailMessage, label: str) -> str:
    """Return a header in words; as it is written where the library fails on it, as on a date with the year 99999."""
    with suppress(Exception):
        return squeeze(str(message[label] or ""))
    return next(squeeze(str(text)) for name, text in message.raw_items() if name.casefold() == label.casefold())


def _attached(message: EmailMessage) -> Iterator[tuple[str, bytes]]:
    for number, part in enumerate(message.iter_attachments(), start=1):
        is_mail = part.get_content_type() == "message/rfc822"
        if is_mail or part.get_filename() or part.get_content_disposition() == "attachment":
            name = squeeze(part.get_filename() or f"attachment {number}.{part.get_content_subtype()}")
            held = part.get_content() if is_mail else part.get_payload(decode=True)
            data = held if isinstance(held, bytes) else bytes(held) if isinstance(held, EmailMessage) else b""
            yield f"{name.removesuffix('.rfc822')}.eml" if name.endswith(".rfc822") else name, data


def _text(part: MIMEPart | None) -> str:
    if part is None:
        return ""
    with suppress(LookupError):
        return str(part.get_content())
    payload = part.get_payload(decode=True)
    return decode(payload) if isinstance(payload, bytes) else ""


def _of_outlook(source: Source) -> Letter:
    from oxmsg import Message

    message: Message = Message.load(io.BytesIO(source.data))
    named = ((one.name or "", one.email_address or "") for one in message.recipients)
    to = ", ".join(f"{name} <{address}>" if address and name != address else name for name, address in named)
    said = {"From": message.sender, "To": to, "Date": str(message.sent_date or "")}
    held = tuple((squeeze(one.file_name or "attachment"), one.file_bytes or b"") for one in message.attachments)
    head = {label: squeeze(text) for label, text in said.items() if text}
    return Letter(squeeze(message.subject or ""), head, message.body or "", message.html_body or "", held)


def _body(name: str, letter: Letter, sender: str) -> Iterator[Block]:
    """Yield the blocks of the body: the plain one where it says as much as the web page beside it."""
    page = fragment_blocks(name, letter.html) if letter.html else []
    if 2 * len(letter.plain.strip()) >= sum(len(block.text) for block in page):
        yield from _plain(clean(letter.plain), sender)
        return
    quote = _HTML_QUOTE.search(letter.html)
    yield from _below(fragment_blocks(name, letter.html[: quote.start()]) if quote else page)
    if quote:
        yield Block("heading", QUOTED, level=2)
        yield from _below(fragment_blocks(name, letter.html[quote.start() :]))


def _plain(text: str, sender: str) -> Iterator[Block]:
    """Yield a body in plain text; lines behind `>`, and what stands below the head of an earlier mail, are quoted."""
    from rag.ingest.loaders.plain import text_blocks

    below = _HEADS_BELOW.search(text)
    own = text[: below.start()] if below else text
    lead = ""  # what heads the next part: the line that announces a quotation, or after one the sender
    for is_quote, group in groupby(own.split("\n"), key=lambda line: bool(_QUOTE.match(line))):
        lines = [*group]
        while lines and _RULE.match(lines[-1]):
            lines.pop()
        if is_quote:
            yield Block("heading", lead or QUOTED, level=2)
            lines, lead = [_QUOTE.sub("", line, count=1) for line in lines], sender
        elif lines:
            yield from [Block("heading", lead, level=2)] if lead else []
            lead = squeeze(lines.pop()) if _ANNOUNCES.fullmatch(lines[-1]) else ""
        yield from _below(text_blocks("\n".join(lines)))
    yield from [Block("paragraph", lead)] if lead and lead != sender else []
    if below:
        yield Block("heading", QUOTED, level=2)
        fields = (squeeze(line.replace("*", "")) for line in below[0].split("\n") if line.strip(" *"))
        yield from (Block("field", field) for field in fields)
        yield from _plain(text[below.end() :], QUOTED)


def _below(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield Block("heading", block.text, level=min(block.level + 2, 9)) if block.kind == "heading" else block
