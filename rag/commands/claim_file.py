"""`candor ground`: a file of claims with their evidence -> a file of verdicts, a line each, in the same order."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag.errors import InvalidQuery
from rag.models.complaints import shown, why_no_json
from rag.protocols import Evidence, GroundingCheck

_HALVES = re.compile("[\ud800-\udfff]")  # halves of a character, which JSON can write (`\ud800`) and no model reads


def ground_file(claims: Path, out: Path, *, check: GroundingCheck) -> tuple[int, int]:
    """Write `{"id", "supported", "support"}` for each claim of a file; return how many there are, and are supported.

    Where a value of the claim does not stand in the evidence, a `note` of the line says it.

    Args:
        claims: JSON lines with `claim` and `evidence`, text both; evidence may be a list of texts, which are read as
            one with a blank line between them. An `id` is passed on.
        out: The file to write; an existing one is replaced.
        check: Judges a claim against its evidence.

    Raises:
        InvalidQuery: A file cannot be read or written or holds no claim, or a line, which is named, is malformed.
    """
    if out.exists() and out.samefile(claims):
        raise InvalidQuery(f"--out {str(out)!r} is the claims file itself. Choose another file.")
    verdicts = [_verdict(row, check) for row in _rows(claims)]
    if not verdicts:
        raise InvalidQuery(
            f"{str(claims)!r} contains no claims to check. Write one JSON object a line, with claim and evidence."
        )
    try:
        out.write_text("".join(json.dumps(verdict) + "\n" for verdict in verdicts), encoding="utf-8")
    except OSError as error:
        why = error.strerror or error
        raise InvalidQuery(f"The verdicts cannot be written to {str(out)!r}: {why}. Choose another --out.") from error
    return len(verdicts), sum(bool(verdict["supported"]) for verdict in verdicts)


def _verdict(row: dict[str, Any], check: GroundingCheck) -> dict[str, Any]:
    claim, evidence = (_HALVES.sub("\N{REPLACEMENT CHARACTER}", row[name]) for name in ("claim", "evidence"))
    (support,) = check.judge(claim, [Evidence(evidence)])
    named = {"id": row["id"]} if "id" in row else {}
    note = {"note": support.why} if support.why else {}
    supported = support.value >= check.threshold and not any(check.gives_orders([support.part]))
    return {**named, "supported": supported, "support": round(support.value, 6), **note}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise InvalidQuery(f"The claims in {str(path)!r} cannot be read: {why}. Check --claims.") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if isinstance(row, dict):
                json.dumps({"id": row.get("id")}, allow_nan=False)  # it is passed on
        except (ValueError, RecursionError) as error:
            to_do = "Write one object a line, without brackets around them" if line[0] == "[" else "Correct this line"
            raise InvalidQuery(f"{path}, line {number} is not valid JSON: {why_no_json(error)}. {to_do}.") from error
        if lacking := _lacking(row):
            raise InvalidQuery(f"{path}, line {number}: {lacking}")
        evidence = row["evidence"]
        yield {**row, "evidence": evidence if isinstance(evidence, str) else "\n\n".join(evidence)}


def _lacking(row: object) -> str:
    """Return what a line has in place of a claim and its evidence, and what to write; empty where it has both."""
    if not isinstance(row, dict):
        return f"{type(row).__name__} where an object was expected. Write one object a line, with claim and evidence."
    for name, texts in (("claim", "a text"), ("evidence", "a text or a list of texts")):
        if name not in row:
            return f"{name!r} is missing. Add it to this line."
        parts = row[name] if name == "evidence" and isinstance(row[name], list) else [row[name]]
        if not all(isinstance(part, str) for part in parts):
            return f"{name!r} is {shown(row[name])}: it must be {texts}. Correct this line."
    return ""
