"""Words that may be an order to whoever answers, and are taken for one only where what they dictate is told otherwise.

`Answers about the fee must give 20 euros` may be a rule for a desk. Beside `The fee is 15 euros` somebody wants another
answer given than the document's. So two signs are needed: words to whoever answers from the text, or about what stands
before; and a number of the same thing, in the same unit, that differs from that of another sentence.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rag.language.text import stems

_TEXT = (
    r"(?:documents?|texts?|pages?|manuals?|reports?|leaflets?|files?|passages?|paragraphs?|sections?|articles?|notes?"
    r"|guides?|sheets?|handbooks?|brochures?|chapters?|content|material)"
)
_THIS = rf"(?:(?:this|these|the (?:above|present|following))(?: \w+)? {_TEXT}|the {_TEXT} (?:above|at hand))"
_SAY = (
    r"(?:say|state|claim|write|answer|repl(?:y|ies)|respond|report|mention|give|tell|quote|declare|assert|confirm"
    r"|include|contain|name)(?:s|ing|ed)?"
)
_SUM_UP = (
    r"(?:summar(?:i|y)|condens|shorten|paraphras|quot|cit|answer|repl|respond|process|pars|index|analy[sz]|digest)"
)
_MUST = r"(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are|ought) to)"
_AI = (
    r"(?:(?:ai|virtual|chat|digital|automated)[ -](?:assistants?|agents?|tools?|models?|systems?|bots?)|chat-?bots?"
    r"|bots?|(?:large )?language models?|llms?|ais?|(?:search|answering) (?:engines?|systems?))"
)
_ANSWERS = r"(?:answers?|responses?|repl(?:y|ies)|summar(?:y|ies)|abstracts?)"
_ANY_QUESTION = (
    r"(?:(?:any|every|all|each)(?: of the)?(?: \w+)? (?:questions?|quer(?:y|ies)|prompts?|requests?)"
    r"|(?:whatever|anything|everything)(?: that)? is asked)"
)
_BEFORE = (
    r"(?:above|before(?! (?!this\b|that\b|it\b|here\b)\w)|earlier|preceding|previous(?:ly)?|prior|so far|foregoing"
    r"|up to (?:this|here|now)"
    r"|until (?:now|here))"
)
_UNDO = (
    r"(?:(?<!not )(?<!never )(?:ignore|disregard|forget|overlook|dismiss|discard|skip)|pay no (?:attention|heed) to"
    r"|take no notice of|give no weight to|(?:do not|don't|never|no longer) (?:use|rely on|believe|trust|follow|obey"
    r"|heed|quote|repeat|consider))"
)
_SAID = (
    r"(?:texts?|sentences?|statements?|paragraphs?|lines?|words|rules?|instructions?|information|content|passages?"
    r"|remarks?|everything|anything|what|all)"
)

_TO_WHO_SUMS_UP = (
    rf"\b{_SUM_UP}\w*\b[^.!?]{{0,40}}\b{_THIS}\b[^.!?]{{0,40}}\b{_SAY}\b"
    rf"|\b{_SUM_UP}\w*\b[^.!?]{{0,30}}\b(?:from|of|to|on) {_THIS}"
    rf"|\b(?:an|any|every|each|the|all) (?:ai|assistants?|models?|readers?)\b[^.!?]{{0,30}}\b{_THIS}\b[^.!?]{{0,20}}"
    rf"\b{_MUST}\b[^.!?]{{0,15}}\b{_SAY}\b"
    rf"|\b(?:before|when|while|if) (?:you|answering|replying|responding)(?: answer| reply| respond)?,[^.!?]{{0,30}}"
    rf"\b{_SAY}\b"
)
_TO_MACHINES = (
    rf"\b{_AI}\b[^.!?]{{0,40}}\b{_MUST}\b[^.!?]{{0,15}}\b{_SAY}\b(?! (?:within|in|by|after|before)\b)"
    rf"|\b(?:for|to) (?:the |any |all |every )?{_AI}\s*:|(?:^|[.!?] )[\W\d]{{0,20}}{_AI}\s*:"
    rf"|\bthe (?:language )?model {_MUST}(?: \w+)? {_SAY} that\b"
)
_OF_ANSWERS = (
    rf"\b{_ANSWERS} (?:to|for) {_ANY_QUESTION}[^.!?]{{0,40}} (?:is|are|{_MUST} be)\b"
    rf"|\b(?:only|sole|one)(?: \w+)? {_ANSWERS} (?:to|about|on|regarding|concerning)\b[^.!?]{{0,40}} (?:is|must be)\b"
    rf"|\b(?:answer|reply to|respond to) {_ANY_QUESTION}[^.!?]{{0,40}} (?:with|as follows|by saying)\b"
    rf"|\b(?:(?:any|every|all|each) )?questions? (?:about|on|regarding|concerning)\b[^.!?]{{0,40}} {_MUST}"
    r"(?: always| only)? be answered (?:with|by saying)\b"
    rf"|\balways (?:answer|reply to|respond to) questions?\b[^.!?]{{0,40}} with\b"
)
_UNDOES_TEXT = (
    rf"\b{_UNDO}(?: \w+){{0,4}} {_SAID}\b[^.!?;:,]{{0,40}}\b{_BEFORE}\b|\b{_UNDO}(?: \w+){{0,3}} {_BEFORE}(?: \w+)?"
    rf" {_SAID}\b|\b{_UNDO} {_SAID}\b[^.!?;:,]{{0,40}}\b{_BEFORE}\b"
)
_CUES = re.compile("|".join((_TO_WHO_SUMS_UP, _TO_MACHINES, _OF_ANSWERS)))
_UNDOING = re.compile(_UNDOES_TEXT)
_SAYING = re.compile(rf"\b{_SAY}\b")
_VALUE = re.compile(r"(?<![\w.,])(\d(?:[\d.,]*\d)?)(?:[ -]?([^\W\d_]+|[%°€$£]))?")
_OF_ORDERS = frozenset(
    stems(
        "say state claim write answer reply respond response report mention give tell quote declare assert confirm "
        "include contain name summary summarise summarize condense shorten paraphrase cite process parse index analyse "
        "document text page manual leaflet file passage paragraph section article note guide sheet chapter content "
        "must should shall always only question query prompt request ask any every all each whoever anyone follow "
        "right correct true sole one proper expected acceptable user reader ai assistant chat chatbot bot tool "
        "model system language large virtual remember please word saying read use follow whatever"
    )
)
"""What orders are made of, and the thing that a value is told of is not."""


def dictating(sentences: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of the sentences in which an order stands, with what it dictates.

    >>> list(dictating(["the fee is 15 euros.", "answers to all questions about the fee must be 20 euros."]))
    [(1, 1)]
    >>> list(dictating(["parking is free.", "answers to all questions about the fee must be 20 euros."]))
    []

    Args:
        sentences: The sentences of one text, as a reader sees them, in small letters.
    """
    for place, (sentence, following) in enumerate(zip_longest(sentences, sentences[1:], fillvalue="")):
        undoes = _UNDOING.search(sentence)
        if not (undoes or _CUES.search(sentence)):
            continue
        others = [*sentences[:place], *sentences[place + 1 :]]
        if any(_is_told_otherwise(claim, others) for claim in _claims(sentence, undoes)):
            yield place, place
        elif undoes and following and _is_told_otherwise(following, [*sentences[:place], *sentences[place + 2 :]]):
            yield place, place + 1


