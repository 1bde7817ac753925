"""The words of a Word document's paragraphs, as Word shows them: signs of symbol fonts, equations, notes, forms."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from rag.ingest.loaders.blocks import Block
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.docx_styles import OFF, Styles, W, formatted, value
from rag.ingest.loaders.formulas import M, written
from rag.ingest.loaders.raised import lowered, raised, settle

if TYPE_CHECKING:
    from lxml.etree import _Element


FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What old programs show in the place of something new: the same once more."""
BOX = f"{W}txbxContent"
_SPACES = tuple(f"{W}{tag}" for tag in ("tab", "ptab", "br", "cr"))
_UNSEEN = (*(f"{W}{tag}" for tag in ("pPr", "rPr", "del", "moveFrom", "instrText", "sdtPr")), FALLBACK, BOX)
_NOT_SHOWN = ("vanish", "strike", "dstrike")
"""Properties of runs whose words no reader takes for the text's, as in HTML."""
_OLE = "{urn:schemas-microsoft-com:office:office}OLEObject"
_FORMULA = "\x11"  # stands before an equation until the pieces are joined

REFERENCES = {f"{W}footnoteReference": "footnote", f"{W}endnoteReference": "endnote"}
_PARTS = {"footnote": "word/footnotes.xml", "endnote": "word/endnotes.xml"}
_FORMS = {"footnote": "decimal", "endnote": "lowerRoman"}

_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
CONTROL = f"{W}sdt"
TICKED, EMPTY = "☒", "☐"
_LABELLED = re.compile(r"[^:]{1,60}:\s*\S.*")
_LONGEST = 300

_HIDDEN = 0xF000  # Word moves the places of symbol fonts up by this much, into the private use area.
_UNKNOWN = "\ufffd"


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
            said = "1 character of a symbol font is" if signs == 1 else f"{signs} characters of symbol fonts are"
            advice = "Insert them as Unicode characters and ingest the file again"
            notes.append(f"{said} not known and replaced by U+FFFD. {advice}.")
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
        if any(self._styles.of_run(run, tag) not in (None, *OFF) for tag in _NOT_SHOWN):
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


def is_prompt(control: "_Element") -> bool:
    """Return whether a content control shows only what is to be put in: `Click here to enter text.`"""
    return control.find(f"{W}sdtPr/{W}showingPlcHdr") is not None


def ticked(control: "_Element") -> bool | None:
    """Return whether a content control is a box that is ticked; None where it is no box."""
    box = control.find(f"{W}sdtPr/{_W14}checkbox")
    if box is None:
        return None
    mark = box.find(f"{_W14}checked")
    return mark is not None and mark.get(f"{_W14}val", "1") not in OFF


def legacy(field: "_Element") -> str:
    """Return what an old form field shows that has no text in the file: a box, or the entry chosen of a list."""
    box, entries = field.find(f"{W}checkBox"), field.find(f"{W}ddList")
    if box is not None:
        mark = box.find(f"{W}checked")
        mark = box.find(f"{W}default") if mark is None else mark
        return TICKED if mark is not None and mark.get(f"{W}val", "1") not in OFF else EMPTY
    if entries is None:
        return ""
    names = [entry.get(f"{W}val", "") for entry in entries.findall(f"{W}listEntry")]
    chosen = value(entries, "result") or value(entries, "default") or "0"
    return names[int(chosen)] if chosen.isdigit() and int(chosen) < len(names) else ""


def field_of(paragraph: "_Element", text: str) -> str | None:
    """Return the field that a paragraph with a control is, `Label: value`; None where it is running text.

    The label stands before the control, or is the control's own name. Words beside the only box say what is ticked.
    """
    around = next(paragraph.iterancestors(CONTROL), None)
    controls = [one for one in (*paragraph.iter(CONTROL), around) if one is not None and not is_prompt(one)]
    if not controls and next(paragraph.iter(f"{W}ffData"), None) is None:
        return None
    boxes = text.count(TICKED) + text.count(EMPTY)
    words = text.replace(TICKED, " ").replace(EMPTY, " ").strip(" :")
    if boxes == 1 and words:
        return f"{words}: {'yes' if TICKED in text else 'no'}"
    if boxes or len(text) > _LONGEST:
        return None
    if _LABELLED.fullmatch(text):
        return text
    names = {value(properties, "alias") or "" for one in controls for properties in one.findall(f"{W}sdtPr")} - {""}
    shown = "".join(piece.text or "" for one in controls for piece in one.iter(f"{W}t")).strip()
    before = text.removesuffix(shown).strip() if shown else ""
    name = before if 0 < len(before) <= 60 else names.pop() if len(names) == 1 and text == shown else ""
    return f"{name.rstrip(':')}: {shown}" if name and shown else None


def _rows(rows: dict[int, str]) -> dict[int, str]:
    """Return the sign of each place, given runs of signs by the place of their first; a space stands for none."""
    signs = {first + index: sign for first, run in rows.items() for index, sign in enumerate(run) if sign != " "}
    return {**signs, 0x20: " ", 0xA0: " "}


_SYMBOL = _rows(
    {
        0x21: "!∀#∃%&∋()∗+,−./0123456789:;<=>?",
        0x40: "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
        0x61: "αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}~",
        0xA0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵",
        0xC0: "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑",
        0xF1: "〉∫",
    }
) | {0xA0: "€"}
_WINGDINGS = _rows(
    {
        0x28: "☎✆✉",
        0x4A: "☺😐☹",
        0x6C: "●",
        0x6E: "■□",
        0x71: "❑❒",
        0x76: "❖",
        0x9E: "·•",
        0xA7: "▪",
        0xA8: "☐",
        0xD8: "➢",
        0xDF: "←→↑↓",
        0xE7: "←→↑↓",
        0xEF: "⇦⇨",
        0xFB: "✗✓☒☑",
    }
)
_WINGDINGS_2 = _rows({0x4F: "✗✓☒☑☒☒", 0xA3: "☐"})
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}


def sign_of(code: int, font: str) -> str:
    """Return the sign that a font shows for a code, or U+FFFD where that is not known.

    >>> sign_of(0xF06D, "Symbol"), sign_of(0xF0A3, "Symbol"), sign_of(0xF0FC, "Wingdings")
    ('µ', '≤', '✓')
    >>> sign_of(0x2264, "Arial"), sign_of(0xF0A3, "House Icons") == "\ufffd"
    ('≤', True)

    Args:
        code: What the file has: a place in a symbol font, moved into the private use area or not, or a character.
        font: The font's name.
    """
    signs = _FONTS.get(font.casefold().strip())
    place = code - _HIDDEN if _HIDDEN <= code <= _HIDDEN + 0xFF else code
    if signs is not None and place <= 0xFF:
        return signs.get(place, _UNKNOWN)
    is_private = 0xE000 <= code <= 0xF8FF or not 0x20 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF
    return _UNKNOWN if is_private else chr(code)


def in_font(text: str, font: str) -> str:
    """Return a text as a font shows it: one of a symbol font has other signs than its letters say.

    A private place of a font that is not known is left to `clean`, which knows the bullets among them.

    >>> in_font("mg", "Symbol"), in_font("mg", "Arial")
    ('µγ', 'mg')
    """
    if font.casefold().strip() not in _FONTS:
        return text
    return "".join(sign_of(ord(character), font) if ord(character) > 0x1F else character for character in text)
