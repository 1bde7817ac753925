"""A deed told by its noun, and by its verb: `an inspection takes place` and `is inspected`. Ground floor."""

import re

from rag.grounding.statements import LEADS
from rag.grounding.words import DETERMINERS, PREPOSITIONS
from rag.language.polarity import stem_of, word_set

_ENDINGS = r"(?:tion|sion|ing|al|ment|ance|est|ery|air|ure)s?"
_HELD = (
    r"(?:(?P<now>takes? place|occurs?|happens?|(?:is|are) (?:carried out|performed|conducted|held|done|made))"
    r"|(?P<then>took place|occurred|happened|(?:was|were) (?:carried out|performed|conducted|held|done|made))"
    r"|(?P<modal>must|may|shall|should|can|will) (?:take place|be (?:carried out|performed|conducted|held|done|made)))"
)
_DEED = re.compile(
    rf"^(?:the |an? )?(?P<deed>[^\W\d_]+)(?: of (?P<what>[^,;]+?))? {_HELD}\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"^(?P<what>[^,;]+?) (?:(?P<now>is|are)|(?P<then>was|were)|(?P<modal>must|may|shall|should|can|will) be) "
    r"(?P<verb>[^\W\d_]+ed)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_IN_TIME = re.compile(
    r"\b(?P<word>before|after|until|once) (?:the |an? )(?P<deed>[^\W\d_]+) of "
    r"(?P<what>(?:the|an?|each|every|its|their|your|his|her|all) [^\W\d_]+(?: [^\W\d_]+)?)(?=$|[,;])",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:(?P<place>(?:takes?|took) place)"
    r"|(?P<be>is|are|was|were) (?P<done>held|done|carried out|performed|conducted))\b",
    re.IGNORECASE,
)
_PLACES = re.compile(r"\bplace\b|\boccur|\bcarried out\b|\bperformed\b|\bconducted\b|\bheld\b", re.IGNORECASE)
_SMALL = DETERMINERS | PREPOSITIONS | LEADS | word_set("one two three four five six seven eight nine ten twelve")


def as_verb(text: str) -> str:
    """Return `the ropes are inspected weekly` for `inspection of the ropes takes place weekly`, else nothing.

    >>> as_verb("The cleaning of the filter was carried out by Ada")
    'the filter was cleaned by Ada'
    """
    match = _DEED.match(text)
    verb = _participle(match["deed"]) if match else ""
    if match is None or not verb:
        return ""
    return f"{match['what'] or 'it'} {_form_of_be(match)} {verb}{match['rest']}"


def _form_of_be(match: re.Match[str]) -> str:
    if match["modal"]:
        return f"{match['modal']} be"
    plural = (match["what"] or "").endswith("s")
    return ("are" if plural else "is") if match["now"] else ("were" if plural else "was")


def _participle(deed: str) -> str:
    """Return the participle of the verb that a noun is made of, told by its stem: `inspected`; empty for another noun.

    >>> _participle("inspection"), _participle("cleaning"), _participle("harvest"), _participle("colour")
    ('inspected', 'cleaned', 'harvested', '')
    """
    stem = stem_of(deed.casefold())
    found = f"{stem}d" if stem.endswith("e") else f"{stem}ed"
    same = bool(stem) and stem_of(found) == stem and re.search(rf"{_ENDINGS}$", deed, re.IGNORECASE)
    return found if same else ""


def as_noun(text: str, evidence: str) -> str:
    """Return `inspecting of the ropes takes place` for `the ropes are inspected`, where the evidence may say it so.

    >>> as_noun("The ropes are inspected weekly", "Inspection of the ropes takes place weekly.")
    'inspecting of the ropes takes place weekly'
    """
    held = _PLACES.search(evidence)
    match = _DONE.match(text) if held else None
    if match is None or held is None:
        return ""
    word = held[0].casefold()
    if word in ("place", "occur"):
        form = f"{match['modal']} take place" if match["modal"] else "takes place" if match["now"] else "took place"
    else:
        form = f"{match['modal']} be {word}" if match["modal"] else f"{'is' if match['now'] else 'was'} {word}"
    return f"{match['verb'][:-2]}ing of {in_sentence(match['what'])} {form}{match['rest']}"


def after_deed(text: str) -> str:
    """Return `after the boat has been inspected` for `after an inspection of the boat`.

    >>> after_deed("It is paid after an inspection of the boat")
    'It is paid after the boat has been inspected'
    """
    match = _IN_TIME.search(text)
    verb = _participle(match["deed"]) if match else ""
    if match is None or not verb:
        return ""
    return f"{text[: match.start()]}{match['word']} {match['what']} has been {verb}{text[match.end() :]}"


def as_event(text: str, evidence: str) -> str:
    """Return a claim with the evidence's own words for `takes place`: `is held`, `is done`, `is carried out`.

    >>> as_event("The fair takes place in May", "The fair is held in May.")
    'The fair is held in May'
    """
    said, stated = _EVENT.search(text), _EVENT.search(evidence)
    if said is None or stated is None or (said["done"] or "").casefold() == (stated["done"] or "").casefold():
        return ""
    past = (said["be"] or said["place"]).casefold().startswith(("was", "were", "took"))
    plural = said[0].casefold().startswith(("are", "were", "take "))
    if stated["done"]:
        form = f"{('were' if plural else 'was') if past else 'are' if plural else 'is'} {stated['done']}"
    else:
        form = "took place" if past else "take place" if plural else "takes place"
    return f"{text[: said.start()]}{form}{text[said.end() :]}"


def in_sentence(text: str) -> str:
    """Return a text that began a sentence as it stands within one, where an article or preposition begins it."""
    word = text.split(maxsplit=1)[0].casefold()
    return text[:1].casefold() + text[1:] if word in _SMALL else text
