"""Is a question English? Only where it clearly is not, it is called foreign: names and keywords look like any language.

Most questions never reach the detector: three of four of their words are in a list of English words; names, with a
capital inside the sentence, do not count. A question in another script is foreign by its letters. The rest is judged by
py3langid, which must think English unlikely, too.
"""

import re
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

ENGLISH_ONLY: Final = "I read and answer English only. Please ask in English."
ENGLISH_WORDS: Final = 0.75
"""The share of words in the English list from which on a question is English without further ado."""
FEWEST_WORDS: Final = 3
FEWEST_LETTERS: Final = 12
"""Shorter questions are not judged: `Bitte Formular` may be the name of a form."""
OTHER_SCRIPT: Final = 0.5
"""The share of letters of another script than Latin from which on a question is foreign."""
AT_MOST: Final = 0.2
"""How likely English may be, by the detector, for a question that is foreign."""
AT_LEAST: Final = 0.5
"""How likely the other language must be."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def is_foreign(question: str) -> bool:
    """Return whether a question is in another language than English; where that is not clear, it is not.

    >>> is_foreign("Wie lange ist die Kündigungsfrist?"), is_foreign("灭火器在哪里")
    (True, True)
    >>> is_foreign("pcb holes gerber"), is_foreign("What does Schadenfreude mean?")
    (False, False)
    """
    words = _WORD.findall(question)
    letters = "".join(words)
    if len(letters) > 1 and sum(map(_is_of_other_script, letters)) >= OTHER_SCRIPT * len(letters):
        return True
    plain = [word for place, word in enumerate(words) if place == 0 or word[0].islower()]
    if len(plain) < FEWEST_WORDS or len(letters) < FEWEST_LETTERS:
        return False
    if sum(is_english(_without_accents(word)) for word in plain) >= ENGLISH_WORDS * len(plain):
        return False
    ranked = [(language, float(likely)) for language, likely in _detector().rank(question)]
    language, likely = ranked[0]
    return language != "en" and likely >= AT_LEAST and dict(ranked).get("en", 0.0) <= AT_MOST


def _is_of_other_script(letter: str) -> bool:
    """Return whether a letter belongs to a script other than Latin; a sign of mathematics or chemistry does not."""
    return ord(letter) > 0x24F and not unicodedata.normalize("NFKD", letter)[0].isascii()


def _without_accents(word: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", word) if not unicodedata.combining(sign))


@lru_cache(maxsize=1)
def _detector() -> Any:
    """Return the detector, loaded when a question first needs it: that takes most of a second."""
    from py3langid import langid

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


@lru_cache(maxsize=1)
def english_words() -> dict[str, int]:
    """Return each word, in lower case, and how often it was counted. Read once, in a twentieth of a second."""
    text = (files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text(encoding="utf-8-sig")
    return {word: int(count) for word, count in (line.split() for line in text.splitlines() if line)}


def is_english(word: str) -> bool:
    """Return whether a word is in the list; a possessive counts as its owner, one letter as a word.

    >>> is_english("organisation"), is_english("Lab's"), is_english("dichlormethane")
    (True, True, False)
    """
    bare = word.casefold().replace("’", "'").removesuffix("'s")
    return len(bare) < 2 or bare in english_words()
