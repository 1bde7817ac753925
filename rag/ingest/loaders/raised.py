"""Raised and lowered figures, written on the line so that none of them joins the number before it.

`10` with a raised 3 is a power and becomes `10³`; `1923` with a raised 3 is a year with a note and becomes `1923 [3]`.
A loader puts `raised(...)` and `lowered(...)` around what its format sets above or below the line, joins the pieces of
a paragraph, and calls `settle` once on the whole, before `clean`, which would drop the marks. Formulas of MathML and
Word are written on the line so: a fraction with its stroke, a power raised, a root with its sign.
"""

import re
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_UP, _DOWN, _END = "\x0e", "\x0f", "\x10"
_MARKS = re.compile(f"[{_UP}{_DOWN}{_END}]")
_INSIDE = f"[^{_UP}{_DOWN}{_END}]*"
_RUNS = re.compile(rf"(?:{_UP}{_INSIDE}{_END}){{2,}}|(?:{_DOWN}{_INSIDE}{_END}){{2,}}")  # cut into several pieces
_SET = re.compile(
    rf"{_UP}(?P<up>{_INSIDE}){_END}(?:\s*[/⁄]\s*{_DOWN}\s*(?P<under>\d+)\s*{_END})?|{_DOWN}(?P<down>{_INSIDE}){_END}"
)
_SUPERSCRIPT = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")

_FRACTION = re.compile(r"(?<!\d)(\d++)\s*+[/⁄]\s*(\d+)")
_SIGNED = re.compile(r"[+−–-]\s?\d+|\d*[+−–-]")  # an exponent with its sign, or a charge: no note looks like that
_FIGURES = re.compile(r"\d+")
_DECIMAL = re.compile(r"[+−–-]?\s?\d+[.]\d+")
_NOTES = re.compile(r"\d+(?:\s*[,;–-]\s*\d+)+|[a-z](?:\s*[,;]\s*[a-z])*")
_FORMULA = re.compile(r"[\w.,()]+(?:\s*[+*/·×−–-]\s*[\w.,()]+)+|\d+[a-z]|[−–-]\s?[a-z]\w?")
_ORDINAL = re.compile(r"(?i)st|nd|rd|th|[eoªº]|er|re|[eè]me|ière")

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_VARIABLES = frozenset("ijkmnptxyz")
_UNITS = frozenset("m cm mm km dm nm µm μm pm ft in yd mi ms min mol kg mg Hz Pa".split())  # noqa: SIM905
_ISOTOPE = re.compile(r"m?[A-Z][a-z]?(?![^\W\d_])")
_SEEN = 40  # characters of the text around a mark that are looked at
_WORD_END = re.compile(r"(?<![^\W\d_])[^\W\d_]++$")
_NUMBER_END = re.compile(r"(?<![\d.,])\d[\d.,]*(?<=\d)$")

_DEEPEST = 60  # elements within each other, below which the letters of a formula are taken as they stand
_PLAIN_WORD = re.compile(r"[\w.,]*")
_ANNOTATIONS = ("annotation", "annotation-xml")
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def raised(text: str) -> str:
    """Return text marked as standing above the line, for `settle`."""
    return f"{_UP}{_MARKS.sub('', text)}{_END}" if text.strip() else text


def lowered(text: str) -> str:
    """Return text marked as standing below the line, for `settle`."""
    return f"{_DOWN}{_MARKS.sub('', text)}{_END}" if text.strip() else text


def settle(text: str) -> str:
    """Return a text with what is marked in it written on the line, and no mark left.

    A raised figure after a number, a unit or a single letter is a power and becomes superscript characters, which stay
    apart from the number wherever it is read; after a year or a word it marks a note and stands in brackets. A fraction
    is set apart from the number before it.

    >>> settle(f"10{raised('3')} cells, 5 m{raised('2')}, in 1923{raised('3')}, the limit{raised('a')}")
    '10³ cells, 5 m², in 1923 [3], the limit [a]'
    >>> settle(f"1{raised('1')}/{lowered('2')} cups of H{lowered('2')}O on the 5{raised('th')}")
    '1 1/2 cups of H2O on the 5th'
    """
    if not _MARKS.search(text):
        return text
    text = _RUNS.sub(lambda run: run[0][0] + _MARKS.sub("", run[0]) + _END, text)
    pieces: list[str] = []
    end = 0
    for match in _SET.finditer(text):
        pieces.append(_MARKS.sub("", text[end : match.start()]))
        end = match.end()
        before = "".join(pieces[-3:])[-_SEEN:]
        after = _MARKS.sub("", text[end : end + _SEEN])
        if (down := match["down"]) is not None:  # apart from digits around it; the base of a number stands after `_`
            mark = "_" if before[-1:].isdigit() and down[:1].isdigit() else ""
            pieces.append(f"{mark}{down}{' ' if down[-1:].isdigit() and after[:1].isdigit() else ''}")
        else:
            pieces.append(_above(before, " ".join(match["up"].split()), match["under"], after))
    return "".join([*pieces, _MARKS.sub("", text[end:])])


