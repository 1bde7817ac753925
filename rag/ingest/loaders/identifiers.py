"""What tells a document from its near-identical siblings: names, periods, numbers of file name and first page."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from rag.ingest.loaders.cleaning import squeeze

MOST = 8
LONGEST = 80
_LONGEST_LINE = 100
"""A cover page has short lines; names in running text belong to its subject, not to the document."""

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
)
_DATE = (
    rf"(?:{_MONTH}\s+\d{{1,2}},?\s+\d{{4}}|\d{{1,2}}\s+{_MONTH}\s+\d{{4}}|"
    r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4})"
)
_PERIOD = re.compile(
    r"(?:(?:fiscal|quarterly|annual|monthly|reporting|three|six|nine|twelve)[\w -]{0,20}?\s+)?"
    rf"(?:period|quarter|year|months)\s+end(?:ed|ing)\s*:?\s+{_DATE}",
    re.I,
)
_LABELLED = re.compile(
    r"\b(?:form|report|policy|document|version|revision|rev\.|edition|release|protocol|standard|contract|invoice|case|"
    r"order|directive|regulation|issue|volume|file|reference|ref\.)"
    r"(?:\s+(?:no\.?|number|id))?(?:[^\S\n]*[:#]?[^\S\n]+|\s*[:#]?\s+(?=\S+[^\S\n]*(?:\n|\Z)))"
    r"((?=[\w./-]*\d)[A-Z0-9][\w./-]{0,24})",
    re.I,
)
"""A word and the number that it names, on one line, or alone on the next: `Second edition` above `1 Oil` names none."""
_CODED = re.compile(
    r"^[^\w\n]{,9}([^\W\d_][^:|\n]{1,30}?)[^\S\n]*[:|][^\S\n]*"
    r"((?=[\w./-]*[A-Z])(?=[\w./-]*\d{2})[A-Z0-9][\w./-]{3,24}|\d{5,12})[ |]*$",
    re.M,
)
"""A label and the code that is all its value, as a form has them: `Record no: SR/88100`, `| Model | PX300A |`."""
_EFFECTIVE = re.compile(
    r"\b(?:effective|valid|approved|issued|revised|dated|last updated|in force)"
    rf"(?:\s+(?:date|from|on|as of))?\s*:?\s+{_DATE}",
    re.I,
)
_ORGANISATION = re.compile(
    r"(?<![\w&'’.-])(?:[A-Z][\w&'’.-]*+,?[ ]++(?:(?:of|for|and|the|&)[ ]+)?){1,5}"
    r"(?:Inc\b\.?|INC\b\.?|Corp\b\.?|Corporation|CORPORATION|Company|COMPANY|Ltd\b\.?|LTD\b\.?|Limited|LLC|LLP|PLC|plc|"
    r"GmbH|AG|S\.A\.|N\.V\.|AB|Oy|Institute|Laboratory|Laboratories|University|Hospital|Agency|Foundation|Association)"
    r"(?!\w)(?:[ ]+of(?:[ ]+(?:the|and|[A-Z]\w+))+)?"
)
_QUARTER = re.compile(r"\bQ([1-4])\b", re.I)
_ORDINALS = ("first", "second", "third", "fourth")
_UNTELLING = re.compile(
    r"[\W\d_]*(?:untitled|document|microsoft word|index|readme|page|table of contents|contents|scan|file|copy|final|"
    r"draft|new|unspecified|not specified|no subject|subject|title|author|anonymous|unknown|default|none|null|n/?a)?"
    r"[\W\d_]*",
    re.I,
)


def identify(name: str, title: str | None, head: str, extra: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what tells a document from its siblings: at most 8 short texts, the most telling first.

    Args:
        name: File name.
        title: Title, where there is one; what it says already is not repeated.
        head: Text of the first page, with its line feeds.
        extra: What else the file says of itself, as running headers or the subject of a PDF.

    >>> identify("2023 Q3 ACME.pdf", None, "For the quarterly period ended July 1, 2023\\nAcme Robots, Inc.\\n")
    ('2023 Q3 ACME', 'third quarter of 2023', 'Acme Robots, Inc.', 'quarterly period ended July 1, 2023')
    """
    found: list[str] = []
    head = "\n".join(line for line in head.split("\n") if len(line) <= _LONGEST_LINE)
    for text in _candidates(name, head, extra):
        text = squeeze(text).strip(" .,;:|-–—") if not text.endswith(("Inc.", "Corp.", "Ltd.")) else squeeze(text)
        telling = 2 <= len(text) <= LONGEST and not is_placeholder(text)
        if telling and not _covers(" ".join([*found, title or ""]), text):
            found.append(text)
    return tuple(found[:MOST])


def is_placeholder(text: str) -> bool:
    """Return whether a text stands where a program found nothing to write, or has no letters.

    >>> is_placeholder("(unspecified)"), is_placeholder("untitled-2"), is_placeholder("Policy TP-3")
    (True, True, False)
    """
    return _UNTELLING.fullmatch(text) is not None


def _candidates(name: str, head: str, extra: Sequence[str]) -> Iterator[str]:
    stem = " ".join(re.split(r"[_\s]+", PurePath(name).stem))
    if not is_placeholder(stem):
        yield stem
        yield from _spelled_quarters(stem)
    organisations = [match[0] for match in _ORGANISATION.finditer(head)]
    yield from organisations[:1]
    yield from _matches(_PERIOD, head, 1)
    yield from _matches(_LABELLED, head, 3)
    yield from (f"{match[1]} {match[2]}" for match, _ in zip(_CODED.finditer(head), range(2), strict=False))
    yield from _matches(_EFFECTIVE, head, 1)
    yield from extra


def _matches(pattern: re.Pattern[str], text: str, most: int) -> list[str]:
    return [match[0] for match, _ in zip(pattern.finditer(text), range(most), strict=False)]


def _spelled_quarters(stem: str) -> Iterator[str]:
    """Yield `third quarter of 2023` for a name with Q3 and 2023: people ask in words."""
    quarter, year = _QUARTER.search(stem), re.search(r"\b(?:19|20)\d\d\b", stem)
    if quarter:
        yield f"{_ORDINALS[int(quarter[1]) - 1]} quarter" + (f" of {year[0]}" if year else "")


def _covers(known: str, text: str) -> bool:
    """Whether `text` says nothing beyond `known`."""
    return set(re.findall(r"\w+", text.casefold())) <= set(re.findall(r"\w+", known.casefold()))
