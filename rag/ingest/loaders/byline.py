"""Who wrote a document and when, read from what it says in one line: the same for every format."""

import re
from collections.abc import Iterator

from rag.ingest.loaders.cleaning import squeeze

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_BY = re.compile(r"(?:(?:written|edited|compiled)\s+)?by\b:?\s+", re.I)
_ADDRESS = re.compile(r"[<(]\s*[^\s<>()]+@[^<>()]*[>)]")
_AND = re.compile(r"(?<!\s)\s++(?:and|&)\s+")
_OFFICE = re.compile(r"\b(?:of|for|the)\b", re.I)
_COMPLETES = re.compile(
    r"(?:Jr|Sr|I{2,3}|IV|Ph\.? ?D|M\.? ?D|[MB]\.?Sc|M\.?A|MBA|Esq|RN|Inc|Ltd|LLC|GmbH)\.?|(?:[^\W\d_]\.[ -]?){1,4}"
)
"""What belongs to the name before the comma: a title, or the initials of a first name."""


def year_of(text: str) -> int | None:
    """Return the first year from 1500 to 2099 of a date, however it is written; None where there is none.

    >>> [year_of(date) for date in ("March 4, 2021", "04.03.2021", "2021-03-04", "4 March")]
    [2021, 2021, 2021, None]
    """
    found = _YEAR.search(text)
    return int(found[0]) if found else None


def authors_of(text: str) -> tuple[str, ...]:
    """Return the names in a line of authors, in order, each as written.

    Names stand between semicolons or, where there is none, between commas and `and`. A comma parts no names within
    `Smith, Ann`, before initials and before `Jr.`; an `and` none in the name of an office. An address is left out.

    >>> authors_of("Ann Smith, Bo Li and Jo Ek"), authors_of("Smith, Ann; Li, B.")
    (('Ann Smith', 'Bo Li', 'Jo Ek'), ('Smith, Ann', 'Li, B.'))
    >>> authors_of("By Martin King, Jr. <mk@example.org>"), authors_of("Ministry of Food and Health")
    (('Martin King, Jr.',), ('Ministry of Food and Health',))
    """
    line = _BY.sub("", squeeze(_ADDRESS.sub(" ", text)), count=1)
    if ";" in line:
        names = line.split(";")
    else:
        groups = [line] if _OFFICE.search(line) else _AND.split(line)
        names = [name for group in groups for name in _parted(group)]
    return tuple(dict.fromkeys(name for part in names if (name := part.strip(" ,"))))


def _parted(group: str) -> Iterator[str]:
    """Yield the names between the commas of a line; those of two parts, the first of one word, are one name."""
    parts = [part.strip() for part in group.split(",") if part.strip()]
    if len(parts) == 2 and len(parts[0].split()) == 1:
        yield ", ".join(parts)
        return
    names: list[str] = []
    for part in parts:
        if names and _COMPLETES.fullmatch(part):
            names[-1] += f", {part}"
        else:
            names.append(part)
    yield from names
