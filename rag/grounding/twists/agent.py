"""Who did what to whom where a verb stands more than once, in another voice or a relative clause. Ground floor.

Each occurrence of the claim's verb in the sentence is tried; one that can be what the claim says is enough. Each
function compares a claim with one sentence of the evidence and yields a plain reason for every twist it finds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from rag.grounding.noun_phrases import core_of, ends_as_adverb, noun_phrase, reach_of
from rag.grounding.reading import AUXILIARIES, Reading, Token
from rag.grounding.twists.relative import relative_twists
from rag.grounding.words import ARTICLES, BE, DETERMINERS, PLACING, PREPOSITIONS, is_symmetric
from rag.language import polarity
from rag.language.polarity import word_set

_BOUNDARIES = word_set("and but while whereas although though ; , : ( ) | who which that whom whose")
_HAVE = word_set("has have had having")
_RELATIVES = word_set("who which")
_OBJECTS = word_set("him her them it me us you")
_MANNER = word_set("vote votes majority margin point points percent goals factor means")
"""What is no agent after `by`: `rejected by 9 votes`."""
_REACH = 6


@dataclass(frozen=True, slots=True)
class Deed:
    """A verb of the claim with the stems of who does it and of what it is done to; empty where nobody is named."""

    verb: Token
    agents: frozenset[str]
    patients: frozenset[str]
    passive: bool


def agent_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield a deed that no occurrence of its verb in the sentence can be, or a subject or object of another clause."""
    for deed in _deeds(claim, sentence):
        places = sentence.positions.get(deed.verb.stem, ())
        tokens = sentence.tokens
        verbs = all(polarity.is_past(tokens[at].word) or tokens[at].word == deed.verb.word for at in places)
        if places and verbs and all(_contradicts(sentence, at, deed) for at in places):
            yield f"another does or suffers {deed.verb.word!r} there"
            return
    yield from _voice_twists(claim, sentence)
    yield from relative_twists(claim, sentence)


