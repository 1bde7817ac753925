"""What a document says of itself: who wrote it, when, and what tells it from its near-identical siblings."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice
from pathlib import PurePath

from rag.ingest.loaders.blocks import Block, only_title
from rag.ingest.loaders.cleaning import squeeze
from rag.ingest.loaders.source import Source
from rag.ingest.loaders.structure import parse_title
from rag.models import DocumentMetadata

MOST = 8
LONGEST = 80
_LONGEST_LINE = 100  # A cover page has short lines; names in running text belong to its subject, not to the document.

_DATE = (  # `2023-07-01`, `1.7.2023`, `1 July 2023`, `July 1, 2023`
    r"(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}|"
    r"(?:\d{1,2}\s+(?-i:[A-Z])[a-z]+\.?|(?-i:[A-Z])[a-z]+\.?\s+\d{1,2},?)\s+\d{4})"
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
)  # a word and the number that it names, on one line, or alone on the next: `Second edition` above `1 Oil` names none
_CODED = re.compile(
    r"^[^\w\n]{,9}([^\W\d_][^:|\n]{1,30}?)[^\S\n]*[:|][^\S\n]*"
    r"((?=[\w./-]*[A-Z])(?=[\w./-]*\d{2})[A-Z0-9][\w./-]{3,24}|\d{5,12})[ |]*$",
    re.M,
)  # a label and the code that is all its value, as a form has them: `Record no: SR/88100`, `| Model | PX300A |`
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
    r"[\W\d_]*(?:(?:untitled|document|presentation|slide|template|microsoft|word|powerpoint|index|readme|page"
    r"|table of contents|contents|scan|file|copy|final|draft|new|unspecified|not specified|no subject|subject|title"
    r"|author|anonymous|unknown|default|none|null|n/?a)[\W\d_]*+)*",
    re.I,
)
_SAVED_BY = re.compile(  # what office programs put before the name of a file and call that the title
    r"(?:microsoft )?(?:office )?(?:word|powerpoint|excel|publisher|visio|outlook|project|access) - ", re.I
)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_BY = re.compile(r"(?:(?:written|edited|compiled)\s+)?by\b:?\s+", re.I)
_ADDRESS = re.compile(r"[<(]\s*[^\s<>()]+@[^<>()]*[>)]")
_AND = re.compile(r"(?<!\s)\s++(?:and|&)\s+")
_OFFICE = re.compile(r"\b(?:of|for|the)\b", re.I)
_COMPLETES = re.compile(
    r"(?:Jr|Sr|I{2,3}|IV|Ph\.? ?D|M\.? ?D|[MB]\.?Sc|M\.?A|MBA|Esq|RN|Inc|Ltd|LLC|GmbH)\.?|(?:[^\W\d_]\.[ -]?){1,4}"
)  # it belongs to the name before the comma: a title, or the initials of a first name
_PROGRAMS = frozenset(("python-docx", "python-pptx", "openpyxl", "unknown", "user", "admin", "author", "steve canny"))


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
    for text in _candidates(name, _cover(head), extra):
        text = squeeze(text) if text.endswith(("Inc.", "Corp.", "Ltd.")) else squeeze(text).strip(" .,;:|-–—")
        telling = 2 <= len(text) <= LONGEST and not is_placeholder(text)
        if telling and not _words(text) <= _words(" ".join([*found, title or ""])):
            found.append(text)
    return tuple(found[:MOST])


def year_stated(head: str) -> int | None:
    """Return the year of the period or the date that the first page of a document states for it, else None.

    >>> year_stated("Travel policy\\nEffective 1 May 2023"), year_stated("Founded in 1990")
    (2023, None)
    """
    cover = _cover(head)
    found = (year_of(match[0]) for pattern in (_PERIOD, _EFFECTIVE) if (match := pattern.search(cover)))
    return next(filter(None, found), None)


def is_placeholder(text: str) -> bool:
    """Return whether a text stands where a program found nothing to write, or has no letters.

    >>> is_placeholder("(unspecified)"), is_placeholder("Untitled document-2"), is_placeholder("Document retention")
    (True, True, False)
    >>> is_placeholder("Microsoft Word - policy_v3.doc"), is_placeholder("Word order in German")
    (True, False)
    """
    return _UNTELLING.fullmatch(text) is not None or _SAVED_BY.match(text) is not None


def _cover(head: str) -> str:
    return "\n".join(line for line in head.split("\n") if len(line) <= _LONGEST_LINE)


def _candidates(name: str, head: str, extra: Sequence[str]) -> Iterator[str]:
    stem = " ".join(re.split(r"[_\s]+", PurePath(name).stem))
    if not is_placeholder(stem):
        yield stem
        quarter, year = _QUARTER.search(stem), re.search(r"\b(?:19|20)\d\d\b", stem)
        if quarter:  # people ask in words
            yield f"{_ORDINALS[int(quarter[1]) - 1]} quarter" + (f" of {year[0]}" if year else "")
    for pattern, most in ((_ORGANISATION, 1), (_PERIOD, 1), (_LABELLED, 3), (_CODED, 2), (_EFFECTIVE, 1)):
        for match in islice(pattern.finditer(head), most):
            yield f"{match[1]} {match[2]}" if pattern is _CODED else match[0]
    yield from extra


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


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
    groups = [line] if _OFFICE.search(line) else _AND.split(line)
    names = line.split(";") if ";" in line else [name for group in groups for name in _parted(group)]
    return tuple(dict.fromkeys(name for part in names if (name := part.strip(" ,"))))


def _parted(group: str) -> list[str]:
    """Return the names between the commas of a line; those of two parts, the first of one word, are one name."""
    names: list[str] = []
    parts = [part.strip() for part in group.split(",") if part.strip()]
    is_one = len(parts) == 2 and len(parts[0].split()) == 1
    for part in parts:
        if names and (is_one or _COMPLETES.fullmatch(part)):
            names[-1] += f", {part}"
        else:
            names.append(part)
    return names


def identified(
    name: str, blocks: Sequence[Block], metadata: DocumentMetadata, extra: Sequence[str] = ()
) -> DocumentMetadata:
    """Return metadata with the title of the blocks, where there is none, and with identifiers from the first blocks."""
    title = metadata.title or only_title(blocks)
    head = "\n".join(block.text for block in blocks[:12])
    return metadata.model_copy(update={"title": title, "identifiers": identify(name, title, head, extra)})


def office_metadata(
    source: Source,
    blocks: Sequence[Block],
    *,
    title: str | None = None,
    author: str | None = None,
    created: date | None = None,
    extra: Sequence[str] = (),
) -> DocumentMetadata:
    """Return what the properties of an office file say of it, those that programs fill in left out.

    Names in `author` stand between semicolons or commas; without an author `created` is the template's. A title that is
    lacking is taken from `blocks`. `extra` are more properties that may tell it from its siblings, as the subject.
    """
    authors = tuple(squeeze(name) for name in re.split(r"[;,]", author or "") if _is_person(name))
    year = created.year if created and created.year > 2000 and _is_person(author or "") else None
    metadata = DocumentMetadata(title=title_of(title or "", blocks), authors=authors, year=year)
    return identified(source.name, blocks, metadata, extra)


def _is_person(name: str) -> bool:
    """Return whether an author property is one: libraries and word processors write their own names there."""
    return bool(name.strip()) and name.strip().casefold() not in _PROGRAMS


def title_of(title: str, blocks: Sequence[Block]) -> str | None:
    """Return the title property, unless it is a template's; else the heading that the document begins with."""
    known = squeeze(title)
    if known and not is_placeholder(known):
        return known
    first = blocks[0] if blocks else None
    if first and first.kind == "heading" and first.level == 1 and parse_title(first.text).kind == "plain":
        return first.text
    return only_title(blocks)
