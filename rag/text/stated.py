"""Sentences as they are quoted: on one line, without the document's own markers. Ground floor."""

import re
from typing import Final

MARK: Final = re.compile(r"(?:[-*•‣◦▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")  # what an item of a list begins with
_NUMBERED: Final = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivx]{1,5})[.)\]]")
_NUMBERS: Final = r"\d{1,3}(?:\s*(?:,|;|-|–|and|&)\s*\d{1,3})*"
_OWN_MARKERS: Final = re.compile(
    rf"(?<!\s)\s*(?:\[\s*(?:passages?\s*)?{_NUMBERS}\s*\]|【\s*{_NUMBERS}(?:†[^】]*)?\s*】)", re.IGNORECASE
)
"""The document's own markers, as `[12]`, with the white space before.

Begun only where white space begins: tried at each of its characters a long stretch would cost its square.
"""
_STRONG: Final = re.compile(r"(?<!\w)\*\*(?=\S)([^*]+)(?<=\S)\*\*(?!\w)")


def on_one_line(sentence: str) -> str:
    """Return a sentence as it is quoted: the document's own `[12]` and emphasis are dropped, and it ends with a stop.

    >>> on_one_line("Wear **nitrile**\\ngloves [12]")
    'Wear nitrile gloves.'
    """
    text = " ".join(_STRONG.sub(r"\1", _OWN_MARKERS.sub("", sentence)).split())
    return text if not text[-1:].isalnum() else f"{text}."


def is_numbered(item: str) -> bool:
    """Return whether an item of a list has a number or a letter, as the steps of a procedure have.

    >>> is_numbered("b) Close the valve."), is_numbered("- gloves")
    (True, False)
    """
    return _NUMBERED.match(item) is not None


def announces(sentence: str) -> bool:
    """Return whether a sentence announces what comes after it: it ends with a colon.

    >>> announces("**Bring these:**"), announces("Bring gloves.")
    (True, False)
    """
    return sentence.rstrip("*_ ").endswith(":")


def is_sentence(text: str) -> bool:
    """Return whether a text has the form of a sentence: it begins with a capital or a digit and ends with a stop.

    >>> is_sentence("Wear gloves."), is_sentence("are a relative"), is_sentence("Gloves")
    (True, False, False)
    """
    bare = text.strip("*_ ")
    return (bare[:1].isupper() or bare[:1].isdigit()) and bare.endswith((".", "!", "?"))


def bare(text: str) -> str:
    """Return the letters and digits of a text, case folded: what two quotations are compared by.

    >>> bare("Wear  gloves!")
    'weargloves'
    """
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def without_mark(text: str) -> str:
    """Return an item of a list without what it begins with.

    >>> without_mark("2. Wear gloves."), without_mark("Wear gloves.")
    ('Wear gloves.', 'Wear gloves.')
    """
    mark = MARK.match(text)
    return text[mark.end() :] if mark else text
