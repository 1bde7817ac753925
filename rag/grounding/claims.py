"""What a sentence claims that can be held against a text as written, and what is no claim at all. Ground floor."""

import re
import unicodedata
from functools import lru_cache

from rag.grounding.normal import as_seen, normal_form
from rag.language.letters import letter_names
from rag.language.quantities import Quantity, quantities
from rag.language.quantity_equality import same_quantity
from rag.language.text import compatible, fold, words

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_CAPITAL = re.compile(r"(?<![\w'’])(?=[^\W\d_]*[A-ZÀ-ÖØ-Þ])[^\W_]+(?:[-'’][^\W_]+)*")
_SPELLED = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion"
)
_NUMBER_WORDS = frozenset(_SPELLED.split())
_META = re.compile(
    r"^(?:sure|certainly|of course|great question|okay|ok)\b[ !,.]*$|^(?:sure|certainly|of course)[!,.]\s+(?:here|i)\b"
    r"|^i(?:'m| am| hope| can(?:not|'t)?| could| do(?: not|n't)| will| would|'d|'ll| apologi[sz]e| found| have)\b"
    r"|^(?:let me|please let me|feel free|hope this|if you (?:have|need|want|'d like)|as an ai|as a language model)\b"
    r"|^(?:here (?:is|are)|below (?:is|are)|the following (?:is|are)) (?:the|an?|some|your|my)\b[^.]*:?$"
    r"|^(?:based on|according to|from|given) (?:the|these|this|your) (?:\w+ ){0,2}(?:passages?|context|texts?|sources?"
    r"|information|documents?|excerpts?)[^.]{0,20}[:.]?$"
    r"|\b(?:the|these|this|provided|given|retrieved|above|any of the) (?:\w+ )?(?:passages?|context|excerpts?|sources?"
    r"|provided texts?|documents? provided)\b[^.]{0,30}\b(?:do(?:es)? not|don't|doesn't|did not|cannot|no|lacks?"
    r"|provides?|mentions?|says?|states?|contains?|discuss(?:es)?|describes?)\b"
    r"|^(?:answer|question|note|sources?|references?|citations?|summary|conclusion)\s*:?$"
)
_LEAD_IN = re.compile(
    r"^(?:based on|according to|as (?:stated|mentioned|described|noted|explained|shown|per) in|as per|per|from|in) "
    r"(?:(?:the|these|this|provided|given|retrieved|above|following|supplied) ){0,3}(?:information in (?:the )?)?"
    r"(?:passages?|context|texts?|sources?|information|excerpts?)(?:\s*\d+)?(?: (?:provided|above|given))?\s*,\s*"
    r"|^(?:answer|the answer is)\s*:\s*|^passages? \d+ (?:says?|states?|mentions?|explains?|notes?) that\s+",
    re.IGNORECASE,
)

_SOURCE = re.compile(
    r"^(?:(?:according to|as (?:stated|described|explained|noted|mentioned|set out) in|as per|per) (?:the|this|your)"
    r"|(?P<says>the|this)) (?:(?P<word>[^\W\d_]+) )?(?P<kind>manual|handbook|guide(?:book|lines?)?|rules|rulebook"
    r"|regulations?|policy|document|leaflet|brochure|booklet|notice|instructions|faq|terms)"
    r"(?(says) (?:says?|states?|explains?|notes?|specif(?:y|ies)) that |\s*,\s*)",
    re.IGNORECASE,
)
"""What names the document that a sentence is taken from, as a person would: `According to the manual,`."""


def is_about_passages(text: str) -> bool:
    """Return whether a sentence speaks of the passages or the assistant itself and so states nothing of a subject.

    >>> is_about_passages("I hope this helps!")
    True
    """
    return bool(_META.search(fold(text)))


def strip_lead_in(text: str) -> str:
    """Return a sentence without `According to the passages,` and its kind before it.

    >>> strip_lead_in("Based on the provided passages, gloves are required.")
    'Gloves are required.'
    """
    rest = _LEAD_IN.sub("", text, count=1)
    return rest[:1].upper() + rest[1:] if rest != text else text


