"""Which questions of two runs are the same one: an id alone does not tell it where the data sets differ."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from rag.evaluation.lines import EvaluationLine
from rag.evaluation.repeated import words_and_label
from rag.evaluation.runs import Run
from rag.evaluation.scores import QuestionScore

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
