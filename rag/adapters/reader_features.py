"""What a passage says to a question, word piece by word piece: the numbers that the reader judges by.

Every piece of the question looks for its best match among the passage's pieces, in the static word embeddings (layer
0) and in contextual states of the encoder (late interaction: Khattab and Zaharia 2020). What remains unmatched tells
an adversarial question from an answerable one: a swapped name, another number, a negation, an antonym, an answer of
another kind than asked for. No feature knows a subject or a template.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rag.adapters.reader_words import ANTONYMS, EXCLUSION, NEGATION, QUESTION_WORDS, SUPERLATIVE, Opposites, opposed
from rag.language.text import STOPWORDS, sentence_spans
from rag.protocols import Span

Floats = NDArray[np.float32]
LAYERS = (0, 4, 6)
"""Layers whose states are compared; 0 stands for the static word embeddings."""
_MATCH = 0.6
"""Static cosine from which two pieces count as the same word."""
_FIRST_WORD = 1996
"""Id of the most frequent whole word in BERT's vocabulary, which is ordered by frequency."""
_SCALE = 10.3
_WORD = re.compile(r"[\w’']+")
_PLAIN_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_YEAR = re.compile(r"(?:1\d{3}|20\d\d)$")
_CAPITAL = re.compile(r"\b[A-Z][\w’'-]*\w")
_SPELLED = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million|billion|half|dozen)\b"
)
_LOWER_STARTS = QUESTION_WORDS | frozenset(["in", "the", "on", "at", "during", "by", "for", "of", "to", "from"])

_PER_LAYER = ("mean", "least", "least_two", "least_three", "rarest", "worst", "missing", "best")
_SENTENCE = (
    "covered",
    "lead",
    "least_contextual",
    "least_static",
    "static",
    "worst",
    "found",
    "contextual",
)
FEATURES = (
    *(f"{name}_{layer}" for layer in LAYERS for name in _PER_LAYER),
    *("spread", "gap", "order", "pieces", "matched", "matched_weight", "paraphrased", "agree_deep", "agree_static"),
    *(f"sentence_{name}" for name in _SENTENCE),
    *("numbers_not_in_passage", "numbers_not_in_sentence", "names_not_in_passage", "names_not_in_sentence", "names"),
    *("denied_in_question", "denied_in_passage", "excluded_in_question"),
    *("superlatives_not_in_passage", "superlatives_not_in_sentence", "antonyms"),
    *("new_numbers", "new_years", "new_names", "no_year", "no_amount", "no_person", "new_words"),
    *(f"asked_{name}_{layer}" for layer in LAYERS[1:] for name in ("most", "mean")),
    "similarity",
)
"""Names of the features, in the order of `pair_features`."""


@dataclass(frozen=True)
class ReadText:
    """A text as the encoder reads it, special pieces left out.

    `states` holds for each of `LAYERS` the pieces' vectors, each of length 1: shape `(pieces, 384)`.
    `raw` holds the contextual ones as they left the encoder; `mean` is the mean of the last layer's, at length 1.
    """

    text: str
    ids: NDArray[np.int64]
    spans: tuple[Span, ...]
    states: dict[int, Floats]
    raw: dict[int, Floats]
    mean: Floats

    @cached_property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words in lower case."""
        return frozenset(_PLAIN_WORD.findall(self.lower))

    @cached_property
    def piece_words(self) -> tuple[str, ...]:
        """For each piece the word that it is a part of."""
        words = ((match.start(), match.end(), match.group()) for match in _WORD.finditer(self.lower))
        behind = (len(self.text) + 1, len(self.text) + 1, "")
        following = chain(words, (behind,))
        begin, until, word = next(following)
        found = []
        for start, end in self.spans:
            while until <= start:
                begin, until, word = next(following)
            found.append(word if begin <= start else self.lower[start:end])
        return tuple(found)

    @cached_property
    def content(self) -> NDArray[np.int64]:
        """Indexes of the pieces of content words; of all pieces where there are none."""
        chosen = [
            index
            for index, (word, (start, end)) in enumerate(zip(self.piece_words, self.spans, strict=True))
            if word not in STOPWORDS
            and ((piece := self.text[start:end]).isalnum() or any(letter.isalnum() for letter in piece))
        ]
        return np.array(chosen or range(len(self.ids)), dtype=np.int64)

    @cached_property
    def antonyms(self) -> tuple[Opposites, ...]:
        """The opposites of which it has a word."""
        return tuple(pair for pair in ANTONYMS if not all(map(self.words.isdisjoint, pair)))

    @cached_property
    def asked(self) -> int:
        """Index of the piece of the question word; 0 where there is none."""
        return next((index for index, word in enumerate(self.piece_words) if word in QUESTION_WORDS), 0)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Capitalised words in lower case, an opening question word or preposition left out."""
        first = self.lower.split(maxsplit=1)[0] if self.lower.strip() else ""
        return tuple(name.lower() for name in _CAPITAL.findall(self.text)[1 if first in _LOWER_STARTS else 0 :])