def _above(before: str, inside: str, under: str | None, after: str) -> str:
    """Return what stands for a raised text between what stands on the line, over a lowered figure or None."""
    if under is not None or (_FRACTION.fullmatch(inside) and not _WORD_END.search(before)):
        fraction = f"{inside}/{under}" if under is not None else "/".join(_FRACTION.findall(inside)[0])
        return f" {fraction}" if before[-1:].isdigit() else fraction
    if _SIGNED.fullmatch(inside):
        return inside.replace(" ", "").translate(_SUPERSCRIPT)
    if _FIGURES.fullmatch(inside):
        if not before[-1:].strip() and _ISOTOPE.match(after):
            return inside
        return inside.translate(_SUPERSCRIPT) if _has_power(before) else _note(before, inside, after)
    if _DECIMAL.fullmatch(inside) and _has_power(before):
        return f"^{inside.replace(' ', '')}"
    if _ORDINAL.fullmatch(inside) and before[-1:].isalnum():
        return inside
    if inside in _VARIABLES and _has_power(before):
        return f"^{inside}"
    if _NOTES.fullmatch(inside):
        return _note(before, inside, after)
    if _FORMULA.fullmatch(inside) and before[-1:].strip():
        return f"^{inside}" if inside.isalnum() else f"^({inside})"
    return f" {inside}" if len(inside) > 2 and inside[0].isalnum() and before[-1:].isalnum() else inside


def _has_power(before: str) -> bool:
    """Return whether a raised figure after this text is its power: a number, a unit, a single letter, a bracket."""
    if word := _WORD_END.search(before):
        return len(word[0]) == 1 or word[0] in _UNITS
    if number := _NUMBER_END.search(before):
        return _YEAR.fullmatch(number[0]) is None
    return before.endswith((")", " 10 "))


def _note(before: str, inside: str, after: str) -> str:
    """Return a mark of a note in brackets, apart from the words around it; at a sentence's end right after its sign."""
    space = " " if before[-1:].isalnum() or before[-1:] in ("%", ")") else ""
    return f"{space}[{inside}]{' ' if after[:1].isalnum() else ''}"


def write_formulas(tree: "LexborHTMLParser") -> None:
    """Put the text of each formula in its place."""
    for node in tree.css("math"):
        before = node.prev
        page = etree.HTML(node.html or "")
        text = node.text() if page is None else written(page.find(".//math"))
        is_apart = before is None or not before.text()[-1:].isdigit()
        node.replace_with(text if is_apart or not text[:1].isdigit() else f" {text}")


def written(element: etree._Element, depth: int = 0) -> str:
    """Return what an element of a formula says, its powers marked for `settle`."""
    tag = _name(element)
    if depth > _DEEPEST or tag in ("mi", "mn", "mo", "ms", "mtext", "t"):
        text = "".join(element.itertext())
        return text if tag == "t" else f" {text.strip()} " if tag == "mtext" else text.strip()
    inner = [child for child in element.iterchildren("*") if _name(child) not in _ANNOTATIONS]
    parts = [written(child, depth + 1) for child in inner if not _name(child).endswith("Pr")]  # without properties
    match tag, parts:
        case "mfrac" | "f", [above, below]:
            return f"{_bracketed(above)}/{_bracketed(below)}"
        case "msup" | "mover" | "sSup" | "limUpp", [base, above]:
            return f"{_bracketed(base, is_base=True)}{raised(above)}"
        case "msub" | "munder" | "sSub" | "limLow", [base, below]:
            return f"{base}{lowered(below)}"
        case "msubsup" | "munderover" | "sSubSup", [base, below, above]:
            return f"{base}{lowered(below)}{raised(above)}"
        case "msqrt", _:
            return f"√{_bracketed(''.join(parts))}"
        case ("mroot", [base, degree]) | ("rad", [degree, base]):
            return f"{raised(degree)}√{_bracketed(base)}"
        case "nary", [below, above, base]:
            return f"{_sign(element, 'chr', '∫')}{lowered(below)}{raised(above)} {base}"
        case "d", _:
            inside = _sign(element, "sepChr", "|").join(parts)
            return f"{_sign(element, 'begChr', '(')}{inside}{_sign(element, 'endChr', ')')}"
        case "m" | "eqArr", _:
            return "; ".join(parts)
        case "mr", _:
            return ", ".join(parts)
        case "func", _:
            return " ".join(parts)
    text = ""
    for part in parts:  # a fraction is set apart from a digit before it; the signs of one number may come in parts
        text += f" {part}" if text[-1:].isdigit() and re.match(r"\d+/", part) else part
    return text


def _name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _bracketed(text: str, *, is_base: bool = False) -> str:
    text = text.strip()
    return text if _PLAIN_WORD.fullmatch(text) or (is_base and text.endswith(")")) else f"({text})"


def _sign(element: etree._Element, tag: str, usual: str) -> str:
    sign = element.find(f"*/{M}{tag}")
    return usual if sign is None else str(sign.get(f"{M}val", ""))
