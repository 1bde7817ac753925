"""A limit turned round: `at most 12 characters` where the text says `at least 12` or `12 characters or more`.

What stands between a number and `or more` may be any noun, which no list of units knows. Ground floor.
"""

import re

from rag.grounding.normal import normal_form
from rag.language.bounds import Bound, bound_of
from rag.language.quantities import Quantity, quantities

_NOUNS = re.compile(r"^(?: [^\W\d_]+){1,2}?(?= or )")
_TURNED: dict[Bound, Bound] = {"least": "most", "most": "least"}


def is_bound_turned(claim: str, evidence: str) -> bool:
    """Return whether a claim sets a number as a limit in one direction that the evidence sets in the other only.

    >>> is_bound_turned("At most 12 letters.", "Use 12 letters or more."), is_bound_turned("At least 5.", "5 or more")
    (True, False)
    """
    said = _bounds(claim)
    stated = _bounds(evidence) if said else frozenset()
    return any((*one, _TURNED[bound]) in stated and (*one, bound) not in stated for *one, bound in said)


def _bounds(text: str) -> frozenset[tuple[float, str, Bound]]:
    """Return the numbers that may at least or at most be, with their unit and which of both."""
    text = normal_form(text)
    found = ((one, _bound(one, text)) for one in quantities(text) if one.kind == "number" and len(one.values) == 1)
    return frozenset((one.values[0], one.unit, bound) for one, bound in found if bound in _TURNED)


def _bound(one: Quantity, text: str) -> Bound:
    """Return how a number is bounded, also where its noun stands before `or more`."""
    return one.bound or bound_of("", _NOUNS.sub("", text[one.end :]))