def alike(question: ReadText, passage: ReadText) -> dict[int, Floats]:
    """Return for each layer the cosines of every piece of one text with every piece of the other."""
    return {layer: question.states[layer] @ passage.states[layer].T for layer in LAYERS}


def pair_features(question: ReadText, passage: ReadText, cosines: Mapping[int, Floats] | None = None) -> Floats:
    """Return the features of a question and a passage: shape `(len(FEATURES),)`.

    Args:
        question: The question.
        passage: The passage.
        cosines: What `alike` gives, where that is known.
    """
    if not len(question.ids) or not len(passage.ids):
        return np.zeros(len(FEATURES), dtype=np.float32)
    rare = rarity(question.ids[question.content]) + np.float32(0.05)
    content = np.ix_(question.content, passage.content)
    match = {layer: found[content] for layer, found in (cosines or alike(question, passage)).items()}
    values: list[float] = []
    for layer in LAYERS:
        values += _matching(match[layer].max(axis=1), rare)
    values += _alignment(match, rare, passage)
    sentence, inside, covered = _best_sentence(match[LAYERS[1]], rare, passage)
    values += _sentence_matching(match, rare, inside, covered)
    values += _wording(question, passage, sentence)
    values += _answer_kind(question, sentence)
    values += _asked(question, passage, match[0], inside)
    values.append(float(question.mean @ passage.mean))
    return np.nan_to_num(np.array(values, dtype=np.float32))


def rarity(ids: NDArray[np.int64]) -> Floats:
    """Return how rare pieces are in general, about 0..1, by their place in the vocabulary."""
    rare: Floats = (np.log1p(np.maximum(0, ids - _FIRST_WORD)) / _SCALE).astype(np.float32)
    return rare


def _matching(best: Floats, rare: Floats) -> list[float]:
    """Return how well the question's pieces are matched: `_PER_LAYER`."""
    ordered = np.sort(best)
    missing = rare * (1 - best)
    return [
        float((rare * best).sum() / rare.sum()),
        float(ordered[0]),
        float(ordered[:2].mean()),
        float(ordered[:3].mean()),
        float(best[rare.argmax()]),
        float(missing.max()),
        float(missing.sum()),
        float(ordered[-1]),
    ]


def _alignment(match: dict[int, Floats], rare: Floats, passage: ReadText) -> list[float]:
    """Return where the matches stand, and whether static and deeper layers agree on them."""
    static, middle, deep = (match[layer] for layer in LAYERS)
    aligned = middle.argmax(axis=1)
    places = passage.content[aligned]
    order = 0.0
    if len(places) > 2 and places.std() > 0:
        order = float(np.corrcoef(np.arange(len(places)), places)[0, 1])
    matched = static.max(axis=1) > _MATCH
    weight = rare / rare.sum()
    return [
        float(places.std() / len(passage.ids)),
        float(np.median(np.abs(np.diff(places)))) if len(places) > 1 else 0.0,
        order,
        float(len(passage.ids)),
        float(matched.sum()),
        float((weight * matched).sum()),
        float((weight * ~matched * middle.max(axis=1)).sum()),
        float((deep.argmax(axis=1) == aligned).mean()),
        float((static.argmax(axis=1) == aligned).mean()),
    ]


