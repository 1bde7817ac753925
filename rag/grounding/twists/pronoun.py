"""Who a pronoun cannot be: another gender, or the other side of its verb. Ground floor.

Each function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.noun_phrases import core_of, noun_phrase
from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.twists.agent import is_adverb, is_passive, subject_before
from rag.grounding.words import DETERMINERS, PREPOSITIONS, is_symmetric
from rag.language.polarity import word_set

_HE = word_set("mr sir lord king prince duke brother father son")
_SHE = word_set("ms mrs miss madam lady queen princess duchess sister mother daughter")
_OBJECTS = {"i": "me", "you": "you", "he": "him", "she": "her", "it": "it", "we": "us", "they": "them"}
"""Pronouns as subjects, each with its form as an object."""
_SUBJECTS = {form: subject for subject, form in _OBJECTS.items()}
_PLACING = word_set("in at near to into of")
_REACH = 5
"""How many words may stand between a verb and a pronoun as its object: `starts a lawsuit against you`."""


def pronoun_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield who cannot be meant by a pronoun of the sentence, and a pronoun that has changed sides with a noun."""
    yield from _gender_twists(claim, sentence)
    yield from _other_gender_twists(claim, sentence)
    yield from _exchange_twists(claim, sentence)
    yield from _either_twists(claim, sentence)
    yield from _taken_up_twists(claim, sentence)


# --- he and she --------------------------------------------------------------------------------------------------


def _gender_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what `she` does in the sentence and Mr. Kahn in the claim."""
    for place, token in enumerate(claim.tokens):
        subject = subject_before(claim.tokens, place)
        known = _gender(subject)
        found = sentence.positions.get(token.stem, ()) if known and token.stem else ()
        others = [_subject_pronoun(sentence.tokens, at) for at in found]
        if others and all(other in ("he", "she") and other != known for other in others):
            yield f"{others[0]!r} is somebody else than {' '.join(one.word for one in subject)!r}"
            return


def _other_gender_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what `he` does in the claim and `she` in the sentence."""
    for stem, places in claim.positions.items():
        found = (
            [(claim.tokens, at) for at in places],
            [(sentence.tokens, at) for at in sentence.positions.get(stem, ())],
        )
        if any(is_passive(*one) for one in (*found[0], *found[1])):
            continue
        said, stated = ({_subject_pronoun(*one) for one in each} for each in found)
        if len(said) == len(stated) == 1 and said != stated and said | stated <= {"he", "she"}:
            yield f"{min(said)!r} for {min(stated)!r}"
            return


def _gender(tokens: Sequence[Token]) -> str:
    """Return `he` or `she` for a person with a title that tells, else nothing."""
    words = {token.word for token in tokens}
    return "" if bool(words & _HE) == bool(words & _SHE) else "he" if words & _HE else "she"


def _before_verb(tokens: Sequence[Token], verb: int) -> int:
    """Return where the word before a verb stands, its auxiliaries and adverbs passed over; -1 for none."""
    place = verb - 1
    while place >= 0 and (tokens[place].word in AUXILIARIES or is_adverb(tokens[place])):
        place -= 1
    return place


def _subject_pronoun(tokens: Sequence[Token], verb: int) -> str:
    """Return the pronoun that is the subject of a verb, else nothing."""
    place = _before_verb(tokens, verb)
    return tokens[place].word if place >= 0 and tokens[place].word in _OBJECTS else ""


# --- he, who may be either of two ----------------------------------------------------------------------------------


def _either_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what `he` or `she` does in a sentence that has named two before, told of one of them.

    No form tells which is meant: `Hale succeeded Moss, after she had led the choir`. A title that excludes the other
    does.
    """
    for place, token in enumerate(claim.tokens):
        found = sentence.positions.get(token.stem, ()) if token.stem and not token.name else ()
        subject = subject_before(claim.tokens, place) if found else ()
        if not found or not any(one.name for one in subject) or is_passive(claim.tokens, place):
            continue
        core = core_of(subject)
        said = [(at, _subject_pronoun(sentence.tokens, at)) for at in found]
        if all(pronoun in ("he", "she") and _may_be_another(sentence, at, pronoun, core) for at, pronoun in said):
            yield f"{said[0][1]!r} may be another than {' '.join(one.word for one in subject)!r}"
            return


def _may_be_another(sentence: Reading, verb: int, pronoun: str, core: frozenset[str]) -> bool:
    """Return whether a person of another name stands before a verb, whom its pronoun may mean as well."""
    people = _people(sentence.tokens[:verb])
    known = any(core & core_of(one) for one in people)
    return known and any(not core & core_of(one) and _gender(one) in ("", pronoun) for one in people)


def _people(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    """Return the names with the titles before them, without those of places: `in Bern`."""
    found, place = [], 0
    while place < len(tokens):
        end = place
        while end < len(tokens) and (tokens[end].name or (end == 0 and len(tokens) > 1 and tokens[1].name)):
            end += 1
        if end > place and not (place and tokens[place - 1].word in _PLACING | DETERMINERS):
            found.append(tuple(tokens[place:end]))
        place = max(end, place + 1)
    return found


# --- she taught Ida, Ida taught her ------------------------------------------------------------------------------


def _exchange_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a noun and a pronoun on the other sides of a verb: `Ida taught her` for `she taught Ida`."""
    for stem, places in claim.positions.items():
        stated = sentence.positions.get(stem, ())
        if len(places) != 1 or len(stated) != 1 or is_symmetric((claim.tokens[places[0]].word,)):
            continue
        here, there = places[0], stated[0]
        if is_passive(claim.tokens, here) or is_passive(sentence.tokens, there):
            continue
        tests = (_is_subject_now, _is_object_now, _have_changed)
        if any(test(claim, here, sentence, there) for test in tests):
            yield f"{claim.tokens[here].word!r} has its noun and pronoun on the other sides there"
            return


