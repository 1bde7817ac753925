"""What settings do to labelled questions: how many end wrongly, either way. Imports no streamlit."""

from collections.abc import Iterator
from dataclasses import dataclass

from dashboard.words import several
from rag.evaluation.repeated import once_labelled
from rag.whatif.arrays import WhatIf


@dataclass(frozen=True, slots=True)
class WrongEnds:
    """How many questions of one label end wrongly."""

    wrong: str
    """How they end then: `refused` or `answered`."""
    named: str
    """What the documents do with these questions: `answer`, or `do not answer`."""
    among: int
    """How many questions have the label."""
    now: int
    """How many would end wrongly."""
    before: int
    """How many did."""


def wrong_ends(result: WhatIf) -> Iterator[WrongEnds]:
    """Yield how many labelled questions end wrongly either way, now and as they ended; nothing without labels.

    A question that was asked again is counted once, as it was last, like coverage and false answers.
    """
    frame = once_labelled(result.frame[result.frame["decision"] != "unknown"])
    for label, wrong, named in ((1, "refused", "answer"), (0, "answered", "do not answer")):
        among = frame[frame["answerable"] == label]
        if len(among):
            now, before = (int((among[column] == wrong).sum()) for column in ("decision", "recorded"))
            yield WrongEnds(wrong, named, len(among), now, before)


def consequences(result: WhatIf) -> str:
    """Return how many labelled questions end wrongly either way, as sentences; empty without labels."""
    return " ".join(
        f"Of {several(one.among, 'question')} that the documents {one.named}, **{one.now}** would be {one.wrong} "
        f"wrongly (as they ended: {one.before})."
        for one in wrong_ends(result)
    )


def in_brief(result: WhatIf) -> str:
    """Return the same in a line for each label, for beside the sliders; without labels, how many are answered."""
    lines = [
        f"**{one.now}** of {one.among} {one.wrong} wrongly (as they ended: {one.before})" for one in wrong_ends(result)
    ]
    answered = result.answered
    return "  \n".join(lines) or f"**{answered.numerator:g}** of {answered.denominator} answered; none has a label"
