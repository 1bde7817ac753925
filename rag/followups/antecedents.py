"""What a pronoun after a question may mean: its subject, what is asked for, and the other things that it names."""

from typing import Final

from rag.followups.phrases import Parts, Phrase, with_s
from rag.followups.words import BE, is_participle, is_verb, word_set

_ANY: Final = ("some", "any", "all", "no", "both")
_MEASURES: Final = word_set(
    "second minute hour day week month year time metre kilometre litre gram kilogram percent cent euro dollar"
)
_UNSAID: Final = ("every", "each", "this", "that", "these", "those")
"""Phrases that begin so are not what a later pronoun means: "every year"."""


def meant(parts: Parts) -> list[Phrase]:
    """Return what a pronoun after the question may mean, the likeliest first: subject, what is asked for, the others.

    >>> from rag.followups.phrases import parts_of
    >>> [phrase.text for phrase in meant(parts_of("How do I replace the filter of the compressor?"))]
    ['the filter of the compressor', 'the compressor']
    >>> [phrase.text for phrase in meant(parts_of("Which gloves are needed for ethers?"))]
    ['the gloves needed for ethers', 'ethers']
    """
    asked = _asked_for(parts)
    end = parts.words[parts.auxiliary_at].end if parts.auxiliary_at is not None else asked.end if asked else 0
    others = [_with_rest(parts, phrase) for phrase in parts.phrases if phrase.start >= end and _may_be_meant(phrase)]
    others = [phrase for phrase in others if not _is_when(parts, phrase)]
    if asked is None:
        return [*others[1:2], *others[:1], *others[2:]] if _brings_up(parts, others) else others
    has_subject = parts.auxiliary in BE and parts.subject
    return [*others[:1], asked, *others[1:]] if has_subject else [asked, *others]


def _brings_up(parts: Parts, others: list[Phrase]) -> bool:
    """Whether something new is asked about of something known: the gym of "Does the hotel have a gym?"."""
    is_of_two = parts.auxiliary in ("do", "does", "did") and len(others) > 1
    return is_of_two and others[0].determiner not in ("a", "an") and others[1].determiner in ("a", "an")


def _may_be_meant(phrase: Phrase) -> bool:
    nouns = [word.low.removesuffix("s") for word in phrase.words if word.kind == "noun"]
    is_measure = len(nouns) == 1 and nouns[0] in _MEASURES and phrase.determiner != "the"
    return phrase.determiner not in _UNSAID and not is_measure and not phrase.text.isdecimal()


def _is_when(parts: Parts, phrase: Phrase) -> bool:
    """Whether a phrase only says when or how: "in autumn", "by train"."""
    before = parts.text[: phrase.start].split()[-1:] or [""]
    is_bare = not phrase.determiner and not phrase.head.is_name
    return is_bare and before[0].lower() in ("in", "on", "at", "by", "with")


def _asked_for(parts: Parts) -> Phrase | None:
    """Return what is asked for, with what the question says of it: "the gloves needed for ethers"."""
    noun = parts.asked_noun
    is_manner = parts.words[0].low == "how" and not parts.asks.lower().startswith(("how many", "how much"))
    if noun is None or parts.words[0].kind == "preposition" or is_manner:
        return None
    if parts.subject:
        links = clause(parts)
    elif parts.auxiliary in BE and parts.said and is_participle(parts.said.split()[0].lower()):
        links = f" {parts.said}"
    else:
        links = f" that {parts.auxiliary} {parts.said}".replace("  ", " ") if parts.said else ""
    return Phrase(
        f"the {noun.text}{links}", noun.start, noun.end, noun.words, _agrees(parts) if not parts.subject else None
    )


def _agrees(parts: Parts) -> bool | None:
    """Return whether the auxiliary or the verb is one of several things; None where its form is the same for one."""
    if parts.auxiliary in ("are", "were", "do", "have") or parts.auxiliary in ("is", "was", "does", "has"):
        return parts.auxiliary in ("are", "were", "do", "have")
    verb = parts.rest.partition(" ")[0].lower()
    return True if not parts.auxiliary and is_verb(verb) and not verb.endswith(("s", "ed")) else None


def clause(parts: Parts) -> str:
    """Return what a subject does, as it is put after what it is done with: "the ports [the server listens on]"."""
    if parts.auxiliary in BE or not parts.said:
        return ""
    verb, _, others = parts.said.partition(" ")
    does = {"have": "has"}.get(verb, with_s(verb))
    done = {"do": verb, "does": does}.get(parts.auxiliary, f"{parts.auxiliary} {verb}")
    return f" {parts.subject} {done} {others}".rstrip()


def _with_rest(parts: Parts, phrase: Phrase) -> Phrase:
    """Return a phrase with the phrases that prepositions join to it: all of them in "what is X of Y for Z"."""
    end = phrase.end
    is_whole = parts.auxiliary in BE and not any(word.kind == "verb" and word.start >= end for word in parts.words)
    for later in parts.phrases:
        between = parts.text[end : later.start].split() if later.start > end else ["", ""]
        if (
            between == ["of"]
            or (between == ["for"] and end == phrase.end)
            or (is_whole and len(between) == 1)
            or between == ["and"]
        ):
            end = later.end
    text = parts.text[phrase.start : end]
    first, _, others = text.partition(" ")
    cut = others if first.lower() in _ANY and others else text
    is_subject = bool(parts.subject) and text.startswith(phrase.text) and parts.subject.startswith(phrase.text)
    return Phrase(cut, phrase.start + len(text) - len(cut), end, phrase.words, _agrees(parts) if is_subject else None)
