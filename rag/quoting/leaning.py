"""Whether a sentence says something only together with the one before it. Ground floor."""

import re
from functools import lru_cache

from rag.quoting.layout import without_mark

FIRST_WORDS = 10
"""So many words of a sentence's first clause may point back; later ones mostly have what they mean before them."""

_DEPENDENT = re.compile(
    r"(?:it|its|this|that|these|those|they|their|them|he|she|his|her|such|both|however|therefore|thus|hence|moreover|"
    r"furthermore|also|instead|consequently|otherwise|nevertheless|then|so|but|and|or|for example|for instance|"
    r"in addition|in contrast|as a result|the (?:former|latter|resulting)|(?:(?:all|any|most|some|many) |the )?others?|"
    r"another|neither|in (?:this|that|such an?|either|both) (?:way|cases?))\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:in (?:this|that) way|(?:described|shown|mentioned|stated|noted|listed|given|named) (?:above|before)|"
    r"the (?:former|latter)|as above)\b"
    r"|^\W*(?:\w+ ){1,8}(?:examples?|instances?|cases?|kinds?|forms?|part) of (?:this|these|those)[.!?]?$",
    re.IGNORECASE,
)
_EXCEPTS = re.compile(
    r"(?:with (?:(?!out\b)[\w’'-]+ ){0,4}?(?:consent|permission|approval|agreement|leave|authori[sz]ation)\b[^.;]*"
    r"|(?:exceptionally|by way of exception|as an exception"
    r"|in (?:exceptional|urgent|special|justified|individual) (?:cases?|circumstances))\b[^.;]*)"
    r"\b(?:may|can|(?:is|are) (?:allowed|permitted|possible))\b",
    re.IGNORECASE,
)
"""How a sentence begins that takes an exception from the rule before: `With the consent of both parents, ... may`."""
_OBJECT = re.compile(
    r"(?!(?i:if|when|whenever|where|wherever|as|because|since|while|although|though|before|after|until|till|once|that"
    r"|whether|how|why|what|unless|should|is|are|was|does|did|has|can|will|would|let|lest|whoever|whatever)\b)"
    r"[A-Z][a-z]+ (?:it|them)\b"
)
"""An order that begins so is about a thing named before: `Rub them for 30 seconds.`"""
_CLAUSE_END = re.compile(r"[,;:–—(]")
_POINTED_AT = re.compile(
    r"\b(?:this|these|those|both (?:of )?(?:these|those)|such an?) (?P<noun>[^\W\d_]{3,})", re.IGNORECASE
)
_NO_NOUN = frozenset(
    # verbs and words of relation after `this` and `those`, and nouns that name the text itself or a time
    """
    who whom whose that which with without from under over about into for and are was were has have had can may must
    will would should shall does did means mean applies apply includes include
    document documents text manual guide book chapter section page policy handbook agreement contract license licence
    statute statutes rule rules regulation regulations bylaws plan procedure instruction instructions handbooks act law
    constitution charter leaflet
    article paper report notice table figure appendix faq list website site standard
    year years month week day days morning evening time times moment point century season
    """.split()  # noqa: SIM905
)
_CASE_OF_IT = re.compile(
    r"\W*(?:\d[\d.]* )?(?P<case>(?:in|for|during|after|before|under|above|below|if|when|where|with|without|at|from) "
    r"[^,;.:]{3,50}?),? (?:it|they|these) (?!(?:is|was) (?:\w+ )?(?:that|to|possible|necessary|important|likely|best"
    r"|advisable|better|clear|known|said|true|raining|snowing|cold|hot|dark|\d)\b|(?:rains?|snows?|takes?)\b)\w"
)
"""How a sentence begins that says of a case what `it` does: `In water below 10 °C they stay for 60 hours.`"""
_NAMES_A_THING = re.compile(
    r"\b(?:1\d\d\d|20\d\d|this|that|the|an?|each|every|any|all|your|our|their|his|her|its|one|you|we|I|anyone|somebody|someone)\b"
    r"|(?<=\w )[A-Z]\w|\b(?!(?:in|for|during|after|before|under|above|below|with|without|at|from)\b)"
    r"(?:if|when|where) [a-z]+s\b",
)
"""What `it` may stand for within the case; and years, which are no case."""
_BOTH = re.compile(r"\bboth (?:are|were|have|had|can|may|must|should|will|do|did|need|take|of (?:them|these|those))\b")
_TWO_THINGS = re.compile(r"\b(?:and|or|two|pairs?)\b", re.IGNORECASE)


@lru_cache(maxsize=4_096)
def leans(text: str) -> bool:
    """Return whether a sentence says something only together with the one before.

    It begins as such sentences do, or takes an exception from a rule, or its first clause points back: `members of this
    group`, `outside of those hours`, `both are`. What the sentence itself names before it, and the document itself
    (`this manual`), is no pointing back.

    >>> leans("Members of this group may read it."), leans("Readers of this manual may skip it.")
    (True, False)
    """
    if _DEPENDENT.match(text) or _EXCEPTS.match(text) or _POINTS_BACK.search(text) or _OBJECT.match(text):
        return True
    return points_at_a_noun(text) or _means_two(without_mark(text)) or _says_a_case_of_it(text)


def _says_a_case_of_it(text: str) -> bool:
    """Return whether a sentence begins with a case that names no thing, and goes on with `it`."""
    match = _CASE_OF_IT.match(text.replace("\n", " ")[:1].lower() + text[1:])
    return match is not None and not _NAMES_A_THING.search(match["case"])


def points_at_a_noun(text: str) -> bool:
    """Return whether the first clause says `this`, `these` or `those` of a noun that the sentence has not named."""
    clause = " ".join(_CLAUSE_END.split(without_mark(text), maxsplit=1)[0].split()[:FIRST_WORDS])
    for match in _POINTED_AT.finditer(clause):
        noun = match["noun"].casefold()
        before = clause[: match.start()].casefold()
        if noun not in _NO_NOUN and noun.removesuffix("s") not in before:
            return True
    return False


def _means_two(text: str) -> bool:
    """Return whether a sentence says `both are` of two things that it has not named."""
    match = _BOTH.search(text)
    return match is not None and not _TWO_THINGS.search(text[: match.start()])
