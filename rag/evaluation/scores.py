"""From lines and labels to one scored value per question, from which every figure is summed up or compared."""

from collections.abc import Sequence

from pydantic import Field

from rag.evaluation.answers import (
    Got,
    answer_recall,
    citation_precision,
    contains_gold,
    got,
    has_gold_first,
    page_accuracy,
)
from rag.evaluation.datasets import Question
from rag.evaluation.independent import Finding, TextOf, not_verbatim, unsupported_sentences
from rag.evaluation.lines import EvaluationLine, LineTimings, RefusalStage
from rag.evaluation.relevance import judge, retrieval_scores
from rag.models import Value


class QuestionScore(Value):
    """Everything that the figures need of one question. Null: the question says nothing about that figure."""

    qid: str = Field(description="Id of the question.")
    kind: str | None = Field(None, description="The question's kind.")
    documents: tuple[str, ...] = Field((), description="The gold documents, by name.")
    answerable: bool | None = Field(description="The label.")
    answered: bool = Field(description="Whether an answer was shown.")
    unsure: bool = Field(False, description="Whether passages were shown that may answer.")
    got: Got | None = Field(None, description="What came of an answerable question with a gold place or answer.")
    gold_first: bool | None = Field(None, description="Answerable: the first three passages hold a gold sentence.")
    refusal_stage: RefusalStage | None = Field(None, description="Where no answer came of it.")
    confidence: float = Field(description="As computed.")
    retrieval: dict[str, float] | None = Field(None, description="hit@1 to nDCG@10; answerable with gold only.")
    document_hits: dict[str, bool] | None = Field(None, description="hit@1, 5, 10 by document alone.")
    page_hits: dict[str, bool] | None = Field(None, description="The same by document and page, where pages are known.")
    contains_gold: bool | None = Field(None, description="Answered and answerable: a gold answer stands in it.")
    answer_recall: float | None = Field(None, description="Answered and answerable: content words of the best gold.")
    citation_hits: tuple[int, int] | None = Field(None, description="Relevant citations, all; answered and answerable.")
    page_hits_cited: tuple[int, int] | None = Field(None, description="The same on pages alone.")
    sentences: int = Field(0, description="Sentences shown.")
    unsupported: tuple[Finding, ...] = Field((), description="Those that the independent count does not support.")
    claimed_unsupported: int = Field(0, description="Those shown although the grounding check itself rejected them.")
    excerpts: int = Field(0, description="Excerpts shown.")
    not_verbatim: tuple[Finding, ...] | None = Field(None, description="Excerpts not in their document; null: unknown.")
    timings_ms: LineTimings = Field(default_factory=LineTimings, description="Wall clock per stage.")


def score_lines(
    lines: Sequence[EvaluationLine], questions: Sequence[Question], *, text_of: TextOf | None = None
) -> list[QuestionScore]:
    """Score every line, in order.

    Args:
        lines: What came of the questions.
        questions: Their labels; a line without one is scored by what it says itself.
        text_of: The whole text of a document, to find excerpts in; None leaves that figure null.
    """
    labels = {question.qid: question for question in questions}
    judgements = {
        line.qid: judge(line.retrieved[:10], labels[line.qid].gold)
        for line in lines
        if line.answerable and line.qid in labels and labels[line.qid].gold
    }
    retrieval = retrieval_scores(judgements)
    scores = []
    for line in lines:
        label = labels.get(line.qid, Question(qid=line.qid, question=line.question))
        judgement = judgements.get(line.qid)
        scores.append(
            QuestionScore(
                qid=line.qid,
                kind=line.kind,
                documents=tuple(sorted({place.document for place in label.gold})),
                answerable=line.answerable,
                answered=line.decision == "answered",
                unsure=line.decision == "unsure",
                refusal_stage=line.refusal_stage,
                confidence=line.confidence,
                retrieval=retrieval.get(line.qid),
                document_hits=_hits(judgement.document) if judgement else None,
                page_hits=_hits(judgement.page) if judgement and judgement.page is not None else None,
                timings_ms=line.timings_ms,
                **_use_scores(line, label),
                **_answer_scores(line, label),
                **_trust_scores(line, text_of),
            )
        )
    return scores


def _hits(relevant: tuple[bool, ...]) -> dict[str, bool]:
    return {f"hit@{depth}": any(relevant[:depth]) for depth in (1, 5, 10)}


def _use_scores(line: EvaluationLine, label: Question) -> dict[str, object]:  # keyword arguments, not data
    """Return what a person gets of an answerable question whose label says what is right; nothing for any other."""
    if not line.answerable or not (label.gold or label.answers):
        return {}
    located = any(place.sentence for place in label.gold)
    return {"got": got(label, line), "gold_first": has_gold_first(label, line) if located else None}


def _answer_scores(line: EvaluationLine, label: Question) -> dict[str, object]:  # keyword arguments, not data
    """Return the figures of a shown answer to an answerable question; nothing for any other line."""
    if not line.answerable or line.decision != "answered" or line.answer is None:
        return {}
    return {
        "contains_gold": contains_gold(line.answer, label.answers),
        "answer_recall": answer_recall(line.answer, label.answers),
        "citation_hits": citation_precision(line, label.gold) if label.gold else None,
        "page_hits_cited": page_accuracy(line, label.gold) if label.gold else None,
    }


def _trust_scores(line: EvaluationLine, text_of: TextOf | None) -> dict[str, object]:  # keyword arguments, not data
    return {
        "sentences": len(line.sentences),
        "unsupported": tuple(unsupported_sentences(line)),
        "claimed_unsupported": sum(not sentence.supported for sentence in line.sentences),
        "excerpts": len(line.citations),
        "not_verbatim": None if text_of is None else tuple(not_verbatim(line, text_of)),
    }
