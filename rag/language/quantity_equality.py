"""Whether two numbers say the same, or could be taken for one another: units, bounds, hours. Ground floor."""

from collections.abc import Sequence
from dataclasses import replace
from math import isclose

from rag.language.dates import same_date
from rag.language.hours import same_time
from rag.language.numerals import Written
from rag.language.quantities import AFTER_YEAR, Quantity, is_year
from rag.language.units import dimension

_BOUND_SIDES = {"": 0, "least": 1, "more": 1, "most": -1, "less": -1}
_STRICT = ("more", "less")
_ROUNDING = 5e-15
"""The relative error of a value converted from one unit into another."""
_AFTER_HOUR = AFTER_YEAR | {"every", "each", "daily", "until", "till", "from", "sharp", "o"}


def same_quantity(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether what a claim says of a number is what a text states: value, unit, kind, and no other bound.

    A strict bound (`more than 5`) is neither left out nor put in.
    """
    if _BOUND_SIDES[claimed.bound] * _BOUND_SIDES[stated.bound] < 0 or (stated.bound in _STRICT and not claimed.bound):
        return False
    if claimed.bound in _STRICT and stated.bound not in _STRICT:
        return False
    if claimed.kind == "date":
        turned = claimed.either != stated.either  # two in digits are taken to be written the same way
        return stated.kind == "date" and same_date(claimed.values, stated.values, turned=turned)
    if claimed.kind == "number" and stated.kind == "date":
        return claimed.unit == "" and claimed.values[0] == stated.values[0] > 0
    if "time" in (claimed.kind, stated.kind):
        return _same_hour(claimed, stated)
    if claimed.kind != stated.kind:
        return False
    one, other = _in_one_unit(claimed, stated)
    reckoned = one is not claimed or claimed.kind == "frequency"
    return _same_values(one.values, other.values, reckoned=reckoned) and _same_unit(one, other)


def _same_values(claimed: Sequence[float], stated: Sequence[float], *, reckoned: bool) -> bool:
    """Return whether numbers are equal: exactly, or within what a float loses where they were `reckoned` with."""
    if len(claimed) != len(stated):
        return False
    pairs = list(zip(claimed, stated, strict=True))
    if not reckoned or any(isinstance(value, Written) for pair in pairs for value in pair):
        return all(a == b for a, b in pairs)
    return all(isclose(a, b, rel_tol=_ROUNDING, abs_tol=0.0) for a, b in pairs)


def _same_hour(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether two times of day are one; a bare number may be one on the hour: `open from 9 to 11`."""
    if any(one.kind != "time" and not _may_be_hour(one) for one in (claimed, stated)):
        return False
    loose = claimed.twelve or (claimed.kind != "time" and max(claimed.values) <= 12)
    full = stated.full or (stated.kind != "time" and max(stated.values) > 12)
    return same_time(_minutes_of(claimed), _minutes_of(stated), loose=loose, full=full)


def _minutes_of(quantity: Quantity) -> tuple[float, ...]:
    return quantity.values if quantity.kind == "time" else tuple(60 * value for value in quantity.values)


def _may_be_hour(quantity: Quantity) -> bool:
    whole = all(value.is_integer() and 0 <= value <= 24 for value in quantity.values)
    alone = not quantity.unit and (not quantity.following or quantity.following[0] in _AFTER_HOUR)
    return quantity.kind in ("number", "range") and whole and alone


def _in_one_unit(claimed: Quantity, stated: Quantity) -> tuple[Quantity, Quantity]:
    """Return two quantities of one dimension in one unit where theirs differ: 1.5 h and 90 min, 500 mg and 0.5 g."""
    one, other = dimension(claimed.unit), dimension(stated.unit)
    if claimed.unit == stated.unit or one is None or other is None or one[0] != other[0]:
        return claimed, stated
    scale = one[1] / other[1]
    values = tuple(value if isinstance(value, Written) else value * scale for value in claimed.values)
    return replace(claimed, values=values, unit=stated.unit), stated


def _same_unit(claimed: Quantity, stated: Quantity) -> bool:
    if claimed.unit and stated.unit:
        return claimed.unit == stated.unit or (
            (claimed.unit == "deg" and stated.unit in ("C", "F"))
            or (stated.unit == "deg" and claimed.unit in ("C", "F"))
        )
    if stated.unit and not claimed.unit:
        return stated.unit not in ("%", "pp", "times") and not claimed.following
    return True


def comparable(one: Quantity, other: Quantity) -> bool:
    """Return whether two numbers could be confused: the same kind, and units that are equal or not given."""
    if one.kind != other.kind and not {one.kind, other.kind} <= {"number", "range", "decade"}:
        return False
    one, other = _in_one_unit(one, other)
    if one.kind == "frequency" or one.unit == other.unit or is_rate_of(one, other) or is_rate_of(other, one):
        return one.unit != "" or is_year(one) == is_year(other)
    return (not one.unit and not is_year(one)) or (not other.unit and not is_year(other))


def is_rate_of(rate: Quantity, other: Quantity) -> bool:
    """Return whether one number has the other's unit and says per what, too: `14 euros a night` beside `22 euros`."""
    base, _, per = rate.unit.partition("/")
    return bool(per) and base == other.unit
