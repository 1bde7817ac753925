"""What grounding lets through must satisfy a count that shares no code with it; that count sees invention only."""

import random

from passages import hit

from adversary.pairs import CHEMISTRY, FINANCE, GEOGRAPHY, IT, LAW, MEDICINE, PAIRS
from rag.evaluation.independent import why_unsupported
from rag.ground import ground_sentence
from rag.grounding.evidence import EvidenceCheck
from rag.language.text import STOPWORDS, sentence_spans

CHECK = EvidenceCheck()
TEXTS = (CHEMISTRY, LAW, FINANCE, MEDICINE, GEOGRAPHY, IT)


def shown_but_unsupported(claim: str, evidence: str) -> bool:
    """Return whether grounding would show a sentence that the independent count calls unsupported."""
    sentence = ground_sentence(f"{claim} [1]", [hit(evidence)], check=CHECK)
    return sentence.supported and bool(why_unsupported(sentence.text, evidence))


def test_no_supported_pair_is_called_unsupported_by_the_independent_count() -> None:
    assert [pair.claim for pair in PAIRS if shown_but_unsupported(pair.claim, pair.evidence)] == []


def liar(sentence: str, other: str, chance: random.Random) -> str:
    """Return a sentence with one word or number put in another's place, taken from anywhere, or made up."""
    words = sentence.split()
    place = chance.randrange(len(words))
    known = [word for word in (*other.split(), *words) if word.casefold() not in STOPWORDS]
    words[place] = chance.choice([*known, "47", "Osterholm", "never", "3.7%", "twelve", "NATO"])
    return " ".join(words)


def test_of_1000_lies_none_that_is_shown_is_called_unsupported_and_few_are_shown() -> None:
    chance = random.Random(20261122)
    shown = told = 0
    for _ in range(1000):
        text, other = chance.choice(TEXTS), chance.choice(TEXTS)
        start, end = chance.choice(sentence_spans(text))
        lie = liar(text[start:end], other, chance)
        if lie.casefold().split() == text[start:end].casefold().split():
            continue
        told += 1
        shown += ground_sentence(f"{lie} [1]", [hit(text)], check=CHECK).supported
        assert not shown_but_unsupported(lie, text), lie
    assert told > 800
    assert shown / told < 0.03  # what is left puts a word of the text where only `the` or `of` stood, or is no sentence
