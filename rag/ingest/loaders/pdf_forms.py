"""What was typed or chosen in the fields of a PDF form, as words in the fields' places."""

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rag.ingest.loaders.cleaning import clean
from rag.ingest.loaders.pdf_page import Corners

if TYPE_CHECKING:
    import pypdfium2 as pdfium  # type: ignore[import-untyped]

_PASSWORD = 1 << 13
_UNSEEN = 1 << 1 | 1 << 5
"""Flags of a field that is hidden, or not shown on a screen."""
_TALLEST = 12.0
"""Points: the height of a line of what a field holds; a field for several lines is taller."""
_LETTER_WIDTH = 0.5
"""Width of a letter as a share of its height, by which words are laid out within a field."""


class FieldWord(NamedTuple):
    """A word of a field's value, and its box in PDF coordinates: left, bottom, right, top."""

    text: str
    box: Corners


def field_words(document: "pdfium.PdfDocument", page: "pdfium.PdfPage") -> Iterator[FieldWord]:
    """Yield the words that the fields of a page hold; boxes that can be ticked as `☒` and `☐`.

    Args:
        document: The open document, its forms read; the caller holds the lock of PDFium.
        page: One of its pages.
    """
    import pypdfium2.raw as raw  # type: ignore[import-untyped]

    if document.formenv is None:
        return
    for index in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        field = raw.FPDFPage_GetAnnot(page.raw, index)
        try:
            if raw.FPDFAnnot_GetSubtype(field) == raw.FPDF_ANNOT_WIDGET:
                box = raw.FS_RECTF()
                raw.FPDFAnnot_GetRect(field, ctypes.byref(box))
                text = clean(_value(document.formenv.raw, field))
                yield from _placed(text, (box.left, box.bottom, box.right, box.top))
        finally:
            raw.FPDFPage_CloseAnnot(field)


def _value(form: object, field: object) -> str:
    """Return what a field holds; an empty text for buttons, signatures, passwords and fields that are not seen."""
    import pypdfium2.raw as raw

    kind = raw.FPDFAnnot_GetFormFieldType(form, field)
    flags = raw.FPDFAnnot_GetFormFieldFlags(form, field)
    if raw.FPDFAnnot_GetFlags(field) & _UNSEEN:
        return ""
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return "☒" if raw.FPDFAnnot_IsChecked(form, field) else "☐"
    is_text = kind == raw.FPDF_FORMFIELD_TEXTFIELD and not flags & _PASSWORD
    if not is_text and kind not in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return ""
    length = raw.FPDFAnnot_GetFormFieldValue(form, field, None, 0)
    buffer = ctypes.create_string_buffer(length)
    raw.FPDFAnnot_GetFormFieldValue(form, field, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), length)
    return buffer.raw[:length].decode("utf-16-le", "replace").rstrip("\x00")


def _placed(text: str, box: Corners) -> Iterator[FieldWord]:
    """Yield the words of a value laid out in its field, line by line from the top, one line in the field's middle."""
    left, bottom, right, top = box
    lines = [line.split() for line in text.split("\n") if line.split()]
    if not lines or right <= left or top <= bottom:
        return
    pitch = (top - bottom) / len(lines)
    height = min(pitch, _TALLEST)
    for number, words in enumerate(lines):
        middle = top - (number + 0.5) * pitch
        letter = min(_LETTER_WIDTH * height, (right - left) / len(" ".join(words)))
        x = left
        for word in words:
            yield FieldWord(word, (x, middle - height / 2, x + letter * len(word), middle + height / 2))
            x += letter * (len(word) + 1)
