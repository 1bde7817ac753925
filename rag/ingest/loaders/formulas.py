"""Formulas of MathML and Word on the line: a fraction with its stroke, a power raised, a root with its sign."""

import re
from typing import TYPE_CHECKING

from rag.ingest.loaders.raised import lowered, raised

if TYPE_CHECKING:
    from lxml.etree import _Element
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DEEPEST = 60  # elements within each other, below which the letters of a formula are taken as they stand
_PLAIN = re.compile(r"[\w.,]+")
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def write_formulas(tree: "LexborHTMLParser") -> None:
    """Put the text of each formula in its place."""
    for node in tree.css("math"):
        before = node.prev
        text = _of_mathml(node, 0)
        is_apart = before is None or not before.text()[-1:].isdigit()
        node.replace_with(text if is_apart or not text[:1].isdigit() else f" {text}")


def _of_mathml(node: "LexborNode", depth: int) -> str:
    if node.tag == "-text":
        return (node.text_content or "").strip()
    if depth > _DEEPEST:
        return node.text()
    if node.tag in ("annotation", "annotation-xml"):
        return ""
    parts = [text for child in node.iter(include_text=True) if (text := _of_mathml(child, depth + 1))]
    match node.tag, parts:
        case "mfrac", [above, below]:
            return f"{_bracketed(above)}/{_bracketed(below)}"
        case "msup" | "mover", [base, above]:
            return f"{_bracketed(base, is_base=True)}{raised(above)}"
        case "msub" | "munder", [base, below]:
            return f"{base}{lowered(below)}"
        case "msubsup" | "munderover", [base, below, above]:
            return f"{base}{lowered(below)}{raised(above)}"
        case "msqrt", _:
            return f"√{_bracketed(''.join(parts))}"
        case "mroot", [base, degree]:
            return f"{raised(degree)}√{_bracketed(base)}"
        case "mtext", _:
            return f" {' '.join(parts)} "
        case "mn", _:
            return "".join(parts)
    return _strung(parts, r"\d")


def _strung(parts: list[str], number: str) -> str:
    """Return parts one after the other; what begins with such a number is set apart from a digit before it."""
    text = ""
    for part in parts:
        text += f" {part}" if text[-1:].isdigit() and re.match(number, part) else part
    return text


def _bracketed(text: str, *, is_base: bool = False) -> str:
    return text if _PLAIN.fullmatch(text) or (is_base and text.endswith(")")) else f"({text})"


def written(element: "_Element", depth: int = 0) -> str:
    """Return what an element of an equation says, its powers marked for `raised.settle`."""
    if element.tag == f"{M}t":
        return element.text or ""
    if depth > _DEEPEST:
        return "".join(text.text or "" for text in element.iter(f"{M}t"))

    def part(tag: str) -> str:
        child = element.find(f"{M}{tag}")
        return "" if child is None else written(child, depth + 1).strip()

    match str(element.tag).removeprefix(M):
        case "f":
            return f"{_bracketed(part('num'))}/{_bracketed(part('den'))}"
        case "sSup" | "limUpp":
            return f"{_bracketed(part('e'), is_base=True)}{raised(part('sup') or part('lim'))}"
        case "sSub" | "limLow":
            return f"{part('e')}{lowered(part('sub') or part('lim'))}"
        case "sSubSup":
            return f"{part('e')}{lowered(part('sub'))}{raised(part('sup'))}"
        case "rad":
            return f"{raised(part('deg'))}√{_bracketed(part('e'))}"
        case "nary":
            return f"{_sign(element, 'chr', '∫')}{lowered(part('sub'))}{raised(part('sup'))} {part('e')}"
        case "d":
            inside = [written(child, depth + 1) for child in element.findall(f"{M}e")]
            between = _sign(element, "sepChr", "|")
            return f"{_sign(element, 'begChr', '(')}{between.join(inside)}{_sign(element, 'endChr', ')')}"
        case "m" | "eqArr":
            rows = element.findall(f"{M}mr") or element.findall(f"{M}e")
            return "; ".join(written(row, depth + 1) for row in rows)
        case "mr":
            return ", ".join(written(cell, depth + 1) for cell in element.findall(f"{M}e"))
        case "func":
            return f"{part('fName')} {part('e')}"
    parts = [text for child in element if (text := written(child, depth + 1))]
    return _strung(parts, r"\d+/")  # the signs of one number come in parts, which stay together


def _sign(element: "_Element", tag: str, usual: str) -> str:
    """Return a sign that an element's properties name, or the usual one."""
    sign = element.find(f"*/{M}{tag}")
    return usual if sign is None else str(sign.get(f"{M}val", ""))
