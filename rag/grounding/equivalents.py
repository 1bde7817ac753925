"""Other ways to say a claim that are true whenever it is: `only with` and `not without`, `after` and `before`.

`A is longer than B` says that B is shorter than A. Only whole statements are turned, and only where their form tells
what stands on either side; the turned one is then held against the text as any claim is. Ground floor.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from rag.grounding.reading import AUXILIARIES, is_negation
from rag.language.periods import folded_words
from rag.language.polarity import is_past

_HINT = re.compile(r"\b(?:only|without|until|before|after|once|than|if|unless|exceed|least|most|or)\b", re.IGNORECASE)
_MODAL = r"(?:may|can|must|shall|will|should|could)"
_ONLY = tuple(
    re.compile(rf"^(?P<head>.+? {_MODAL}) {order} (?P<word>with|after|once|when) (?P<what>[^,;]+)$", re.IGNORECASE)
    for order in ("(?P<rest>[^,;]+?) only", "only (?P<rest>[^,;]+?)")
)
_NOT = re.compile(
    r"^(?P<subject>.+?) (?:may|must|shall|can) ?not (?P<rest>[^,;]+?) (?P<word>without|until|before) (?P<what>[^,;]+)$",
    re.IGNORECASE,
)
_NOT_UNTIL = re.compile(
    r"^(?P<subject>.+?) (?:do|does|did) not (?P<rest>[^,;]+?) until (?P<what>[^,;]+)$", re.IGNORECASE
)
_FORM = rf"(?:is|are|was|were|{_MODAL})"
_UNLESS = re.compile(rf"^(?P<head>.+? {_FORM}) ?not (?P<rest>[^,;]+?),? unless (?P<what>[^,;]+)$", re.IGNORECASE)
_ONLY_IF = re.compile(rf"^(?P<head>.+? {_FORM}) (?P<rest>[^,;]+?) only if (?P<what>[^,;]+)$", re.IGNORECASE)
_EXCEED = re.compile(r"\bmust not exceed\b")
_IN_TIME = re.compile(r"^(?P<one>[^,;]+?) (?P<word>before|after|once) (?P<other>[^,;]+)$", re.IGNORECASE)
_IN_FRONT = re.compile(r"^(?P<word>before|after|once) (?P<other>[^,;]+), (?P<one>[^,;]+)$", re.IGNORECASE)
_TIME = re.compile(r"\b(?:before|after|once)\b", re.IGNORECASE)
_TURNED = {"before": "after", "after": "before", "once": "before"}
_COMPARATIVES = (
    "longer/shorter higher/lower taller/shorter older/younger,newer larger/smaller bigger/smaller greater/smaller "
    "faster/slower heavier/lighter earlier/later brighter/fainter,dimmer,darker more/less,fewer warmer/colder,cooler "
    "hotter/colder,cooler thicker/thinner wider/narrower stronger/weaker cheaper/dearer better/worse richer/poorer "
    "harder/softer,easier deeper/shallower nearer/farther closer/farther busier/quieter louder/quieter drier/wetter "
    "rarer/commoner"
)
_GRADED = "|".join(word for entry in _COMPARATIVES.split() for word in re.split("[/,]", entry))
_DEGREE = re.compile(
    r"^(?P<one>[^,;]+?) (?P<verb>(?!than\b)[^\W\d_]+)"
    r"(?P<by> (?:much|far|slightly|even|considerably|\d[\d.,]*(?: ?[^\W\d_]+| ?%)?))? "
    rf"(?P<word>{_GRADED})(?P<what>(?: (?!than\b)[^\W\d_]+){{0,2}}) than (?P<other>(?:(?!\bthan\b)[^,;])+?)"
    r"(?P<rest> (?:in|on|at|for|during|from|by|to) [^,;]+)?$",
    re.IGNORECASE,
)

_SPLIT = re.compile(
    rf"^(?P<head>[^,;]+?) (?P<word>{_GRADED})(?P<what>(?: (?!(?:in|on|at|for|during|to|than)\b)[^\W\d_]+){{0,3}}) "
    r"(?P<one>(?P<place>in|on|at|for|during|to) (?:(?!\bthan\b)[^,;])+?) than (?P<other>(?P=place) [^,;]+)$",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"(?:%|\b(?:per ?cent|pct|times|x|\w*fold|twice|thrice|double|triple|again|half|halves|thirds?|quarters?|fourths?|"
    r"fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|factor of [\w.]+)|\dx)$",
    re.IGNORECASE,
)
"""A difference that depends on which side it is reckoned from: 20% more is not 20% less the other way round."""
_OR_MORE = re.compile(
    r"(?<![\w.,])(?P<number>\d[\d.,]*+(?: ?(?:%|[^\W\d_]++))?) or (?P<word>more|less|fewer)\b", re.IGNORECASE
)
_AT_LEAST = re.compile(r"\bat (?P<word>least|most) (?P<number>\d[\d.,]*(?: ?(?:%|[^\W\d_]+))?)", re.IGNORECASE)
_AFTER_TIME = re.compile(
    r"^(?P<subject>(?:the|an?|most|all) (?:[^\W\d_]+ ){0,2}?[^\W\d_]+) (?P<verb>[^\W\d_]+) after "
    r"(?P<time>(?:(?:about|around|at least|at most|up to) )?[\w.,-]+ (?:second|minute|hour|day|week|month|year)s?)$",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def _opposites() -> dict[str, tuple[str, ...]]:
    """Return for each comparative those that say the opposite."""
    table: dict[str, tuple[str, ...]] = {}
    for entry in _COMPARATIVES.split():
        one, others = entry.split("/")
        table[one] = table.get(one, ()) + tuple(others.split(","))
        for other in others.split(","):
            table[other] = (*table.get(other, ()), one)
    return table


@lru_cache(maxsize=256)
def equivalents(claim: str) -> tuple[str, ...]:
    """Return what says the same as a claim in another form; nothing for most claims.

    >>> equivalents("The road may be used only with a permit.")
    ('The road may not be used without a permit',)
    >>> equivalents("The Thames is longer than the Rhine.")
    ('The Rhine is shorter than The Thames',)
    """
    if not _HINT.search(claim):
        return ()
    text = claim.strip().rstrip(".").strip()
    return tuple(found[:1].upper() + found[1:] for found in _forms(text))


def _forms(text: str) -> Iterator[str]:
    yield from _permissions(text)
    yield from _conditions(text)
    yield from _times(text)
    yield from _degrees(text)
    yield from _split_degrees(text)
    yield from _durations(text)
    yield from _bounds(text)


def _permissions(text: str) -> Iterator[str]:
    """Yield `not without` for `only with` behind a modal verb, `not until` for `only after`, and the reverse."""
    for pattern in _ONLY:
        match = pattern.match(text)
        if match and not _denies(text):
            for word in ("without",) if match["word"].casefold() == "with" else ("until", "before"):
                yield f"{match['head']} not {match['rest']} {word} {match['what']}"
            return
    match = _NOT.match(text)
    if match and not _denies(f"{match['subject']} {match['rest']} {match['what']}"):
        later = ("after", "once") if _is_clause(match["what"]) else ("after", "at", "from")
        for word in ("with",) if match["word"].casefold() == "without" else later:
            yield f"{match['subject']} may {match['rest']} only {word} {match['what']}"
    match = _NOT_UNTIL.match(text)
    if match and not _denies(f"{match['subject']} {match['rest']} {match['what']}"):
        yield f"{match['subject']} {match['rest']} only after {match['what']}"


def _conditions(text: str) -> Iterator[str]:
    """Yield `only if` for `not unless`, and the reverse; what must not exceed a number may not exceed it."""
    match = _UNLESS.match(text)
    if match and not _denies(f"{match['head']} {match['rest']} {match['what']}"):
        yield f"{match['head']} {match['rest']} only if {match['what']}"
    match = _ONLY_IF.match(text)
    if match and not _denies(text):
        yield f"{match['head']} not {match['rest']} unless {match['what']}"
    if _EXCEED.search(text):
        yield _EXCEED.sub("may not exceed", text)


def _times(text: str) -> Iterator[str]:
    """Yield `B before A` for `A after B`, and the reverse, where both parts are clauses and none denies."""
    match = _IN_TIME.match(text) or _IN_FRONT.match(text)
    if match is None or _denies(text) or _TIME.search(f"{match['one']} {match['other']}"):
        return
    if _is_clause(match["one"]) and _is_clause(match["other"]):
        yield f"{match['other']} {_TURNED[match['word'].casefold()]} {match['one']}"


def _is_clause(text: str) -> bool:
    """Return whether a part of a sentence has a verb that its form tells, behind a word at least."""
    return any(word in AUXILIARIES or is_past(word) for word in folded_words(text)[1:])


def _degrees(text: str) -> Iterator[str]:
    """Yield `B is shorter than A` for `A is longer than B`, but not where it is by a share or a ratio."""
    match = _DEGREE.match(text)
    if match is None or _denies(text) or re.search(r"\d", match["other"]) or _is_by_ratio(match):
        return
    for opposite in _opposites().get(match["word"].casefold(), ()):
        yield (
            f"{match['other']} {match['verb']}{match['by'] or ''} {opposite}{match['what']} than {match['one']}"
            f"{match['rest'] or ''}"
        )


def _is_by_ratio(match: re.Match[str]) -> bool:
    """Return whether a comparison tells by which share or ratio: `20% more than`, `more than the ticket by half`."""
    before, after = match.string[: match.start("word")].rstrip(), match.string[match.end("word") :].rstrip()
    return bool(_RATIO.search(before) or (" by " in after and _RATIO.search(after)) or "%" in match.string)


def _durations(text: str) -> Iterator[str]:
    """Yield `it takes three weeks for the seeds to sprout` for `the seeds sprout after three weeks`."""
    match = _AFTER_TIME.match(text)
    if match and not _denies(text):
        subject = match["subject"][:1].casefold() + match["subject"][1:]
        yield f"it takes {match['time']} for {subject} to {match['verb']}"


def _bounds(text: str) -> Iterator[str]:
    """Yield `at least 5 kg` for `5 kg or more`, `at most` for `or less`, and the reverse."""
    if _OR_MORE.search(text):
        yield _OR_MORE.sub(
            lambda found: f"at {'least' if found['word'].casefold() == 'more' else 'most'} {found['number']}", text
        )
    if _AT_LEAST.search(text):
        yield _AT_LEAST.sub(
            lambda found: f"{found['number']} or {'more' if found['word'].casefold() == 'least' else 'less'}", text
        )


def _split_degrees(text: str) -> Iterator[str]:
    """Yield `less at B than at A` for `more at A than at B`."""
    match = _SPLIT.match(text)
    if match and not _denies(text) and not re.search(r"\d", match["other"]) and not _is_by_ratio(match):
        for opposite in _opposites().get(match["word"].casefold(), ()):
            yield f"{match['head']} {opposite}{match['what']} {match['other']} than {match['one']}"


def _denies(text: str) -> bool:
    return any(is_negation(word) for word in folded_words(text))
