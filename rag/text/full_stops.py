"""Full stops that end a sentence and full stops that shorten a word, where the splitter takes one for the other.

The splitter knows several thousand shortened words, common ones like `month` and `hand` among them. Which words are
shortened is therefore said here, by a list and by form, and its decision is corrected in both directions. Ground floor.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from rag.protocols import Span

_TITLES = frozenset(
    """
    adm brig capt cdr cmdr col dipl dr fr gen gov hon ing insp lt maj messrs mlle mme mr mrs ms mt pfc pres prof pvt
    rep rev rt sen sgt sr supt
    """.split()  # noqa: SIM905
) | {"st", "ste", "ft"}
"""What stands before a name, and never at the end of a sentence with a name behind it."""
_NUMBERED = frozenset(
    """
    abb app appx arg art arts bd chap chaps ch cl eq eqs ex ext fig figs fn lit no nos nr par para paras pl pp pt ref
    refs reg regs rm sched sec secs sect sects tab tbl tel vol vols
    """.split()  # noqa: SIM905
)
"""What stands before a number or a letter."""
_ALONE = frozenset("app no".split())  # noqa: SIM905
"""Those of them that an article may follow in the next sentence: `He said no. A vote was held.`"""
_LEADING = frozenset("approx ca cf eg excl ie incl viz vs".split())  # noqa: SIM905
"""What stands before that which it says something of, whatever it is."""
_OTHERS = frozenset("al co conf corp inc max".split())  # noqa: SIM905
"""Those that were right more often than wrong in 12.9 million characters; 275 others were not."""
_SHORTENED = _TITLES | _NUMBERED | _LEADING | _OTHERS
_WORDS_TOO = frozenset("al app art conf ex fig lit no par ref rep rev sec sect sects tab".split())  # noqa: SIM905
"""Those of them that, in small letters, are words in their own right, or stand at the end of a list."""

_FUNCTION_WORDS = frozenset(
    """
    a about after again all although among an and any are as at because before between both but by could did do does
    during each either even every few for from had has have he hence her here his how however if in into is it its many
    may more most much must neither never no none nor not now of off on once one only or our over several shall she
    should since so some such than that the their then there therefore these they this those though through thus to
    under unless until was we were what whatever when whenever where which while who whoever whose why will with within
    without would yet you your
    """.split()  # noqa: SIM905
)
"""Words that no name begins with: behind a full stop, and with a capital, they begin a sentence."""
_ALSO_NAMES = frozenset("an do few he her how many may more much no one over she so to will".split())  # noqa: SIM905
"""Those of them that are family names too."""
_KINDS = (
    "annex|appendix|area|bay|block|box|building|bus|category|chamber|channel|chapter|class|column|deck|division|dock"
    "|door|entrance|exhibit|exit|figure|form|gate|grade|group|hall|hepatitis|house|influenza|item|key|lane|letter|level"
    "|line|lot|model|module|note|option|part|phase|pier|plan|plant|platform|point|pump|room|route|row|sample|schedule"
    "|section|sector|series|shelf|site|size|stage|stand|step|table|tank|team|terminal|tier|track|type|unit|valve|variant"
    "|version|vitamin|volume|war|ward|wing|zone"
)
_KIND = re.compile(rf"(?:{_KINDS})e?s? ", re.IGNORECASE)
"""The whole of what stands before the number of a heading: `Part II. Other information`."""
_HEADING_NUMBER = re.compile(rf"(?:{_KINDS})e?s? (?:[IVXLC]+|[A-Z])\.", re.IGNORECASE)
_LETTER_NAMED = re.compile(
    rf"(?:\b(?i:{_KINDS})(?i:e?s)?|(?<![^\s(])[A-Z](?:,| and| or| nor| to| through),?(?: and| or)?) $"
)
"""What stands before a letter that is the name of a thing: `Gate `, and `A, B or `, but not before an initial."""
_AMOUNT = re.compile(r"(?<![\w.,])\d[\d.,]*[ \u00a0\u202f]$")
_ROMAN = re.compile(r"[IVXLC]+|[A-Z]")
_VOWEL = re.compile(r"[aeiouy]|[^\x00-\x7f]")

_STOP = re.compile(
    r"(?<=[^\W\d_])\.[\"'”’)\]»*_]*(?P<gap>\s+)(?P<open>[\"'“‘(\[«*_]*)(?P<next>[^\W\d_]+)(?P<after>.{0,4})"
)
_WORD = re.compile(r"(?<![\w.])[^\W\d_]+$")
_LAST_WORD = re.compile(r"[\"'“‘(\[«*_]*(?:[^\W\d_]+\.-)?(?P<word>[^\W\d_]+)\.")
_FIRST = re.compile(r"[^\W_]+")
_CLOSING = " \n)]}.!?…\"'”’»*_"
_LONGEST_END = 80  # characters before a full stop that are looked at


def resplit(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return sentences parted where a full stop inside ends one, and joined where the one between only shortens a word.

    >>> resplit("Pay within a month. Sent by St. Mary.", [(0, 31), (32, 37)])
    [(0, 19), (20, 37)]
    """
    joined: list[Span] = []
    for start, end in spans:
        if joined and _goes_on(text[joined[-1][0] : joined[-1][1]].rstrip(), text[start:end]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return [part for start, end in joined for part in _parted(text, start, end)]


def _parted(text: str, start: int, end: int) -> list[Span]:
    """Return a sentence, or the sentences that it is really."""
    sentence = text[start:end]
    gaps = [stop.span("gap") for stop in _STOP.finditer(sentence) if _ends(sentence, stop)]
    edges = [(0, 0), *gaps, (len(sentence), len(sentence))]
    return [(start + one[1], start + other[0]) for one, other in pairwise(edges)]


def _ends(sentence: str, stop: re.Match[str]) -> bool:
    """Return whether a sentence ends at a full stop between a word and one with a capital."""
    following, after, said = stop["next"], stop["after"], sentence[max(0, stop.start() - _LONGEST_END) : stop.start()]
    last = _WORD.search(said)
    if last is None or not following[0].isupper() or not any(map(str.isalnum, said[: last.start()])):
        return False
    word, before, begins = last[0], said[: last.start()], _begins_sentence(following, after)
    if _KIND.fullmatch(before) and _ROMAN.fullmatch(word):
        return begins and after[1:2].islower()
    if len(word) == 1:
        return _letter_ends(before, word, stop, begins=begins)
    if word.casefold() in _SHORTENED:
        return _shortened_ends(before, word, stop, begins=begins)
    if begins or (word.islower() and _VOWEL.search(word)):
        return True
    if word.islower():
        return bool(_AMOUNT.search(before))
    return bool(_VOWEL.search(word.casefold()) or word.isupper()) and not _is_in_reference(before, following, after)


def _begins_sentence(following: str, after: str) -> bool:
    """Return whether a word with a capital is one that only the beginning of a sentence writes so."""
    return following.casefold() in _FUNCTION_WORDS and (after[:1].isspace() or after[:1] in {"", ",", "’", "'"})


def _letter_ends(before: str, letter: str, stop: re.Match[str], *, begins: bool) -> bool:
    """Return whether a sentence ends at a letter and a full stop: an initial does not end one."""
    following, after = stop["next"], stop["after"]
    if begins and following.casefold() in _ALSO_NAMES:
        begins = after[1:2].islower() and not re.match(r" (?:and|et)\b", after)
    if begins or letter.islower():
        return begins
    return bool(_LETTER_NAMED.search(before)) and not (len(following) == 1 and after.startswith("."))


def _shortened_ends(before: str, word: str, stop: re.Match[str], *, begins: bool) -> bool:
    """Return whether a sentence ends at a word that may be shortened: `no`, `5 min` and `etc` may end one."""
    folded = word.casefold()
    if _leads(word) or (folded in _TITLES and not word.islower()):
        return False
    if folded in _NUMBERED and folded not in _ALONE and _ROMAN.fullmatch(stop["next"]):
        return False
    if begins or not word.islower():
        return begins and "(" not in stop["open"]
    return bool(_AMOUNT.search(before)) or (folded in _WORDS_TOO and not stop["open"])


def _leads(word: str) -> bool:
    return word.casefold() in _LEADING and not word.isupper()


def _is_in_reference(before: str, following: str, after: str) -> bool:
    """Return whether a word with a capital stands among shortened ones, as in `J. Neurochem. Res.`."""
    return before.rstrip().endswith(".") or (len(following) <= 8 and after.startswith("."))


def _is_of_title(before: str) -> bool:
    """Return whether a word is shortened like those of a journal's title: `Chem.` in `J. Chem. Phys. 12`."""
    word = before.removesuffix(".")
    return word != before and len(word) > 1 and word.isalpha() and word.istitle() and word.casefold() not in _TITLES


def _goes_on(sentence: str, following: str) -> bool:
    """Return whether what the splitter took for a sentence's end is a title, or a word that needs what follows it."""
    *_, before, token = ("", "", *sentence[-_LONGEST_END:].split())
    last, first = _LAST_WORD.fullmatch(token), _FIRST.match(following)
    if last is None or first is None:
        return not following.strip(_CLOSING)  # a bracket is closed: `(Two weeks!).`
    begins = _begins_sentence(first[0], following[first.end() : first.end() + 4])
    if _HEADING_NUMBER.fullmatch(sentence):
        return not (begins and following[first.end() + 1 : first.end() + 2].islower())
    word, folded = last["word"], last["word"].casefold()
    if folded not in _SHORTENED:
        return word[0].isupper() and first[0][0].isdigit() and _is_of_title(before)
    if first[0][0].islower() or _leads(word):
        return not (word.islower() and folded in _WORDS_TOO)
    if first[0][0].isdigit():
        return (folded in _NUMBERED and not (word.islower() and folded in _WORDS_TOO)) or before.endswith(".")
    if begins or folded in _WORDS_TOO - _TITLES:
        return False
    return not before or (folded in _TITLES and word[0].isupper() and not before[0].isupper())
