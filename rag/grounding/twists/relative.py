"""Who does what where a sentence goes on with `who` or `which`: two statements, each of its own words. Ground floor.

`Norco owns Belta, which founded Cirta` is read as `Norco owns Belta` and `Belta founded Cirta`: the subject, the verb
and the object of a claim must stand in one of the two. Where a form does not tell who is meant, nothing is said.
"""

from collections.abc import Iterator, Sequence

from rag.grounding.claimed_verbs import Claimed, by_of, claimed_verbs, is_passive, predicate_start
from rag.grounding.noun_phrases import reach_of
from rag.grounding.reading import Reading, stems_of
from rag.grounding.relatives import Relative, is_verb, relatives
from rag.language.polarity import word_set

_PRONOUNS = word_set("it them him her this these those one ones itself themselves himself herself")


def relative_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a verb of the claim with a subject or an object of the other of two statements joined by who or which."""
    found = relatives(sentence.tokens)
    if not found:
        return
    for claimed in claimed_verbs(claim, sentence):
        places = sentence.positions.get(claimed.verb, ())
        if places and all(_contradicts(sentence, found, at, claimed) for at in places):
            yield f"{claimed.verb!r} has another subject or object there, before or after 'who' or 'which'"
            return


def _contradicts(sentence: Reading, relatives: Sequence[Relative], at: int, claimed: Claimed) -> bool:
    """Return whether an occurrence of a verb is no such deed: its subject or object is another's of two statements."""
    for relative in relatives:
        if at == relative.verb:
            return _contradicts_relative(sentence, relative, claimed)
        if relative.pronoun < at < relative.end:
            return False
    return _contradicts_main(sentence, relatives, at, claimed)


def _contradicts_relative(sentence: Reading, relative: Relative, claimed: Claimed) -> bool:
    tokens = sentence.tokens
    doers = relative.antecedents
    after = tokens[relative.verb + 1 : relative.end]
    taken_up = any(token.word in _PRONOUNS for token in after)
    patients = None if taken_up else stems_of(after)
    if relative.alike:
        return claimed.noun and _is_other(sentence, claimed.doers, doers)
    if not is_passive(tokens, relative.verb):
        if not claimed.patients and patients and claimed.doers <= patients:
            return False  # `which ended the war` and `the war ended`
        return _is_other(sentence, claimed.doers, doers) or any(
            _is_other(sentence, one, patients) for one in claimed.patients
        )
    by = by_of(tokens, relative.verb)
    agent = reach_of(tokens, by + 1) if by > 0 else None
    return _is_other(sentence, claimed.doers, agent) or any(_is_other(sentence, one, doers) for one in claimed.patients)


def _is_other(sentence: Reading, who: frozenset[str], known: frozenset[str] | None) -> bool:
    """Return whether somebody of the sentence is none of those known to be meant; unknown ones are no others."""
    return bool(who) and known is not None and not who & known and who <= sentence.positions.keys()


def _contradicts_main(sentence: Reading, relatives: Sequence[Relative], at: int, claimed: Claimed) -> bool:
    """Return whether a verb stands outside all relative clauses, and its claimed subject or object only in one."""
    tokens = sentence.tokens
    if claimed.noun != (predicate_start(tokens, at) != at):
        return False
    repeated = {tokens[one.verb].stem for one in relatives if one.verb > 0}
    known = claimed.noun or any(at == one.main for one in relatives) or is_passive(tokens, at)
    if not known and not (0 < at < len(tokens) - 1 and is_verb(tokens, at, repeated)):
        return False
    inside = [range(one.pronoun + 1, one.end) for one in relatives if not one.alike]
    return any(
        who and all(sentence.positions.get(stem) and _all_inside(sentence.positions[stem], inside) for stem in who)
        for who in (claimed.doers, *claimed.patients)
    )


def _all_inside(places: Sequence[int], ranges: Sequence[range]) -> bool:
    return all(any(place in one for one in ranges) for place in places)
