"""Units as people write them, and what they are worth to each other, which pint knows.

A word may name several units (`pound`, `ton`, `°`): all of them are tried, since the check vetoes only what is certain.
"""

import re
from functools import lru_cache
from typing import Any, Final

_CURRENCIES: Final = {
    "EUR": "€ eur euro euros",
    "USD": "$ usd us$ dollar dollars buck bucks",
    "GBP": "£ gbp pounds pound sterling quid",
    "JPY": "¥ jpy yen",
    "INR": "₹ inr rupee rupees",
    "CHF": "chf franc francs",
    "CZK": "czk crown crowns kc kč",
    "SEK": "sek",
    "NOK": "nok",
    "DKK": "dkk",
    "PLN": "pln zł zloty",
    "CAD": "cad c$ ca$ dollar dollars $",
    "AUD": "aud a$ au$ dollar dollars $",
}
_OTHERS: Final = {
    "percent": "% percent percentage pct",
    "degC": "° °c ℃ c celsius centigrade degree degrees deg",
    "degF": "° °f ℉ f fahrenheit degree degrees deg",
    "degree": "° degree degrees deg",
    "pound": "pound pounds",
    "metric_ton": "t ton tons",
    "ton": "ton tons",
    "ounce": "oz ounce ounces",
    "EUR_cent": "cent cents ct",
    "USD_cent": "¢ cent cents",
    "GBP_penny": "p pence penny",
    "fluid_ounce": "oz ounce ounces",
    "imperial_gallon": "gal gallon gallons",
    "gallon": "gal gallon gallons",
    "hour": "hourly",
    "day": "daily",
    "week": "wk wks w weekly",
    "month": "mo mos mth mths monthly",
    "year": "yearly annual annually",
    "decade_": "decade decades",
    "millennium": "millennia",
    "meter": "m",
    "minute": "m",
    "kilogram": "kilo kilos kgs",
    "gram": "gm gramme grammes",
    "kilometer/hour": "kmh kph",
    "microgram": "mcg",
    "pixel": "px",
    "inch": "″",
}
_SYMBOLS: Final = """
s ms µs μs ns min sec h hr hrs d day yr yrs Hz kHz MHz GHz nm µm μm um mm cm dm km ft yd yds mi ha mph rpm N dB bit
ng µg μg ug mg g kg lb lbs µl μl µL μL ml mL cl dl l L cup mol mmol µM μM nM mM ppm ppb K J kJ MJ cal kcal Wh kWh
MWh W kW MW GW mV V kV mA A ohm Pa hPa kPa MPa bar mbar psi atm kB KB MB GB TB
"""
"""Written short. Others are no units here: pint reads `am` as an attometre and `pin` as a picoinch."""
_NO_UNITS: Final = """
are ares quarter quarters turn turns point points count counts link links section sections hand hands grade grades
shot shots league leagues chain chains circle circles bag bags stone stones pole poles candle candles pond strain
strains particle particles molecule molecules cycle cycles alpha gamma exact exam mass fifth shake dots revolution
"""
"""Words for other things, which pint takes for units."""
_NAME: Final = r"(?:(?:square|cubic|sq\.?|cu\.?|fluid)\s)?(?:[^\W\d_]++[²³]?|%|°(?:\s?[CFK]\b)?|[℃℉″]|US\$|[$€£¥₹])"
_UNIT: Final = re.compile(
    rf"(?P<unit>per\s?cent(?:age)?(?:\spoints?)?|percentage\spoints?|degrees?\s[^\W\d_]++|{_NAME})"
    rf"(?:\s?(?:/|\bper\b|\ban?\b|\beach\b|\bevery\b)\s?(?P<each>{_NAME}))?",
    re.IGNORECASE,
)
_FURTHER: Final = re.compile(r"[^\W\d_]{4,}+\s(?=[^\W\d_]{3})")
_ROUNDED: Final = 0.02
"""By how much a value in another unit may be off by rounding: a month is 30 days, 8 km are 5 miles."""


