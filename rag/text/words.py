"""Words, sentences and folding: the small functions on text that several stages share. Ground floor, no stage."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any
from zlib import crc32

from rag.errors import ConfigurationError
from rag.protocols import Span
from rag.text.full_stops import resplit

_LETTER_A = re.compile(r"(?<=[^\W_] )A(?=[\s.,;:?!)|]|$)")
_WORD = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*")
STOPWORDS = frozenset(
    """
    a an the and or but nor so yet if then else than that this these those there here it its they them their
    theirs he him his she her hers we us our ours you your yours i me my mine who whom whose which what when where
    why how do does did done doing be is am are was were been being have has had having can could may might must
    shall should will would of in on at by for from to into onto with without about as not no any some each every
    both few more most other such only own same too very s t just also during between through over under again
    further once all because until while
    """.split()  # noqa: SIM905
)
_SHORTENED = frozenset(
    """
    ain aren couldn didn doesn don hadn hasn haven isn let mightn mustn needn shan shouldn wasn weren won wouldn
    """.split()  # noqa: SIM905
)
"""What stands before the apostrophe of `don't` and `let's`."""

_POWER = re.compile(r"(?<=\d)(?=[⁰¹²³⁴-⁹⁻])")
_MIXED = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")


def apart(text: str) -> str:
    """Return `text` with a space between a number and the fraction behind it.

    >>> apart("1½ cups")
    '1 ½ cups'
    """
    return _MIXED.sub(" ", text)


def compatible(text: str) -> str:
    """Return `text` with compatibility forms folded; powers and fractions stay apart from the number before them.

    >>> compatible("10³ ﬁlters, 1½ cups") == "10^3 filters, 1 1⁄2 cups"
    True
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _POWER.sub("^", apart(text)))


def fold(text: str) -> str:
    """Return `text` with compatibility forms, case and white space folded, for comparing.

    >>> fold("The  ﬁrst\\nLine")
    'the first line'
    """
    return " ".join(compatible(text).casefold().split())


def words(text: str) -> list[str]:
    """Return the words and numbers of `text`, case folded; `1,500` and `don't` are one word each.

    >>> words("At most 1,500 ml; don't spill.")
    ['at', 'most', '1,500', 'ml', "don't", 'spill']
    """
    return _WORD.findall(compatible(text).casefold())


@lru_cache(maxsize=16_384)
def is_stopword(word: str) -> bool:
    """Return whether a word, case folded, is one of those that say little, or one of them shortened. Remembered.

    >>> [word for word in ("what's", "don’t", "o'clock", "gate", "the") if is_stopword(word)]
    ["what's", 'don’t', 'the']
    """
    if word in STOPWORDS:
        return True
    base, mark, _ = word.replace("’", "'").partition("'")
    return bool(mark) and (base in STOPWORDS or base in _SHORTENED)


@lru_cache(maxsize=8)
def _stemmer(language: str) -> Any:
    import Stemmer

    try:
        return Stemmer.Stemmer(language, 20_000)
    except KeyError as error:
        known = ", ".join(Stemmer.algorithms())
        raise ConfigurationError(f"CANDOR_LANGUAGE={language!r} has no stemmer. There is one for: {known}.") from error


def stems(text: str, *, language: str = "english") -> list[str]:
    """Return the stems of the content words of `text`, in order, repetitions kept.

    The capital A of a class, a vitamin or an appendix is a name and no article.

    >>> stems("What are the gloves made of?"), stems("Is class A a risk?"), stems("What's the keeper's fee?")
    (['glove', 'made'], ['class', 'lettera', 'risk'], ['keeper', 'fee'])

    Raises:
        ConfigurationError: There is no stemmer for the language.
    """
    lettered = _LETTER_A.sub("lettera", text) if " A" in text else text
    content = [word for word in words(lettered) if not is_stopword(word)]
    return list(_stemmer(language).stemWords(content))


def term_id(stem: str) -> int:
    """Return the id under which BM25 counts a stem: its CRC-32, so that no vocabulary has to be kept."""
    return crc32(stem.encode())


