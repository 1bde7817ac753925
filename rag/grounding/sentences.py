"""The sentences of a text as the check reads them, what counts as a quotation, claims of several sentences.

Ground floor.
"""

import re
from dataclasses import replace
from functools import lru_cache

from rag.grounding.pieces import subject_of
from rag.grounding.reading import Reading, read, read_row
from rag.language.polarity import word_set
from rag.language.rows import statements
from rag.language.text import fold, is_row, sentence_spans

_FULL_STOP = re.compile(
    r"(?:(?<=[a-z]{4}\.)(?<!approx\.)(?<!dept\.)(?<!incl\.)(?<!resp\.)(?<!subsp\.)(?<!corp\.)|(?<=\d [a-z]{2}\.))"
    r"\s+(?=[A-Z][a-z])"
)
"""A full stop after a word or unit in small letters (`a month. Then`), which the splitter may take for a mere mark."""
_MORE = re.compile(r"[.!?][\"”’)\]]*\s+\S")
"""What a text of several sentences has; the splitter is spared for all others."""
_SUBJECTS = word_set("it they he she")
_LEADING_BACK = word_set("this that these those its their his her such")
_STOPS = re.compile(r"(?<=[.!?])(?= )")
_BINDING = word_set(
    "if unless when only except although though otherwise instead however both neither nor not while whereas other "
    "others former latter respectively said says according whether may might"
)
"""Words of a statement that may bear on the next one, or lean on the one before it."""
_LEAST = 2
"""So many words and numbers a piece of a claim has at least that is a sentence of its own."""


@lru_cache(maxsize=256)
def sentences_of(evidence: str) -> tuple[Reading, ...]:
    """Return the sentences of a text, read; a table's row is read with the heads of its columns.

    `| toluene | 50 ppm | clear |` under `| Substance | Limit | Colour |` is read as `Substance: toluene; Limit: ...`.
    """
    return tuple(
        replace(read_row(said) if is_row(text) else read(said or text), text=text) for text, said in said_in(evidence)
    )


@lru_cache(maxsize=256)
def said_in(text: str) -> tuple[tuple[str, str], ...]:
    """Return the sentences of a text, each with what it says (`rag.language.rows`)."""
    units = [text[start:end] for start, end in sentence_spans(text)]
    texts = [piece for unit in units for piece in ([unit] if is_row(unit) else _FULL_STOP.split(unit))]
    return tuple(zip(texts, statements(texts), strict=True))


@lru_cache(maxsize=256)
def _whole_sentences(evidence: str) -> frozenset[str]:
    """Return every sentence of a text, folded: what most quotations are."""
    return frozenset(bare(text) for text, _ in said_in(evidence)) - {""}


@lru_cache(maxsize=256)
def _quotations(evidence: str) -> frozenset[str]:
    """Return every run of one to three whole sentences, folded, and every table row as read: what counts as quoted."""
    texts = [text for text, _ in said_in(evidence) if bare(text)]
    plain = [bare(text) for text in texts]
    spans = [(start, start + length) for start in range(len(texts)) for length in (1, 2, 3)]
    runs = {" ".join(plain[start:end]) for start, end in spans} | {bare(" ".join(texts[a:b])) for a, b in spans}
    unsplit = {bare(evidence[start:end]) for start, end in sentence_spans(evidence)} - {""}
    return frozenset(runs | unsplit | {bare(said) for _, said in said_in(evidence) if said})


@lru_cache(maxsize=256)
def parted(evidence: str) -> str:
    """Return a text with a full stop for each semicolon between two whole statements, on which no condition lies.

    >>> parted("The bus runs daily; on Sundays it runs twice.")
    'The bus runs daily. On Sundays it runs twice.'
    >>> parted("If it rains, the bus is full; it runs twice.")
    'If it rains, the bus is full; it runs twice.'
    """
    return "".join(_parted(piece) for piece in _STOPS.split(evidence)) if "; " in evidence else evidence


def _parted(text: str) -> str:
    parts = text.split("; ")
    words = [set(re.findall(r"[^\W\d_]+", part.casefold())) for part in parts]
    whole = all(len(one) > _LEAST and not one & _BINDING for one in words)
    if len(parts) < 2 or "|" in text or ":" in text or not whole:
        return text
    return ". ".join(part[:1].upper() + part[1:] for part in parts)


def bare(text: str) -> str:
    """Return a text folded, without the marks at its ends; a question keeps its own."""
    return fold(text).strip(' .!;:*_-•"“”')


def is_quoted(claim: str, evidence: str) -> bool:
    """Return whether a claim is one to three whole sentences of a text, or a row of its tables as read."""
    plain = bare(claim)
    if not any(map(str.isalnum, plain)):
        return False
    return plain in _whole_sentences(evidence) or plain in _quotations(evidence) or plain == bare(evidence)


@lru_cache(maxsize=256)
def several(claim: str) -> tuple[str, ...]:
    """Return the sentences of a claim of more than one, none for a claim of one.

    A `he` or `it` that begins one is put as the subject of the sentence before it, so that it can be no other's.

    >>> several("The pump is red. It weighs 3 kg.")
    ('The pump is red.', 'The pump weighs 3 kg.')
    """
    if not _MORE.search(claim):
        return ()
    texts = [text for text, _ in said_in(claim)]
    readings = [read(text) for text in texts]
    if len(texts) < 2 or any(len(one.content) + len(one.quantities) < _LEAST for one in readings):
        return ()
    found = texts[:1]
    for text, reading in zip(texts[1:], readings[1:], strict=True):
        opens = reading.tokens[0].word in _SUBJECTS
        found.append(f"{subject_of(found[-1])} {text.split(maxsplit=1)[1]}" if opens else text)
    return tuple(found)


def leads_back(text: str) -> bool:
    """Return whether a sentence begins with a word that stands for something said before: `this`, `its`."""
    return read(text).tokens[0].word in _LEADING_BACK