def units_at(text: str, place: int) -> tuple[tuple[str, ...], int]:
    """Return what the unit at a place of a text may be, as pint calls it, and where it ends; nothing where none stands.

    >>> units_at("5 km/h and more", 2), units_at("20 people", 3)
    ((('kilometer/hour',), 6), ((), 3))
    """
    match = _UNIT.match(text, place)
    named = _named(match["unit"]) if match else ()
    if match and not named and (further := _FURTHER.match(text, place)):  # 5 working days
        match = _UNIT.match(text, further.end())
        named = _named(match["unit"]) if match else ()
    if not match or not named:
        return (), place
    each = _named(match["each"])[:1] if match["each"] else ()
    if not each:
        return named, match.end("unit")
    return tuple(f"{one}/{each[0]}" for one in named), match.end()


def is_same(claimed: float, unit: str, stated: float, other: str) -> bool:
    """Return whether two quantities are the same by value, as far as the claimed one is written out.

    Where only one of the two is a rate, `20 euros` and `20 euros a night`, the rate is put aside.

    >>> is_same(2, "hour", 120, "minute"), is_same(46, "degF", 8, "degC"), is_same(5, "minute", 5, "second")
    (True, True, False)
    """
    if ("/" in unit) != ("/" in other):
        unit, other = unit.partition("/")[0], other.partition("/")[0]
    value = converted(stated, other, unit)
    if value is None:
        return False
    places = len(f"{claimed:g}".partition(".")[2])
    exact = unit == other or abs(value - claimed) <= 1e-6 * abs(claimed)
    off = 1e-9 * abs(claimed) if exact else 0.5 * 10.0**-places
    nearest = off if exact or unit.startswith("deg") else min(off, _ROUNDED * abs(claimed))
    return abs(value - claimed) <= max(nearest, 1e-6 * abs(claimed))


@lru_cache(maxsize=4096)
def converted(value: float, unit: str, to: str) -> float | None:
    """Return a value in another unit, or None where the two do not measure the same."""
    if unit == to:
        return value
    import pint

    try:
        return float(_registry().convert(value, unit, to))
    except (pint.PintError, ArithmeticError, ValueError):
        return None


@lru_cache(maxsize=4096)
def _named(written: str) -> tuple[str, ...]:
    folded = re.sub(r"\s+", " ", written.casefold()).replace("° ", "°")
    if folded.startswith(("per cent", "percent")):
        return ("percent",)
    head, _, word = folded.rpartition(" ")
    if head.startswith("degree"):
        return _named(word) if word in ("celsius", "centigrade", "fahrenheit", "kelvin", "c", "f") else _named(head)
    power = (
        3 if head.startswith("cu") or word.endswith("³") else 2 if head.startswith("sq") or word.endswith("²") else 1
    )
    base = written.rpartition(" ")[2].rstrip("²³")
    found = ("fluid_ounce",) if head == "fluid" else _one(base)
    return found if power == 1 else tuple(f"{one}**{power}" for one in found[:1])


def _one(word: str) -> tuple[str, ...]:
    """Return what one word or sign may name: by the lists above, or as pint knows it by its full name."""
    word = (
        word.casefold()
        if len(word) > 1 and word not in _SYMBOLS.split() and word.casefold() in _SYMBOLS.split()
        else word
    )
    found = tuple(name for name, written in (_CURRENCIES | _OTHERS).items() if word.casefold() in written.split())
    if found or word.casefold() in _NO_UNITS.split() or not (word in _SYMBOLS.split() or len(word) > 3):
        return found
    if word in _SYMBOLS.split():
        return tuple(f"{prefix}{unit}" for prefix, unit, _ in _registry().parse_unit_name(word))[:1]
    known = _registry().parse_unit_name(word.casefold())
    full = [f"{prefix}{unit}" for prefix, unit, _ in known if word.casefold().startswith(prefix)]
    return tuple(full[:1])


@lru_cache(maxsize=1)
def _registry() -> Any:
    """Return pint's registry, made when a unit is first met: that takes a quarter of a second."""
    import pint

    registry: Any = pint.UnitRegistry()
    for name in _CURRENCIES:
        registry.define(f"{name} = [currency_{name}]")
    for cent in ("EUR_cent", "USD_cent", "GBP_penny"):
        registry.define(f"{cent} = 0.01 * {cent[:3]}")
    registry.define("decade_ = 10 * year")  # pint's own is one of logarithms
    return registry