def _taken_up_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield the object of a verb put for the pronoun behind it: of `spread the icing over it` `over the icing`."""
    for place, token in enumerate(sentence.tokens[:-1]):
        if token.word not in PREPOSITIONS or sentence.tokens[place + 1].word not in ("it", "them"):
            continue
        thing = frozenset(one.stem for one in _object_before(sentence.tokens, place))
        for at, other in enumerate(claim.tokens):
            behind = {one.stem for one in noun_phrase(claim.tokens, at + 1)} if other.word == token.word else set()
            before = {one.stem for one in claim.tokens[:at] if one.stem}
            if thing and thing <= behind and not thing & before and before & sentence.positions.keys():
                yield f"another thing stands {token.word} {' '.join(sorted(thing))!r} there"
                return


def _object_before(tokens: Sequence[Token], place: int) -> tuple[Token, ...]:
    """Return the noun behind an article that stands right before a preposition."""
    start = place
    while start and tokens[start - 1].stem:
        start -= 1
    return tuple(tokens[start:place]) if start and tokens[start - 1].word in DETERMINERS else ()


def _have_changed(claim: Reading, here: int, sentence: Reading, there: int) -> bool:
    """Return whether two pronouns have changed sides: `you may call us` for `we may call you`."""
    said = _subject_pronoun(claim.tokens, here), _SUBJECTS.get(_object_pronoun(claim.tokens, here), "")
    stated = _subject_pronoun(sentence.tokens, there), _SUBJECTS.get(_object_pronoun(sentence.tokens, there), "")
    return all(said) and said[0] != said[1] and said == stated[::-1]


def _is_subject_now(claim: Reading, here: int, sentence: Reading, there: int) -> bool:
    """Return whether a pronoun is the object of a verb, and the sentence has it as subject and the noun behind."""
    subject = core_of(subject_before(claim.tokens, here))
    pronoun = _SUBJECTS.get(_object_pronoun(claim.tokens, here), "")
    if not subject or not pronoun or _subject_pronoun(sentence.tokens, there) != pronoun:
        return False
    places = [sentence.positions.get(stem, ()) for stem in subject]
    return all(found and min(found) > there for found in places)


def _is_object_now(claim: Reading, here: int, sentence: Reading, there: int) -> bool:
    """Return whether a pronoun is the subject of a verb, and the sentence has it as object and the noun in front."""
    thing = core_of(noun_phrase(claim.tokens, here + 1))
    pronoun = _subject_pronoun(claim.tokens, here)
    if not thing or not pronoun or _SUBJECTS.get(_object_pronoun(sentence.tokens, there), "") != pronoun:
        return False
    return thing <= core_of(_subject_or_antecedent(sentence.tokens, there))


def _subject_or_antecedent(tokens: Sequence[Token], verb: int) -> tuple[Token, ...]:
    """Return the noun phrase that is the subject of a verb, that before its `who` or `which` among these."""
    place = _before_verb(tokens, verb)
    if place > 0 and tokens[place].word in ("who", "which", "that"):
        verb = place - 1 if tokens[place - 1].word == "," else place
    return subject_before(tokens, verb)


def _object_pronoun(tokens: Sequence[Token], verb: int) -> str:
    """Return the pronoun that is an object of a verb, with a preposition or without; else nothing."""
    for place in range(verb + 1, min(verb + 2 + _REACH, len(tokens))):
        token = tokens[place]
        owns = place + 1 < len(tokens) and tokens[place + 1].stem
        if token.word in _SUBJECTS:
            return "" if token.word == "her" and owns else token.word
        if not token.stem and token.word not in DETERMINERS | PREPOSITIONS:
            return ""
    return ""
