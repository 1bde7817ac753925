"""Which questions of two runs are the same one, and which of them ended differently: one by one.

An id alone does not tell the same question where the data sets differ. `compare` tells of all of them together.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from rag.evaluation.lines import EvaluationLine
from rag.evaluation.repeated import words_and_label
from rag.evaluation.runs import Run
from rag.evaluation.scores import QuestionScore
from rag.language.counted import several
from rag.models import Value

Change = Literal["regressed", "improved", "flipped", "other answer"]
CHANGES: tuple[Change, ...] = ("regressed", "improved", "flipped", "other answer")
"""What can come of a question, in the order in which they are listed."""
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
    rank_before: int | None = Field(None, description="Rank of the first relevant passage; null: none of ten.")
    rank_after: int | None = Field(None, description="The same in the second run.")

    @property
    def is_newly_wrong(self) -> bool:
        """Whether a wrong answer stands where none did."""
        return self.after in WRONG_ANSWERS and self.before not in WRONG_ANSWERS

    @property
    def is_newly_right(self) -> bool:
        """Whether it ends rightly and did not."""
        return self.after.endswith(_RIGHTLY) and not self.before.endswith(_RIGHTLY)

    @property
    def is_newly_withheld(self) -> bool:
        """Whether it was answered, or ended rightly, and is no longer answered though the documents do."""
        return self.after in WITHHELD and self.before not in WITHHELD


def headline(changed: Sequence[Changed], paired: int, *, proven: str = "") -> str:
    """Return what became of single questions, and whether that says anything of others.

    Args:
        changed: The questions that ended differently.
        paired: How many questions were compared.
        proven: What is proven of all questions, in a sentence; empty: nothing.

    >>> headline([], 41)
    'No question got better or worse; 41 questions are too few to say that none would.'
    """
    counts = {
        "new wrong answer": sum(one.is_newly_wrong for one in changed),
        "newly right": sum(one.is_newly_right for one in changed),
        "newly withheld": sum(one.is_newly_withheld for one in changed),
    }
    told = [
        f"{count} {name}{'s' if name.endswith('answer') and count != 1 else ''}"
        for name, count in counts.items()
        if count
    ]
    few = f"{several(paired, 'question')} {'is' if paired == 1 else 'are'} too few"
    if not told:
        return f"No question got better or worse; {proven or f'{few} to say that none would.'}"
    return f"{', '.join(told)}; {proven or f'{few} to generalise.'}"


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

    Args:
        before: The first run.
        after: The second run.
        lines_before: Its lines.
        lines_after: The lines of the second run.
    """
    old, new = ({line.qid: line for line in lines} for lines in (lines_before, lines_after))
    same = pair(before, after, texts_of(lines_before), texts_of(lines_after)).same
    pairs = [(a, b) for a, b in same if a.qid in old.keys() & new.keys()]
    found = [
        (change, abs(_rightness(a) - _rightness(b)), a, b)
        for a, b in pairs
        if (change := _change(a, b, same_text=old[a.qid].answer == new[a.qid].answer)) is not None
    ]
    found.sort(key=lambda one: (CHANGES.index(one[0]), -one[1]))
    return tuple(_row(change, a, b, new[b.qid]) for change, _, a, b in found)


def _rightness(score: QuestionScore) -> int:
    wrong = problem(score)
    return len(WRONG) if wrong is None else wrong


def _change(before: QuestionScore, after: QuestionScore, *, same_text: bool) -> Change | None:
    if _rightness(after) != _rightness(before):
        return "improved" if _rightness(after) > _rightness(before) else "regressed"
    if _decision(before) != _decision(after):
        return "flipped"
    return None if same_text else "other answer"


def _row(change: Change, before: QuestionScore, after: QuestionScore, line: EvaluationLine) -> Changed:
    return Changed(
        qid=after.qid,
        question=line.question,
        kind=after.kind,
        change=change,
        flipped=_decision(before) != _decision(after),
        before=_ended(before),
        after=_ended(after),
        confidence_before=before.confidence,
        confidence_after=after.confidence,
        rank_before=_first_relevant(before),
        rank_after=_first_relevant(after),
    )


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


Texts = Mapping[str, str]
"""The questions of a run by id."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The questions of two runs, matched."""

    same: tuple[tuple[QuestionScore, QuestionScore], ...]
    """The same question in both, in the order of the first run."""
    other: tuple[str, ...]
    """Ids that both runs have, with another text or label."""
    only_before: tuple[str, ...]
    """Ids that only the first run has."""
    only_after: tuple[str, ...]
    """Ids that only the second run has."""
    repeated: tuple[str, ...] = ()
    """Ids of the same questions that are left out, for they repeat another: the same words and labels."""


def texts_of(lines: Iterable[EvaluationLine]) -> dict[str, str]:
    """Return the questions of a run's lines by id."""
    return {line.qid: line.question for line in lines}


def is_same_data(run_a: Run, run_b: Run) -> bool:
    """Return whether both ran on the same version of the same data set: then an id is one question in both."""
    return run_a.dataset_fingerprint == run_b.dataset_fingerprint


def pair(run_a: Run, run_b: Run, texts_a: Texts, texts_b: Texts) -> Pairs:
    """Match the questions of two runs.

    Over the same version of a data set the id decides. Over two versions, or two data sets, a question is the same
    where id, text and label are: whether it is answerable, and from which documents. A text that is not given is no
    known one, and its question not the same.

    Args:
        run_a: The run before.
        run_b: The run after.
        texts_a: The questions of the run before, from its lines.
        texts_b: The same of the run after.
    """
    before, after = ({score.qid: score for score in run.scores} for run in (run_a, run_b))
    shared = [qid for qid in before if qid in after]
    known = is_same_data(run_a, run_b)
    same = [qid for qid in shared if known or _is_same(before[qid], after[qid], texts_a.get(qid), texts_b.get(qid))]
    chosen = set(same)
    return Pairs(
        same=tuple((before[qid], after[qid]) for qid in same),
        other=tuple(qid for qid in shared if qid not in chosen),
        only_before=tuple(qid for qid in before if qid not in after),
        only_after=tuple(qid for qid in after if qid not in before),
    )


def without_repeats(pairs: Pairs, texts: Texts) -> Pairs:
    """Return the questions of two runs without those that repeat an earlier one: words, label and gold documents.

    Args:
        pairs: The questions, matched.
        texts: Those of the run before, by id; one whose text is not given repeats nothing.
    """
    seen: set[tuple[tuple[str, bool | None], tuple[str, ...]]] = set()
    kept, repeated = [], []
    for before, after in pairs.same:
        text = texts.get(before.qid)
        key = (words_and_label(text or "", before.answerable), before.documents)
        if text and key in seen:
            repeated.append(before.qid)
            continue
        seen.add(key)
        kept.append((before, after))
    return replace(pairs, same=tuple(kept), repeated=tuple(repeated))


def _is_same(before: QuestionScore, after: QuestionScore, text_before: str | None, text_after: str | None) -> bool:
    labels = [(score.answerable, score.documents) for score in (before, after)]
    return text_before is not None and text_before == text_after and labels[0] == labels[1]
