"""A claim in other words that are true whenever it is: `is inspected` for `an inspection takes place`.

Unlike `rag.grounding.equivalents` these look at the words of the evidence first, so that only forms which can meet
some of them are tried. Each is then held against the text as any claim is. Ground floor.
"""

import re
from collections.abc import Iterator

from rag.grounding.deeds import after_deed, as_event, as_noun, as_verb, in_sentence
from rag.grounding.reading import AUXILIARIES, is_negation
from rag.language.periods import folded_words
from rag.language.polarity import is_past

_PRICE = re.compile(
    r"^the (?:price|cost|fee|charge) (?:of|for) (?P<what>[^,;]+?) (?P<be>is|was) (?P<rest>.*\d.*)$", re.IGNORECASE
)
_LENGTH_OF = re.compile(r"^the (?:length|duration) of (?P<what>[^,;]+?) is (?P<rest>[^,;]+)$", re.IGNORECASE)
_COSTS = re.compile(r"^(?P<what>[^,;]+?) (?:(?P<now>costs?)|cost) (?P<rest>.*\d.*)$", re.IGNORECASE)
_NOT_ALLOWED = re.compile(
    r"\b(?:(?:is|are) not (?:allowed|permitted) to|(?:is|are) (?:forbidden|prohibited) to)\b", re.IGNORECASE
)
_MUST_NOT = re.compile(r"\b(?:must|shall) not\b", re.IGNORECASE)
_DUTY_FOR = re.compile(
    r"^(?:it is (?:mandatory|compulsory|obligatory) for (?P<who>[^,;]+?) to (?P<verb>.+)"
    r"|(?P<doing>[^\W\d_]+ing [^,;]+?) is (?:mandatory|compulsory|obligatory) for (?P<them>[^,;]+))$",
    re.IGNORECASE,
)
_HEAVY = re.compile(r"\b(?:weighing|(?:that|which) weighs?) (?P<word>more|less) than\b", re.IGNORECASE)
_WITHOUT = re.compile(r"(?<=s) without (?:an? |any )?(?=[^\W\d_])", re.IGNORECASE)
_WHO_HAVE_NO = re.compile(r"\b(?:who|that|which) ha(?:ve|s) no (?=[^\W\d_])", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"^(?P<word>while|when|if|once|before|after|as soon as) (?P<thing>(?:the|an?) (?:[^\W\d_]+ )?[^\W\d_]+) "
    r"(?P<predicate>(?:is|are|was|were|has|have|can|may|must)\b[^,;]*), (?P<main>[^,;]+)$",
    re.IGNORECASE,
)
_FRONTED = re.compile(
    r"^(?P<phrase>(?:at|in|on|for|from|during|by|with|without|between|under|before|after|until|every|each) [^,;]+), "
    r"(?P<rest>[^,;]+)$",
    re.IGNORECASE,
)
_SUBORDINATOR = (
    r"(?:if|unless|when|whenever|until|while|because|provided(?: that)?|(?:as|so) long as"
    r"|(?:save|except) (?:where|when))"
)
_CLAUSE_FIRST = re.compile(rf"^(?P<clause>{_SUBORDINATOR} [^,;]+), (?:then )?(?P<rest>[^,;]+)$", re.IGNORECASE)
_CLAUSE_LAST = re.compile(rf"^(?P<rest>[^,;]+?)(?:, | )(?P<clause>{_SUBORDINATOR} [^,;]+)$", re.IGNORECASE)
_SUBORDINATES = re.compile(rf"\b{_SUBORDINATOR}\b", re.IGNORECASE)
_ONCE_DONE = re.compile(r"^once (?P<done>[^\W\d_]+), (?:the )?(?P<rest>[^,;]+)$", re.IGNORECASE)
_REPORTS = re.compile(r"\b(?:that|said|says|told|whether|reported|according)\b", re.IGNORECASE)
_LENGTH = r"(?P<length>[\w.]+ (?:working )?(?:minute|hour|day|week|month|year)s?)"
_WITHIN_OF = re.compile(rf"\bwithin {_LENGTH} of\b", re.IGNORECASE)
_WITHIN_AFTER = re.compile(rf"\b(?:within|(?:no|not) later than|at most) {_LENGTH} after\b", re.IGNORECASE)
_IF_THEY = re.compile(
    r"^(?:if|when) (?P<who>[^\W\d_]+s|children|people|(?:an?|the) [^\W\d_]+) "
    r"(?P<what>(?:is|are|has|have|can|cannot|do not|does not|did not|may|must)\b[^,;]*), (?:they|he|she) "
    r"(?P<rest>[^,;]+)$",
    re.IGNORECASE,
)
_UNABLE = re.compile(r"(?:(?<=s)|(?<=children)|(?<=people)) (?:who are )?unable to (?=[^\W\d_])", re.IGNORECASE)
_GIVEN = re.compile(r"^(?P<what>[^,;]+?) (?:is|are) given to (?P<who>[^,;]+)$", re.IGNORECASE)
_RECEIVE = re.compile(r"\b(?:receives?|gets?)\b", re.IGNORECASE)
_LATE_AGENT = re.compile(
    r"^(?P<head>[^,;]+? (?:is|are|was|were|be|been) (?P<verb>[^\W\d_]+)) (?P<rest>(?!by\b)[^,;]+?) "
    r"(?P<agent>by (?:the |an? )?[^\W\d_]+(?: [^\W\d_]+)?)$",
    re.IGNORECASE,
)
_JOINS = re.compile(r"\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?P<pronoun>it|them)\b", re.IGNORECASE)
_NOT_ALLOWED_THERE = re.compile(r"\bnot (?:allowed|permitted)\b", re.IGNORECASE)
_PRICED = re.compile(r"\b(?:price|fee|charge|cost) (?:of|for)\b", re.IGNORECASE)


