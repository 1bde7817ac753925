"""The forms by which a follow-up is known that has the same words in every conversation, whatever it is about."""

import re
from typing import Final

from rag.followups.words import word_set

JOINER: Final = re.compile(r"^\W*(?:(?:and|but|so|then|or|also|ok|okay|yes|no|well)\b[\s,]*(?=\w))+", re.IGNORECASE)
COURTESY: Final = re.compile(
    r"^(?:\W*\b(?:ok|okay|thanks?|thx|thank you|great|perfect|fine|good|nice|cool|super|alright|all right|got it|i see"
    r"|understood|bye|goodbye|please|sorry|hello|hi|hey|never ?mind|very much|so much|a lot)\b)+\W*$",
    re.IGNORECASE,
)
"""Says nothing about anything: "ok, thanks"."""
THANKS: Final = re.compile(
    r"^(?:\W*(?:ok|okay|thanks?|thank you|great|perfect|fine|good|nice|cool|super|all ?right|got it|i see|understood)"
    r"(?: (?:very much|so much|a lot))?\s*[!.,;]+\s*)+(?=\w)",
    re.IGNORECASE,
)
"""What is said before the next question: "Thanks! And on Sundays?"."""
COSTS: Final = re.compile(
    r"^(?:(?:what|how much) (?:does|do|did|would|will|is|are) (?:it|that|this)(?: cost)?"
    r"|(?:is|are) (?:it|that|this) (?:free(?: of charge)?|expensive))\W*$",
    re.IGNORECASE,
)
"""Asks for the price of what may be done, where that was asked before."""
SHORT: Final = re.compile(r"^((?:\w+,? )?(?:what|who|where|when|why|how))['’]s\b", re.IGNORECASE)
ABOUT: Final = re.compile(r"^(?:what|how) about\s+(?P<topic>[^?:]+?)\s*\?*$", re.IGNORECASE)
WHAT_IF: Final = re.compile(r"^what\s+(?P<topic>if\s+(?!not\b)[^?]+?)\s*\?*$", re.IGNORECASE)
MORE: Final = re.compile(
    r"^(?:(?:please|can|could|would) )*(?:you )?(?:please )?(?:tell me more|explain(?: (?:it|this|that|why|how))?"
    r"|elaborate|go on|more(?: details?)?|(?:give|show)(?: me)? more details)(?: about (?:it|this|that|them))?"
    r"(?: please)?\W*$",
    re.IGNORECASE,
)
"""Asks for the same again: with "tell me more" before it, the same question is refused more often."""
EXAMPLE: Final = re.compile(
    r"^(?:(?:please|can|could|would) )*(?:you )?(?:please )?"
    r"(?:(?:give|show|name)(?: me)? (?:an example|(?:some )?examples)"
    r"|for example|for instance|such as|like what)(?: of (?:it|this|that|them))?(?: please)?\W*$",
    re.IGNORECASE,
)
WHY: Final = re.compile(
    r"^(?:(?P<why>why)(?: (?:is|was) (?:that|this|it)(?: so)?| so| then)?|how come|how so|what for"
    r"|(?:what is |for )(?:the|what) reason(?: for (?:that|this))?)\W*$",
    re.IGNORECASE,
)
ASKED_BARE: Final = re.compile(
    r"^(?P<asks>(?:(?:by|since|until|till|from|to|with|for|within|in|at|on|under|of|after|before|above|below|over|during|against|into"
    r"|between|through|without|how) )?"
    r"(?:why|when|where|whom?|how|what|which|(?:much|many|long|often|far|old|soon|late))"
    r"(?: [a-z]+){0,2}?)(?: exactly)?(?: of (?:it|them|that|those|these))?\W*$",
    re.IGNORECASE,
)
ELSE: Final = re.compile(r"^(?:(?P<asks>who|what|when|where|how|anything|anyone) else)\W*$", re.IGNORECASE)
ONE_NOUN_ASKED: Final = re.compile(r"^(?:how (?:many|much)|what|which) (?!(?:if|ones?)\b)[a-z]+\W*$", re.IGNORECASE)
SAME: Final = re.compile(
    r"^(?:the )?same (?P<alone>(?:for|in|with|at|on) [^?]+?)\W*$"
    r"|^(?:(?:is|was|are|would|does|do|did|will|can|could|has|must) )"
    r"(?:(?:this|that|the same|it (?=(?:also|the same|true|too|still|so)\b)))"
    r"(?: ?be)?(?: ?(?:also|too|still|then|even|the))*"
    r" ?(?:same|true|valid|case|so|appl(?:y|ies)|hold(?: true| good)?|go|work|count)?(?: also| as well)? ?"
    r"(?P<topic>(?:for|to|in|on|with|at|of|during) (?!.*\bthat\b)[^?]+?)(?: too| as well| also)?\W*$",
    re.IGNORECASE,
)
GOING_ON: Final = re.compile(
    r"^(?:what (?:happens|comes|is done|do I do|should I do|must I do) "
    r"(?:then|next|after(?: that| this)?|otherwise|afterwards)"
    r"|what (?:then|next|if not)|then(?: what)?|next|after that|otherwise|if not|if so"
    r"|(?:are|is) there (?:any |an? |some )?(?:other |more )?(?:exceptions?|exemptions?|alternatives?|restrictions?"
    r"|conditions?|limitations?|consequences?|others?|examples?|differences?)"
    r"|(?:any|what are the|which are the) (?:exceptions?|exemptions?|alternatives?|restrictions?"
    r"|conditions?|consequences?|others?)"
    r"|(?:what|which) (?:kinds?|types?|sorts?))\W*$",
    re.IGNORECASE,
)
TELLS: Final = word_set("tell name list give explain describe show compare define say state please let help find")
CLAUSE: Final = re.compile(
    r"^(?:even |only |not |also )?(?:if|when|unless|while|because|although|once)\b", re.IGNORECASE
)
ONE_OF_THEM: Final = re.compile(
    r"^(?:who|what|when|where|how|why)(?: \w+){1,3} (?:the|an?) "
    r"(?:\w+(?:st|nd|rd|th)|last|next|other|new|old|small|large|big)"
    r" ones?\W*$",
    re.IGNORECASE,
)
THAT_CASE: Final = re.compile(r"^(?!.*\b(?:if|when)\b)[^,]+ in (?:that|this|such a) case\W*$", re.IGNORECASE)
