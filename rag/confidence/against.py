"""What speaks against answering, in words: the calibrated gate's reasons, the weightiest first.

Each statement is a fact of the question, the index and the hits that a person can check; which ones are told, and in
which order, follows from how much each signal took from the confidence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from rag.confidence.signals import READING
from rag.confidence.windows import windows
from rag.language.asked import understand
from rag.language.contrasts import contrasts
from rag.language.lexical import QuestionTerms, passage_terms
from rag.language.text import stems, words
from rag.models import RetrievedChunk

STATEMENTS = 3
WORDS_TOLD = 4
LEAST = 0.1
"""A signal that takes less than this from the log-odds is not told, unless none takes more."""
LESSER = 2
"""How many statements are told where no signal takes as much."""
_HARDLY = 0.02
"""A signal that takes less than this is not told even then."""
_OF_WORDS = ("unknown_words", "best_joint_sentence")
"""The signals whose statements name words of the question."""
_READ_WELL = 0.5
_COVERED = 0.85
_LIGHT = frozenset(
    """
    actually anybody anyone anything bit bring brings brought come comes coming contain contained containing contains
    enough everybody everyone everything
    exactly gave get gets getting
    give given gives giving go goes going gone got happen happened happening happens hello hi just kind know let lets
    like little lot lots made make makes making many maybe mean means much need needs nothing now ok okay per perhaps
    please put quite rather really said say says somebody someone something sort still take taken takes taking tell
    tells thank thanks thing things think took tried try trying want wanted wants way ways well went
    """.split()  # noqa: SIM905
)
"""Words that carry hardly anything of what is asked: a person need not be told that they are missing."""
_LIGHT_VERBS = frozenset(
    """
    able cannot find finding finds found keep keeping keeps kept knew knowing known knows letting liked likes look
    looked looking looks needed needing ought putting puts ran run running runs see seeing seen sees start started
    starting starts stop stopped stopping stops telling told use used uses using wanting
    """.split()  # noqa: SIM905
)
"""Words that carry hardly anything beside another word of the question, and are all there is in `How does it run?`."""
_JOINED = re.compile(r"(?<![\w-])(?=[\d-]*[^\W\d_])[^\W_]+(?:-[^\W_]+)+(?![\w-])")
_KINDS = (
    ("a number", "dozens"),
    ("a date or a time", "january"),
    ("a name", "of Xenia"),
    ("a place", "near it"),
    ("a reason", "because"),
)
"""Kinds of things asked for, each with a text that has it and no other of them."""


def against(
    question: str,
    hits: Sequence[RetrievedChunk],
    terms: QuestionTerms,
    *,
    values: Mapping[str, float],
    usual: Mapping[str, float],
    taken: Mapping[str, float],
    language: str,
) -> tuple[str, ...]:
    """Return up to three statements of what speaks against answering, the weightiest first.

    Where no signal takes much, and the confidence is low all the same, two are told: words that are missing, whatever
    they take, for those a person can judge, and what takes most.

    Args:
        question: The question.
        hits: What was found, best first; nothing is said where nothing was.
        terms: The question's stems with how often each occurs in the index.
        values: The signals of this question.
        usual: The signals' means over the questions that the gate was fitted on, half of them answerable.
        taken: What each signal adds to the log-odds, negative where it speaks against.
        language: Snowball stemmer.
    """
    if not hits:
        return ()
    told = dict(_statements(question, hits, terms, values, usual, language))
    if weighty := _weightiest(told, taken, least=LEAST):
        return weighty[:STATEMENTS]
    lesser = _weightiest({**dict(_lesser(terms, values, usual)), **told}, taken, least=_HARDLY)
    return tuple(dict.fromkeys((*(told[name] for name in _OF_WORDS if name in told), *lesser)))[:LESSER]


def _weightiest(told: Mapping[str, str], taken: Mapping[str, float], *, least: float) -> tuple[str, ...]:
    """Return the statements whose signals take more than `least` from the log-odds, the weightiest first."""
    ordered = sorted(told, key=lambda name: taken.get(name, 0.0))
    return tuple(told[name] for name in ordered if taken.get(name, 0.0) < -least)


def _statements(
    question: str,
    hits: Sequence[RetrievedChunk],
    terms: QuestionTerms,
    values: Mapping[str, float],
    usual: Mapping[str, float],
    language: str,
) -> Iterator[tuple[str, str]]:
    """Yield the statements that hold, each with the signal whose weight ranks it."""
    said = spoken(question, language=language)
    unknown = [stem for stem, count in zip(terms.stems, terms.frequencies, strict=True) if not count]
    if nowhere := _telling(unknown, said):
        yield "unknown_words", f"The documents nowhere use {_listed(nowhere)}."
    if lacking := _telling(missing(hits, terms, language=language), said):
        yield "best_joint_sentence", f"The closest passage lacks {_listed(lacking)}."
    if values.get("contrary"):
        one, other = _contrary(question, hits, language)
        yield "contrary", f"The question says “{one}”, and the best passage “{other}” about the same."
    chance = values.get(READING, 1.0)
    if chance < _READ_WELL:
        yield READING, f"Read closely, the best passage answers the question with a probability of {chance:.0%} only."
    best = values["best_sentence_similarity"]
    if best < usual.get("best_sentence_similarity", 0.0):
        yield (
            "best_sentence_similarity",
            f"No sentence is near the question in meaning: the nearest has a similarity of {best:.2f}, and "
            f"{usual['best_sentence_similarity']:.2f} is usual.",
        )

    kind = kind_asked_for(question)
    if kind and not values.get("sentence_fit", 1.0):
        yield "sentence_fit", f"No sentence found has the kind of thing asked for: {kind}."


def _lesser(terms: QuestionTerms, values: Mapping[str, float], usual: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yield what is told only where nothing weightier is, each statement with its signal.

    Nothing is told of the spread of similarities: it counts either way, and tells a person nothing.
    """
    for name, said in (
        ("best_similarity", "The nearest passage has a similarity of"),
        ("mean_similarity", "The passages used have a mean similarity of"),
    ):
        if values.get(name, 1.0) < usual.get(name, 0.0):
            yield name, f"{said} {values[name]:.2f}, and {usual[name]:.2f} is usual."
    if values.get("rank_agreement", 1.0) < 1:
        yield "rank_agreement", "The passage found first is not the nearest both by meaning and by words."
    share = values.get("words_in_chunk", 1.0)
    if share < 1:
        yield (
            "words_in_chunk",
            f"No passage has more than {share:.0%} of the question's words, rare ones counting more.",
        )
    pairs = values.get("pairs_in_chunk", 1.0)
    if terms.pairs and pairs < 1:
        most = f"no more than {pairs:.0%}" if pairs else "none"
        yield "pairs_in_chunk", f"Of the question's neighbouring words {most} stand side by side in one passage."
    if values.get("question_words", 1.0) < usual.get("question_words", 0.0):
        yield "question_words", f"The question has few words to search by: {len(terms.stems)}."


