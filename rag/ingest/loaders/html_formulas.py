"""Formulas of MathML, written on the line: a fraction with its stroke, a power raised, a root with its sign."""

import re
from typing import TYPE_CHECKING

from rag.ingest.loaders.raised import lowered, raised

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_DEEPEST = 60
"""Elements within each other, below which a formula's letters are taken as they stand."""
_PLAIN = re.compile(r"[\w.,]+")


def write_formulas(tree: "LexborHTMLParser") -> None:
    """Put the text of each formula in its place."""
    for node in tree.css("math"):
        before = node.prev
        text = _written(node, 0)
        is_apart = before is None or not before.text()[-1:].isdigit()
        node.replace_with(text if is_apart or not text[:1].isdigit() else f" {text}")


def _written(node: "LexborNode", depth: int) -> str:
    """Return what an element of a formula says."""
    if node.tag == "-text":
        return (node.text_content or "").strip()
    if depth > _DEEPEST:
        return node.text()
    if node.tag in ("annotation", "annotation-xml"):
        return ""
    parts = [text for child in node.iter(include_text=True) if (text := _written(child, depth + 1))]
    match node.tag, parts:
        case "mfrac", [above, below]:
            return f"{_bracketed(above)}/{_bracketed(below)}"
        case "msup" | "mover", [base, above]:
            return f"{_base(base)}{raised(above)}"
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
    return _joined(parts)


def _joined(parts: list[str]) -> str:
    """Return parts one after the other; a number or fraction is set apart from the number before it."""
    text = ""
    for part in parts:
        text += f" {part}" if text[-1:].isdigit() and part[:1].isdigit() else part
    return text


def _bracketed(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else f"({text})"


def _base(text: str) -> str:
    return text if _PLAIN.fullmatch(text) or text.endswith(")") else f"({text})"
