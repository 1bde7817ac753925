"""Which questions of two runs are the same one, and which of them ended differently: one by one.

`compare` tells of all of them together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from pydantic import Field

from rag.evaluation.labelled import words_and_label
from rag.evaluation.lines import EvaluationLine
from rag.evaluation.runs import Run
from rag.evaluation.scores import QuestionScore
from rag.models import Value
from rag.text.counted import several

Change = Literal["regressed", "improved", "flipped", "other answer"]
CHANGES: tuple[Change, ...] = get_args(Change)  # what can come of a question, in the order in which they are listed
WRONG = (
    "answered, though unanswerable",
    "a sentence or an excerpt does not hold",
    "the gold answer is not in the answer",
    "refused, though answerable",
    "unsure, though answerable",
)
"""How a question can go wrong, the worst first."""
WRONG_ANSWERS, WITHHELD = WRONG[:3], WRONG[3:]
"""What is answered wrongly, and what is not answered though the documents do."""
_RIGHTLY = ", rightly"


class Changed(Value):
    """A question that ended differently in two runs."""

    qid: str = Field(description="Id of the question.")
    question: str = Field(description="The question.")
    kind: str | None = Field(None, description="The question's kind.")
    change: Change = Field(description="Better or worse by its label; without one: flipped, or another answer.")
    flipped: bool = Field(description="Whether the two runs decided differently: answered, unsure or refused.")
    before: str = Field(description="How it ended in the first run.")
    after: str = Field(description="How it ended in the second run.")
    confidence_before: float = Field(description="In the first run.")
    confidence_after: float = Field(description="In the second run.")
    rank_before: int | None = Field(description="Rank of the first relevant passage; null: none of ten.")
    rank_after: int | None = Field(description="The same in the second run.")


def headline(changed: Sequence[Changed], paired: int, *, proven: str = "") -> str:
    """Return what became of single questions of `paired` ones, and what is `proven` of all: in a sentence, or nothing.

    >>> headline([], 41)
    'No question got better or worse; 41 questions are too few to say that none would.'
    """
    ends = [(one.before, one.after) for one in changed]
    counts = {
        "new wrong answer": sum(after in WRONG_ANSWERS and before not in WRONG_ANSWERS for before, after in ends),
        "newly right": sum(after.endswith(_RIGHTLY) and not before.endswith(_RIGHTLY) for before, after in ends),
        "newly withheld": sum(after in WITHHELD and before not in WITHHELD for before, after in ends),
    }
    told = [
        several(count, name) if name.endswith("answer") else f"{count} {name}"
        for name, count in counts.items()
        if count
    ]
    few = f"{several(paired, 'question')} {'is' if paired == 1 else 'are'} too few to"
    few += " generalise." if told else " say that none would."
    return f"{', '.join(told) or 'No question got better or worse'}; {proven or few}"


def problem(score: QuestionScore) -> int | None:
    """Return how a question went wrong, as a place in `WRONG`; None where nothing did that a label can tell."""
    if score.answerable is False and score.answered:
        return 0
    if score.unsupported or score.not_verbatim:
        return 1
    if score.got == "wrong" or (score.got is None and score.contains_gold is False):
        return 2
    if score.answerable is True and not score.answered:
        return 4 if score.unsure else 3
    return None


def changed(
    before: Run, after: Run, lines_before: Sequence[EvaluationLine], lines_after: Sequence[EvaluationLine]
) -> tuple[Changed, ...]:
    """Return the questions of both runs that ended differently: those that regressed first, by how far.

    A question improved where it went wrong less badly, in the order of `WRONG`. Where that is equal, as without a
    label, it flipped if the two decided differently, and has another answer if the texts differ.
    """
    old, new = ({line.qid: line for line in lines} for lines in (lines_before, lines_after))
    found = []
    for a, b in pair(before, after, texts_of(lines_before), texts_of(lines_after)).same:
        if a.qid not in old.keys() & new.keys():
            continue
        better_by, flipped = _rightness(b) - _rightness(a), _decision(a) != _decision(b)
        if not (better_by or flipped or old[a.qid].answer != new[a.qid].answer):
            continue
        change: Change = "flipped" if flipped else "other answer"
        if better_by:
            change = "improved" if better_by > 0 else "regressed"
        row = Changed(
            qid=b.qid, question=new[b.qid].question, kind=b.kind, change=change, flipped=flipped,
            before=_ended(a), after=_ended(b), confidence_before=a.confidence, confidence_after=b.confidence,
            rank_before=_first_relevant(a), rank_after=_first_relevant(b),
        )  # fmt: skip
        found.append((CHANGES.index(row.change), -abs(better_by), row))
    return tuple(row for *_, row in sorted(found, key=lambda one: one[:2]))


def _rightness(score: QuestionScore) -> int:
    wrong = problem(score)
    return len(WRONG) if wrong is None else wrong


def _ended(score: QuestionScore) -> str:
    wrong, right = problem(score), _decision(score)
    if wrong is not None:
        return WRONG[wrong]
    return right if score.answerable is None else f"{right}{_RIGHTLY}"


def _decision(score: QuestionScore) -> str:
    return "answered" if score.answered else "unsure" if score.unsure else "refused"


def _first_relevant(score: QuestionScore) -> int | None:
    reciprocal = (score.retrieval or {}).get("MRR@10")
    return round(1 / reciprocal) if reciprocal else None


Texts = Mapping[str, str]  # the questions of a run by id


@dataclass(frozen=True, slots=True)
class Pairs:
    """The questions of two runs, matched.

    Attributes:
        same: The same question in both, in the order of the first run.
        other: Ids that both runs have, with another text or label.
        only_before: Ids that only the first run has.
        only_after: Ids that only the second run has.
        repeated: Ids of the same questions that are left out, for they repeat another: the same words and labels.
    """

    same: tuple[tuple[QuestionScore, QuestionScore], ...]
    other: tuple[str, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    repeated: tuple[str, ...] = ()


def texts_of(lines: Iterable[EvaluationLine]) -> dict[str, str]:
    """Return the questions of a run's lines by id."""
    return {line.qid: line.question for line in lines}


