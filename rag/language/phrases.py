"""Phrases of general English that say in several words what one word says: `take place`, `turn off`. Ground floor."""

import re

_TAKE_PLACE = re.compile(r"\b(?P<verb>takes?|took|taken|taking)\s+place\b", re.IGNORECASE)
_OCCUR = {"take": "occur", "takes": "occurs", "took": "occurred", "taken": "occurred", "taking": "occurring"}
_BEFORE_VERB = (
    r"(?:^|[.,;:]\s*|\b(?:to|and|or|then|must|should|can|cannot|may|will|not|never|always|please|you|we|they|first)\s+)"
)
_SWITCH = re.compile(
    rf"(?:(?P<lead>{_BEFORE_VERB})(?:switch|turn)|\b(?:switch|turn)(?P<ending>ed|ing)|\bturn(?P<third>s))\s+"
    r"(?:(?P<way>off|on)\b|(?P<object>(?:the|an?|its|your|it|them|both|all)\b(?:\s+(?!off\b|on\b)[\w-]+){0,2})\s+"
    r"(?P<after>off|on)\b(?=\s*(?:[.,;:)]|$|(?:before|after|when|if|and|or|by|until|while|once)\b)))",
    re.IGNORECASE,
)
_ROUGHLY = re.compile(
    r"(?:\b(?:approximately|roughly|around|circa)|\bapprox\.|~)\s*"
    r"(?=[$€£¥]?\d|(?:an?\s+)?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty"
    r"|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|half)\b)",
    re.IGNORECASE,
)
_NIGHTLY = re.compile(r"\bnightly\b", re.IGNORECASE)
_AREA = re.compile(r"\b(?P<power>square|cubic)\s+(?P<scale>kilo|centi|)met(?:re|er)s?\b", re.IGNORECASE)
_POWERS = {"square": "2", "cubic": "3", "kilo": "km", "centi": "cm", "": "m"}
_DEPART = re.compile(r"\bdepart(?P<ending>s|ed|ing)?\s+from\b", re.IGNORECASE)
_LEAVE = {"": "leave", "s": "leaves", "ed": "left", "ing": "leaving"}
_AS_SOON_AS = re.compile(r"\bas soon as\b", re.IGNORECASE)
_ALONE = re.compile(
    r"(?:(?<=[,;:] )|(?<=^)|(?<=\b(?:and|but) ))(?P<noun>the (?:[^\W\d_]+ )?[^\W\d_]+) alone "
    r"(?=(?:may|can|must|shall|will|has|have|decides?)\b)",
    re.IGNORECASE,
)
_AS_MUCH_AS = re.compile(
    r"\bas (?:long|much|many|high|far|late) as (?=[$€£¥]?\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b)",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"\bplace\b|\bas \w+ as\b|\balone\b|depart|switch|turn|approx|roughly|around|circa|~|nightly|square|cubic",
    re.IGNORECASE,
)


def in_one_word(text: str) -> str:
    """Return a text with one word for a phrase, and one for all that say that a number is not exact.

    >>> in_one_word("Turn the fan off after roughly 5 minutes; it took place at night.")
    'Deactivate the fan after about 5 minutes; it occurred at night.'
    """
    if not _HINT.search(text):
        return text
    text = _NIGHTLY.sub("every night", text)
    text = _AREA.sub(lambda match: _POWERS[match["scale"].casefold()] + _POWERS[match["power"].casefold()], text)
    text = _DEPART.sub(lambda match: _LEAVE[(match["ending"] or "").casefold()], text)
    text = _AS_SOON_AS.sub(lambda match: "Once" if match[0][0] == "A" else "once", text)
    text = _AS_MUCH_AS.sub("up to ", text)
    text = _ALONE.sub(_only, text)
    text = _TAKE_PLACE.sub(lambda match: _OCCUR[match["verb"].casefold()], text)
    return _ROUGHLY.sub("about ", _SWITCH.sub(_switched, text))


def _only(match: re.Match[str]) -> str:
    """Return `only the referee` for `the referee alone`."""
    noun = match["noun"]
    return f"{'Only' if noun[0] == 'T' else 'only'} the {noun[4:]} "


def _switched(match: re.Match[str]) -> str:
    lead = match["lead"] or ""
    way = match["way"] or match["after"]
    verb = "activat" if way.casefold() == "on" else "deactivat"
    verb += {"ed": "ed", "ing": "ing"}.get((match["ending"] or "").casefold(), "es" if match["third"] else "e")
    begins = match[0][len(lead) :][:1].isupper()
    return f"{lead}{verb.capitalize() if begins else verb}{' ' + match['object'] if match['object'] else ''}"
