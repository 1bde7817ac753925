"""What is said by the order or the spelling of signs alone: scores such as `3-1`, and URLs. Ground floor."""

import re
from collections.abc import Iterator
from itertools import pairwise

from rag.grounding.reading import Reading
from rag.language.quantities import Quantity
from rag.language.quantity_equality import same_quantity

_JOINTS = frozenset(("to", "–", "—", " - "))
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"“”|]+|(?<![\w@.-])(?:[\w-]+\.)+[a-z]{2,}/[^\s<>\"“”|]*", re.IGNORECASE)
_PREFIX = re.compile(r"^(?:https?://)?(?:www\.)?", re.IGNORECASE)
_END = ".,;:!?'’)]}*_/"


def is_turned(span: Quantity, sentence: Reading) -> bool:
    """Return whether a sentence has the two numbers of `1-3` right next to each other the other way round: `3-1`.

    That is a score or a count of votes, no span from 1 to 3. Neither has a unit.
    """
    if len(span.values) != 2 or span.unit or span.kind != "range":
        return False
    low, high = (Quantity("number", (value,), "", "", 0, 0) for value in span.values)
    stated = sentence.quantities
    return any(
        same_quantity(high, one)
        and same_quantity(low, other)
        and not (one.unit or other.unit)
        and all(token.word in _JOINTS for token in sentence.tokens[place + 1 : behind])
        for (place, one), (behind, other) in pairwise(stated)
    )


def url_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the URLs of a claim that are none of those in the sentence; each is compared as a whole.

    How it begins (`https://`, `www.`) and a slash at its end are not compared, nor is anything where the sentence has
    no URL.
    """
    said = _urls(claim.text) if "." in claim.text else {}
    stated = _urls(sentence.text) if said else {}
    if stated:
        yield from (f"another address than {url}" for key, url in said.items() if key not in stated)


def _urls(text: str) -> dict[str, str]:
    """Return the URLs of a text as written, each under what it is compared by: the host in small letters, the path."""
    found = {}
    for match in _URL.finditer(text):
        url = match[0].rstrip(_END)
        host, slash, path = _PREFIX.sub("", url).partition("/")
        found[host.casefold() + slash + path] = url
    return found