_UNIT_BREAK = re.compile(
    r"\n\s*\n|\n(?=[ \t]*(?:[-*•‣◦▪–]\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s|#{1,6}\s|\|"
    r"|\d{1,2}(?:\.\d{1,2})+\.?[ \t]+(?:[A-Z][a-z]{2}|(?:An|At|By|Do|If|In|It|No|On|To)\b)))|(?<=\|)[ \t]*\n"
)

_AFTER_HOUR = (
    "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|March|April|May|June|July|August|September|October"
    "|November|December|Eastern|Pacific|Central|Mountain|Greenwich"
)
"""What goes on after `8 a.m.` with a capital letter."""
_UNIT_STOP = re.compile(
    r"(?<![\w.,])(?<!\d[\u00a0\u202f])(?<!\bNo\. )(?<!\b[Ff]ig\. )(?<!\b[Rr]oom )\d[\d.,\u00a0\u202f]*[ \u00a0\u202f]?"
    r"(?:(?:(?<!\b1\d{3} )(?<!\b20\d{2} )[VAWNJKCFBL])|[mghstl]|[ap]\.m)\.(\s+)(?=[A-Z][a-z])"
    rf"(?!(?:{_AFTER_HOUR})\b)"
)
"""A number with a unit of one letter, or `a.m.`, and a full stop: an end that the splitter takes for a mere mark.

A letter behind a year is an initial: `in 1921 J. Weber`.
"""

_ROW = re.compile(r"[ \t]*\|[^\n]*\|\s*")
_TERM_LINE = re.compile(r"^[ \t]*[^\W_][^\n:.!?|]{0,59}:[ \t]+\S.*$", re.MULTILINE)


_PASSAGE = 4_000
"""So many characters has a text at most whose sentences are remembered: a passage is split several times an answer."""


@lru_cache(maxsize=1)
def _splitter() -> Callable[[str], list[Span]]:
    from nupunkt import sent_spans

    return sent_spans


def sentence_spans(text: str) -> list[Span]:
    """Return where the sentences of `text` stand; white space between them belongs to none.

    A blank line, and the beginning of a list item, heading or table row on a line of its own, end a sentence too; so
    does the end of a line of a glossary: of two or more lines in a row that begin with a term and a colon. So does the
    full stop behind a unit of one letter (`10 A. Switch it off`), which the splitter takes for an initial. Which words
    are shortened is decided in `rag.text.full_stops`. A row of a table is one sentence, whatever its cells hold.

    >>> sentence_spans("Dr. Ek agreed. It rained.\\n- gloves")
    [(0, 14), (15, 25), (26, 34)]
    >>> sentence_spans("firn: old snow\\nesker: ridge of sand")
    [(0, 14), (15, 35)]
    """
    return list(_spans_of_passage(text)) if len(text) <= _PASSAGE else _spans_of(text)


def _spans_of(text: str) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for end, after in [*_breaks(text), (len(text), len(text))]:
        unit = text[start:end]
        inner = [(0, len(unit))] if is_row(unit) else resplit(unit, _splitter()(unit))
        spans.extend(_trimmed(text, start + a, start + b) for a, b in inner)
        start = after
    return [span for span in spans if span[0] < span[1]]


@lru_cache(maxsize=512)
def _spans_of_passage(text: str) -> tuple[Span, ...]:
    return tuple(_spans_of(text))


def is_row(text: str) -> bool:
    """Return whether a text is one row of a table: whatever its cells hold, it is read as a whole.

    >>> is_row("| Deposit? | Yes. Always. |"), is_row("Wear gloves.")
    (True, False)
    """
    return bool(_ROW.fullmatch(text))


def _breaks(text: str) -> list[Span]:
    """Return the white space that ends a sentence whatever its words say, in order."""
    breaks = [match.span() for match in _UNIT_BREAK.finditer(text)]
    lines = [match.span() for match in _TERM_LINE.finditer(text)]
    breaks += [match.span(1) for match in _UNIT_STOP.finditer(text) if not _is_in_row(text, match.start())]
    between = [(one[1], other[0]) for one, other in pairwise(lines) if other[0] == one[1] + 1]
    return sorted({*breaks, *between})


def _is_in_row(text: str, place: int) -> bool:
    return text[text.rfind("\n", 0, place) + 1 : place].lstrip().startswith("|")


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return the span without white space at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
