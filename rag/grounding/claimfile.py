"""`candor ground`: a file of claims with their evidence -> a file of verdicts, a line each, in the same order."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag.errors import InvalidQuery
from rag.protocols import GroundingCheck

SUPPORTED = 0.5


def ground_file(claims: Path, out: Path, *, check: GroundingCheck) -> tuple[int, int]:
    """Check each claim of a file and write `{"id", "supported", "support"}` for it.

    Args:
        claims: JSON lines with `claim` and `evidence`, text both; an `id` is passed on.
        out: The file to write; an existing one is replaced.
        check: Judges a claim against its evidence: 0..1, supported from 0.5.

    Returns:
        How many claims were checked, and how many of them are supported.

    Raises:
        InvalidQuery: A file cannot be read or written, or a line is malformed; the message names the line.
    """
    if out.exists() and out.samefile(claims):
        raise InvalidQuery(f"--out {str(out)!r} is the file of the claims itself. Name another file.")
    verdicts = [_verdict(row, check) for row in _rows(claims)]
    try:
        out.write_text("".join(json.dumps(verdict) + "\n" for verdict in verdicts), encoding="utf-8")
    except OSError as error:
        raise InvalidQuery(f"The verdicts cannot be written to {str(out)!r}: {error}. Choose another --out.") from error
    return len(verdicts), sum(bool(verdict["supported"]) for verdict in verdicts)


def _verdict(row: dict[str, Any], check: GroundingCheck) -> dict[str, Any]:
    support = min(max(check.support(row["claim"], row["evidence"]), 0.0), 1.0)
    named = {"id": row["id"]} if "id" in row else {}
    return {**named, "supported": support >= SUPPORTED, "support": round(support, 6)}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidQuery(f"The claims in {str(path)!r} cannot be read: {error}. Check --claims.") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InvalidQuery(f"{path.name}, line {number} is not JSON: {error}.") from error
        if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in ("claim", "evidence")):
            raise InvalidQuery(f"{path.name}, line {number} needs the texts 'claim' and 'evidence': {line[:80]!r}.")
        yield row
