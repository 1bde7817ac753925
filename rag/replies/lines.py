"""The lines of a growing reply, and the sentences on them: paragraphs, items of lists, rows of tables, headings."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rag.replies.citations import KEYWORDS, SIGN, SOURCES, Citations
from rag.replies.sentence import RUN
from rag.text.words import sentence_spans

_FENCE = re.compile(r"[ \t>]*(?:```|~~~)[\w+-]*[ \t]*\n?\Z")
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,}|(?:\* ){2,}\*|(?:- ){2,}-)[ \t]*\n?\Z")
_BLOCK_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?){1,5}")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦▪–]|(?:\*\*|__)?(?P<number>\(?(?:\d{1,3}|[a-z])[.)])(?:\*\*|__)?)[ \t]+(?=\S)")
_BOLD_LINE = re.compile(r"[ \t]*(?:\*\*[^*\n]{1,200}\*\*|__[^_\n]{1,200}__)[ \t]*\n?\Z")
_SOURCES = re.compile(
    rf"[\W_]{{0,6}}(?:{SOURCES}|references?|citations?|bibliography)(?: (?:used|cited))?(?P<colon>[\W_]*)(?P<rest>\S?)",
    re.IGNORECASE,
)
_REFERS = re.compile(rf"[\s*•\-\d.)\]]*(?:[{SIGN}]|(?:{KEYWORDS})\b|https?:|\Z)", re.IGNORECASE)
_DEFINITION = re.compile(r"[ \t]*\[\^[^\]\n]{1,40}\]:")
_TERM = re.compile(r"[ \t]*(?:\*\*)?[^\W_][^\n:.!?|]{0,39}:(?:\*\*)?[ \t]+\S")
_CELL = re.compile(r"(?<!\\)\|")
_TABLE_RULE = re.compile(r"[\s|:-]+\Z")
_PARTS = re.compile(r"[^\n]*\n|[^\n]+")
_SPACES = re.compile(r"\s+")
_STOP = re.compile(
    rf"(?P<stop>(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+)(?P<run>{RUN}{{0,60}}+) (?=\S)"
    rf"|(?P<marked>(?<=[^\W_])[\"”*_)]*+{RUN}{{1,60}}+ (?=[\"“*_]{{0,3}}(?P<capital>[^\W\d_])))"
    rf"|(?P<full>(?<![。！？])[。！？]++[」』”）]*+{RUN}{{0,60}}+) ?+(?=[^\s,;&–\-a-zà-ÿ])"
    r"|(?P<colon>:[*_”]*+ (?=[\"“*_]{0,3}(?P<begins>[^\W\d_])))"
)
"""Where a sentence may end: at a stop, at a citation before a capital, at a full stop of Chinese, after a preface."""
_AHEAD = re.compile(r"\S+ \S+ \S")
_THREE_WORDS = re.compile(r"(?:[^\s.!?]+ ){2}\S")
_UNSEEN = re.compile(rf"[{SIGN}*_]")
_LOOKED_BACK: Final = 240
_LONGEST_END: Final = 640  # characters that the end of a sentence may have, its citations included
_OPENING: Final = 3  # a preface is looked for in so many sentences, as long as none has cited anything


class Piece(NamedTuple):
    """A sentence with the signs of its citations, on one line.

    `mark` is what the item begins with that it is; `lead` is what ends with a colon before it or before its list;
    `followed` says whether anything follows.
    """

    text: str
    mark: str = ""
    lead: str = ""
    followed: bool = True


class Lines:
    """Cuts a growing text, with signs for citations, into sentences."""

    def __init__(self, citations: Citations) -> None:
        self._citations = citations
        self._hold = 64 + citations.longest_name
        self._line = ""
        self._kind = ""  # of the line: "text", "row", "drop", or not known yet
        self._text, self._mark, self._tried = "", "", 0
        self._in_terms = self._in_sources = self._is_item = self._was_item = False
        self._given, self._has_cited, self._lead = 0, False, ""
        self._heads: list[str] = []
        self._first_row = ""

    def feed(self, text: str, *, last: bool = False) -> Iterator[Piece]:
        """Yield the sentences that are whole now; `last`: no more will come."""
        for part in _PARTS.findall(text):
            yield from self._add(part)
        if last:
            if self._line and not self._kind:
                yield from self._begin()
            if self._kind == "row":
                yield from self._row(self._line)
            yield from self._end_table()
            yield from self._end(followed=False)
        else:
            yield from self._cut(closed=False)

    def _add(self, part: str) -> Iterator[Piece]:
        self._line += part
        ended = part.endswith("\n")
        if self._kind == "text":
            self._append(part)
        elif not self._kind and (ended or len(self._line) >= self._hold):
            yield from self._begin()
        if not ended:
            return
        if self._kind == "row":
            yield from self._row(self._line)
        elif self._kind == "text" and self._ends_with_line():
            yield from self._end()
        self._line, self._kind = "", ""

    def _append(self, part: str) -> None:
        plain = _SPACES.sub(" ", part)
        self._text += plain.lstrip() if self._text[-1:] in ("", " ") else plain

    def _ends_with_line(self) -> bool:
        """Return whether a sentence ends with its line: a heading, what announces a list, a break of Markdown."""
        is_heading = _HEADING.match(self._line) or _BOLD_LINE.match(self._line)
        announces = self._text.rstrip("*_ ").endswith((":", "：", "\\"))
        return bool(is_heading) or announces or self._line.endswith("  \n")

    def _begin(self) -> Iterator[Piece]:
        """Decide what kind of line has begun, by its first characters alone."""
        head = self._line[: self._hold]
        quoted = _BLOCK_QUOTE.match(head)
        bare = head[quoted.end() :] if quoted else head
        item, heading, is_term = _ITEM.match(bare), _HEADING.match(bare), bool(_TERM.match(bare))
        if not bare.lstrip().startswith("|"):
            yield from self._end_table()
        self._kind = "drop"
        if not bare.strip() or _FENCE.match(bare) or _RULE.match(bare) or self._is_source(bare):
            yield from self._end()
        elif bare.lstrip().startswith("|"):
            yield from self._end()
            self._kind = "row"
        else:
            self._kind = "text"
            if item or heading or (is_term and self._in_terms):
                yield from self._end()
            begins = item or heading
            skipped = len(head) - len(bare) + (begins.end() if begins else 0)
            if item:
                self._mark, self._is_item = f"{item['number'] or '-'} ", True
            self._append(f" {self._line[skipped:]}")
            self._in_terms = is_term and not begins

    def _is_source(self, line: str) -> bool:
        """Return whether a line belongs to a list of sources, is a footnote, or names a document and nothing else."""
        named, header = self._citations.names_document(line), _SOURCES.match(line)
        rest = line[header.start("rest") :] if header else ""
        if header and (not rest or (":" in header["colon"] and self._refers(rest))):
            self._in_sources = True
            return True
        self._in_sources = self._in_sources and self._refers(line)
        return self._in_sources or named or bool(_DEFINITION.match(line))

    def _refers(self, text: str) -> bool:
        return bool(_REFERS.match(text)) or self._citations.names_document(text)

    def _row(self, line: str) -> Iterator[Piece]:
        """Yield a row as what its cells say; the first waits for the rule that makes it the heads."""
        if _TABLE_RULE.match(line):
            self._heads, self._first_row = _cells(self._first_row), ""
        elif not self._heads and not self._first_row:
            self._first_row = line
        else:
            yield from self._first()
            yield from self._piece(_row_text(_cells(line), self._heads), "- ")

    def _first(self) -> Iterator[Piece]:
        if self._first_row:
            text, self._first_row = _row_text(_cells(self._first_row), []), ""
            yield from self._piece(text, "- ")

    def _end_table(self) -> Iterator[Piece]:
        yield from self._first()
        self._heads = []

    def _end(self, *, followed: bool = True) -> Iterator[Piece]:
        yield from self._cut(closed=True)
        text, mark = self._text.strip(), self._mark
        if text:
            yield from self._piece(text, mark, followed=followed)
        self._text, self._mark, self._tried = "", "", 0
        self._is_item = self._in_terms = False

    def _piece(self, text: str, mark: str, *, followed: bool = True) -> Iterator[Piece]:
        """Yield a sentence; one that ends with a colon leads the next, or all items of the list behind it."""
        self._given += 1
        self._has_cited = self._has_cited or any(sign in self._citations.found for sign in text)
        is_item = bool(mark) or self._is_item
        lead = self._lead if is_item or not self._was_item else ""
        self._was_item = is_item
        if not is_item:
            self._lead = text if text.rstrip("*_ ").endswith((":", "：")) else ""
        yield Piece(text, mark, lead, followed)

    def _cut(self, *, closed: bool) -> Iterator[Piece]:
        while (end := self._first_end(closed=closed)) is not None:
            text, self._text, self._tried = self._text[:end].strip(), self._text[end:].lstrip(), 0
            mark, self._mark = self._mark, ""
            yield from self._piece(text, mark)

    def _first_end(self, *, closed: bool) -> int | None:
        """Return where the second sentence begins, once two words behind tell so, whatever the pieces of the text."""
        for stop in _STOP.finditer(self._text, self._tried):
            end = stop.end()
            ahead = _AHEAD.match(self._text, end)
            if ahead is None and not closed and not stop["full"]:
                return None
            if self._is_end(stop, self._text[end : ahead.end() if ahead else len(self._text)]):
                leads = bool(stop["run"]) and self._text[0] in self._citations.found
                return stop.start("run") if leads else end
            self._tried = end
        self._tried = max(self._tried, len(self._text) - _LONGEST_END)
        return None

    def _is_end(self, stop: re.Match[str], ahead: str) -> bool:
        if stop["full"]:
            return True
        if stop["marked"]:
            return stop["capital"].isupper()
        if stop["colon"]:
            opening = not self._is_item and self._given < _OPENING and not self._has_cited
            is_preface = opening and stop["begins"].isupper() and bool(_THREE_WORDS.match(ahead))
            return is_preface and not any(sign in self._citations.found for sign in stop.string[: stop.end()])
        end = stop.end("stop")
        seen = _SPACES.sub(" ", _UNSEEN.sub("", stop.string[max(0, end - _LOOKED_BACK) : end])).strip()
        window = f"{seen} {_UNSEEN.sub('', ahead).strip()}"
        return any(start == len(seen) + 1 for start, _ in sentence_spans(window))


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in _CELL.split(row.strip().strip("|"))]


def _row_text(cells: list[str], heads: list[str]) -> str:
    """Return a row as `head: cell; head: cell`, its citations behind it."""
    signs = "".join(re.findall(f"[{SIGN}]", "".join(cells)))
    plain = [re.sub(f" ?[{SIGN}]", "", cell) for cell in cells]
    heads = [*heads, *[""] * len(plain)]
    said = [f"{head}: {cell}" if head else cell for head, cell in zip(heads, plain, strict=False) if cell.strip()]
    return f"{'; '.join(said)}{signs and ' '}{signs}"
