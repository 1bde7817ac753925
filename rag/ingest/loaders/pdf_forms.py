"""What was typed or chosen in a PDF form: values of AcroForm fields in their places, and the data of XFA forms."""

import ctypes
import re
from collections.abc import Iterator

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as raw  # type: ignore[import-untyped]
from lxml import etree

from rag.ingest.loaders.cleaning import clean, squeeze

_PASSWORD = 1 << 13
_UNSEEN = 1 << 1 | 1 << 5  # flags of a field that is hidden, or not shown on a screen
_TALLEST = 12.0  # Points: the height of a line of what a field holds; a field for several lines is taller.
_LETTER_WIDTH = 0.5
_DATA = "{http://www.xfa.org/schema/xfa-data/1.0/}data"
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])|[_.-]+")  # where `FirstDay_of-leave` is cut into words

Placed = tuple[str, tuple[float, float, float, float]]  # a word and its left, bottom, right and top


def field_values(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> Iterator[Placed]:
    """Yield the words that the fields of a page hold; boxes that can be ticked as `☒` and `☐`."""
    box = raw.FS_RECTF()
    for field in _widgets(page) if document.formenv else ():
        raw.FPDFAnnot_GetRect(field, box)
        text = clean(_value(document.formenv.raw, field))
        yield from _placed(text, box.left, box.bottom, box.right, box.top)


def _widgets(page: pdfium.PdfPage) -> Iterator[object]:
    """Yield the fields of a page, each open until the next is asked for."""
    for index in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        field = raw.FPDFPage_GetAnnot(page.raw, index)
        try:
            if raw.FPDFAnnot_GetSubtype(field) == raw.FPDF_ANNOT_WIDGET:
                yield field
        finally:
            raw.FPDFPage_CloseAnnot(field)


def _value(form: object, field: object) -> str:
    """Return what a field holds; an empty text for buttons, signatures, passwords and fields that are not seen."""
    kind = raw.FPDFAnnot_GetFormFieldType(form, field)
    if raw.FPDFAnnot_GetFlags(field) & _UNSEEN:
        return ""
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return "☒" if raw.FPDFAnnot_IsChecked(form, field) else "☐"
    is_secret = kind == raw.FPDF_FORMFIELD_TEXTFIELD and raw.FPDFAnnot_GetFormFieldFlags(form, field) & _PASSWORD
    known = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
    if is_secret or kind not in known:
        return ""
    buffer = ctypes.create_string_buffer(raw.FPDFAnnot_GetFormFieldValue(form, field, None, 0))
    raw.FPDFAnnot_GetFormFieldValue(form, field, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), len(buffer))
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\x00")


def _placed(text: str, left: float, bottom: float, right: float, top: float) -> Iterator[Placed]:
    """Yield the words of a value laid out in its field, line by line from the top, one line in the field's middle."""
    lines = [line.split() for line in text.split("\n") if line.split()]
    if not lines or right <= left or top <= bottom:
        return
    pitch = (top - bottom) / len(lines)
    height = min(pitch, _TALLEST)
    for number, words in enumerate(lines):
        middle, x = top - (number + 0.5) * pitch, left
        letter = min(_LETTER_WIDTH * height, (right - left) / len(" ".join(words)))
        for word in words:
            yield word, (x, middle - height / 2, x + letter * len(word), middle + height / 2)
            x += letter * (len(word) + 1)


def xfa_fields(document: pdfium.PdfDocument) -> list[str] | None:
    """Return the filled fields of a form that XFA alone draws, as `Label: value`; None where the file is no such form.

    Such a file has one page, which asks to wait; one that has its fields on its pages too is read from those.
    """
    kinds = (raw.FORMTYPE_XFA_FULL, raw.FORMTYPE_XFA_FOREGROUND)
    if document.get_formtype() not in kinds or len(document) > 1 or any(_widgets(document[0])):
        return None
    packets = b"".join(_packets(document))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    root = etree.fromstring(packets, parser) if packets.strip() else None
    if root is None:
        return []
    captions = {field.get("name"): text for field in root.iter("{*}field") if (text := _caption(field))}
    leaves = (leaf for data in root.iter(_DATA) for leaf in data.iter("*") if not len(leaf))
    found = ((etree.QName(leaf).localname, squeeze(leaf.text or "")) for leaf in leaves)
    return [
        f"{captions.get(name) or ' '.join(_HUMP.sub(' ', name).split())}: {value}" for name, value in found if value
    ]


def _packets(document: pdfium.PdfDocument) -> Iterator[bytes]:
    length = ctypes.c_ulong()
    for index in range(raw.FPDF_GetXFAPacketCount(document.raw)):
        raw.FPDF_GetXFAPacketContent(document.raw, index, None, 0, ctypes.byref(length))
        buffer = ctypes.create_string_buffer(length.value)
        raw.FPDF_GetXFAPacketContent(document.raw, index, buffer, length.value, ctypes.byref(length))
        yield buffer.raw


def _caption(field: etree._Element) -> str:
    texts = (str(text) for caption in field.iter("{*}caption") for text in caption.itertext())
    return squeeze(" ".join(texts)).rstrip(" :")