def _voice_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield what is done to somebody by the claim who does it to another by the sentence: `Nora was hired`."""
    for place, token in enumerate(claim.tokens):
        places = sentence.positions.get(token.stem, ()) if token.stem and polarity.is_past(token.word) else ()
        if not places or not is_passive(claim.tokens, place) or is_symmetric((token.word,)):
            continue
        subject = core_of(subject_before(claim.tokens, place))
        if subject and all(
            _does_it(sentence.tokens, at, subject) or _is_agent(sentence.tokens, at, subject) for at in places
        ):
            yield f"{token.word!r} is what the subject does there"
            return


def _does_it(tokens: Sequence[Token], verb: int, who: frozenset[str]) -> bool:
    """Return whether a verb has these as its subject and an object right behind it."""
    after = tokens[verb + 1] if verb + 1 < len(tokens) else None
    thing = after is not None and (after.word in DETERMINERS | _OBJECTS or after.name)
    return thing and not is_passive(tokens, verb) and who <= core_of(subject_before(tokens, verb))


def _is_agent(tokens: Sequence[Token], verb: int, who: frozenset[str]) -> bool:
    """Return whether these stand behind the `by` of a passive verb, and are not its subject."""
    named = is_passive(tokens, verb) and who <= core_of(agent_after(tokens, verb))
    return named and not who & {token.stem for token in subject_before(tokens, verb)}


# --- deeds of the claim ------------------------------------------------------------------------------------------


def _deeds(claim: Reading, sentence: Reading) -> Iterator[Deed]:
    """Yield the verbs of a claim that are told by their form here or in the sentence: with a subject or an agent."""
    tokens = claim.tokens
    for place, token in enumerate(tokens):
        words = [token.word, *(sentence.tokens[at].word for at in sentence.positions.get(token.stem, ()))]
        if not token.stem or not any(map(polarity.is_past, words)) or is_symmetric(words):
            continue
        agent, passive = agent_after(tokens, place), is_passive(tokens, place)
        subject = core_of(subject_before(tokens, place))
        if agent:
            yield Deed(token, core_of(agent), subject if passive else frozenset(), True)
        elif not passive and subject and not _is_joined(tokens, place):
            yield Deed(token, subject | _placed(tokens, place), core_of(noun_phrase(tokens, place + 1)), False)


def _placed(tokens: Sequence[Token], verb: int) -> frozenset[str]:
    """Return the stem of what the subject before a verb only places: of `the council in Oslo approved` the council."""
    subject = subject_before(tokens, verb)
    place = next((at for at, token in enumerate(tokens) if subject and token is subject[0]), 0) - 1
    while place > 0 and tokens[place].word in DETERMINERS:
        place -= 1
    return frozenset({tokens[place - 1].stem} - {""}) if place > 0 and tokens[place].word in PLACING else frozenset()


def _is_joined(tokens: Sequence[Token], verb: int) -> bool:
    """Return whether the subject of a verb is the last of a list: `Anna and Boris hired Clara`."""
    start = verb - 1
    while start > 0 and (tokens[start].stem or tokens[start].word in AUXILIARIES | DETERMINERS):
        start -= 1
    return start > 0 and tokens[start].word in ("and", "or", "nor")


def subject_before(tokens: Sequence[Token], verb: int) -> tuple[Token, ...]:
    """Return the words of a noun phrase right before a verb, its auxiliaries and adverbs passed over."""
    end = verb
    while end and (tokens[end - 1].word in AUXILIARIES or is_adverb(tokens[end - 1])):
        end -= 1
    start = end
    while start and tokens[start - 1].stem and not polarity.is_past(tokens[start - 1].word):
        start -= 1
    return tuple(tokens[start:end])


def agent_after(tokens: Sequence[Token], verb: int) -> tuple[Token, ...]:
    """Return who stands after the `by` of a verb; nobody where another verb or clause comes first, or votes do.

    Nor behind the object of a verb that is no passive: `rejected the plan by the mayor`.
    """
    if verb + 1 < len(tokens) and tokens[verb + 1].word in ARTICLES and not is_passive(tokens, verb):
        return ()
    for place in range(verb + 1, min(verb + 1 + _REACH, len(tokens))):
        word = tokens[place].word
        if word == "by":
            found = noun_phrase(tokens, place + 1)
            return () if found and found[0].word in _MANNER else found
        if word in _BOUNDARIES or word in AUXILIARIES or (tokens[place].stem and polarity.is_past(word)):
            return ()
    return ()


def is_passive(tokens: Sequence[Token], verb: int) -> bool:
    """Return whether a form of `be` stands at most three words before a verb, in the same clause."""
    before = [*takewhile(lambda token: token.word not in _BOUNDARIES, reversed(tokens[max(0, verb - 3) : verb]))]
    return any(token.word in BE for token in before)


def is_adverb(token: Token) -> bool:
    """Return whether a word may stand between a subject and its verb: `then`, `never`, `finally`."""
    return ends_as_adverb(token) or token.word in ("later", "then", "soon", "also", "never", "not", "once", "again")


# --- occurrences in the sentence ---------------------------------------------------------------------------------


def _contradicts(sentence: Reading, verb: int, deed: Deed) -> bool:
    """Return whether an occurrence of a verb cannot be the deed: its agent or its patient is another there."""
    tokens = sentence.tokens
    agent = agent_after(tokens, verb)
    passive = bool(agent) or is_passive(tokens, verb)
    sufferer = deed.patients if passive else deed.agents
    if sufferer and _is_relative_of_another(tokens, verb, sufferer):
        return True
    if agent:
        start = next(at for at in range(verb, len(tokens)) if tokens[at].word == "by") + 1
        said = _agents(tokens, start)
        if deed.agents and deed.agents <= said and not deed.agents & _without_places(tokens, start):
            return True
        known = bool(deed.agents) and deed.agents <= sentence.positions.keys()
        return not deed.agents & said and (known or bool(deed.patients & {token.stem for token in agent}))
    if passive:
        return False
    if _is_only_agent(sentence, deed.patients, deed.verb.stem):
        return True
    if _is_of_closed_clause(sentence, verb, deed.agents):
        return True
    if not deed.patients and not deed.passive:
        return False  # `a rash developed` and `they developed a rash`
    places = [at for stem in deed.agents for at in sentence.positions.get(stem, ())]
    if any(tokens[at - 1].quantity for at in places if at):
        return False  # `rejected by 9 votes`: no agent, but how
    before = subject_before(tokens, verb)
    pronoun = verb > 0 and tokens[verb - 1].word in ("he", "she", "they", "it")
    known = bool(before) or (pronoun and deed.agents <= sentence.positions.keys())
    return bool(places) and known and all(at > verb for at in places)


def _agents(tokens: Sequence[Token], start: int) -> frozenset[str]:
    """Return the stems of who stands behind `by`, the subject of a next clause left out: `by Ada, and Ben wrote it`."""
    for place in range(start, len(tokens) - 2):
        if tokens[place].word not in ("and", "but", "while", "whereas", ";"):
            continue
        if polarity.is_past(tokens[place + 1].word) and agent_after(tokens, place + 1):
            return reach_of(tokens[:place], start)  # `written by Ada and printed by Ben`
        end = place + 1
        while end < len(tokens) and (tokens[end].stem or tokens[end].word in DETERMINERS):
            if end > place + 1 and polarity.is_past(tokens[end].word) and not tokens[end].name:
                break
            end += 1
        verb = tokens[end] if end < len(tokens) else None
        governs = end + 1 < len(tokens) and (tokens[end + 1].word in DETERMINERS | _OBJECTS or tokens[end + 1].name)
        if verb is not None and verb.stem and governs:
            return reach_of(tokens[:place], start)
    return reach_of(tokens, start)


def _without_places(tokens: Sequence[Token], start: int) -> frozenset[str]:
    """Return the stems behind `by` but for those of a preposition, up to the next `and` or comma: `by Ada in Rome`."""
    found: set[str] = set()
    inside = True
    for token in tokens[start:]:
        inside = token.word in ("and", "or", ",", "by") or (inside and token.word not in PLACING)
        if inside and token.stem:
            found.add(token.stem)
    return frozenset(found)


def _is_of_closed_clause(sentence: Reading, verb: int, stems: frozenset[str]) -> bool:
    """Return whether words stand only in a relative clause that ends right before a verb: `Ida, whom Karl led, won`."""
    tokens = sentence.tokens
    if verb < 2 or tokens[verb - 1].word != ",":
        return False
    start = max((at for at in range(verb) if tokens[at].word in ("who", "which", "whom", "whose")), default=verb)
    places = [at for stem in stems for at in sentence.positions.get(stem, ())]
    return bool(places) and all(start < at < verb for at in places)


def _is_only_agent(sentence: Reading, stems: frozenset[str], verb: str) -> bool:
    """Return whether words stand in a sentence only as the agents of a verb: `but he was beaten by Scipio`."""
    agents: set[int] = set()
    for place in sentence.positions[verb]:
        found = agent_after(sentence.tokens, place)
        agents |= {at for at, token in enumerate(sentence.tokens) if at > place and any(token is one for one in found)}
    places = [at for stem in stems for at in sentence.positions.get(stem, ())]
    return bool(places) and all(at in agents for at in places)


def _is_relative_of_another(tokens: Sequence[Token], verb: int, who: frozenset[str]) -> bool:
    """Return whether a verb has `who` or `which` as its subject, of another than these who are the main clause's."""
    place = verb - 1
    while place > 0 and (tokens[place].word in AUXILIARIES or is_adverb(tokens[place])):
        place -= 1
    if place < 1 or tokens[place].word not in _RELATIVES:
        return False
    end = place - 1 if tokens[place - 1].word == "," else place
    before = takewhile(lambda token: bool(token.stem) and not polarity.is_past(token.word), reversed(tokens[:end]))
    antecedent = {token.stem for token in before}
    if not antecedent or antecedent & who:
        return False
    return any(_has_object(tokens, at) for at in range(end) if tokens[at].stem in who)


def _has_object(tokens: Sequence[Token], subject: int) -> bool:
    """Return whether a verb follows a subject, and an object that verb: `Anna hired Boris`."""
    place = subject + 1
    while place < len(tokens) and (tokens[place].name or is_adverb(tokens[place])) and tokens[place].word not in _HAVE:
        place += 1
    while place < len(tokens) and tokens[place].word in _HAVE:
        place += 1
    if place + 1 >= len(tokens) or not tokens[place].stem or not polarity.is_past(tokens[place].word):
        return False
    return tokens[place + 1].word not in PREPOSITIONS | _BOUNDARIES
