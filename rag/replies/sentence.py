"""One sentence of a reply: plain text to show, and the passages that it cites."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rag.replies.citations import KEYWORDS, SIGN, Citation

RUN: Final = rf"(?: ?[{SIGN}]| ?[,;&–-] ?[{SIGN}]| [a-zà-ÿ]{{1,5}} [{SIGN}])"
"""A citation, or one more with what joins it to the one before: `[1], [2] and [3]`."""
_CITED = rf"[{SIGN}]{RUN}{{0,60}}"
_SIGNS = re.compile(f"[{SIGN}]")
_NOUN = re.compile(
    r"(?:(?<=\b[Tt]o )|(?<=\b[Bb]y )|(?<=\b[Ii]n )|(?<=\b[Oo][nf] )|(?<=\b[Pp]er )|(?<=\b[Ss]ee )|(?<=\b[Ff]rom )"
    rf"|(?<=\b[Ww]ith )|(?<=\b[Ll]aut )|(?<=\b[Ss]elon )|(?<=\b[Ss]egún )){_CITED}|\A{_CITED}(?= [a-zà-ÿ]{{3}})"
)
"""Citations in the place of a noun: `Compare it with [1]`, `[1] says that ...`."""
_ADJUNCT = re.compile(
    rf"\A(?:According to|As [a-z]+ (?:in|by)|Based on|In|Per|From|Laut|Selon|Según) {_CITED}, "
    rf"|[,;]? (?:as [a-z]+ (?:in|by)|according to|see(?: also)?|cf\.?|per) {_CITED}(?=[.!?]?\Z)"
)
"""What says no more than that a passage is cited: `According to [1], ...`, `..., as stated in [1].`"""
_WRAPPED = re.compile(rf"[(\[](?:[^\W\d_]{{1,12}}[.:]? ){{0,3}}{_CITED}[.;]?[)\]]")
_CITATIONS = re.compile(rf"(?:(?<![ ]) )?{_CITED}")
_EMPHASIS = re.compile(
    r"\*{2,}|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)|`+"
)
_BEFORE_STOP = re.compile(r"(?<! ) {1,2}([.,;:!?])(?= |\Z)")
_DOUBLE_STOP = re.compile(r"(?<![.])\.\.\Z")
_ENDS = re.compile(r"[.!?…:。！？][\"'”’»」)\]*_]{0,4}\Z")
_ONLY_KEYWORD = re.compile(rf"\W{{0,3}}(?:{KEYWORDS})\W{{0,3}}", re.IGNORECASE)
_TORN = re.compile(r" ?(?:[\[【][^\]】]{0,300}|\(\d{0,3})\Z")  # a citation that the end of the stream cut off
_QUOTES: Final = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"))


@dataclass(frozen=True, slots=True)
class ReplySentence:
    """A sentence as a model wrote it, without markup.

    Attributes:
        text: The sentence, markers and emphasis removed.
        cited: Numbers, from 1, of the passages that it cites; empty where it cites none.
        invalid: Citations that point to no passage, as written.
        mark: What an item of a list begins with, as `- ` or `2. `; empty elsewhere.
        is_whole: Whether it ends as sentences do, or something follows it.
        lead: What stands before it and ends with a colon: a preface, or the line that announces the list of an item.
    """

    text: str
    cited: tuple[int, ...] = ()
    invalid: tuple[str, ...] = ()
    mark: str = ""
    is_whole: bool = True
    lead: str = ""

    @property
    def shown(self) -> str:
        """The sentence as it is shown: an item of a list with its mark."""
        return f"{self.mark}{self.text}"


def finished(
    piece: str, found: Mapping[str, Citation], *, mark: str = "", followed: bool = True
) -> ReplySentence | None:
    """Return a sentence with signs for citations as plain text and numbers; None where it holds no word.

    Args:
        piece: The sentence, on one line.
        found: What each sign stands for.
        mark: What the item of a list begins with that it is.
        followed: Whether something follows it.
    """
    piece = piece if followed else _TORN.sub("", piece)
    citations = [found[sign] for sign in _SIGNS.findall(piece)]
    bare = _WRAPPED.sub("", piece)
    bare = _ADJUNCT.sub("", bare)
    bare = bare[:1].upper() + bare[1:] if _ADJUNCT.match(piece) else bare
    bare = bare if mark else _NOUN.sub(lambda match: _named(match, found), bare)
    bare = " ".join(_EMPHASIS.sub("", _CITATIONS.sub("", bare)).split())
    bare = _unquoted(_DOUBLE_STOP.sub(".", _BEFORE_STOP.sub(r"\1", bare)).lstrip(" :;,.").rstrip())
    if not any(map(str.isalnum, bare)) or (citations and _ONLY_KEYWORD.fullmatch(bare)):
        return None
    numbers = dict.fromkeys(number for one in citations for number in one.numbers)
    invalid = dict.fromkeys(one.invalid for one in citations if one.invalid)
    return ReplySentence(bare, tuple(numbers), tuple(invalid), mark, followed or bool(_ENDS.search(bare)))


def _named(match: re.Match[str], found: Mapping[str, Citation]) -> str:
    numbers = [str(number) for sign in _SIGNS.findall(match[0]) for number in found[sign].numbers]
    word = "passages" if len(numbers) > 1 else "passage"
    word = word if match.start() else word.capitalize()
    return f"{word} {' and '.join(numbers)}" if numbers else match[0]


def _unquoted(text: str) -> str:
    """Return a sentence without quotation marks around all of it, or one at an end that belongs to another sentence."""
    for opens, closes in _QUOTES:
        inner, begins = text.removeprefix(opens), text.startswith(opens)
        stop = inner[-1:] if inner[-1:] in ".!?" and inner[-2:-1] == closes else ""
        ends = inner.removesuffix(stop).endswith(closes) if inner else False
        core = inner.removesuffix(stop).removesuffix(closes) if ends else inner
        is_inch = not begins and core[-1:].isdigit()
        if (begins or ends) and not is_inch and opens not in core and closes not in core:
            return f"{core}{'' if core[-1:] in '.!?' else stop}"
    return text