def _best_sentence(
    similarities: Floats, rare: Floats, passage: ReadText
) -> tuple[str, NDArray[np.bool_], tuple[float, float]]:
    """Return the sentence that matches most, which content pieces it holds, and its share with that of the next."""
    starts = np.array([passage.spans[index][0] for index in passage.content])
    weight = rare / rare.sum()
    ranked = []
    for order, (start, end) in enumerate(sentence_spans(passage.text) or [(0, len(passage.text))]):
        inside = (starts >= start) & (starts < end)
        share = float((weight * similarities[:, inside].max(axis=1)).sum()) if inside.any() else 0.0
        ranked.append((share, -order, passage.text[start:end], inside))
    ranked.sort(key=lambda item: item[:2], reverse=True)
    return ranked[0][2], ranked[0][3], (ranked[0][0], ranked[1][0] if len(ranked) > 1 else 0.0)


def _sentence_matching(
    match: dict[int, Floats], rare: Floats, inside: NDArray[np.bool_], covered: tuple[float, float]
) -> list[float]:
    """Return how well that one sentence matches: `_SENTENCE`."""
    empty = np.zeros(len(rare), dtype=np.float32)
    static, middle, deep = (match[layer][:, inside].max(axis=1) if inside.any() else empty for layer in LAYERS)
    weight = rare / rare.sum()
    return [
        covered[0],
        covered[0] - covered[1],
        float(middle.min()),
        float(static.min()),
        float((weight * static).sum()),
        float((rare * (1 - middle)).max()),
        float((weight * (static > _MATCH)).sum()),
        float((weight * deep).sum()),
    ]


def _wording(question: ReadText, passage: ReadText, sentence: str) -> list[float]:
    """Return what the question names, denies or bounds and the passage does not, and the other way round."""
    lower = sentence.lower()
    words = frozenset(_PLAIN_WORD.findall(lower))
    numbers = _NUMBER.findall(question.text)
    superlatives = [word.lower() for word in SUPERLATIVE.findall(question.text)]
    denied, denies = bool(NEGATION.search(question.lower)), bool(NEGATION.search(lower))
    return [
        float(sum(number not in passage.text for number in numbers)),
        float(sum(number not in sentence for number in numbers)),
        float(sum(name not in passage.lower for name in question.names)),
        float(sum(name not in lower for name in question.names)),
        float(len(question.names)),
        float(denied and not denies),
        float(denies and not denied),
        float(bool(EXCLUSION.search(question.lower)) and not EXCLUSION.search(lower)),
        float(sum(word not in passage.words for word in superlatives)),
        float(sum(word not in words for word in superlatives)),
        float(sum(opposed(question.words, words, pair) for pair in question.antonyms)),
    ]


def _answer_kind(question: ReadText, sentence: str) -> list[float]:
    """Return whether the sentence offers something of the kind asked for, beyond what the question holds."""
    lower = sentence.lower()
    numbers = [found.strip(".,") for found in _NUMBER.findall(sentence) if found not in question.text]
    years = [number for number in numbers if _YEAR.match(number)]
    names = [name for name in _CAPITAL.findall(sentence)[1:] if name.lower() not in question.words]
    when = not question.words.isdisjoint(("year", "when", "century"))
    amount = any(phrase in question.lower for phrase in ("how many", "how much", "percent"))
    who = not question.words.isdisjoint(("who", "whom", "whose"))
    return [
        float(bool(numbers)),
        float(bool(years)),
        float(len(names)),
        float(when and not years),
        float(amount and not numbers and not _SPELLED.search(lower)),
        float(who and not names),
        float(len(frozenset(_PLAIN_WORD.findall(lower)) - question.words - STOPWORDS)),
    ]


def _asked(question: ReadText, passage: ReadText, static: Floats, inside: NDArray[np.bool_]) -> list[float]:
    """Return how near the question word's state is to pieces of the sentence that the question does not hold."""
    free = inside & (static.max(axis=0) < _MATCH)
    chosen = passage.content[free if free.any() else inside]
    values: list[float] = []
    for layer in LAYERS[1:]:
        near = passage.states[layer][chosen] @ question.states[layer][question.asked] if len(chosen) else np.zeros(1)
        values += [float(near.max()), float(near.mean())]
    return values