def reworded(claim: str, evidence: str) -> Iterator[str]:
    """Yield what says the same as a claim in words that the evidence may have; nothing for most claims.

    >>> list(reworded("An inspection of the ropes takes place every week.", "Ropes are inspected."))
    ['the ropes are inspected every week']
    """
    text = claim.strip().rstrip(".").strip()
    for form in (
        as_verb(text),
        as_noun(text, evidence),
        after_deed(text),
        _as_cost(text, evidence),
        _as_ban(text, evidence),
        _as_duty(text, evidence),
        _as_weight(text, evidence),
        _as_lack(text, evidence),
        as_event(text, evidence),
        _within_of(text, evidence),
        _as_those_who(text, evidence),
        _as_receiving(text, evidence),
        _agent_first(text),
        _turned_pronoun(text),
        _unfronted(text),
        _once_done(text),
        _clause_moved(text, evidence),
    ):
        if form and form != text:
            yield form


def _as_cost(text: str, evidence: str) -> str:
    """Return `a locker costs 3 euros` for `the price of a locker is 3 euros`, and the reverse by the evidence's noun.

    So also `it lasts two hours` for `the length of it is two hours`.

    >>> _as_cost("The price of a locker is 3 euros", "A locker costs 3 euros.")
    'a locker costs 3 euros'
    """
    match = _PRICE.match(text)
    if match and re.search(r"\bcosts?\b", evidence):
        return f"{match['what']} {'cost' if match['be'].casefold() == 'was' else 'costs'} {match['rest']}"
    match = _LENGTH_OF.match(text)
    if match and (lasts := re.search(r"\b(?:lasts?|takes?)\b", evidence)):
        return f"{match['what']} {lasts[0]} {match['rest']}"
    priced, match = _PRICED.search(evidence), _COSTS.match(text)
    if match and priced:
        return (
            f"the {priced[0].casefold()} {in_sentence(match['what'])} {'is' if match['now'] else 'was'} {match['rest']}"
        )
    return ""


def _as_ban(text: str, evidence: str) -> str:
    """Return `must not` for `are not allowed to`, and the reverse, where the evidence has the other.

    >>> _as_ban("Guests are not allowed to smoke", "Guests must not smoke.")
    'Guests must not smoke'
    """
    if _MUST_NOT.search(evidence) and _NOT_ALLOWED.search(text):
        return _NOT_ALLOWED.sub("must not", text)
    if _NOT_ALLOWED_THERE.search(evidence) and _MUST_NOT.search(text):
        return _MUST_NOT.sub("may not", text)
    return ""


def _as_duty(text: str, evidence: str) -> str:
    """Return `staff must wear a badge` for `it is mandatory for staff to wear a badge`.

    >>> _as_duty("Wearing a badge is mandatory for staff", "Staff must wear a badge.")
    'staff must wearing a badge'
    """
    match = _DUTY_FOR.match(text)
    if match is None or _denies(text) or not re.search(r"\b(?:must|shall)\b", evidence, re.IGNORECASE):
        return ""
    doing = match["doing"] or ""
    return f"{match['who'] or match['them']} must {match['verb'] or doing[:1].casefold() + doing[1:]}"


def _as_weight(text: str, evidence: str) -> str:
    """Return `heavier than` for `weighing more than`, where the evidence has it."""
    if not re.search(r"\b(?:heavier|lighter) than\b", evidence, re.IGNORECASE):
        return ""
    return _HEAVY.sub(lambda match: f"{'heavier' if match['word'].casefold() == 'more' else 'lighter'} than", text)


def _as_lack(text: str, evidence: str) -> str:
    """Return `riders who have no helmet` for `riders without a helmet`, and the reverse, as the evidence says it.

    >>> _as_lack("Riders without a helmet may not start", "Riders who have no helmet may not start.")
    'Riders who have no helmet may not start'
    """
    if _WHO_HAVE_NO.search(evidence):
        return _WITHOUT.sub(" who have no ", text, count=1)
    return _WHO_HAVE_NO.sub("without ", text, count=1) if re.search(r"\bwithout\b", evidence, re.IGNORECASE) else ""