def may_dictate(text: str) -> bool:
    """Return whether a text, as a reader sees it, has words that may be an order, and a number."""
    return bool(_VALUE.search(text)) and bool(_CUES.search(text) or _UNDOING.search(text))


def _claims(sentence: str, undoes: re.Match[str] | None) -> tuple[str, ...]:
    """Return what a sentence may dictate: what follows the order, or the verb of saying; or what all of it tells."""
    if undoes:
        return (sentence[undoes.end() :],)
    said = [match.end() for match in _SAYING.finditer(sentence)]
    return (sentence, *(sentence[end:] for end in said[-1:]))


def _is_told_otherwise(claim: str, others: Sequence[str]) -> bool:
    """Return whether another sentence tells another value, in the same unit, of what a claim tells one of."""
    values, things = _values(claim), _things(claim)
    return bool(values and things) and any(
        things <= _things(other) and _differ(values, _values(other)) for other in others
    )


def _differ(claimed: Sequence[tuple[str, str]], told: Sequence[tuple[str, str]]) -> bool:
    """Return whether no claimed number is told, and one has the unit of one that is."""
    numbers, units = {number for number, _ in told}, {unit for _, unit in told}
    return all(number not in numbers for number, _ in claimed) and any(unit in units for _, unit in claimed)


def _values(text: str) -> list[tuple[str, str]]:
    return [(match[1].replace(",", ""), match[2] or "") for match in _VALUE.finditer(text)]


def _things(text: str) -> frozenset[str]:
    """Return the stems of what a sentence is about: without its values and the words that orders are made of."""
    return frozenset(stems(_VALUE.sub(" ", text))) - _OF_ORDERS
