"""Characters that nobody sees: they can hide words from a reader and show them to a model. Ground floor.

By Unicode that is what only formats (category Cf) and what is ignored by default where no font knows it. Some of it is
spelling, and stays: one joiner behind a letter of a script that has them, as in Persian and Malayalam, and what makes
one picture of two, as in a family or a red heart.
"""

import re
from functools import lru_cache
from typing import Final
from unicodedata import category

_IGNORED: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
"""Ignored by default though no Cf: fillers, variation selectors, places that Unicode keeps free for such."""
_SEEN: Final = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd\U00013430-\U0001345f]")
"""Cf and yet seen: signs that enclose numbers, and those that order hieroglyphs."""
_JOINED: Final = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\ua840-\ua9ff\uaa60-\uaa7f\uabc0-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
"""Scripts that join letters: Arabic and its neighbours, the Indic ones, Khmer, Mongolian."""
_MONGOLIAN: Final = re.compile("[\u1820-\u18aa]")
_SKINS: Final = re.compile("[\U0001f3fb-\U0001f3ff]")
_JOINERS: Final = "\u200c\u200d"
_PICTURED: Final = "\ufe0e\ufe0f"


def without_invisible(text: str) -> str:
    """Return a text without invisible characters, but for those that spelling and pictures need.

    >>> without_invisible("co\\u00adop\\U000e0041\\u3164"), len(without_invisible("\\u0645\\u06cc\\u200c\\u062e"))
    ('coop', 4)
    """
    if text.isascii():
        return text
    found = "".join(sorted(filter(_is_invisible, set(text))))
    if not found:
        return text
    return re.sub(f"[{re.escape(found)}]+", _kept, text)


@lru_cache(maxsize=4096)
def _is_invisible(sign: str) -> bool:
    return bool(_IGNORED.match(sign)) or (category(sign) == "Cf" and not _SEEN.match(sign))


def _kept(hidden: re.Match[str]) -> str:
    """Return what stays of invisible characters between two others: one, or what joins two pictures."""
    text, (start, end) = hidden.string, hidden.span()
    before, run, after = text[max(start - 1, 0) : start], text[start:end], text[end : end + 1]
    first = run[0]
    if not before:
        return ""
    if first in _JOINERS and _JOINED.match(before) and category(before)[0] in "LM":
        return first
    if _MONGOLIAN.match(before) and "\u180b" <= first <= "\u180f":
        return first
    if first in _PICTURED and after == "\u20e3" and before in "0123456789#*":  # a key: 1, selector, box
        return first
    if not (category(before) == "So" or _SKINS.match(before)):
        return ""
    picture = first if first in _PICTURED else ""
    joins = run[len(picture) :].startswith("\u200d") and after and category(after) == "So"
    return picture + ("\u200d" if joins else "")
