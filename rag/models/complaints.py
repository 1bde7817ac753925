"""What is wrong with a value, in plain words: pydantic's complaints as people read them in messages. Ground floor."""

import json
import sys
from collections.abc import Mapping
from typing import Any, Final

SHOWN: Final = 80  # so many characters of a value stand in a message
_PLAIN: Final[Mapping[str, str]] = {
    **dict.fromkeys(("string_type", "string_unicode"), "it must be text"),
    **dict.fromkeys(("int_type", "int_from_float", "int_parsing"), "it must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "it must be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "it must be true or false"),
    **dict.fromkeys(("list_type", "tuple_type"), "it must be a list, in square brackets"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "it must be an object, in braces"),
    "finite_number": "it must be a finite number",
    "greater_than": "it must be more than {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than": "it must be less than {lt}",
    "less_than_equal": "it must be at most {le}",
    "string_too_long": "it must have at most {max_length} characters",
    "string_too_short": "it must have at least {min_length} characters",
    "too_long": "it must have at most {max_length} entries",
    "too_short": "it must have at least {min_length} entries",
    **dict.fromkeys(("literal_error", "enum"), "it must be {expected}"),
}
"""By the type of the error; what is in braces stands in its context."""


def reason_of(error: Mapping[str, Any]) -> str:
    """Return what one of pydantic's errors says a value must be; in its own words where they are about the value.

    >>> reason_of({"type": "less_than_equal", "msg": "Input should be less than or equal to 20", "ctx": {"le": 20}})
    'it must be at most 20'
    >>> reason_of({"type": "value_error", "msg": "Value error, write it in ISO 8601"})
    'write it in ISO 8601'
    """
    if error["type"] == "less_than_equal" and _is_nan(error.get("input")):
        return f"it must be a number from 0 to {error['ctx']['le']:g}"  # whatever has such a limit begins at 0
    told = str(error["msg"]).removeprefix("Value error, ")
    plain = _PLAIN.get(error["type"])
    if plain is None:
        return told
    try:
        said = plain.format_map(error.get("ctx") or {})
    except KeyError:  # another version of pydantic names it otherwise
        return told
    return said.replace(" 1 characters", " 1 character").replace(" 1 entries", " 1 entry")


def _is_nan(value: object) -> bool:
    """Return whether a value that was read as a number is none, for which every limit is the wrong one to name."""
    return value != value or (isinstance(value, str) and "nan" in value.lower())


def complaint(name: str, error: Mapping[str, Any]) -> str:
    """Return the sentence that names a value and says what it must be.

    >>> complaint("top_k", {"type": "int_type", "msg": "Input should be a valid integer", "input": True})
    'top_k = true is not valid: it must be a whole number.'
    """
    return f"{name} = {shown(error.get('input'))} is not valid: {reason_of(error).rstrip('.')}."


def why_no_json(error: ValueError | RecursionError) -> str:
    """Return what `json.loads` or `json.dumps` finds wrong with a text or a value, also where it is no mistake of form.

    >>> why_no_json(RecursionError("maximum recursion depth exceeded"))
    'brackets are nested too deeply'
    """
    if isinstance(error, RecursionError):
        return "brackets are nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    if "JSON compliant" in str(error):
        return "NaN and Infinity are not valid JSON"
    return f"a number has more than {sys.get_int_max_str_digits()} digits"


def shown(value: object) -> str:
    """Return a value as a message shows it: short, text in quotes at both ends, what is no text as JSON has it.

    The log takes what stands in quotes for what somebody typed.

    >>> shown("a" * 100)[-4:], shown(None), shown("null"), shown(["a" * 100])
    ("aa…'", 'null', "'null'", '[…]')
    """
    if isinstance(value, str):
        return repr(value if len(value) <= SHOWN else f"{value[: SHOWN - 1]}…")
    text = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    if len(text) <= SHOWN:
        return text
    return "{…}" if isinstance(value, Mapping) else "[…]" if isinstance(value, list | tuple) else f"{text[:SHOWN]}…"
