"""What settings do to labelled questions: how many end in which way, and how they ended. Imports no streamlit."""

from collections.abc import Iterator
from dataclasses import dataclass

from dashboard.words import counted, several
from rag.whatif.arrays import OUTCOMES, WhatIf


@dataclass(frozen=True, slots=True)
class Ends:
    """How the questions of one label end."""

    named: str
    """What the documents do with these questions: `answer`, or `do not answer`."""
    among: int
    """How many questions have the label."""
    now: tuple[int, ...]
    """How many would be answered, unsure and refused."""
    before: tuple[int, ...]
    """How many were."""


def ends(result: WhatIf) -> Iterator[Ends]:
    """Yield how labelled questions end, now and as they ended; nothing without labels.

    A question that was asked again is counted once, as it was last, like coverage and false answers.
    """
    for label, named in ((1, "answer"), (0, "do not answer")):
        among = result.once[result.once["answerable"] == label]
        if len(among):
            now, before = (
                tuple(int((among[column] == outcome).sum()) for outcome in OUTCOMES)
                for column in ("decision", "recorded")
            )
            yield Ends(named, len(among), now, before)


def consequences(result: WhatIf) -> str:
    """Return how labelled questions end, and how many answers are right, as sentences; empty without labels."""
    told = [
        f"Of {several(one.among, 'question')} that the documents {one.named}, {_listed(one.now)} (as they ended: "
        f"{', '.join(map(str, one.before))})."
        for one in ends(result)
    ]
    if result.right.denominator:
        told.append(f"Of the answers that were given and would be again, {counted(result.right)} are right.")
    return " ".join(told)


def _listed(counts: tuple[int, ...]) -> str:
    """Return how many end in which way.

    >>> _listed((3, 1, 2))
    '**3** would be answered, **1** unsure and **2** refused'
    """
    answered, unsure, refused = counts
    return f"**{answered}** would be answered, **{unsure}** unsure and **{refused}** refused"


def in_brief(result: WhatIf) -> str:
    """Return the same in a line for each label, for beside the sliders; without labels, how all of them end."""
    lines = [
        f"Documents {one.named}: "
        + ", ".join(f"**{count}** {name}" for count, name in zip(one.now, OUTCOMES, strict=True))
        for one in ends(result)
    ]
    shares = [result.share(name) for name in OUTCOMES]
    told = ", ".join(f"**{one.numerator:g}** {name}" for one, name in zip(shares, OUTCOMES, strict=True))
    return "  \n".join(lines) or f"{told} of {shares[0].denominator}; none has a label"
