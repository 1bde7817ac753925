"""What people said of recorded requests, as lines of a file: of each request the last line counts."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from pydantic_core import from_json


class Judgement(NamedTuple):
    """What somebody thought of an answer."""

    verdict: Literal["good", "bad", ""] = ""
    """Empty: nobody told, or it was taken back."""
    reason: str = ""
    """Why it is bad, as its giver chose it; empty: nothing was chosen."""
    note: str = ""


def judgement(line: dict[str, Any]) -> Judgement:
    """Return what a line of the feedback says."""
    verdict = line.get("verdict")
    if verdict not in ("good", "bad"):
        return Judgement()
    return Judgement(verdict, str(line.get("reason") or ""), str(line.get("note") or ""))


def last_of_each(lines: Iterable[bytes]) -> dict[str, dict[str, Any]]:
    """Return the last line about each request by its id; torn lines are left out.

    Args:
        lines: The last one first.
    """
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        try:
            told = from_json(line)
            found.setdefault(str(told["request_id"]), told)
        except (ValueError, KeyError, TypeError):  # torn
            continue
    return found
