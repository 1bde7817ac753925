"""A limit turned round: `at most 12 characters` where the text says `at least 12` or `12 characters or more`.

What stands between the number and `or more` may be any noun, which no list of units knows. Ground floor.
"""

import re

_BEFORE = re.compile(
    r"\b(?P<word>at least|no fewer than|no less than|not less than|a minimum of|at most|no more than|not more than"
    r"|a maximum of|up to) (?P<number>\d[\d.,]*\d|\d)",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\b(?P<number>\d[\d.,]*\d|\d)(?: ?[^\W\d_]+| ?%){0,2}? or (?P<word>more|less|fewer|over|under|above|below|older"
    r"|younger|longer|shorter|later|earlier|higher|lower)\b",
    re.IGNORECASE,
)
_UPWARDS = frozenset({
    "at least", "no fewer than", "no less than", "not less than", "a minimum of", "more", "over", "above", "older",
    "longer", "later", "higher",
})  # fmt: skip


def is_bound_turned(claim: str, evidence: str) -> bool:
    """Return whether a claim sets a number as a limit in one direction that the evidence sets in the other only.

    >>> is_bound_turned("At most 12 letters.", "Use 12 letters or more."), is_bound_turned("At least 5.", "5 or more")
    (True, False)
    """
    said = _bounds(claim)
    stated = _bounds(evidence) if said else frozenset()
    return any((number, not upwards) in stated and (number, upwards) not in stated for number, upwards in said)


def _bounds(text: str) -> frozenset[tuple[str, bool]]:
    """Return the numbers that limit something, each with whether upwards of it is meant."""
    found = (match for form in (_BEFORE, _BEHIND) for match in form.finditer(text))
    return frozenset((match["number"], match["word"].casefold() in _UPWARDS) for match in found)