def kind_asked_for(question: str) -> str:
    """Return the kind of thing that the form of a question asks for; empty where it does not tell.

    >>> kind_asked_for("How many gloves are in a box?"), kind_asked_for("Which gloves protect?")
    ('a number', '')
    """
    fit = understand(question).fit
    return next((kind for kind, text in _KINDS if fit(text)), "")


def _telling(found: Sequence[str], said: Mapping[str, str]) -> list[str]:
    """Return the words as they are written that stand for stems, without those that carry hardly anything."""
    light = _LIGHT
    if any(word.casefold() not in _LIGHT | _LIGHT_VERBS for word in said.values()):
        light |= _LIGHT_VERBS
    written = [said.get(stem, stem) for stem in found]
    return list(dict.fromkeys(word for word in written if word.casefold() not in light))


def _contrary(question: str, hits: Sequence[RetrievedChunk], language: str) -> tuple[str, str]:
    """Return the word of the question and that of the best few sentences that shut each other out."""
    (best,) = windows(question, hits, limit=1, language=language)
    return contrasts(question, best.text, language=language)[0]


def missing(hits: Sequence[RetrievedChunk], terms: QuestionTerms, *, language: str) -> list[str]:
    """Return the known stems that neither the best hit nor its headings have, the rarest first.

    That hit is shown first, so that a person can check it. Empty where it has at least 85% of the words by weight.
    """
    closest = hits[0]
    said = passage_terms(closest.content, closest.sentences, language).distinct
    said = said.union(stems(closest.context, language=language))
    if terms.share(said) >= _COVERED:
        return []
    weighed = zip(terms.stems, terms.idf, terms.frequencies, strict=True)
    lacking = [(weight, stem) for stem, weight, count in weighed if count and stem not in said]
    return [stem for _, stem in sorted(lacking, key=lambda item: -item[0])]


def spoken(question: str, *, language: str) -> dict[str, str]:
    """Return for each stem of a question the word that it stands for there, as written; `e-bike` and `TP-4001` are one.

    >>> spoken("Which Gloves protect?", language="english")["glove"]
    'Gloves'
    """
    found = {stem: whole for whole in _JOINED.findall(question) for stem in stems(whole, language=language)}
    for word in words(question):
        written = re.search(rf"(?<!\w){re.escape(word)}", question, re.IGNORECASE)
        for stem in stems(word, language=language):
            found.setdefault(stem, written.group() if written else word)
    return found


def _listed(found: Sequence[str]) -> str:
    """Return words in quotation marks: the first few, and how many more there are."""
    quoted = [f"“{word}”" for word in found[:WORDS_TOLD]]
    more = len(found) - WORDS_TOLD
    return ", ".join(quoted) + (f" and {more} more" if more > 0 else "")
