"""What one of two texts denies and the other does not. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.reading import Reading, Token, is_negation
from rag.grounding.twists.clause import denied_by_ellipsis
from rag.grounding.words import ARTICLES, OBJECT_PRONOUNS, PREPOSITIONS
from rag.language import polarity

_ENDS_ORDER = frozenset((";", ":", "—", "–", "-"))
"""What an order may stand behind in the same sentence."""
_FORBIDDEN = 4
"""Words of an order that is read as what a sentence forbids; fewer say too little."""


def polarity_twists(
    claim: Reading, sentence: Reading, matched: dict[str, list[int]], clauses: frozenset[int]
) -> Iterator[str]:
    """Yield a word that one of the two denies and the other does not."""
    if _has_foreign_denial(claim) != _has_foreign_denial(sentence):
        yield "one denies what the other does not"
        return
    if denied_by_ellipsis(claim, sentence) is not None:
        return
    if any(cancels(claim, sentence, stem) for stem in claim.content if stem not in matched):
        return
    if any(is_excluded(claim, sentence, stem) for stem in matched):
        return
    if denials_in(claim) != denials_in(sentence) - _inserted_denials(claim, sentence) and len(matched) >= 0.85 * len(
        sentence.content
    ):
        yield "one denies what the other does not"
        return
    for stem, places in matched.items():
        said = {claim.tokens[place].negated for place in claim.positions[stem]}
        near = [place for place in places if sentence.tokens[place].clause in clauses] or places
        if True not in said and any(claim.tokens[place].before_denial for place in claim.positions[stem]):
            said.add(True)
        if True in said and any(sentence.tokens[place].before_denial for place in near):
            said.add(False)
        if said.isdisjoint({sentence.tokens[place].negated for place in near}):
            word = claim.tokens[claim.positions[stem][0]].word
            yield f"{word!r} is {'denied in the claim' if True in said else 'denied in the text'}"
            return


def _has_foreign_denial(reading: Reading) -> bool:
    """Return whether a text that is not English denies; a name (`NE`, `Pas-de-Calais`) does not."""
    return not polarity.FOREIGN_NEGATIONS.isdisjoint(reading.words) and any(
        token.word in polarity.FOREIGN_NEGATIONS and not token.name for token in reading.tokens
    )


def turns(claim: Reading, sentence: Reading) -> bool:
    """Return whether a claim is a copy of a sentence, or of a part of it, but for a negation put in or left out.

    They must be equal word for word without their negations; fewer than four words say too little, six of a part.
    """
    said, stated = _without_denials(claim), _without_denials(sentence)
    words, others = [word for word, _ in said], [word for word, _ in stated]
    if words == others:
        return len(words) >= 4 and denials_in(claim) != denials_in(sentence)
    if _forbids_order(said, stated, sentence) or _orders_forbidden(said, stated):
        return True
    if len(words) < 6 or ("neither" in sentence.words and "neither" not in claim.words and denials_in(claim) == 1):
        return False  # of `neither the guests nor the staff may smoke` a part is denied without a negation inside it
    starts = _starts(words, others)
    inside = sum(denied for _, denied in said[1:])
    return bool(starts) and all(
        sum(denied for _, denied in stated[start + 1 : start + len(words)]) != inside for start in starts
    )


def _forbids_order(said: Sequence[tuple[str, int]], stated: Sequence[tuple[str, int]], sentence: Reading) -> bool:
    """Return whether a claim forbids, word for word, what a part of a sentence orders: `never lift; push the box`.

    At least three words, behind a semicolon, colon or dash, and nowhere else in the sentence.
    """
    said = said[1:] if said and said[0][0] == "do" else said
    words, others = [word for word, _ in said], [word for word, _ in stated]
    starts = _starts(words, others)
    if len(words) < 3 or not said[0][1] or any(denied for _, denied in said[1:]) or len(starts) != 1:
        return False
    if any(denied for _, denied in stated[starts[0] : starts[0] + len(words)]):
        return False
    begins = [place for place, token in enumerate(sentence.tokens) if token.word in _ENDS_ORDER]
    return any([token.word for token in sentence.tokens[at + 1 : at + 1 + len(words)]] == words for at in begins)


def _orders_forbidden(said: Sequence[tuple[str, int]], stated: Sequence[tuple[str, int]]) -> bool:
    """Return whether a claim is, word for word, what a sentence denies right before it, and denies nothing itself.

    At least four words, and nowhere else in the sentence: `pour the oil out` where that says `do not pour the oil out`.
    """
    words, others = [word for word, _ in said], [word for word, _ in stated]
    starts = _starts(words, others)
    if len(words) < _FORBIDDEN or len(starts) != 1 or any(denied for _, denied in said):
        return False
    return stated[starts[0]][1] == 1


def _starts(words: Sequence[str], others: Sequence[str]) -> list[int]:
    """Return where a run of words begins among others."""
    return [start for start in range(len(others) - len(words) + 1) if others[start : start + len(words)] == words]


def _without_denials(reading: Reading) -> list[tuple[str, int]]:
    """Return the words that are no negations, each with how many stand between it and the word before."""
    found: list[tuple[str, int]] = []
    before = 0
    for token in reading.tokens:
        word = "can" if token.word in ("cannot", "can't") else token.word.removesuffix("n't")
        denies = is_negation(token.word)
        if word[:1].isalnum() and (not denies or word != token.word):
            found.append((word, before))
            before = 0
        before += denies
    return found


def denials_in(reading: Reading) -> int:
    """Count the negations of a text, `neither ... nor` as one."""
    return sum(
        is_negation(token.word) and not (token.word == "nor" and "neither" in reading.words) for token in reading.tokens
    )


def _inserted_denials(claim: Reading, sentence: Reading) -> int:
    """Count the denials between commas of a word that the claim lacks: `are advised, but not obliged, to go`.

    Also one at the end of a noun that it lacks: `the fuse is blown, not the bulb`.
    """
    tokens, found = sentence.tokens, 0
    for place, token in enumerate(tokens):
        before = {one.word for one in tokens[max(0, place - 2) : place]}
        close = [at for at in range(place + 1, min(place + 4, len(tokens))) if tokens[at].word == ","]
        if token.word == "not" and tokens[place - 1].word == "," and place and _is_end_alone(tokens[place + 1 :]):
            found += not {one.stem for one in tokens[place:] if one.stem} & claim.positions.keys()
            continue
        if not is_negation(token.word) or "," not in before or "but" not in before or not close:
            continue
        stems = {one.stem for one in tokens[place : close[0]] if one.stem}
        found += bool(stems) and not stems & claim.positions.keys()
    return found


def _is_end_alone(tokens: Sequence[Token]) -> bool:
    """Return whether words are an article and noun, or a preposition and pronoun: `not the bulb`, `not after it`."""
    if len(tokens) == 2 and tokens[0].word in PREPOSITIONS and tokens[1].word in OBJECT_PRONOUNS:
        return True
    return len(tokens) > 1 and tokens[0].word in ARTICLES and all(token.stem for token in tokens[1:])


def cancels(claim: Reading, sentence: Reading, stem: str) -> bool:
    """Return whether a missing word is there as its denied opposite: `not allowed` and `prohibited`."""
    contrary = polarity.negative_forms(stem) | polarity.denials_of(stem)
    found = [other for other in contrary if other in sentence.positions and other not in claim.positions]
    if not found:
        return False
    said = any(claim.tokens[place].negated for place in claim.positions[stem])
    shared = [
        (sum(one.clause == token.clause and one.stem in claim.positions for one in sentence.tokens), token.negated)
        for token in (sentence.tokens[place] for other in found for place in sentence.positions[other])
    ]
    most = max((count for count, _ in shared), default=0)
    return any(negated != said for count, negated in shared if count == most)


def is_excluded(claim: Reading, sentence: Reading, stem: str) -> bool:
    """Return whether the claim denies a word of what the sentence affirms the contrary: `covers A but excludes B`.

    All of the claim that does not stand before either word, as the subject does, must stand after the contrary.
    """
    if not any(claim.tokens[place].negated or claim.tokens[place].before_denial for place in claim.positions[stem]):
        return False
    for other in polarity.denials_of(stem) & sentence.positions.keys() - claim.positions.keys():
        place, first = sentence.positions[other][0], min(sentence.positions[stem][0], sentence.positions[other][0])
        stated = [sentence.positions.get(one, ()) for one in claim.content if one != stem]
        objects = [places for places in stated if not any(at < first for at in places)]
        if objects and all(places and places[-1] > place for places in objects):
            return not sentence.tokens[place].negated
    return False
