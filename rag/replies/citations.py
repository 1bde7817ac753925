"""Citations in the forms that models write, as numbers of passages. The rest of a reply sees one character for each."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rag.exact.units import units_at
from rag.models import RetrievedChunk

SIGN: Final = "\ue000-\uf8ff"  # the characters that stand for citations, for use within the brackets of a pattern
SOURCES: Final = r"sources?|quellen?|fuentes?|fonti|fonte|bron|来源|出典"
KEYWORDS: Final = rf"passages?|{SOURCES}|references?|refs?|citations?|documents?|docs?|excerpts?|chunks?|textstellen?"
"""Words by which a citation says that it is one."""
_FIRST_SIGN: Final = 0xE000
_SIGNS: Final = 0xF8FF - _FIRST_SIGN
_AFTER: Final = 12  # characters behind a citation that must be known: another bracket, or what ends a sentence
_OWN_SIGNS = re.compile(f"[{SIGN}]")
_CITATION = re.compile(
    r"\\?\[{1,2}(?P<square>[^\[\]\n]{1,300})\]{1,2}|[【［](?P<lens>[^【】［］\n]{1,300})[】］]"
    r"|[(（](?P<round>[^()（）\[\]\n]{1,300})[)）]|\^(?P<caret>\d{1,2}(?:,\d{1,2}){0,2})\^"
    r"|(?P<raised>[⁰¹²³⁴-⁹](?:[,⁻– ]?[⁰¹²³⁴-⁹]){0,11})"
)
_OPEN = re.compile(r"\[[^\]\n]{0,300}\Z|[(（][^)）\n]{0,300}\Z|[【［][^】］\n]{0,300}\Z")
_TARGET = re.compile(r"#|https?:|\.{0,2}/")
_KEYWORD = re.compile(rf"(?<![^\W\d_])(?:{KEYWORDS})(?![^\W\d_])\.?", re.IGNORECASE)
_UNKNOWN = re.compile(rf"(?:{SOURCES})\s?(?::|\Z)|\d{{1,3}}:\d{{1,3}}†", re.IGNORECASE)
"""A citation, but not of a passage by its number or document."""
_AND = re.compile(r"[\s,;&]++(?:(?:and|und|et|y|e|en|och|og)(?=[\s\d]))?[\s,;&]*+", re.IGNORECASE)
_NUMBERS = re.compile(r"\d{1,3}(?:[,-]\d{1,3}){0,30}")
_FIRST = re.compile(r"(\d{1,3}) ?(?:†|[:,] ?(?=\D))")
_PLACE = re.compile(r"(?:pp?|pages?|pg|s|seiten?|sect?|sections?|ch|chapter|\d{1,4})\b")
_PAGE = re.compile(r"\b(?:pp?|pages?|pg|s|seiten?)\.? ?(\d{1,4})\b", re.IGNORECASE)
_NO_WORD = re.compile(r"[\W_]+")
_ENDS = re.compile(r"[*_\"”]{0,2}(?:[.!?]|[ \t]{0,2}(?:\n|\Z))")
_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,40}\Z")
_LEAD = re.compile(rf"[\s{SIGN}\[\]:*•\"'`.)-]*(?:\d{{1,3}}[.)]\s+)?")
"""What stands before the name of a document in a list of them."""
_STOPS: Final = '.,;:!?"”’)]*_'
_FIGURES = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻–", "0123456789--")


class Citation(NamedTuple):
    """The passages that a citation names; as written where it names others than there are."""

    numbers: tuple[int, ...] = ()
    invalid: str = ""


class Citations:
    """Reads the citations of one growing text.

    Attributes:
        found: What each sign stands for.
        longest_name: Characters of the longest name of a document.
    """

    def __init__(self, passages: Sequence[RetrievedChunk]) -> None:
        self.found: dict[str, Citation] = {}
        self.longest_name = max((len(passage.document) for passage in passages), default=0)
        self._passages = passages
        self._names = _names_of(passages)
        self._files = {_plain(passage.document) for passage in passages}
        self._signs: dict[Citation, str] = {}
        self._held = ""
        self._left = ""

    def feed(self, piece: str, *, last: bool = False) -> str:
        """Return what is known since the last call, with signs for citations; `last`: no more will come."""
        text = self._held + _OWN_SIGNS.sub("", piece)
        begun = None if last else _OPEN.search(text, max(0, len(text) - 302))
        known = len(text) if last else max(0, min(len(text) - _AFTER, begun.start() if begun else len(text)))
        out: list[str] = []
        place = 0
        for match in _CITATION.finditer(text):
            if match.end() > known:
                known = min(known, match.start())
                break
            self._write(text[place : match.start()], out)
            sign = self._sign(match, text[match.end() : match.end() + _AFTER])
            self._write(match[0] if sign is None else sign, out)
            place = match.end()
        self._write(text[place:known], out)
        self._held = text[known:]
        return "".join(out)

    def _write(self, text: str, out: list[str]) -> None:
        out.append(text)
        self._left = (self._left + text)[-40:]

    def _sign(self, match: re.Match[str], after: str) -> str | None:
        """Return the sign for a citation, nothing for a link's target behind one; None for what is neither."""
        if match["round"] and self._left[-1:] in self.found and _TARGET.match(match["round"]):
            return ""
        citation = self._read(match, after)
        if citation is None or len(self._signs) == _SIGNS:
            return None
        sign = self._signs.setdefault(citation, chr(_FIRST_SIGN + len(self._signs)))
        self.found[sign] = citation
        return sign

    def _read(self, match: re.Match[str], after: str) -> Citation | None:
        if raised := match["raised"] or match["caret"]:
            return self._raised(raised, after)
        if match[0].startswith("[^") and after.startswith(":") and self._left[-1:] in ("", "\n"):
            return None  # the text of a footnote
        inner = (match["square"] or match["lens"] or match["round"]).strip("\\^*# \t")
        numbers = self._round(inner, after) if match["round"] else self._listed(inner)
        numbers = numbers or self._of_document(inner)
        if numbers:
            valid = tuple(dict.fromkeys(number for number in numbers if self._is_given(number)))
            return Citation(valid, "" if all(map(self._is_given, numbers)) else match[0])
        return Citation() if _UNKNOWN.match(inner) else None

    def _is_given(self, number: int) -> bool:
        return 0 < number <= len(self._passages)

    def _listed(self, inner: str) -> list[int]:
        """Return the numbers of `1, 3-5`, `Passage 1 and 2`, `^1`, `1†source`, `1, p. 3`; none of anything else."""
        plain = re.sub(r"[\[\]^#*:]", " ", _KEYWORD.sub(" ", inner.translate(_FIGURES)))
        plain = _AND.sub(",", re.sub(r" ?[-–] ?", "-", plain.strip(" .,;"))).strip(",")
        if _NUMBERS.fullmatch(plain):
            return list(_expanded(plain))
        first = _FIRST.match(_KEYWORD.sub("", inner, count=1).strip(" :"))
        named = first and (
            "†" in first[0] or _PAGE.search(inner) or self._of_document(inner[inner.find(first[1]) + 1 :])
        )
        return [int(first[1])] if first and named else []

    def _round(self, inner: str, after: str) -> list[int]:
        """Return what numbers in round brackets cite: behind a keyword, or where a sentence ends and all are given."""
        words = inner.split(" ")
        lead = next((place for place, word in enumerate(words[:4]) if _KEYWORD.match(word)), None)
        numbers = self._listed(" ".join(words[lead or 0 :])) if lead is not None or inner[:1].isdigit() else []
        if lead is not None and words[lead].casefold().startswith("passage"):
            return numbers
        if lead is None:
            before = self._left.rstrip(" ")[-1:]
            ends = (before and before in ".!?") or _ENDS.match(after)
            behind = before.isalnum() or (before and (before in ".!?\"”’'*_)%" or before > "\u2fff"))
            numbers = numbers if ends and behind else []
        return numbers if all(map(self._is_given, numbers)) else []

    def _raised(self, figures: str, after: str) -> Citation | None:
        """Return what raised figures cite; behind a number, a letter or a unit they are a power."""
        left = self._left.removesuffix(" ")
        said = left.rstrip(_STOPS)
        word = _WORD.search(said)
        is_power = said == left and (not word or len(word[0]) < 2 or units_at(word[0], 0)[0])
        if is_power or not said[-1:].isalpha() or after[:1].isalnum() or after[:1] in ("⁺", "⁻", "/", "·"):
            return None
        plain = figures.translate(_FIGURES)
        numbers = self._listed(plain)
        if plain.isdigit() and not all(map(self._is_given, numbers)):
            numbers = [int(figure) for figure in plain]
        return Citation(tuple(dict.fromkeys(numbers))) if numbers and all(map(self._is_given, numbers)) else None

    def _of_document(self, inner: str) -> list[int]:
        """Return the passages of the documents named, of a page where one is given; a page alone: all on it."""
        folded = f" {_plain(_KEYWORD.sub('', inner, count=1))} "
        pages = [int(page) for page in _PAGE.findall(inner)]
        numbers: list[int] = []
        for name, of_name in self._names.items():
            before, found, after = folded.partition(f" {name} ")
            if found and (name in self._files or (len(before) < 12 and (not after or _PLACE.match(after)))):
                numbers += [number for number in of_name if _is_on(self._passages[number - 1], pages)] or of_name
                folded = f"{before} {after}"
        if not numbers and _PAGE.fullmatch(inner):
            return [number for number, passage in enumerate(self._passages, 1) if _is_on(passage, pages)]
        return numbers

    def names_document(self, line: str) -> bool:
        """Return whether a line begins with the file name of a document, and says nothing of it but a place."""
        plain = line[_LEAD.match(line).end() :]  # type: ignore[union-attr]
        name = next((one.document for one in self._passages if plain.startswith(one.document)), "")
        return bool(name) and plain[len(name) :].lstrip(" \"'`*")[:1] in ("", ",", ";", "(", "–", "—", "-", "\n")


def _names_of(passages: Sequence[RetrievedChunk]) -> dict[str, list[int]]:
    """Return the passages of each document by its names, the longest first: file, file without suffix, title."""
    found: dict[str, list[int]] = {}
    for number, passage in enumerate(passages, 1):
        stem = passage.document.rpartition(".")[0]
        for name in {_plain(one) for one in (passage.document, stem, passage.metadata.title or "")}:
            if len(name) > 2:
                found.setdefault(name, []).append(number)
    return dict(sorted(found.items(), key=lambda pair: -len(pair[0])))


def _plain(text: str) -> str:
    return _NO_WORD.sub(" ", text.casefold()).strip()


def _is_on(passage: RetrievedChunk, pages: Iterable[int]) -> bool:
    first = passage.page
    return first is not None and any(first <= page <= (passage.last_page or first) for page in pages)


def _expanded(plain: str) -> Iterator[int]:
    """Yield the numbers of `1,3-5`; for what is no range (`3-1`, `1-3-5`) 0, the number of no passage."""
    for part in plain.split(","):
        first, *more = map(int, part.split("-"))
        last = more[0] if more else first
        yield from range(first, last + 1) if len(more) < 2 and first <= last else (0,)
