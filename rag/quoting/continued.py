"""What goes on about the quoted sentence's thing and tells what was asked of it: whether, why or how. Ground floor.

"Nervous patients may have the gas." is near the question whether a girl of 4 may have it, and what decides is what goes
on: "It is given from the age of five." It shares no word with the question but through the sentence before it.
"""

import re
from collections.abc import Sequence

from rag.language.quantities import quantities
from rag.language.text import stems
from rag.models import RetrievedChunk
from rag.quoting.company import Place
from rag.quoting.layout import layout_of

ASKS_WHETHER = re.compile(
    r"(?:^\W*|[,.!;:]\s*(?:(?:so|and|but|then) )?)"
    r"(?:can|may|could|might|must|should|shall|am|is|are|do|does|did|will|would|has|have|was|were)\b",
    re.IGNORECASE,
)
"""A question for yes or no, also after a sentence of situation: `I am 17. May I drive?`"""
_ASKS_WHY = re.compile(
    r"\b(?:why|how come|what for|for what reason|what(?:['’]s| is| was) the reason)\b", re.IGNORECASE
)
_ASKS_HOW = re.compile(r"\bhow (?:do|does|did|is|are|was|were|can|should|must|will)\b", re.IGNORECASE)
_DECIDES = re.compile(
    r"\d|\b(?:may|must|can|cannot|never|not|only|allowed|permitted|forbidden|banned|prohibited|needs?|refused?|without|no"
    r"|nobody|none|nothing|nor|neither|except|unless|always|any|every|both|either|free|provided|included|obliged|required"
    r"|optional|(?:has|have|is|are) to|welcome)\b",
    re.IGNORECASE,
)
"""Words that allow, forbid, demand or limit."""
_REASON = re.compile(
    r"\b(?:because|since|due to|so that|so as|in order|therefore|thus|as a result|to avoid|causes?|caused|reasons?"
    r"|prevents?|leads? to|otherwise|comes from|came from|lest|for fear|else"
    r"|to (?:keep|stop|save|make|let|protect|spare)|as (?:it|they|he|she|the|this|that|an?|each))\b"
    r"|, (?:as|for|so|or|which) ",
    re.IGNORECASE,
)
_OF_IT = re.compile(
    r"\W*(?:\d[\d.]* )?"
    r"(?:(?:when|if|after|before|until|with|without|for|in|on|at|by|from|once|as|since|whether|but|and|however|then|only"
    r"|even|also)\b(?: [\w’'-]+){0,6}?,? )?"
    r"(?:it|they|this|that|these|those|them|he|she|its|their|his|her|there(?! (?:is|are|was|were)\b)|both|either"
    r"|neither|none|here)\b",
    re.IGNORECASE,
)
"""How a sentence begins that says more of what the one before is about: `When moving out, they need not ...`."""
_OF_THE_THING = re.compile(
    r"\W*(?:the|such|any|every|each|an?(?= \w+er\b| (?:other|different)\b)) (?P<thing>(?:[\w-]+ )?[\w-]{3,})",
    re.IGNORECASE,
)
"""How a sentence begins that names the thing again, `The machines ...`, or another one, `A narrower blade ...`."""
_OF_A_CASE = re.compile(r"\W*(?:\d[\d.]* )?(?:if|when|whenever|where|unless|in case|should)\b", re.IGNORECASE)
_MEANS_IT = re.compile(r"\b(?:it|they|them|this|these)\b", re.IGNORECASE)
_ASKS_FIGURE = re.compile(
    r"\b(?:what|which|when|how (?:long|much|many|far|fast|high|deep|often|big|large|heavy|wide|hot|cold|warm))\b",
    re.IGNORECASE,
)


def with_continuation(
    question: str, chosen: Sequence[Place], best: Place, hits: Sequence[RetrievedChunk], limit: int
) -> list[Place]:
    """Return what is quoted with the sentence after the best one, where it goes on about its thing and tells more.

    That is, in one paragraph: where one asks whether, what allows, forbids or limits; where one asks why and the best
    sentence gives no reason, what gives one or goes on; where one asks how, what goes on; and of a figure the other one
    that holds in a case: `If it is warmer, keep it closed for 20 minutes.`

    Args:
        question: The question.
        chosen: What is quoted, in the order it is read.
        best: The best sentence, one of them.
        hits: The passages.
        limit: The most sentences of the whole answer.
    """
    hit = hits[best.passage - 1]
    layout, texts = layout_of(hit), hit.sentence_texts
    after = Place(best.passage, best.index + 1)
    is_beside = after.index <= layout.block(best.index).last and not layout.asks[after.index]
    if after in chosen or len(chosen) >= limit or not is_beside:
        return list(chosen)
    return sorted({*chosen, after}) if _tells(question, texts[best.index], texts[after.index]) else list(chosen)


def _tells(question: str, best: str, after: str) -> bool:
    """Return whether a sentence goes on from the best one before it and tells whether, why or how."""
    goes_on = _goes_on(best, after)
    if _ASKS_FIGURE.search(question) and _gives_figure_for_a_case(best, after):
        return True
    if _ASKS_WHY.search(question):
        return not _REASON.search(best) and (goes_on or bool(_REASON.search(after)))
    if ASKS_WHETHER.search(question) and goes_on and _DECIDES.search(after):
        return True
    return goes_on and bool(_ASKS_HOW.search(question))


def _gives_figure_for_a_case(best: str, after: str) -> bool:
    """Return whether a sentence gives another figure of what the one before measures, for a case that it names."""
    if not _OF_A_CASE.match(after):
        return False
    measured = {(one.unit, one.values) for one in quantities(best) if one.unit}
    others = {(one.unit, one.values) for one in quantities(after) if one.unit} - measured
    is_of_it = bool(_MEANS_IT.search(after)) or not _unmeasured(after).isdisjoint(_unmeasured(best))
    return is_of_it and not {unit for unit, _ in others}.isdisjoint(unit for unit, _ in measured)


def _unmeasured(text: str) -> set[str]:
    """Return the stems of a text without those of its figures and their units."""
    for one in reversed(quantities(text)):
        text = text[: one.start] + text[one.end :]
    return set(stems(text))


def _goes_on(best: str, after: str) -> bool:
    """Return whether a sentence begins with what the one before is about: `it`, or by its name: `The machines ...`."""
    if _OF_IT.match(after):
        return True
    match = _OF_THE_THING.match(after)
    return match is not None and not set(stems(match["thing"])).isdisjoint(stems(best))