def without_source(text: str, evidence: str) -> str:
    """Return a sentence without `According to the manual,` before it, where the evidence itself speaks of no manual.

    >>> without_source("According to the manual, gloves are worn.", "Gloves are worn.")
    'Gloves are worn.'
    >>> without_source("According to the old rules, it is 5.", "The old rules said 5, the new ones 7.")
    'According to the old rules, it is 5.'
    """
    match = _SOURCE.match(text)
    known = fold(evidence) if match else ""
    if match is None or match["kind"].casefold() in known or (match["word"] and match["word"].casefold() not in known):
        return text
    rest = text[match.end() :]
    return rest[:1].upper() + rest[1:]


def numbers_in(text: str) -> list[str]:
    """Return the numerals of a text, as written.

    >>> numbers_in("From 1,500 to 2.5 mg.")
    ['1,500', '2.5']
    """
    return _DIGITS.findall(compatible(text))


def names_in(text: str) -> list[str]:
    """Return the words written with a capital letter, the first of the sentence only where more than that one is.

    >>> names_in("The lab in Basel uses HEPA filters.")
    ['Basel', 'HEPA']
    """
    normal = unicodedata.normalize("NFKC", text)
    found = [match for match in _CAPITAL.finditer(normal) if match[0] != "I"]
    first = re.search(r"[^\W_]", normal)
    return [
        match[0]
        for match in found
        if first is None or match.start() > first.start() or sum(letter.isupper() for letter in match[0]) > 1
    ]


@lru_cache(maxsize=256)
def _words_of(text: str) -> frozenset[str]:
    found = words(text)
    return frozenset(found) | {part for word in found for part in re.split(r"[.,'’]", word)}


@lru_cache(maxsize=256)
def _numerals_of(text: str) -> frozenset[str]:
    return frozenset(numbers_in(text))


@lru_cache(maxsize=256)
def _quantities_of(text: str) -> tuple[Quantity, ...]:
    return quantities(normal_form(text))


def _without_stated(text: str, evidence: str) -> str:
    """Return a sentence with `it` for each number that the evidence states, however it writes it: `3` for `three`."""
    normal = normal_form(text)
    for quantity in reversed(quantities(normal)):
        if any(same_quantity(quantity, stated) for stated in _quantities_of(evidence)):
            normal = f"{normal[: quantity.start]}it{normal[quantity.end :]}"
    return normal


@lru_cache(maxsize=256)
def _letters_of(text: str) -> frozenset[str]:
    return letter_names(unicodedata.normalize("NFKC", text))


def missing_terms(text: str, evidence: str) -> tuple[str, ...]:
    """Return the numbers, number words and names of a sentence that do not stand in the evidence.

    Names are looked for as written; numbers by their value too, in other words (`three`) or another unit of the same
    dimension.

    >>> missing_terms("Basel allows 50 ppm in 3 rooms.", "Basel allows 15 ppm in three rooms.")
    ('50',)
    """
    text, evidence = as_seen(text), as_seen(evidence)
    missing = _missing(text, evidence)
    return _missing(_without_stated(text, evidence), evidence) if missing else missing


def _missing(text: str, evidence: str) -> tuple[str, ...]:
    """Return the numbers, number words and names that are not in the evidence as written."""
    numerals, known = _numerals_of(evidence), _words_of(evidence)
    missing = [numeral for numeral in numbers_in(text) if numeral not in numerals]
    missing += [word for word in words(text) if word in _NUMBER_WORDS and word not in known]
    for name in names_in(text):
        parts = [part.casefold() for part in re.split(r"[-'’]", name)]
        parts = [part for part in parts if len(part) > 1]
        if any(part not in known for part in parts if not part.isdigit()):
            missing.append(name)
    missing += [letter.upper() for letter in sorted(_letters_of(text) - _letters_of(evidence))]
    return tuple(dict.fromkeys(missing))
