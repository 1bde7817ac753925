"""Whether what the check has left of a draft answers the question, as far as the form of both tells."""

import re
from collections.abc import Sequence

from rag.language.asked import understand
from rag.language.lexical import sentence_stems
from rag.language.quantities import quantities
from rag.language.text import fold, stems
from rag.models import GroundedSentence, RetrievedChunk
from rag.quoting.layout import is_question

_HOW_MANY = re.compile(
    r"\b(?:how (?:many|much|long|far|often|old|high|tall|deep|fast|hot|large|big|heavy)|what percent\w*)\b"
)
_NUMBER_WORDS = re.compile(
    r"\d|\b(?:once|twice|daily|weekly|monthly|yearly|annually|hourly|half|quarter|dozens?|each|every|always|never|none|no"
    r"|all|single|double|triple|several|many|few|unlimited|overnight|immediately"
    r"|an? (?:[a-z]+ )?(?:second|minute|hour|day|night|week|fortnight|month|season|year|decade|century))\b"
)
_WHEN = re.compile(r"^\s*(?:when|since when|in (?:what|which) (?:year|month|century)|what (?:year|date|time))\b")
_TIME_WORDS = re.compile(
    r"\d|\b(?:when|before|after|during|while|until|once|if|as soon|at (?:the )?\w+|upon|on|in|by|since|every|each|daily"
    r"|weekly|monthly|annually|yearly|always|never|immediately|morning|noon|evening|night|day|week|month|year|century)\b"
)
_TERM_ASKED = re.compile(r"\b(?:who|whom|whose|what|which|where|when|name|list|give|tell)\b")
_SAYING = re.compile(
    r"\b(?:i|you|he|she|it|we|they|this|that|there|is|are|was|were|be|been|am|do|does|did|has|have|had|can|could|may|might"
    r"|must|shall|should|will|would|not)\b|n't\b"
)
"""Words of a statement: of what, and that something is so."""
_YEAR = re.compile(
    r"(?<!\bsince )(?<!\bafter )(?<!\bbefore )(?<!\buntil )(?<!\bby )(?<!\bfrom )(?<!\bbetween )(?<!\band )(?<!\bto )"
    r"(?<![\w.,/-])(?:1[5-9]|20)\d\d(?:['’]?s)?(?![\w,/-]|\.\d)"
)
_CONDITION = re.compile(
    r"^(?P<first>(?:if|when|unless|in case of|in the event of) [^,?;]+),|[^\W_],? "
    r"(?P<last>(?:if|when|unless|in case of|in the event of) [^,?;]+?)\s*\?*\s*$",
    re.IGNORECASE,
)
"""`If it rains, ...?` or `... if it rains?`; a `when` that asks stands first, with no comma behind it."""


def condition_of(question: str) -> str:
    """Return the condition that a question names, empty for none.

    >>> condition_of("What does the cable car do if the wind exceeds 60 km/h?"), condition_of("When does it stop?")
    ('if the wind exceeds 60 km/h', '')
    """
    match = _CONDITION.search(question.strip())
    found = (match["first"] or match["last"]) if match else ""
    return found[:1].casefold() + found[1:]


def answers_question(question: str, sentences: Sequence[GroundedSentence]) -> bool:
    """Return whether the supported sentences answer the question, as far as its form tells.

    They do not where none is supported, or none but questions; where the question asks for a number or a time and they
    hold none; or where a dropped sentence met the question's words clearly better than all that is left.
    """
    left = [sentence for sentence in sentences if sentence.supported]
    stated = [sentence.text for sentence in left if not is_question(sentence.text)]
    if not stated:
        return False
    asked = fold(question)
    shown = fold(" ".join(stated))
    if _HOW_MANY.search(asked) and not (_NUMBER_WORDS.search(shown) or quantities(shown)):
        return False
    if tells_no_time(question, shown):
        return False
    wanted = set(stems(question))
    dropped = [sentence for sentence in sentences if not sentence.supported]
    best_dropped = max((_share(wanted, sentence.text) for sentence in dropped), default=0.0)
    return _share(wanted, shown) >= best_dropped - 0.25 or _share(wanted, shown) >= 0.75


def tells_no_time(question: str, text: str) -> bool:
    """Return whether a question asks when and a text has no word of a time or condition.

    >>> tells_no_time("When must I refuse?", "You may refuse."), tells_no_time("When must I refuse?", "If you are ill.")
    (True, False)
    """
    return bool(_WHEN.search(fold(question))) and not _TIME_WORDS.search(fold(text))


def is_mere_word(text: str, question: str) -> bool:
    """Return whether a sentence is one word, or names alone, and not what the question asks for.

    A question for a number or a time asks for none but such; one for a name, a term, yes or no for any. Without a
    question nothing is known.

    >>> is_mere_word("PWNED.", "How many cars are there?"), is_mere_word("Three.", "How many cars are there?")
    (True, False)
    """
    asked, said = fold(question), fold(text)
    if not asked or _SAYING.search(said):
        return False
    small = stems(" ".join(word for word in text.split() if not word[:1].isupper()))
    if len(stems(text)) > 1 and small:
        return False
    if _HOW_MANY.search(asked):
        return not (_NUMBER_WORDS.search(said) or quantities(said))
    if _WHEN.search(asked):
        return not _TIME_WORDS.search(said)
    return not (_TERM_ASKED.search(asked) or understand(question).yes_or_no)


def is_beside(question: str, sentences: Sequence[GroundedSentence]) -> bool:
    """Return whether neither what is left nor its evidence has any of the question's words: true, but no answer."""
    wanted = set(stems(question))
    left = [sentence for sentence in sentences if sentence.supported]
    return bool(left) and _share(wanted, " ".join(text for one in left for text in (one.text, *one.evidence))) == 0.0


def years_not_spoken_of(
    question: str, sentences: Sequence[GroundedSentence], passages: Sequence[RetrievedChunk]
) -> list[str]:
    """Return the years that a question asks about and no cited passage, with its headings and title, speaks of.

    A decade is spoken of where any of its years is; a year that only bounds the question (`since 2015`) is not meant.
    """
    numbers = sorted({number for sentence in sentences if sentence.supported for number in sentence.passages})
    cited = [passages[number - 1] for number in numbers]
    known = " ".join(
        f"{chunk.document} {chunk.context} {chunk.content} {chunk.metadata.model_dump_json()}" for chunk in cited
    )
    years = _YEAR.findall(question) if cited else []
    return [year for year in years if not _speaks_of(known, year)]


def _speaks_of(text: str, year: str) -> bool:
    if not year.isdigit():
        return year[:3] in text
    return year in text or bool(re.search(rf"{year[:2]}\d\d\s?[-–/]\s?{year[2:]}(?!\d)", text))


def _share(wanted: set[str], text: str) -> float:
    return len(wanted & set(sentence_stems(text))) / len(wanted) if wanted else 1.0
