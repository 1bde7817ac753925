"""What a sentence says besides, written out: the denial of `but not if`, the verb that a list says once.

`Trams may cross, but not if it is dark` says that trams may not cross if it is dark; `the hall opens at six and the bar
at eight` that the bar opens at eight. Each statement written out is held against a claim by itself, as any sentence is.
Ground floor.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from rag.grounding.reading import AUXILIARIES, is_negation
from rag.language.periods import folded_words
from rag.language.polarity import is_past
from rag.language.text import is_row, sentence_spans

_NOT_IF = re.compile(
    r"^(?P<main>[^;:()]+?)[,—–]? ?\(?(?:but|though|although|and)? ?(?<= |\()not(?:, however,)? "
    r"(?P<case>(?:if|when|where|while) [^,;:()]+)\)?$"
)
_FORM = re.compile(r"^(?P<subject>.+?) (?P<form>is|are|was|were|may|must|can|could|shall|will|should)\b")
_CLAUSE = frozenset(("who", "which", "that", "whose", "where", "when", "if", "because", "while", "unless", "than"))
_PREPOSITION = r"in|on|at|before|after|until|by|from|during|every|each|daily|weekly|monthly|once|twice|for|with|to"
_TAIL = re.compile(rf"^(?P<head>.+?) (?P<tail>(?P<word>{_PREPOSITION})\b.*)$", re.IGNORECASE)
_PARTS = re.compile(r"; and |, and |; |, | and ")
_PRONOUNS = frozenset(("it", "they", "them", "he", "she", "we", "you", "i", "this", "these", "those", "one", "both"))
_NO_NOUN = frozenset(("the", "a", "an", "its", "their", "his", "her", "our", "your", "each", "every", "no", "all"))
_LONGEST = 5
"""Words of a thing in a list, at most."""


@lru_cache(maxsize=256)
def unfolded(evidence: str) -> tuple[str, ...]:
    """Return the statements that the sentences of a text say besides; none of most texts.

    >>> unfolded("Trams may use the bridge, but not if it is dark.")
    ('Trams may not use the bridge if it is dark.',)
    >>> unfolded("The hall opens at six and the bar at eight.")
    ('the bar opens at eight.',)
    """
    texts = (evidence[start:end].strip().rstrip(".") for start, end in sentence_spans(evidence))
    return tuple(f"{said}." for text in texts if not is_row(text) for said in (*_denied(text), *_listed(text)))


def _denied(text: str) -> Iterator[str]:
    """Yield the denial for the case that `not if` names, of a statement with one verb of a form that takes `not`."""
    match = _NOT_IF.match(text) if " not " in text else None
    main = match["main"].rstrip(" ,—–").removesuffix(" only").rstrip(" ,") if match else ""
    form = _FORM.match(main)
    if match is None or form is None or _CLAUSE & set(folded_words(form["subject"])):
        return
    if any(is_negation(word) for word in folded_words(main)) or " only " in main:
        return
    yield f"{main[: form.end()]} not{main[form.end() :]} {match['case']}"


def _listed(text: str) -> Iterator[str]:
    """Yield the statements of a list whose later parts leave the verb out, with it."""
    if " and " not in text and "; " not in text:
        return
    parts = _PARTS.split(text)
    first = _TAIL.match(parts[0])
    if len(parts) < 2 or first is None or _CLAUSE & set(folded_words(text)):
        return
    verb, head = _verb_of(first["head"]), _head_before_thing(first["head"])
    later = [_TAIL.match(part) for part in parts[1:]]
    for match in later:
        if match is None or not _is_thing(match["head"]) or not _is_like(match["word"], first["word"]):
            return
        if verb:
            yield f"{match['head']} {verb} {match['tail']}"
        elif head and folded_words(match["head"])[0] in _NO_NOUN:
            yield f"{head} {match['head']} {match['tail']}"


def _is_like(word: str, other: str) -> bool:
    """Return whether two phrases tell the like: both a time or how often, or by one preposition."""
    times = {"before", "after", "until", "every", "each", "daily", "weekly", "monthly", "once", "twice"}
    return word.casefold() == other.casefold() or {word.casefold(), other.casefold()} <= times


def _is_thing(text: str) -> bool:
    """Return whether a part begins with a mere noun phrase: no verb that its form tells, no pronoun."""
    words = folded_words(text)
    told = any(word in AUXILIARIES | _PRONOUNS or is_past(word) or is_negation(word) for word in words)
    return 0 < len(words) <= _LONGEST and not told


def _verb_of(head: str) -> str:
    """Return the verb that ends a head, with its form: `the hall opens`, `ponds are limed`; nothing where none does."""
    words = head.split()
    folded = [word.casefold() for word in words]
    if len(words) > 2 and is_past(folded[-1]) and folded[-2] in ("is", "are", "was", "were"):
        return f"{words[-2]} {words[-1]}" if _is_thing(" ".join(words[:-2])) else ""
    if len(words) < 2 or folded[-2] in _NO_NOUN or not _is_thing(" ".join(words[:-1])):
        return ""
    agrees = folded[-1].endswith("s") != folded[-2].endswith("s") and not is_past(folded[-1])
    return words[-1] if agrees and folded[0] in _NO_NOUN else ""


def _head_before_thing(head: str) -> str:
    """Return what stands before the last noun phrase with an article: `Wardens check` of `Wardens check the lamps`."""
    words = head.split()
    place = next((at for at in range(len(words) - 2, 0, -1) if words[at].casefold() in _NO_NOUN), 0)
    plain = words[:place]
    return " ".join(plain) if plain and plain[-1].casefold() not in _NO_NOUN and len(words) - place <= _LONGEST else ""
