"""Units of measurement: how they are written, and what those of one dimension are to each other. Ground floor."""

import re
from functools import lru_cache

_UNIT_FORMS = (
    "ms:ms|msec|millisecond|milliseconds s:s|sec|secs|second|seconds min:min|mins|minute|minutes "
    "h:h|hr|hrs|hour|hours|hourly d:d|day|days wk:wk|week|weeks mo:mo|month|months yr:yr|yrs|year|years|annum "
    "decade:decade|decades century:century|centuries nm:nm|nanometre|nanometres|nanometer|nanometers "
    "um:µm|μm|um|micron|microns|micrometre|micrometres|micrometer|micrometers "
    "mm:mm|millimetre|millimetres|millimeter|millimeters cm:cm|centimetre|centimetres|centimeter|centimeters "
    "m:m|metre|metres|meter|meters km:km|kilometre|kilometres|kilometer|kilometers in:inch|inches ft:ft|foot|feet "
    "yd:yd|yard|yards mi:mi|mile|miles ng:ng|nanogram|nanograms ug:µg|μg|ug|mcg|microgram|micrograms "
    "mg:mg|milligram|milligrams g:g|gram|grams|gramme|grammes kg:kg|kilo|kilos|kilogram|kilograms "
    "t:t|tonne|tonnes|ton|tons lb:lb|lbs|pound|pounds oz:oz|ounce|ounces ul:µl|μl|ul|microlitre|microlitres "
    "ml:ml|mL|millilitre|millilitres|milliliter|milliliters cl:cl|centilitre l:l|L|litre|litres|liter|liters "
    "gal:gal|gallon|gallons m2:m2|m² m3:m3|m³ cm3:cm3|cm³ km2:km2|km² ha:ha|hectare|hectares acre:acre|acres "
    "C:°C|℃|celsius|centigrade F:°F|℉|fahrenheit K:K|kelvin deg:°|degree|degrees %:%|percent|pct pp:pp "
    "USD:USD|dollar|dollars EUR:EUR|euro|euros GBP:GBP JPY:JPY|yen CHF:CHF|francs INR:INR|rupee|rupees "
    "cent:cent|cents J:J|joule|joules kJ:kJ MJ:MJ cal:cal|calorie|calories kcal:kcal kWh:kWh Wh:Wh W:W|watt|watts "
    "kW:kW|kilowatt|kilowatts MW:MW|megawatt|megawatts GW:GW|gigawatt|gigawatts hp:hp|horsepower V:V|volt|volts "
    "mV:mV kV:kV A:A|amp|amps|ampere|amperes mA:mA ohm:Ω|ohm|ohms Pa:Pa|pascal hPa:hPa kPa:kPa MPa:MPa "
    "bar:bar|bars mbar:mbar psi:psi atm:atm mmHg:mmHg Hz:Hz|hertz kHz:kHz MHz:MHz GHz:GHz bit:bit|bits "
    "B:byte|bytes KB:KB|kB|kilobyte|kilobytes MB:MB|megabyte|megabytes GB:GB|gigabyte|gigabytes "
    "TB:TB|terabyte|terabytes Mbps:Mbps|Mbit Gbps:Gbps|Gbit ppm:ppm ppb:ppb mM:mM uM:µM|μM|uM nM:nM "
    "mol:mol|mole|moles mmol:mmol dB:dB|decibel|decibels N:N|newton|newtons times:times|fold rpm:rpm "
    "px:px|pixel|pixels"
)
UNITS = {form: entry.split(":")[0] for entry in _UNIT_FORMS.split() for form in entry.split(":")[1].split("|")}
_LONG_UNITS = frozenset(form for form in UNITS if len(form) > 3)
_SYMBOLS = "|".join(re.escape(form) for form in sorted(UNITS, key=len, reverse=True) if len(form) < 4)
_UNIT_WORDS = "|".join(sorted(_LONG_UNITS, key=len, reverse=True))
UNIT = (
    rf"(?:per\s?cent|percentage points?|degrees? (?:celsius|fahrenheit|centigrade)|°\s?[CF]|{_UNIT_WORDS}"
    rf"|(?-i:{_SYMBOLS}))(?![^\W_])"
)
"""A pattern that matches one unit as written."""
_DIMENSIONS = {
    "time": {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "wk": 604800.0},
    "months": {"mo": 1.0, "yr": 12.0},
    "length": {"nm": 1e-9, "um": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3},
    "mass": {"ng": 1e-9, "ug": 1e-6, "mg": 1e-3, "g": 1.0, "kg": 1e3, "t": 1e6},
    "volume": {"ul": 1e-6, "ml": 1e-3, "cl": 1e-2, "l": 1.0, "m3": 1e3},
    "energy": {"J": 1.0, "kJ": 1e3, "MJ": 1e6, "Wh": 3600.0, "kWh": 3.6e6},
    "power": {"W": 1.0, "kW": 1e3, "MW": 1e6, "GW": 1e9},
    "voltage": {"mV": 1e-3, "V": 1.0, "kV": 1e3},
    "current": {"mA": 1e-3, "A": 1.0},
    "pressure": {"Pa": 1.0, "hPa": 1e2, "mbar": 1e2, "kPa": 1e3, "bar": 1e5, "MPa": 1e6},
    "frequency": {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "concentration": {"nM": 1e-9, "uM": 1e-6, "mM": 1e-3},
}
"""What units of one dimension are to each other; days and months, of no fixed length to each other,
are two dimensions, and bytes are left out."""
_FACTORS = {unit: (name, factor) for name, units in _DIMENSIONS.items() for unit, factor in units.items()}


@lru_cache(maxsize=1024)
def dimension(unit: str) -> tuple[str, float] | None:
    """Return the dimension of a unit and its factor: `mass/volume` and 0.001 for `mg/l`; None if not known."""
    parts = [_FACTORS.get(part) for part in unit.split("/")]
    known = [part for part in parts if part]
    if len(known) < len(parts) or len(parts) > 2:
        return None
    if len(known) == 1:
        return known[0]
    (one, factor), (other, divisor) = known
    return f"{one}/{other}", factor / divisor


@lru_cache(maxsize=4096)
def canonical(unit: str | None) -> str:
    """Return the canonical form of a unit as written, `mg/kg` for `milligrams per kilogram`."""
    if not unit:
        return ""
    parts = [part.strip() for part in re.split(r"\s?/\s?|\s+(?:per|an?|each)\s+(?!cent)", unit.strip())]
    return "/".join(_one_unit(part) for part in parts)


def _one_unit(part: str) -> str:
    folded = re.sub(r"\s+", " ", part.casefold())
    if folded in ("per cent", "percent"):
        return "%"
    if folded.startswith("percentage point"):
        return "pp"
    if folded.startswith(("degree", "°")) and len(folded) > 1:
        tail = folded.replace("degrees", "").replace("degree", "").strip("° ")
        return tail[:1].upper() if tail else "deg"
    return UNITS.get(part) or UNITS.get(folded) or folded


def units_named(words: tuple[str, ...]) -> frozenset[str]:
    """Return the canonical units that a sentence names anywhere, as a table's head does: `Limit (minutes)`."""
    return frozenset(UNITS[word] for word in words if word in UNITS)
