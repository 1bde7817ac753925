"""What the question before says, put beside one that leans on it, where its place in it is not sure."""

import re

from rag.followups.antecedents import clause
from rag.followups.phrases import parts_of
from rag.followups.words import BE, DO


def said_in(before: str) -> str:
    """Return the question before without what was put beside it."""
    return re.sub(r"\s*\([^()]*\)$", "", before) or before


def beside(text: str, before: str) -> str:
    """Return a question with what the one before says beside it, as a statement, lest that be answered again."""
    return f"{text} ({_statement(before)})"


def _statement(before: str) -> str:
    """Return what a question is about without asking it, as a heading says it: "class A chemicals kept"."""
    beside = re.search(r"\(([^()]*)\)$", before)
    parts = parts_of(before)
    if beside or not (parts.auxiliary or parts.asks):
        return beside[1] if beside else before.rstrip("?!. ")
    if parts.subject:
        said = re.sub(r"^be ", "", parts.said)
        done = clause(parts).strip() if parts.auxiliary in DO else f"{parts.subject} {said}".strip()
        is_noun_asked = parts.asked_noun is not None and parts.words[0].kind == "asks"
        return f"{parts.asked_noun.text} {done}" if parts.asked_noun and is_noun_asked else done
    named = parts.asked_noun.text if parts.asked_noun else parts.asks.lower()
    auxiliary = "" if parts.auxiliary in BE else parts.auxiliary
    return " ".join(word for word in (named, auxiliary, parts.rest) if word)
