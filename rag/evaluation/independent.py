"""A second count of what must not be shown. It shares no code with the grounding stage, on purpose.

It is cruder than that stage: it sees invention (numbers, names, words that no cited chunk has), not twisted meaning. So
it does its own splitting into words, stemming and folding, and reads nothing but the lines of a run and the documents.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from math import isclose

from pydantic import Field

from rag.evaluation.lines import EvaluationLine
from rag.models import Value
from rag.text.stated import without_mark

TextOf = Callable[[str], str | None]  # the whole text of a document by its file name; None where it is not known
MIN_SHARE = 0.6  # the least share of a sentence's content words that its cited chunks must have
_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_MARKER = re.compile(r"\[\s*\d+(?:\s*[,;–-]\s*\d+)*\s*\]")
_COMMON = frozenset(
    """
    a an and are as at be been being both but by can could did do does each either for from had has have he her his
    how however i if in into is it its may might more most must neither no nor not of on only or other our shall she
    should so some such than that the their them then there these they this those through thus to until was we were
    what when where whether which while who whom whose why will with would yes you your according also
    """.split()  # noqa: SIM905
)
_SPELLED = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
"""
_NUMBERS = {word: str(value) for value, word in enumerate(_SPELLED.split())}
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_UNITS = (7, 10, 12, 24, 60, 100, 365, 1000, 1440, 3600, 1_000_000)
"""What units of time, length and mass are to each other."""
_SUFFIXES = (
    "ations", "ation", "ingly", "edly", "ness", "ments", "ment", "ings", "ing", "ies", "ied", "ely", "ed", "es",
)  # fmt: skip


class Finding(Value):
    """One thing that was shown and should not have been."""

    qid: str = Field(description="Id of the question.")
    text: str = Field(description="The sentence or excerpt.")
    reason: str = Field(description="What is wrong with it.")


def unsupported_sentences(line: EvaluationLine) -> list[Finding]:
    """Return the shown sentences that their cited chunks do not carry.

    A sentence is unsupported when it cites nothing; when a number or name in it does not stand in the full text of the
    chunks that it cites; or, in a quotation, when fewer than 60% of its content words do (light stemming). A name is a
    word with a capital that does not merely begin the sentence. Numbers from zero to twenty are the same in words and
    in digits; what a model wrote may have another unit, as 120 minutes for 2 hours.
    """
    chunks = {chunk.chunk_id: chunk.content for chunk in line.retrieved}
    findings = []
    for sentence in line.sentences:
        cited = [line.citations[index].chunk_id for index in sentence.citations if 0 <= index < len(line.citations)]
        texts = "\n".join(chunks[chunk_id] for chunk_id in cited if chunk_id in chunks)
        if reason := why_unsupported(sentence.text, texts or None, quoted=not line.by_model):
            findings.append(Finding(qid=line.qid, text=sentence.text, reason=reason))
    return findings


def why_unsupported(sentence: str, evidence: str | None, *, quoted: bool = True) -> str:
    """Return why the evidence does not carry a sentence; an empty string where it does.

    >>> why_unsupported("Rinse for 50 minutes.", "Rinse the skin for 15 minutes.")
    'the number 50 does not stand in what it cites'
    """
    if evidence is None:
        return "it cites nothing"
    tokens = _TOKEN.findall(_folded(_MARKER.sub(" ", without_mark(sentence))))  # the number of an item is the list's
    known, stems = _evidence(evidence)
    for token in tokens:
        number = _number(token)
        if number is not None and number not in known and (quoted or not _is_converted(number, known)):
            return f"the number {token} does not stand in what it cites"
    for position, token in enumerate(map(_bare, tokens)):
        if _is_name(token, begins=position == 0) and token.casefold() not in known:
            return f"the name {token} does not stand in what it cites"
    content = [word for word in map(_word, tokens) if word not in _COMMON] if quoted else []
    found = sum(word in known or _stem(word) in stems for word in content)
    if found < MIN_SHARE * len(content):
        return f"only {found} of its {len(content)} content words stand in what it cites"
    return ""


def _is_converted(number: str, known: frozenset[str]) -> bool:
    """Return whether a number of the evidence times what one unit is of another is this number."""
    if not _PLAIN.fullmatch(number):
        return False
    value, others = float(number), [float(word) for word in known if _PLAIN.fullmatch(word)]
    return any(isclose(value, one * unit) or isclose(value * unit, one) for one in others for unit in _UNITS)


def _is_name(token: str, *, begins: bool) -> bool:
    """Return whether a word is a name: a capital, not just that of a sentence's first word."""
    if token.casefold() in _COMMON or token.casefold() in _NUMBERS:
        return False
    return any(letter.isupper() for letter in (token[1:] if begins else token))


@lru_cache(maxsize=8192)
def _evidence(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words and numbers of cited text, folded, and the same words without endings."""
    both = f"{_folded(text)} {unicodedata.normalize('NFKC', text)}"  # a hyphen at a line's end may belong to the word
    tokens = {_bare(token) for token in set(_TOKEN.findall(both))}
    words = {_word(token) for token in tokens}
    numbers = {number for number in map(_number, tokens) if number is not None}
    return frozenset(words | numbers), frozenset(map(_stem, words))


def _folded(text: str) -> str:
    """Return a text with compatibility forms folded and words mended that a line end broke."""
    return re.sub(r"(?<=[^\W\d_])[-\u00ad][^\S\n]*\n\s*(?=[^\W\d_])|\u00ad", "", unicodedata.normalize("NFKC", text))


def _number(token: str) -> str | None:
    """Return a number without thousands separators, `seven` as `7`; None for another word. `one` is not a number."""
    if token[0].isdigit():
        return re.sub(r",(?=\d{3}(?!\d))", "", token)
    folded = token.casefold()
    return _NUMBERS.get(folded) if folded != "one" else None


def _bare(token: str) -> str:
    return token.removesuffix("s")[:-1] if token.endswith(("'s", "’s")) else token


def _word(token: str) -> str:
    return _number(token) or _bare(token).casefold()


def _stem(word: str) -> str:
    """Return a word without a common ending, when four letters are left.

    >>> _stem("cells"), _stem("heated"), _stem("heating"), _stem("gas")
    ('cell', 'heat', 'heat', 'gas')
    """
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)].rstrip("e")
    return (word[:-1] if word.endswith("s") and len(word) > 4 else word).rstrip("e") or word


def not_verbatim(line: EvaluationLine, text_of: TextOf) -> list[Finding]:
    """Return the excerpts that do not stand, character for character after white-space folding, in their document.

    An empty excerpt, and one of a document whose text is not known, are findings too.
    """
    findings = []
    for citation in line.citations:
        wanted, document = " ".join(citation.excerpt.split()), text_of(citation.document)
        if document is None:
            reason = "the document is not in the data set"
        elif not wanted:
            reason = "the excerpt is empty"
        elif wanted not in _spaced(document):
            reason = "the excerpt does not stand in the document"
        else:
            continue
        findings.append(Finding(qid=line.qid, text=citation.excerpt, reason=f"{citation.document}: {reason}"))
    return findings


@lru_cache(maxsize=256)
def _spaced(text: str) -> str:
    return " ".join(text.split())
