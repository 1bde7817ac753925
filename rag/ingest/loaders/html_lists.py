"""The markers of a web page's lists, as a browser shows them, and the lists that only lead elsewhere."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST_ROMAN = 3999


def markers_of(node: "LexborNode") -> Iterator[str]:
    """Yield the marker of each item of a list, with a space after it: `- `, `5. `, `C. `, `iv. `."""
    if node.tag != "ol":
        while True:
            yield "- "
    items = [item for item in node.iter() if item.tag == "li"]
    backwards = "reversed" in node.attributes
    number = _integer(node.attributes.get("start"), len(items) if backwards else 1)
    kind = node.attributes.get("type") or "1"
    for item in items:
        number = _integer(item.attributes.get("value"), number)
        yield f"{numeral(number, item.attributes.get('type') or kind)}. "
        number += -1 if backwards else 1


def numeral(number: int, kind: str) -> str:
    """Return a number as a list of a type counts: `1`, `a`, `A`, `i` or `I`; in digits where letters have none.

    >>> [numeral(28, kind) for kind in "1aAiI"], numeral(0, "a")
    (['28', 'ab', 'AB', 'xxviii', 'XXVIII'], '0')
    """
    text = str(number)
    if kind in ("a", "A") and number > 0:
        text = _letters(number)
    elif kind in ("i", "I") and 0 < number <= _MOST_ROMAN:
        text = _roman(number)
    return text.upper() if kind in ("A", "I") else text


def _letters(number: int) -> str:
    text = ""
    while number:
        number, place = divmod(number - 1, 26)
        text = chr(ord("a") + place) + text
    return text


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def _integer(value: str | None, otherwise: int) -> int:
    text = (value or "").strip()
    return int(text) if text.removeprefix("-").isdecimal() and len(text) <= 9 else otherwise


def is_menu(node: "LexborNode") -> bool:
    """Return whether a list only leads elsewhere: eight items or more, all short, nearly all of their words links.

    One that a paragraph stands right before is content: `The hall has instruments of these kinds:`.
    """
    items = node.css("li")
    linked = sum(len(link.text(strip=True)) for link in node.css("a"))
    length = len(node.text(strip=True))
    is_of_links = len(items) >= 8 and linked >= 0.85 * length and length <= 45 * len(items)
    return is_of_links and not _is_introduced(node)


def _is_introduced(node: "LexborNode") -> bool:
    """Return whether what stands before a list is a paragraph, or loose text, that is not itself a link."""
    before = node.prev
    while before is not None and before.tag in ("-text", "_comment", "-comment") and not before.text(strip=True):
        before = before.prev
    if before is None or before.tag not in ("p", "-text"):
        return False
    links = before.css("a") if before.tag == "p" else []
    return 2 * sum(len(link.text(strip=True)) for link in links) < len(before.text(strip=True))
