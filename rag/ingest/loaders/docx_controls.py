"""The forms of a Word document: what was typed, chosen or ticked in its controls, old and new."""

import re
from typing import TYPE_CHECKING

from rag.ingest.loaders.docx_styles import W, value

if TYPE_CHECKING:
    from lxml.etree import _Element

_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
CONTROL = f"{W}sdt"
TICKED, EMPTY = "☒", "☐"
_OFF = ("0", "false", "off")
_LABELLED = re.compile(r"[^:]{1,60}:\s*\S.*")
_LONGEST = 300


def is_prompt(control: "_Element") -> bool:
    """Return whether a content control shows only what is to be put in: `Click here to enter text.`"""
    return control.find(f"{W}sdtPr/{W}showingPlcHdr") is not None


def ticked(control: "_Element") -> bool | None:
    """Return whether a content control is a box that is ticked; None where it is no box."""
    box = control.find(f"{W}sdtPr/{_W14}checkbox")
    if box is None:
        return None
    mark = box.find(f"{_W14}checked")
    return mark is not None and mark.get(f"{_W14}val", "1") not in _OFF


def legacy(field: "_Element") -> str:
    """Return what an old form field shows that has no text in the file: a box, or the entry chosen of a list."""
    box, entries = field.find(f"{W}checkBox"), field.find(f"{W}ddList")
    if box is not None:
        mark = box.find(f"{W}checked")
        mark = box.find(f"{W}default") if mark is None else mark
        return TICKED if mark is not None and mark.get(f"{W}val", "1") not in _OFF else EMPTY
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
