"""`candor ground`: a file of claims with their evidence -> a file of verdicts, a line each, in the same order."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from rag.complaints import shown, why_no_json
from rag.errors import InvalidQuery
from rag.language.counted import several
from rag.language.text import fold, sentence_spans
from rag.protocols import GroundingCheck, Span

SUPPORTED = 0.5
LONGEST = 2000
"""Characters of a sentence that are read as one: as many as a passage of the index has at most."""

_STOP = re.compile(r"(?<=[a-z]{4}\.)\s+(?=[A-Z][a-z])")
"""A full stop that the splitter may take for that of an abbreviation, and the check does not."""

_HALVES = re.compile("[\ud800-\udfff]")
"""Halves of a character, which JSON can write (`\\ud800`) and no model reads."""


def ground_file(claims: Path, out: Path, *, check: GroundingCheck) -> tuple[int, int]:
    """Check each claim of a file and write `{"id", "supported", "support"}` for it.

    A sentence of the evidence of more than `LONGEST` characters is read in pieces, as a document's is; a longer claim
    is supported only where the evidence quotes it. Where that was so, a `note` of the line says it.

    Args:
        claims: JSON lines with `claim` and `evidence`, text both; evidence may be a list of texts, which are read as
            one with a blank line between them. An `id` is passed on.
        out: The file to write; an existing one is replaced.
        check: Judges a claim against its evidence: 0..1, supported from 0.5.

    Returns:
        How many claims were checked, and how many of them are supported.

    Raises:
        InvalidQuery: A file cannot be read or written or holds no claim, or a line is malformed; the message names the
            line.
    """
    if out.exists() and out.samefile(claims):
        raise InvalidQuery(f"--out {str(out)!r} is the file of the claims itself. Name another file.")
    verdicts = [_verdict(row, check) for row in _rows(claims)]
    if not verdicts:
        raise InvalidQuery(
            f"{str(claims)!r} holds no claim, so there is nothing to check. Write one JSON object a line, with claim "
            "and evidence."
        )
    try:
        out.write_text("".join(json.dumps(verdict) + "\n" for verdict in verdicts), encoding="utf-8")
    except OSError as error:
        why = error.strerror or error
        raise InvalidQuery(f"The verdicts cannot be written to {str(out)!r}: {why}. Choose another --out.") from error
    return len(verdicts), sum(bool(verdict["supported"]) for verdict in verdicts)


def _verdict(row: dict[str, Any], check: GroundingCheck) -> dict[str, Any]:
    claim, evidence = (_HALVES.sub("\N{REPLACEMENT CHARACTER}", row[name]) for name in ("claim", "evidence"))
    named = {"id": row["id"]} if "id" in row else {}
    if len(claim.strip()) > LONGEST:
        support = float(_stands_whole(fold(claim), fold(evidence)))
        note = {"note": f"The claim has more than {LONGEST} characters and was only looked for word for word."}
    else:
        evidence, cut = _in_pieces(evidence)
        support = min(max(check.support(claim, evidence), 0.0), 1.0)
        note = {"note": _cut_note(cut)} if cut else {}
    return {**named, "supported": support >= SUPPORTED, "support": round(support, 6), **note}


def _stands_whole(claim: str, evidence: str) -> bool:
    """Return whether a folded text stands in another between two of its words, from the beginning of a sentence on.

    `allowed to ...` is no quotation of `not allowed to ...`.
    """
    at = evidence.find(claim)
    while at >= 0:
        before, after = evidence[:at].rstrip(), evidence[at + len(claim) :]
        if not before[-1:].isalnum() and before[-1:] != "," and not after[:1].isalnum():
            return True
        at = evidence.find(claim, at + 1)
    return False


def _in_pieces(evidence: str) -> tuple[str, int]:
    """Return the evidence with its overlong sentences cut at white space, a blank line between, and how many were."""
    if len(evidence) <= LONGEST:
        return evidence, 0
    spans = [span for span in _sentences(evidence) if span[1] - span[0] > LONGEST]
    parts, done = [], 0
    for start, end in spans:
        parts += [evidence[done:start], "\n\n".join(_pieces(evidence[start:end]))]
        done = end
    return "".join((*parts, evidence[done:])), len(spans)


def _sentences(evidence: str) -> Iterator[Span]:
    """Yield the sentences as the built-in check tells them apart."""
    for start, end in sentence_spans(evidence):
        stops = [start + match.start() for match in _STOP.finditer(evidence[start:end])]
        yield from pairwise((start, *stops, end))


def _pieces(sentence: str) -> Iterator[str]:
    """Yield pieces of at most `LONGEST` characters; one without white space is cut where it is full."""
    start = 0
    while len(sentence) - start > LONGEST:
        space = max(sentence.rfind(mark, start + 1, start + LONGEST + 1) for mark in " \t\n")
        stop = space if space > start else start + LONGEST
        yield sentence[start:stop].strip()
        start = stop
    yield sentence[start:].strip()


def _cut_note(count: int) -> str:
    has = "has" if count == 1 else "have"
    return f"{several(count, 'sentence')} of the evidence {has} more than {LONGEST} characters: read in pieces."


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
            raise InvalidQuery(
                f"{path}, line {number} is not JSON that can be read: {why_no_json(error)}. {to_do}."
            ) from error
        evidence = _joined(row.get("evidence")) if isinstance(row, dict) else None
        if evidence is None or not isinstance(row.get("claim"), str):
            raise InvalidQuery(f"{path}, line {number}: {_lacking(row)}")
        yield {**row, "evidence": evidence}


def _lacking(row: object) -> str:
    """Return what a line has in place of a claim and its evidence, and what to write."""
    if not isinstance(row, dict):
        return f"{type(row).__name__} where an object was expected. Write one object a line, with claim and evidence."
    wrong = "evidence" if isinstance(row.get("claim"), str) else "claim"
    if wrong not in row:
        return f"{wrong!r} is missing. Add it to this line."
    texts = "a text" if wrong == "claim" else "a text or a list of texts"
    return f"{wrong!r} is {shown(row[wrong])}: it must be {texts}. Correct this line."


def _joined(evidence: object) -> str | None:
    """Return evidence as one text, passages of a list parted by a blank line; None where it is neither.

    >>> _joined(["Wear gloves.", "Hoods are checked."]), _joined(3)
    ('Wear gloves.\\n\\nHoods are checked.', None)
    """
    if isinstance(evidence, list) and all(isinstance(part, str) for part in evidence):
        return "\n\n".join(evidence)
    return evidence if isinstance(evidence, str) else None
