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
from rag.evaluation.relevance import Judgement, judge, retrieval_scores
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

    def scored(line: EvaluationLine) -> QuestionScore:
        label = labels.get(line.qid, Question(qid=line.qid, question=line.question))
        found = _score(line, label, judgements.get(line.qid), text_of)
        return found.model_copy(update={"retrieval": retrieval.get(line.qid)})

    return [scored(line) for line in lines]


def _score(line: EvaluationLine, label: Question, judged: Judgement | None, text_of: TextOf | None) -> QuestionScore:
    """Return the score of a line; a label that does not say what is right says nothing of what a person gets."""
    is_known = bool(line.answerable and (label.gold or label.answers))
    is_located = is_known and any(place.sentence for place in label.gold)
    shown = line.answer if line.answerable and line.decision == "answered" else None
    is_cited = shown is not None and bool(label.gold)
    return QuestionScore(
        qid=line.qid,
        kind=line.kind,
        documents=tuple(sorted({place.document for place in label.gold})),
        answerable=line.answerable,
        answered=line.decision == "answered",
        unsure=line.decision == "unsure",
        got=got(label, line) if is_known else None,
        gold_first=has_gold_first(label, line) if is_located else None,
        refusal_stage=line.refusal_stage,
        confidence=line.confidence,
        document_hits=_hits(judged.document) if judged else None,
        page_hits=_hits(judged.page) if judged and judged.page is not None else None,
        contains_gold=None if shown is None else contains_gold(shown, label.answers),
        answer_recall=None if shown is None else answer_recall(shown, label.answers),
        citation_hits=citation_precision(line, label.gold) if is_cited else None,
        page_hits_cited=page_accuracy(line, label.gold) if is_cited else None,
        sentences=len(line.sentences),
        unsupported=tuple(unsupported_sentences(line)),
        claimed_unsupported=sum(not sentence.supported for sentence in line.sentences),
        excerpts=len(line.citations),
        not_verbatim=None if text_of is None else tuple(not_verbatim(line, text_of)),
        timings_ms=line.timings_ms,
    )


def _hits(relevant: tuple[bool, ...]) -> dict[str, bool]:
    return {f"hit@{depth}": any(relevant[:depth]) for depth in (1, 5, 10)}
