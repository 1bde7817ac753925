"""Footnotes and endnotes of a Word document: each stands right after the paragraph or table that refers to it."""

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.docx_numbering import formatted
from rag.ingest.loaders.docx_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

REFERENCES = {f"{W}footnoteReference": "footnote", f"{W}endnoteReference": "endnote"}
_PARTS = {"footnote": "word/footnotes.xml", "endnote": "word/endnotes.xml"}
_FORMS = {"footnote": "decimal", "endnote": "lowerRoman"}


class Notes:
    """The notes of one file: counted as they are referred to, as Word does, and told once."""

    def __init__(self, data: bytes, read: "Callable[[_Element], str]") -> None:
        """Read the notes.

        Args:
            data: The file.
            read: Returns the words of a note; called when the note's turn comes.
        """
        self._read = read
        self._elements = {(kind, note.get(f"{W}id", "")): note for kind, note in _notes(data)}
        self._labels: dict[tuple[str, str], str] = {}
        self._due: list[tuple[str, str]] = []

    def mark(self, reference: "_Element") -> str:
        """Return the mark that stands for a reference; its note is due after this."""
        kind = REFERENCES[reference.tag]
        key = (kind, reference.get(f"{W}id", ""))
        if key not in self._labels:
            count = sum(label[0] == kind for label in self._labels) + 1
            self._labels[key] = formatted(count, _FORMS[kind])
            self._due.append(key)
        return f"[{self._labels[key]}]"

    def due(self) -> Iterator[Block]:
        """Yield the notes that were referred to since the last call."""
        while self._due:
            yield from self._block(self._due.pop(0))

    def rest(self) -> Iterator[Block]:
        """Yield the notes that nothing refers to, under the numbers that the file gives them."""
        for key in [key for key in self._elements if key not in self._labels]:
            yield from self._block(key)

    def _block(self, key: tuple[str, str]) -> Iterator[Block]:
        note = self._elements.get(key)
        text = squeeze(self._read(note)) if note is not None else ""
        if text:
            yield Block("item", f"[{self._labels.get(key, key[1])}] {text}")


def _notes(data: bytes) -> "Iterator[tuple[str, _Element]]":
    """Yield kind and element of each note of the file, without the lines that part notes from the text."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for kind, part in _PARTS.items():
            if part in archive.namelist():
                for note in etree.fromstring(archive.read(part), parser).iter(f"{W}{kind}"):
                    if note.get(f"{W}type") in (None, "normal"):
                        yield kind, note
