"""What a question names that the passages quoted for it do not: a reader must know it. Ground floor.

A passage can be close to a question, and its sentences true, and still be about another place, person or device. Names
and numbers are what tells those apart; other words are often said in another way and prove nothing by their absence.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import PurePath

from rag.language.lexical import PassageTerms, sentence_stems
from rag.language.limits import times_and_ages
from rag.language.measures import measure_end
from rag.language.text import STOPWORDS, is_stopword, stems
from rag.models import Chunk

_WORD = re.compile(r"[^\W_]+(?:[.,:/'’_-][^\W_]+)*")
_LETTER = re.compile(r"(?<![^\W_])[A-HJ-Z](?![^\W_])")
_POSSESSIVE = re.compile(r"['’]s?$")
_SHORTENED = re.compile(r"['’]")
_SENTENCE_END = re.compile(r"[.!?:;]\W*$")
_TELLING = re.compile(r"[^\W\d_]|\b(?:1\d|20)\d\d\b")
_PLAIN = re.compile(r"[\s_./'’-]+")
_OF_DOCUMENTS = (
    "manual handbook guide rules regulations statutes bylaws policy plan procedure instructions act law terms contract "
    "report questions answers faq notice leaflet book text document page notes minutes list introduction chapter part "
    "version edition new annual house general user owner use information help overview"
)
"""Words that stand in titles and say what kind of text it is, or nothing."""


def doubts(question: str, passages: Sequence[Chunk], *, language: str = "english") -> tuple[str, ...]:
    """Return what a reader must know of an answer whose passages do not name what was asked about; else nothing.

    Args:
        question: The question.
        passages: What the answer quotes.
        language: Snowball stemmer.
    """
    plain = times_and_ages(question)
    missing = [name for name in unmentioned(question, passages, language=language) if name not in plain]
    if not missing:
        return ()
    named = ", ".join(f"“{name}”" for name in missing)
    return (f"The passages quoted do not mention {named}: check that they are about what was asked.",)


def elsewhere(
    question: str, quoted: Sequence[Chunk], found: Sequence[Chunk], *, language: str = "english"
) -> tuple[str, ...]:
    """Return what a reader must know where a word of the question names another document than those quoted.

    That is a word of the title or file name of a document that was found, where what is quoted has it neither in its
    text and headings nor in its own title: "the hut" in a question that is answered from the rules of a hostel. Words
    for documents as such (`manual`) name none.

    Args:
        question: The question.
        quoted: The passages that the answer quotes; nothing is told where nothing is quoted.
        found: All passages found.
        language: Snowball stemmer.
    """
    documents = {passage.document for passage in quoted}
    others = [passage for passage in found if quoted and passage.document not in documents]
    of_documents = _stems_of(_OF_DOCUMENTS, language)
    named = [
        (stem, other.document)
        for stem in dict.fromkeys(sentence_stems(question, language))
        for other in others
        if stem not in of_documents and stem in _stems_of(_subject(other), language)
    ]
    if not named:
        return ()
    here = {stem for passage in quoted for stem in _stems_of(f"{_subject(passage)} {_everything(passage)}", language)}
    for stem, document in named:
        if stem not in here:
            word = next(word for word in _WORD.findall(question) if stem in _stems_of(word, language))
            told = f"“{word}” stands in the title of {document}, which the answer is not quoted from"
            return (f"{told}: check that it is about what was asked.",)
    return ()


def unmentioned(question: str, passages: Sequence[Chunk], *, language: str = "english") -> tuple[str, ...]:
    """Return the names and numbers of a question that none of the passages has, in their order.

    A name is a capitalised word that does not open a sentence, a word with a digit, or a single capital; an A, which is
    an article elsewhere, together with the word before it (`Building A`). A number that only says how much or how many
    is none (`rag.language.measures`). What stands in a passage's headings, title or file name counts as said.

    Args:
        question: The question.
        passages: What is quoted; nothing is missing where nothing is quoted.
        language: Snowball stemmer.

    >>> from rag.models import Chunk
    >>> unmentioned("When did it begin in Norway?", [])
    ()
    """
    names = tuple(dict.fromkeys(_names(question)))
    if not passages or not names:
        return ()
    said = " ".join(_everything(passage) for passage in passages)
    plain = _plain(said)
    words = f" {' '.join(plain)} "
    present = set(stems(said, language=language)) | set(plain) | set(_LETTER.findall(said))
    missing = [name for name in names if not _is_said(name, words, present, language)]
    return tuple(_joined(missing, question))


def misnamed(
    question: str, passages: Sequence[Chunk], words: Sequence[PassageTerms], *, language: str = "english"
) -> list[float]:
    """Return for each passage how much of what the question names it is not about, while others are: 0..1.

    A name counts where it stands in the title, file name or identifiers of the document of at least one of the
    passages: then it tells documents apart. A passage is about it if all its stems stand there, in its headings or in
    its text. A number is a name only as a year or beside letters (`2023`, `Q3`): others stand in titles by accident.

    Args:
        question: The question.
        passages: What may answer it.
        words: The stems of each.
        language: Snowball stemmer.
    """
    named = {sentence_stems(name, language) for name in _names(question) if _TELLING.search(name)} - {()}
    if not named:
        return [0.0] * len(passages)
    subjects = [_stems_of(_subject(passage), language) for passage in passages]
    telling = [name for name in named if any(subject.issuperset(name) for subject in subjects)]
    if not telling:
        return [0.0] * len(passages)
    said = [
        subject | text.distinct | _stems_of(passage.context, language)
        for passage, text, subject in zip(passages, words, subjects, strict=True)
    ]
    return [sum(not one.issuperset(name) for name in telling) / len(telling) for one in said]


def _subject(passage: Chunk) -> str:
    """Return what a document is called."""
    about = passage.metadata
    return " ".join((about.title or "", *about.identifiers, PurePath(passage.document).stem))


@lru_cache(maxsize=4_096)
def _stems_of(text: str, language: str) -> frozenset[str]:
    """Return the stems of a text, and those of the parts of `acme.com` or `q1_acme`."""
    return frozenset(sentence_stems(text, language) + sentence_stems(_PLAIN.sub(" ", text), language))


def _everything(passage: Chunk) -> str:
    return " ".join((passage.content, passage.context, passage.document, passage.section or "", *passage.section_path))


@lru_cache(maxsize=256)
def _names(question: str) -> tuple[str, ...]:
    """Return the names and numbers of a question; where all letters are capitals, only what has a digit. Remembered."""
    return tuple(_each_name(question))


def _each_name(question: str) -> Iterator[str]:
    before, measured = "", 0
    question = question.lower() if question.isupper() and " " in question.strip() else question
    for match in _WORD.finditer(question):
        word, opens = match.group(), _opens(question, match.start())
        measured = max(measured, measure_end(question, *match.span()))
        is_free = match.start() >= measured
        if is_free and _LETTER.fullmatch(word):
            if not opens and word != "A":
                yield word
            elif not opens and before.casefold() not in STOPWORDS:
                yield f"{before} {word}"
        elif is_free and (any(letter.isdigit() for letter in word) or (not opens and _is_capitalised(word))):
            yield _POSSESSIVE.sub("", word)
        before = word


def _is_capitalised(word: str) -> bool:
    """Return whether a word is written as a name is: not `I'm`, which always has a capital."""
    return len(word) > 1 and word[0].isupper() and not (_SHORTENED.search(word) and is_stopword(word.casefold()))


def _opens(question: str, start: int) -> bool:
    """Return whether a sentence begins at a place."""
    return not question[:start].strip(" \t\n\"'“‘(") or bool(_SENTENCE_END.search(question[:start].rstrip()))


def _is_said(name: str, words: str, present: set[str], language: str) -> bool:
    if _LETTER.fullmatch(name):
        return name in present
    parts = _plain(name)
    if f" {' '.join(parts)} " in words:
        return True
    return " " not in name and all(
        part in present or not set(stems(part, language=language)) - present for part in parts
    )


def _joined(names: Sequence[str], question: str) -> Iterator[str]:
    """Yield names; neighbours in the question as one, as in `Building B`."""
    together = ""
    for name in names:
        if together and f"{together} {name}" in question:
            together = f"{together} {name}"
            continue
        if together:
            yield together
        together = name
    if together:
        yield together


def _plain(text: str) -> list[str]:
    """Return the words of a text in one case, cut at what joins them."""
    return [word for word in _PLAIN.split(" ".join(_WORD.findall(text.replace("_", " "))).casefold()) if word]
