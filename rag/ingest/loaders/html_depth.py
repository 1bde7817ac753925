"""How deep the elements of a web page stand within each other, told before a parser spends time on it.

A parser's time grows with the square of the depth: 20 s for 100,000 elements.
"""

import re
from collections import Counter

from rag.ingest.loaders.source import refuse

MAX_DEPTH = 2_000
"""Most elements within each other; a browser keeps 512, and a hand-made page has fewer than 50."""
TOO_DEEP = "it is nested too deeply"
FLATTER = "Copy its text into a plain text file (.txt) or a new document, and ingest that"

_FEW_TAGS = 20_000
"""A page with fewer is not looked at: parsing it takes a second at most, and what walks it refuses it then."""
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)(?:[^<>]{0,2000}(/)>)?")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source", "wbr")
)
_ENDS_ITSELF = frozenset(
    ("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "caption", "colgroup", "option", "rt", "rp")
)
"""Elements that the next one of their kind ends."""


def check_depth(name: str, text: str) -> None:
    """Refuse a web page with more than `MAX_DEPTH` elements within each other, counted roughly.

    A page of few tags passes: see `_FEW_TAGS`.

    Raises:
        InvalidDocument: As it says.
    """
    if text.count("<") < _FEW_TAGS:
        return
    stack: list[str] = []
    standing: Counter[str] = Counter()
    for match in _TAG.finditer(text):
        tag = match[2].lower()
        if match[1]:
            _close(tag, stack, standing)
        elif tag not in _VOID and not (match[3] and (standing["svg"] or standing["math"])):
            _open(tag, stack, standing)
            if len(stack) > MAX_DEPTH:
                reason = f"{TOO_DEEP} (more than {MAX_DEPTH:,} elements within each other)"
                raise refuse(name, reason, FLATTER)


def _open(tag: str, stack: list[str], standing: Counter[str]) -> None:
    while tag in _ENDS_ITSELF and stack and stack[-1] in _ENDS_ITSELF:
        standing[stack.pop()] -= 1
    stack.append(tag)
    standing[tag] += 1


def _close(tag: str, stack: list[str], standing: Counter[str]) -> None:
    """End the innermost element of this kind and all within it; an end without a beginning is passed over."""
    while standing[tag]:
        last = stack.pop()
        standing[last] -= 1
        if last == tag:
            return
