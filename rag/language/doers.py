"""Whether a text may say who does something: "The lamp is changed after 9,000 hours." does not. Ground floor.

By form alone, and in doubt it may: only sentences that begin with what the question names, and have no doer after "by",
no name and nobody beside it, are known to tell none.
"""

import re

from rag.language.text import sentence_spans, stems

ASKS_DOER = re.compile(
    r"^\W*who (?:(?:may|can|could|must|should|shall|will|would|has to|have to|had to|usually|normally|first) )?"
    r"(?P<verb>(?!(?:is|are|was|were|am|be|do|does|did|has|have|had|else|the|can|may|must|gets?|gains?|receives?|needs?"
    r"|wants?|benefits?|qualif\w+|appl\w+)\b)[a-z]{3,})\b(?= \w)",
    re.IGNORECASE,
)
"""Who does, did or may do something; who somebody is, and who gets something, are other questions."""
_PARTICIPLES = """
    begin:begun break:broken bring:brought build:built buy:bought catch:caught choose:chosen do:done draw:drawn
    drive:driven feed:fed find:found give:given grow:grown hang:hung hold:held keep:kept know:known lay:laid lead:led
    leave:left lend:lent light:lit make:made meet:met pay:paid ring:rung sell:sold send:sent sew:sewn show:shown
    sing:sung speak:spoken spend:spent steal:stolen sweep:swept swim:swum take:taken teach:taught tell:told throw:thrown
    wear:worn win:won write:written
"""
_IRREGULAR = {form: verb for verb, _, form in (pair.partition(":") for pair in _PARTICIPLES.split())}
"""Verbs by the participles that their stems do not show."""
_DONE_BY = r"\b(?:is|are|was|were|be|been) (?:\w+ ){0,3}?(?P<form>[a-z]+) (?:[a-z]+ ){0,4}?by (?!\d|hand\b|\w+ing\b)"
_PASSIVE = r"\b(?:is|are|was|were|be|been|being|gets?|got) (?:\w+ ){0,2}?"
_POINTS_BACK = re.compile(r"\W*(?:it|they|this|these|that|those)\b", re.IGNORECASE)
_ANYBODY = re.compile(
    r"\b(?:you|we|us|I|he|she|they|who|whom|whoever|whose|one|ones|anyone|anybody|everyone|everybody|nobody|someone"
    r"|somebody|all|both|other|others|most|some|any|only|people|persons?|staff|crew|team|your|our|his|her|their)\b"
)
_CASE = re.compile(
    r"^\W*(?:when|whenever|if|where|before|after|until|once|as soon as|while|unless)\b(?:[^,;]|,(?=\d))*,\s+",
    re.IGNORECASE,
)
"""In which case something is done: who is named there need not be who does it."""
_HOW_MANY_PEOPLE = re.compile(
    r"\bfor (?:at (?:most|least) |up to |about )?(?:\d+|[a-z]+) (?:people|persons?)\b|\bat (?:any|all)\b|\bnot at all\b"
)
_NAMED = re.compile(
    r"(?<=[\w,;] )(?!(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)\b)[A-Z][\w’'-]*"
)
_NOUNS = (
    r"(?:(?!(?:is|are|was|were|has|have|must|may|can|in|on|at|of|and|or|by|to|from|for|with|through|before|after|until"
    r"|the|an?)\b)[^\W\d_]+[ -]?\b){1,3}"
)
_WITH_ARTICLE = re.compile(rf"(?P<before>\b\w+ )?\b(?:the|an?|each|every) (?P<nouns>{_NOUNS})", re.IGNORECASE)
_BARE = re.compile(
    rf"\b(?:(?:by|to|from|through) (?!(?:the|an?|each|every|hand|\w+ing)\b)|with (?=\w+s\b))(?P<nouns>{_NOUNS})"
)
"""With no article: `by helpers`, `with members`, not `with wax`."""
_OF_PLACE = frozenset(
    """
    in on at after before until during within into onto under over above below behind beside near around along across
    inside outside since once twice times for past between
    """.split()  # noqa: SIM905
)
_TIMES = frozenset(
    ("second", "minut", "hour", "day", "night", "week", "month", "quarter", "year", "season", "end", "time")
)


def names_no_doer(question: str, text: str) -> bool:
    """Return whether a question asks who does something, and a text says of the thing only what is done or how it is.

    >>> names_no_doer("Who changes the lamp?", "The lamp is changed after 9,000 hours.")
    True
    >>> names_no_doer("Who changes the lamp?", "The lamp is changed by the porter.")
    False
    """
    asked = ASKS_DOER.match(question)
    if asked is None or " or " in question or "|" in text or ":" in text:  # `or`: it names those to choose from
        return False
    given, verbs = frozenset(stems(question)), frozenset(stems(asked["verb"]))
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    return bool(sentences) and all(_tells_nobody(sentence, given, verbs) for sentence in sentences)


def names_doer(question: str, text: str) -> bool:
    """Return whether a text says by whom the deed is done that a question asks the doer of.

    >>> names_doer("Who teaches the course?", "It is taught by Ada Lund."), names_doer("Who teaches it?", "By hand.")
    (True, False)
    """
    asked = ASKS_DOER.match(question)
    verbs = frozenset(stems(asked["verb"])) if asked else frozenset()
    forms = (match["form"] for match in re.finditer(_DONE_BY, text))
    return any(verbs & frozenset(stems(f"{form} {_IRREGULAR.get(form, '')}")) for form in forms)


def _tells_nobody(sentence: str, given: frozenset[str], verbs: frozenset[str]) -> bool:
    """Return whether a sentence is about what the question names, and has no doer as far as its form shows."""
    sentence = _CASE.sub("", sentence)
    first = stems(sentence)[:1]
    if not first or not (first[0] in given or _POINTS_BACK.match(sentence)):
        return False
    said = _POINTS_BACK.sub("", _HOW_MANY_PEOPLE.sub(" ", sentence), count=1)
    if _ANYBODY.search(said) or any(given.isdisjoint(stems(name)) for name in _NAMED.findall(said)):
        return False
    if any(_is_somebody(match["nouns"], given) for match in _BARE.finditer(said)):
        return False
    for match in _WITH_ARTICLE.finditer(said):
        is_place = (match["before"] or "").strip().casefold() in _OF_PLACE
        if not is_place and _is_somebody(match["nouns"], given):
            return False
    return not verbs & frozenset(stems(re.sub(rf"{_PASSIVE}\w+", " ", said)))


def _is_somebody(nouns: str, given: frozenset[str]) -> bool:
    """Return whether some nouns may name a doer: neither what the question names nor a time."""
    found = frozenset(stems(nouns))
    return bool(found) and found.isdisjoint(given | _TIMES)
