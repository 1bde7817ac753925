"""What bounds a number, by the words around it: at least, at most, more than, less than. Ground floor."""

import re
from typing import Literal

Bound = Literal["", "least", "most", "more", "less"]
_UPWARD = "more|greater|higher|longer|older|larger|faster|heavier|deeper|wider|taller|thicker|warmer|hotter|stronger"
_DOWNWARD = "less|fewer|lower|shorter|younger|smaller|slower|lighter|narrower|thinner|colder|cooler|weaker"
_LEAST = re.compile(
    rf"(?:\b(?:at least|at a minimum(?: of)?|(?:no|not) (?:{_DOWNWARD}|earlier) than|not (?:below|under)"
    rf"|minimum(?: \w+)?(?: is| of|:)?|min\.?|(?:{_UPWARD}) than|over"
    r"|above|exceed|exceeds|exceeding|exceeded|surpass\w*|starting (?:at|from)|from)|[>≥]=?)\s*(?:the |a |of )?$",
    re.IGNORECASE,
)
_MOST = re.compile(
    rf"(?:\b(?:at (?:the )?most|up to|(?:no|not) (?:{_UPWARD}|later) than"
    r"|(?:not|never|cannot|without|n't) (?:to )?(?:be )?(?:exceed|exceeding|exceeded|over|above|surpass"
    rf"|(?:{_UPWARD}|later) than)"
    rf"|maximum(?: \w+)?(?: is| of|:)?|max\.?|(?:{_DOWNWARD}) than"
    r"|(?:greatest|largest|longest|highest|biggest|widest|deepest|heaviest|oldest)(?: \w+)?"
    r" (?:accepted|allowed|permitted|admitted)(?: \w+){0,3} (?:is|are)"
    r"|under|below|within|until|limited to|a limit of)|[<≤]=?)\s*(?:the |a |of )?$",
    re.IGNORECASE,
)
_NOT_BELOW = re.compile(
    r"\b(?:not?|never|n't)(?: \w+)? (?:(?:fall |drop )?below|under"
    rf"|(?:{_DOWNWARD}|earlier) than)\s*$",
    re.IGNORECASE,
)
_BELOW = re.compile(rf"(?:\b(?:{_DOWNWARD}) than|\b(?:under|below)|<)\s*(?:the |a )?$", re.IGNORECASE)
_ABOVE = re.compile(
    rf"(?:\b(?:(?:{_UPWARD}) than|over|above|exceed(?:s|ed|ing)?|surpass\w*)|>)"
    r"\s*(?:the |a )?$",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"^\s*(?:or (?:more|above|over|higher|longer|older|greater)|minimum|and (?:above|over|older))\b")
_OR_LESS = re.compile(r"^\s*(?:or (?:less|below|under|fewer|lower|shorter|younger)|maximum|max)\b")


def bound_of(before: str, after: str) -> Bound:
    """Return how a number is bounded by the text right before and after it; empty where it is stated as it is.

    >>> bound_of("for at least ", " minutes"), bound_of("", " or less"), bound_of("more than ", ""), bound_of("a ", "")
    ('least', 'most', 'more', '')
    """
    if _NOT_BELOW.search(before):
        return "least"
    if _MOST.search(before) or _OR_LESS.search(after):
        return "less" if _BELOW.search(before) else "most"
    if _LEAST.search(before) or _OR_MORE.search(after):
        return "more" if _ABOVE.search(before) else "least"
    return ""