def is_same_data(run_a: Run, run_b: Run) -> bool:
    """Return whether both ran on the same version of the same data set: then an id is one question in both."""
    return run_a.dataset_fingerprint == run_b.dataset_fingerprint


def pair(run_a: Run, run_b: Run, texts_a: Texts, texts_b: Texts) -> Pairs:
    """Match the questions of two runs.

    Over the same version of a data set the id decides. Over two versions, or two data sets, a question is the same
    where id, text (which must be given) and label are: whether it is answerable, and from which documents.
    """
    before, after = ({score.qid: score for score in run.scores} for run in (run_a, run_b))
    shared = [qid for qid in before if qid in after]
    other = set()
    if not is_same_data(run_a, run_b):
        asked = [
            {qid: (texts.get(qid), scores[qid].answerable, scores[qid].documents) for qid in shared}
            for texts, scores in ((texts_a, before), (texts_b, after))
        ]
        other = {qid for qid in shared if qid not in texts_a or asked[0][qid] != asked[1][qid]}
    return Pairs(
        same=tuple((before[qid], after[qid]) for qid in shared if qid not in other),
        other=tuple(qid for qid in shared if qid in other),
        only_before=tuple(qid for qid in before if qid not in after),
        only_after=tuple(qid for qid in after if qid not in before),
    )


def without_repeats(pairs: Pairs, texts: Texts) -> Pairs:
    """Return the questions of two runs without those that repeat words, label and documents of an earlier one."""
    first: dict[object, str] = {}
    for before, _ in pairs.same:
        text = texts.get(before.qid)
        key = (words_and_label(text, before.answerable), before.documents) if text else before.qid
        first.setdefault(key, before.qid)
    kept = {*first.values()}
    return replace(
        pairs,
        same=tuple(both for both in pairs.same if both[0].qid in kept),
        repeated=tuple(before.qid for before, _ in pairs.same if before.qid not in kept),
    )
