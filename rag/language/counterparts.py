"""Sentences that tell the counterpart of what is asked: what the other party does, with for without. Ground floor."""

import re
from functools import lru_cache

from rag.language.asked import understand
from rag.language.text import stems

_MODAL = r"(?:shall|must|may|can(?:not)?|should|will|has to|have to|is to|are to|need(?:s)? to)"
_ROLES = (
    "agent applicant borrower buyer carrier client contractor creditor customer debtor donor driver employee employer"
    " exhibitor guest hirer host insurer keeper landlady landlord lender lessee lessor licensee licensor manager member"
    " officer operator organiser owner parent passenger patient policyholder provider pupil purchaser recipient seller"
    " sender student subcontractor supervisor supplier teacher tenant trustee vendor visitor worker"
)
"""Who has rights and duties under rules and contracts, in small letters."""
_PARTY = rf"(?P<party>[A-Z][\w’'-]+|(?:{'|'.join(_ROLES.split())})s?)"
"""A defined word with a capital, or somebody by what he is: `the Hirer`, `the landlord`."""
_ASKED = re.compile(
    rf"\b(?i:what|which|when|where|how|whom?)\b[^?.;]*?\b(?:must|shall|may|can|should|does|do|did|will|has|have|is|are)"
    rf" the {_PARTY} (?:(?:have|be|get|need|allowed|obliged|required) to |to )?(?P<verb>[a-z]+)"
    r"(?:[^?.;]*? to (?P<aim>[a-z]+))?"
)
_DONE = re.compile(rf"\b[Tt]he {_PARTY} (?:then |also |only )?{_MODAL}(?: then| also| only| not)? (?P<verb>[a-z]+)")
_MEANS_SOMEBODY = re.compile(r"\W*(?:\d[\d.]* )?(?:It|They|He|She)\b")
_WITH = re.compile(
    r"\b(?P<with>with(?:out)?) (?:an? |any |the |its |his |her |their |your |my )?(?P<thing>[^\W\d_]{3,})", re.I
)


def is_of_counterpart(question: str, text: str) -> bool:
    """Return whether a text tells the counterpart of what is asked, and not what is asked.

    That is what another party must or may do, where one asks by what, when, where or how of a party by its name; or of
    a thing with something where one asks of it without, and the other way round. What tells both is no counterpart, and
    none is told of a question for yes or no, which the contrary answers.

    >>> is_of_counterpart("When must the Owner pay?", "The Hirer shall pay within 30 days.")
    True
    >>> is_of_counterpart("What is the rate without a driver?", "The rate with a driver is 60 euros.")
    True
    >>> is_of_counterpart("When must the Hirer pay?", "The Hirer shall pay within 30 days.")
    False
    """
    return bool(_other_doers(question, text)) or _is_with_for_without(question, text)


def counterpart_in(question: str, text: str) -> str:
    """Return in words what a text tells in place of what is asked; empty where it is no counterpart.

    >>> counterpart_in("When must the Owner pay?", "The Hirer shall pay within 30 days.")
    'what the Hirer does'
    """
    if _is_with_for_without(question, text):
        turned = _turned(question)
        found = (match for match in _WITH.finditer(text) if (match["with"].lower(), _root(match["thing"])) in turned)
        return f"what holds {next(found).group()}"
    doers = _other_doers(question, text)
    return f"what the {doers[0]} does" if doers else ""


def speaks_of_it(question: str, text: str) -> bool:
    """Return whether a text speaks of the very party and deed that a question names, or of what is there or missing.

    >>> speaks_of_it("When must the Owner pay?", "The Owner shall send an invoice.")
    False
    """
    said = frozenset(stems(text))
    if not said.isdisjoint(thing for _, thing in _accompanied(question)):
        return not _is_with_for_without(question, text)
    if (asked := _asked_of(question)) is None:
        return False
    is_of_party = asked[0] in said or _MEANS_SOMEBODY.match(text) is not None
    return is_of_party and not asked[1].isdisjoint(said)


def _other_doers(question: str, text: str) -> list[str]:
    """Return the parties that do what a question asks of another one, in a text that does not tell it of that one."""
    asked = _asked_of(question)
    if asked is None:
        return []
    party, deeds = asked
    done = [(match["party"], _root(match["verb"])) for match in _DONE.finditer(text)]
    is_agent = re.search(rf"\bby the {re.escape(party)}", text, re.IGNORECASE) is not None
    is_told = is_agent or any(_root(doer) == party for doer, _ in done)
    return [] if is_told else [doer for doer, deed in done if deed in deeds]


@lru_cache(maxsize=256)
def _asked_of(question: str) -> tuple[str, frozenset[str]] | None:
    """Return the party that a question names as the one who does something, with that deed and what it is done for."""
    match = _ASKED.search(question)
    if match is None:
        return None
    return _root(match["party"]), frozenset(_root(verb) for verb in match.group("verb", "aim") if verb)


def _is_with_for_without(question: str, text: str) -> bool:
    asked = frozenset() if understand(question).yes_or_no else _accompanied(question)
    said = _accompanied(text) if asked else frozenset()
    return not _turned(question).isdisjoint(said) and asked.isdisjoint(said)


def _turned(question: str) -> frozenset[tuple[str, str]]:
    return frozenset(("with" if word == "without" else "without", thing) for word, thing in _accompanied(question))


@lru_cache(maxsize=4_096)
def _accompanied(text: str) -> frozenset[tuple[str, str]]:
    """Return with and without what something is, as a text says."""
    return frozenset((match["with"].lower(), _root(match["thing"])) for match in _WITH.finditer(text))


def _root(word: str) -> str:
    """Return the stem of a word; of one that says little the word itself."""
    return next(iter(stems(word)), word.casefold())
