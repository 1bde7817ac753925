"""Follow-ups that have the same words in every conversation: why is that, what else, tell me more."""

import re

from rag.followups.beside import beside, said_in
from rag.followups.casing import capital
from rag.followups.forms import ASKED_BARE, ELSE, EXAMPLE, GOING_ON, MORE, ONE_NOUN_ASKED, WHY
from rag.followups.grammar import words_of
from rag.followups.reasked import with_else, with_not, with_noun_asked, with_question_word


def of_fixed_form(body: str, before: str) -> str | None:
    """Read what has the same words in every conversation: "Why is that?", "What else?", "Tell me more."."""
    if MORE.match(body):
        return before
    if EXAMPLE.match(body):
        return f"Give an example: {before}"
    if WHY.match(body):
        return with_question_word(said_in(before), "Why") or beside("Why?", before)
    if re.match(r"^why not\W*$", body, re.IGNORECASE):
        read = with_question_word(said_in(before), "Why")
        return with_not(read) if read else beside("Why not?", before)
    if other := ELSE.match(body):
        return with_else(said_in(before), other["asks"].lower()) or beside(body, before)
    if GOING_ON.match(body):
        return beside(capital(body), before)
    if other_noun := with_noun_asked(body, said_in(before)):
        return other_noun
    if (bare := ASKED_BARE.match(body)) and _is_question_phrase(bare["asks"]):
        return with_question_word(said_in(before), capital(bare["asks"])) or beside(body, before)
    if ONE_NOUN_ASKED.match(body) and all(
        word.kind in ("asks", "adverb", "noun") for word in words_of(body.rstrip("?!. "))
    ):
        return beside(capital(body), before)
    return None


def _is_question_phrase(asks: str) -> bool:
    """Whether words are only asked with: "by which cells", "how often"; not "which boiler" and not "what burns"."""
    words = words_of(asks)
    is_short = len(words) == 1 or (words[0].low == "how" and len(words) == 2 and words[1].kind != "auxiliary")
    is_led = words[0].kind == "preposition" and len(words) <= 3 + (words[1].low == "how")
    return (is_short or is_led) and not any(word.kind in ("auxiliary", "verb", "pronoun") for word in words)
