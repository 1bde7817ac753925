"""The words of a Word document's paragraphs, as Word shows them: signs of symbol fonts, equations, notes, forms."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator

from lxml.etree import _Element

from rag.ingest.loaders.blocks import Block
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.docx_styles import Styles, W, formatted, is_on, value
from rag.ingest.loaders.raised import M, lowered, raised, settle, written
from rag.ingest.loaders.source import xml_part

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What old programs show in the place of something new: the same once more."""
BOX = f"{W}txbxContent"
_SPACES = tuple(f"{W}{tag}" for tag in ("tab", "ptab", "br", "cr"))
_UNSEEN = (*(f"{W}{tag}" for tag in ("pPr", "rPr", "del", "moveFrom", "instrText", "sdtPr")), FALLBACK, BOX)
_NOT_SHOWN = ("vanish", "strike", "dstrike")  # properties of runs whose words no reader takes for the text's
_OLE = "{urn:schemas-microsoft-com:office:office}OLEObject"
_FORMULA = "\x11"  # stands before an equation until the pieces are joined

_REFERENCES = {f"{W}footnoteReference": "footnote", f"{W}endnoteReference": "endnote"}
_FORMS = {"footnote": "decimal", "endnote": "lowerRoman"}

_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_CONTROL = f"{W}sdt"
_TICKED, _EMPTY = "☒", "☐"
_LABELLED = re.compile(r"[^:]{1,60}:\s*\S.*")
_LONGEST = 300

_HIDDEN = 0xF000  # Word moves the places of symbol fonts up by this much, into the private use area.
_UNKNOWN = "\ufffd"
_UNREAD = {
    "sign": "Characters of symbol fonts that are not known, replaced by U+FFFD: {}. Insert them as Unicode characters.",
    "equation": "Equations that were left out, being pictures: {}. Convert old equations in the word processor.",
}


class Words:
    """Reads the words of paragraphs, and counts what could not be read.

    Notes are counted as they are referred to, as Word does, and told once, when their turn comes.
    """

    def __init__(self, styles: Styles, data: bytes) -> None:
        self._styles = styles
        self._unread: Counter[str] = Counter()
        self._notes: dict[tuple[str, str], _Element] = {}
        self._labels: dict[tuple[str, str], str] = {}
        self._due: list[tuple[str, str]] = []
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for kind in _FORMS:
                part = xml_part(archive, f"word/{kind}s.xml")
                for note in part.iter(f"{W}{kind}") if part is not None else ():
                    if note.get(f"{W}type") in (None, "normal"):  # others part the notes from the text
                        self._notes[kind, note.get(f"{W}id", "")] = note

    def of(self, paragraph: _Element) -> str:
        """Return the words of a paragraph on one line, without those of text boxes in it."""
        text = "".join(self._pieces(paragraph))
        text = re.sub(rf"(?<=\d){_FORMULA}(?=\d)", " ", text).replace(_FORMULA, "")
        return squeeze(settle(text))

    def told(self) -> list[str]:
        """Return what could not be read so far, a sentence each."""
        return [note.format(count) for kind, note in _UNREAD.items() if (count := self._unread[kind])]

    def _pieces(self, element: Iterable[_Element]) -> Iterator[str]:
        """Yield what is seen: runs, links, insertions; not what was deleted, moved away or hidden, nor field codes."""
        for child in element:
            if child.tag in _SPACES:
                yield " "
            elif child.tag == f"{W}noBreakHyphen":
                yield "-"
            elif child.tag == f"{W}r":
                yield from self._run(child)
            elif child.tag in _REFERENCES:
                yield self._mark(child)
            elif child.tag in (f"{M}oMath", f"{M}oMathPara"):
                yield f"{_FORMULA}{written(child)}"
            elif child.tag == f"{W}sym":
                yield self._sign(child)
            elif child.tag == _CONTROL and is_prompt(child):
                continue
            elif child.tag == _CONTROL and (box := child.find(f"{W}sdtPr/{_W14}checkbox")) is not None:
                mark = box.find(f"{_W14}checked")
                yield _TICKED if mark is not None and is_on(mark.get(f"{_W14}val", "1")) else _EMPTY
            elif child.tag == f"{W}ffData":
                yield _legacy(child)
            elif child.tag == _OLE:
                self._unread["equation"] += child.get("ProgID", "").startswith("Equation")
            elif child.tag not in _UNSEEN:
                yield from self._pieces(child)

    def _run(self, run: _Element) -> Iterator[str]:
        """Yield the pieces of a run, its text as its font and its place say; nothing of one hidden or struck out."""
        if any(is_on(self._styles.of_run(run, tag)) for tag in _NOT_SHOWN):
            return
        place = self._styles.of_run(run, "vertAlign")
        font = run.find(f"{W}rPr/{W}rFonts")
        name = font.get(f"{W}ascii", "") if font is not None else ""
        is_symbols = name.casefold().strip() in _FONTS  # `clean` knows the bullets in private places of other fonts
        for child in run:
            if child.tag == f"{W}t":
                text = child.text or ""
                if is_symbols:
                    text = "".join(_sign_of(ord(one), name) if one > "\x1f" else one for one in text)
                yield raised(text) if place == "superscript" else lowered(text) if place == "subscript" else text
            else:
                yield from self._pieces([child])

    def _sign(self, element: _Element) -> str:
        code = element.get(f"{W}char", "")
        is_code = re.fullmatch(r"[0-9a-fA-F]{2,6}", code)
        sign = _sign_of(int(code, 16), element.get(f"{W}font", "")) if is_code else _UNKNOWN
        self._unread["sign"] += sign == _UNKNOWN
        return sign

    def _mark(self, reference: _Element) -> str:
        """Return the mark that stands for a reference; its note is due after this."""
        kind = _REFERENCES[reference.tag]
        key = (kind, reference.get(f"{W}id", ""))
        if key not in self._labels:
            count = sum(label[0] == kind for label in self._labels) + 1
            self._labels[key] = formatted(count, _FORMS[kind])
            self._due.append(key)
        return f"[{self._labels[key]}]"

    def notes_due(self) -> Iterator[Block]:
        """Yield the notes that were referred to since the last call."""
        while self._due:
            yield from self._note(self._due.pop(0))

    def notes_left(self) -> Iterator[Block]:
        """Yield the notes that nothing refers to, under the numbers that the file gives them."""
        for key in [key for key in self._notes if key not in self._labels]:
            yield from self._note(key)

    def _note(self, key: tuple[str, str]) -> Iterator[Block]:
        paragraphs = self._notes[key].iter(f"{W}p") if key in self._notes else ()
        if text := squeeze(" ".join(map(self.of, paragraphs))):
            yield Block("item", f"[{self._labels.get(key, key[1])}] {text}")


