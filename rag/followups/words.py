"""The words that English grammar is made of, in closed lists, and the forms of common verbs."""

from typing import Final

from rag.language.polarity import word_set as word_set

BE: Final = word_set("is are was were am isn't aren't wasn't weren't")
DO: Final = word_set("do does did don't doesn't didn't")
MODALS: Final = word_set(
    "can could may might must shall should will would can't cannot couldn't mustn't shouldn't won't wouldn't"
)
AUXILIARIES: Final = BE | DO | MODALS | word_set("has have had be been being hasn't haven't")
ASKS: Final = word_set("who whom whose what which when where why how")
PREPOSITIONS: Final = word_set(
    "about above across after against along among around at before behind below beneath beside between beyond by "
    "despite during except for from in inside into near of off on onto outside over per since than through till to "
    "towards under until upon via with within without"
)
DETERMINERS: Final = word_set(
    "a an the my your our his her its their this that these those each every all any some no both most"
)
PRONOUNS: Final = word_set(
    "i you we one he she it they me us him them somebody someone anybody anyone everybody everyone nobody there"
)
JOINTS: Final = word_set("and or but if when while because unless although though whether so as that which who")
ADVERBS: Final = word_set(
    "not also too only even still already always never ever often usually then now here again together else up down "
    "out away back so very more exactly just yet"
)
_PARTICIPLES: Final = word_set(
    "begun bought born broken brought built caught chosen cut done drawn driven drunk eaten fed forbidden forgotten "
    "found frozen given gone grown heard held hidden hit hurt kept known laid led left lost made meant met paid put "
    "read run said seen sent set shown shut sold spent split spoken spread stolen struck taken taught thrown told "
    "understood won worn written"
)
_VERBS: Final = word_set(
    "accept affect agree allow answer appear apply arise arrive ask avoid become begin belong break breathe bring "
    "build burn buy call carry cause change check choose claim clean close collect come complete consist contain "
    "continue control cook copy cost cover create cut decide define depend describe determine die differ digest do "
    "draw drink drive eat end enter exist expect explain fail fall feed feel find finish fit flow fly follow form get "
    "give go grow happen have hear help hold hurt include increase install keep know last lay lead learn leave let "
    "lie like live look lose make matter mean measure melt mix move need obtain occur offer open operate own pass pay "
    "play prefer prevent produce protect prove provide pull push put raise reach react read receive reduce refer "
    "remain remove renew repair replace reply report require resist result return rise rotate rule run say see sell "
    "send serve set shine show shut sit sleep speak spend spread stand start stay stop store study swim switch take "
    "teach tell think travel treat turn use vote wait walk want wash wear weigh win work write"
)
PROPERTIES: Final = word_set(
    "able active alive available binding closed compulsory dangerous due dry effective empty expensive free full ill "
    "legal mandatory necessary open optional possible present ready required responsible safe tax-free true valid void"
)
"""What is said of a subject rather than put before it."""
BEFORE_TO: Final = word_set("have has had need needs how able allowed required want supposed obliged order possible")
NOT_ADVERBS: Final = word_set(
    "assembly family supply reply monopoly anomaly ally rally july italy fly jelly belly likely "
    "daily weekly monthly quarterly yearly hourly early friendly"
)
LETS: Final = word_set("makes made lets let helps helped")
PLURALS: Final = word_set(
    "people men women children data media mice feet teeth geese police criteria phenomena bacteria"
)


def is_participle(word: str) -> bool:
    """Whether a word has the form of a past participle.

    >>> is_participle("serviced"), is_participle("held"), is_participle("bed")
    (True, True, False)
    """
    return word in _PARTICIPLES or (len(word) > 3 and word.endswith("ed") and not word.endswith("eed"))


def is_verb(word: str) -> bool:
    """Whether a word is a common verb, in any regular form."""
    stems = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("d"), word.removesuffix("ed"))
    return any(stem in _VERBS for stem in stems)