def _within_of(text: str, evidence: str) -> str:
    """Return `within 14 days of` for `within 14 days after`, where the evidence says it so.

    >>> _within_of("It is paid within 14 days after delivery", "It is paid within 14 days of delivery.")
    'It is paid within 14 days of delivery'
    """
    return _WITHIN_AFTER.sub(r"within \g<length> of", text, count=1) if _WITHIN_OF.search(evidence) else ""


def _as_those_who(text: str, evidence: str) -> str:
    """Return `children who cannot swim stay` for `if children cannot swim, they stay`, or for `unable to swim`.

    >>> _as_those_who("If children cannot swim, they stay ashore", "Children who cannot swim stay ashore.")
    'children who cannot swim stay ashore'
    """
    if not re.search(r"\bwho\b", evidence, re.IGNORECASE):
        return ""
    match = _IF_THEY.match(text)
    if match:
        return f"{match['who']} who {match['what']} {match['rest']}"
    return _UNABLE.sub(" who cannot ", text, count=1)


def _as_receiving(text: str, evidence: str) -> str:
    """Return `members receive two boxes` for `two boxes are given to members`, where the evidence has it so.

    >>> _as_receiving("Two boxes are given to members", "Members receive two boxes.")
    'members receive two boxes'
    """
    match = _GIVEN.match(text)
    verb = _RECEIVE.search(evidence) if match else None
    return f"{match['who']} {verb[0].casefold()} {in_sentence(match['what'])}" if match and verb else ""


def _agent_first(text: str) -> str:
    """Return a passive with its doer right behind the verb.

    >>> _agent_first("The log is signed every evening by the foreman")
    'The log is signed by the foreman every evening'
    """
    match = _LATE_AGENT.match(text)
    return f"{match['head']} {match['agent']} {match['rest']}" if match and is_past(match["verb"].casefold()) else ""


def _turned_pronoun(text: str) -> str:
    """Return a thing and its pronoun exchanged: `nobody may open it` with what `it` is, `while it is hot`.

    >>> _turned_pronoun("While the kiln is hot, nobody may open it")
    'nobody may open the kiln while it is hot'
    """
    match = _SUBORDINATE.match(text)
    pronouns = _PRONOUN.findall(match["main"]) if match else []
    if match is None or len(pronouns) != 1 or _PRONOUN.search(match["predicate"]):
        return ""
    plural = match["predicate"].split()[0].casefold() in ("are", "were", "have")
    if plural != (pronouns[0].casefold() == "them"):
        return ""
    main = _PRONOUN.sub(match["thing"], match["main"])
    return f"{main} {match['word'].casefold()} {'they' if plural else 'it'} {match['predicate']}"


def _unfronted(text: str) -> str:
    """Return a phrase that stands first at its end: `riders can borrow one at the desk`.

    >>> _unfronted("At the desk, riders can borrow one")
    'riders can borrow one at the desk'
    """
    match = _FRONTED.match(text)
    if match is None or _REPORTS.search(match["rest"]) or _JOINS.search(match["rest"]):
        return ""
    if any(word in AUXILIARIES for word in folded_words(match["phrase"])):
        return ""  # a clause, of which another rule tells the order
    return f"{match['rest']} {in_sentence(match['phrase'])}"


def _clause_moved(text: str, evidence: str) -> str:
    """Return a clause of condition, time or reason that stands first at the end, or the reverse.

    Only where the evidence has such a clause, with the same word before it.

    >>> _clause_moved("Unless it rains, the gate stays open", "The gate stays open unless it rains.")
    'The gate stays open, unless it rains'
    """
    match = _CLAUSE_FIRST.match(text) or _CLAUSE_LAST.match(text)
    if match is None or _JOINS.search(text) or _REPORTS.search(match["rest"]) or _SUBORDINATES.search(match["rest"]):
        return ""
    one, other = match["rest"], match["clause"]
    if not re.search(rf"\b{other.split()[0]}\b", evidence, re.IGNORECASE):
        return ""
    if match.start("clause"):
        return f"{other[:1].upper()}{other[1:]}, {in_sentence(one)}"
    return f"{one[:1].upper()}{one[1:]}, {other[:1].casefold()}{other[1:]}"


def _once_done(text: str) -> str:
    """Return `opened jars are kept cold` for `once opened, jars are kept cold`.

    >>> _once_done("Once opened, jars are kept cold")
    'opened jars are kept cold'
    """
    match = _ONCE_DONE.match(text)
    return f"{match['done']} {match['rest']}" if match and is_past(match["done"].casefold()) else ""


def _denies(text: str) -> bool:
    return any(is_negation(word) for word in folded_words(text))
