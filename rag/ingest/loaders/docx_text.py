"""The words of a Word document's paragraphs, as Word shows them: signs of symbol fonts, equations, raised figures."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.docx_controls import CONTROL, EMPTY, TICKED, is_prompt, legacy, ticked
from rag.ingest.loaders.docx_formulas import M, written
from rag.ingest.loaders.docx_notes import REFERENCES, Notes
from rag.ingest.loaders.docx_styles import Styles, W
from rag.ingest.loaders.docx_symbols import in_font, sign_of
from rag.ingest.loaders.raised import lowered, raised, settle

if TYPE_CHECKING:
    from lxml.etree import _Element

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What old programs show in the place of something new: the same once more."""
BOX = f"{W}txbxContent"
_SPACES = tuple(f"{W}{tag}" for tag in ("tab", "ptab", "br", "cr"))
_UNSEEN = (*(f"{W}{tag}" for tag in ("pPr", "rPr", "del", "moveFrom", "instrText", "sdtPr")), FALLBACK, BOX)
_UNREAD = ("vanish", "strike", "dstrike")
"""Properties of runs whose words no reader takes for the text's, as in HTML."""
_OLE = "{urn:schemas-microsoft-com:office:office}OLEObject"
_FORMULA = "\x11"
"""Stands before an equation until the pieces are joined."""


class Words:
    """Reads the words of paragraphs, and counts what could not be read."""

    def __init__(self, styles: Styles, data: bytes) -> None:
        self._styles = styles
        self._unread: Counter[str] = Counter()
        self.notes = Notes(data, self._of_note)

    def of(self, paragraph: "_Element") -> str:
        """Return the words of a paragraph on one line, without those of text boxes in it."""
        text = "".join(self._pieces(paragraph))
        text = re.sub(rf"(?<=\d){_FORMULA}(?=\d)", " ", text).replace(_FORMULA, "")
        return squeeze(settle(text))

    def told(self) -> list[str]:
        """Return what could not be read so far, a sentence each."""
        notes = []
        if signs := self._unread["sign"]:
            said = "1 sign of a symbol font is" if signs == 1 else f"{signs} signs of symbol fonts are"
            advice = "Insert them as Unicode characters and ingest the file again"
            notes.append(f"{said} not known: U+FFFD stands there. {advice}.")
        if equations := self._unread["equation"]:
            said = "1 equation was" if equations == 1 else f"{equations} equations were"
            advice = "Convert old equations in the word processor and ingest the file again"
            notes.append(f"{said} left out: the file holds pictures of them. {advice}.")
        return notes

    def _of_note(self, note: "_Element") -> str:
        return " ".join(self.of(paragraph) for paragraph in note.iter(f"{W}p"))

    def _pieces(self, element: "Iterable[_Element]") -> Iterator[str]:
        """Yield what is seen: runs, links, insertions; not what was deleted, moved away or hidden, nor field codes."""
        for child in element:
            if child.tag in _SPACES:
                yield " "
            elif child.tag == f"{W}noBreakHyphen":
                yield "-"
            elif child.tag == f"{W}r":
                yield from self._run(child)
            elif child.tag in REFERENCES:
                yield self.notes.mark(child)
            elif child.tag in (f"{M}oMath", f"{M}oMathPara"):
                yield f"{_FORMULA}{written(child)}"
            elif child.tag == f"{W}sym":
                yield self._sign(child)
            elif child.tag == CONTROL and is_prompt(child):
                continue
            elif child.tag == CONTROL and (is_ticked := ticked(child)) is not None:
                yield TICKED if is_ticked else EMPTY
            elif child.tag == f"{W}ffData":
                yield legacy(child)
            elif child.tag == _OLE:
                self._unread["equation"] += child.get("ProgID", "").startswith("Equation")
            elif child.tag not in _UNSEEN:
                yield from self._pieces(child)

    def _run(self, run: "_Element") -> Iterator[str]:
        """Yield the pieces of a run, its text as its font and its place say; nothing of one hidden or struck out."""
        if any(self._styles.of_run(run, tag) not in (None, "0", "false", "off") for tag in _UNREAD):
            return
        place = self._styles.of_run(run, "vertAlign")
        font = run.find(f"{W}rPr/{W}rFonts")
        name = font.get(f"{W}ascii", "") if font is not None else ""
        for child in run:
            if child.tag == f"{W}t":
                text = in_font(child.text or "", name)
                yield raised(text) if place == "superscript" else lowered(text) if place == "subscript" else text
            else:
                yield from self._pieces([child])

    def _sign(self, element: "_Element") -> str:
        code = element.get(f"{W}char", "")
        known = re.fullmatch(r"[0-9a-fA-F]{2,6}", code)
        sign = sign_of(int(code, 16), element.get(f"{W}font", "")) if known else "\ufffd"
        self._unread["sign"] += sign == "\ufffd"
        return sign