def is_prompt(control: _Element) -> bool:
    """Return whether a content control shows only what is to be put in: `Click here to enter text.`"""
    return control.find(f"{W}sdtPr/{W}showingPlcHdr") is not None


def _legacy(field: _Element) -> str:
    """Return what an old form field shows that has no text in the file: a box, or the entry chosen of a list."""
    box, entries = field.find(f"{W}checkBox"), field.find(f"{W}ddList")
    if box is not None:
        checked = value(box, "checked", "1")
        return _TICKED if is_on(value(box, "default", "1") if checked is None else checked) else _EMPTY
    if entries is None:
        return ""
    names = [entry.get(f"{W}val", "") for entry in entries.findall(f"{W}listEntry")]
    chosen = value(entries, "result") or value(entries, "default") or "0"
    return names[int(chosen)] if chosen.isdigit() and int(chosen) < len(names) else ""


def field_of(paragraph: _Element, text: str) -> str | None:
    """Return the field that a paragraph with a control is, `Label: value`; None where it is running text.

    The label stands before the control, or is the control's own name. Words beside the only box say what is ticked.
    """
    around = next(paragraph.iterancestors(_CONTROL), None)
    controls = [one for one in (*paragraph.iter(_CONTROL), around) if one is not None and not is_prompt(one)]
    if not controls and next(paragraph.iter(f"{W}ffData"), None) is None:
        return None
    boxes = text.count(_TICKED) + text.count(_EMPTY)
    words = text.replace(_TICKED, " ").replace(_EMPTY, " ").strip(" :")
    if boxes == 1 and words:
        return f"{words}: {'yes' if _TICKED in text else 'no'}"
    if boxes or len(text) > _LONGEST:
        return None
    if _LABELLED.fullmatch(text):
        return text
    names = {value(properties, "alias") or "" for one in controls for properties in one.findall(f"{W}sdtPr")} - {""}
    shown = "".join(piece.text or "" for one in controls for piece in one.iter(f"{W}t")).strip()
    before = text.removesuffix(shown).strip() if shown else ""
    name = before if 0 < len(before) <= 60 else names.pop() if len(names) == 1 and text == shown else ""
    return f"{name.rstrip(':')}: {shown}" if name and shown else None


def _signs(rows: str) -> dict[int, str]:
    """Return the sign of each place of a font; a row begins with the place of its first sign, in hexadecimal."""
    signs = {int(row[:2], 16) + index: sign for row in rows.split() for index, sign in enumerate(row[2:])}
    return {0x20: " ", 0xA0: " ", **signs}


_SYMBOL = _signs(
    "21!∀#∃%&∋()∗+,−./0123456789:;<=>? 40≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_ 61αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}~ "
    "A0€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵ C0ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑ F1〉∫"
)
_WINGDINGS = _signs("28☎✆✉ 4A☺😐☹ 6C● 6E■□ 71❑❒ 76❖ 9E·• A7▪ A8☐ D8➢ DF←→↑↓ E7←→↑↓ EF⇦⇨ FB✗✓☒☑")
_WINGDINGS_2 = _signs("4F✗✓☒☑☒☒ A3☐")
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}


def _sign_of(code: int, font: str) -> str:
    """Return the sign that a font shows for a code, or U+FFFD where that is not known."""
    signs = _FONTS.get(font.casefold().strip())
    place = code - _HIDDEN if _HIDDEN <= code <= _HIDDEN + 0xFF else code
    if signs is not None and place <= 0xFF:
        return signs.get(place, _UNKNOWN)
    is_private = 0xE000 <= code <= 0xF8FF or not 0x20 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF
    return _UNKNOWN if is_private else chr(code)
