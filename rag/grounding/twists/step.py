"""The steps of an instruction in another order than the sentence has them. Ground floor."""

from collections.abc import Iterator

from rag.grounding.reading import Reading
from rag.grounding.words import IF, OBJECT_OPENERS
from rag.language.polarity import word_set

_TIMED = word_set("then before after once until first following subsequently later afterwards")


def step_twists(claim: Reading, sentence: Reading) -> Iterator[str]:
    """Yield steps in another order: `rinse, dry and weigh the dish` for `weigh, dry and rinse the dish`."""
    if _is_told_backwards(claim, sentence):
        yield "its steps stand in another order"
        return
    said, stated = _steps(claim), _steps(sentence)
    common = [stem for stem in stated if stem in said]
    if len(common) >= 2 and common != [stem for stem in said if stem in common]:
        yield "its steps stand in another order"


def _is_told_backwards(claim: Reading, sentence: Reading) -> bool:
    """Return whether all that stands before a claim's `then` stands behind what follows it in the sentence.

    Of orders (`dry the jar and then rinse it`) the verbs that begin both are enough.
    """
    place = next((at for at, token in enumerate(claim.tokens) if at and token.word == "then"), 0)
    if not place or claim.words & IF or sentence.words & (_TIMED | IF):
        return False
    before = {token.stem for token in claim.tokens[:place] if token.stem}
    after = {token.stem for token in claim.tokens[place:] if token.stem}
    first = [at for stem in before - after for at in sentence.positions.get(stem, ())]
    then = [at for stem in after - before for at in sentence.positions.get(stem, ())]
    verbs = [next((token.stem for token in part if token.stem), "") for part in (claim.tokens, claim.tokens[place:])]
    stated = [sentence.positions.get(stem, ()) for stem in verbs if claim.tokens[0].stem]
    ordered = [places[0] for places in stated if len(places) == 1]
    turned = len(ordered) == 2 and ordered[0] > ordered[1]
    return turned or (bool(first and then) and min(first) > max(then))


def _steps(reading: Reading) -> list[str]:
    """Return the verbs of an instruction that begins with a list of them, all with one object after the last."""
    tokens = reading.tokens
    found: list[str] = []
    for place, token in enumerate(tokens):
        if token.stem and place == (2 * len(found)):
            found.append(token.stem)
        elif token.word in ("and", ",", "then") and found:
            continue
        else:
            return found if token.word in OBJECT_OPENERS and len(found) >= 2 and tokens[place - 1].stem else []
    return []
