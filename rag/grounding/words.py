"""Words that several twists look at: forms of `be`, determiners, prepositions and the like. Ground floor."""

from collections.abc import Iterable
from functools import lru_cache

from rag.language.polarity import stem_of, word_set

IF = word_set("if when where provided providing once whenever")
BE = word_set("is are was were be been being")
DETERMINERS = word_set("the a an this that these those its their his her our your my each every no some any all both")
OPENERS = word_set("the a an all these those its their his her our every")
"""What may open a noun phrase before its number or head; unlike `DETERMINERS` none that tells or denies one thing."""
ARTICLES = word_set("the a an")
OBJECT_OPENERS = word_set("the a an your all each every this that these those them it")
"""What an object may begin with, or be."""
COORDINATORS = frozenset(("and", "but", "while", "whereas", ";"))
"""What joins clauses of equal rank."""
ALL = word_set("all every each")
OBJECT_PRONOUNS = word_set("it them him her")
PAST_AUXILIARIES = word_set("was were had did been")
MODALS = word_set("will would shall should may might could can ought must")
PREPOSITIONS = word_set(
    "of to in on at for from with into onto against over under above below behind by through before after inside "
    "outside upon across along beyond near within without"
)
PLACING = PREPOSITIONS - {"of", "by"}
"""What begins where, when, for or to whom something is done, and no agent: `by Ada in Rome`."""
BOUNDARIES = frozenset(("and", "but", "or", "while", "whereas", ",", ";", "|", "(", ")", ":"))
"""What ends a stretch of words that belong together."""
_SYMMETRIC = (
    "meet near next adjacent equal same similar different identical equivalent border adjoin marry sibling "
    "brother sister cousin twin colleague friend neighbour neighbor partner spouse rival synonym opposite parallel "
    "perpendicular share compete connect link relate alongside beside between together alliance union treaty peace war "
    "battle agreement relation relationship contact partnership conversation boundary"
)
"""Relations that hold both ways: an exchange of their sides changes nothing."""


@lru_cache(maxsize=32)
def stems_named(words: str) -> frozenset[str]:
    """Return the stems of some words; a function word stands for itself."""
    return frozenset(stem_of(word) or word for word in words.split())


def is_symmetric(words: Iterable[str]) -> bool:
    """Return whether one of some folded words or stems is a relation that holds both ways."""
    known = stems_named(_SYMMETRIC)
    return any(word in known or stem_of(word) in known for word in words)
