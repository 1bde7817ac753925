"""The figures of a run: sums over its scored questions, in total, per kind and per document."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pydantic import Field

from rag.evaluation import intervals
from rag.evaluation.intervals import BoundedRate, Estimate, Rate
from rag.evaluation.lines import STAGES
from rag.evaluation.relevance import HITS, MEASURES
from rag.evaluation.scores import QuestionScore
from rag.evaluation.selective import aurc, auroc, coverage_at
from rag.models import Value

FALSE_ANSWER_LIMITS = (0.01, 0.05, 0.10)  # the false-answer rates at which coverage is reported


class Percentiles(Value):
    """How long a stage takes, over the questions for which it ran."""

    count: int = Field(description="Over how many questions.")
    p50: float | None = Field(description="Median, milliseconds.")
    p95: float | None = Field(description="95th percentile, milliseconds.")
    p99: float | None = Field(description="99th percentile, milliseconds.")


class Ingestion(Value):
    """What building the run's own index took, when it was last built."""

    documents: int = Field(ge=0, description="Documents ingested.")
    chunks: int = Field(ge=0, description="Chunks indexed.")
    seconds: float = Field(ge=0, description="Wall clock.")
    failed: tuple[str, ...] = Field((), description="Files that could not be ingested, with the reason.")

    @property
    def chunks_per_second(self) -> float | None:
        """Chunks a second; None where nothing was timed."""
        return self.chunks / self.seconds if self.seconds > 0 and self.chunks else None


class Figures(Value):
    """The figures that make sense for any part of the questions."""

    questions: int = Field(description="How many questions.")
    retrieval: dict[str, Rate] = Field(description="hit@k, MRR@10, nDCG@10; by document and by page beside them.")
    coverage: Rate = Field(description="Answered / answerable.")
    false_answer_rate: BoundedRate = Field(description="Answered / unanswerable.")
    use: dict[str, Rate] = Field(description="What a person gets.")
    answer_contains_gold: Rate = Field(description="A gold answer stands in the answer.")
    answer_recall: Rate = Field(description="Share of the gold answer's content words in the answer.")
    citation_precision: Rate = Field(description="Citations whose chunk is relevant.")
    page_accuracy: Rate = Field(description="Citations on a gold page.")
    unsupported_sentences: BoundedRate = Field(description="By the independent count, of all sentences shown.")
    excerpts_not_verbatim: BoundedRate = Field(description="Of all excerpts shown whose document is known.")


class Summary(Value):
    """Everything that `candor evaluate` prints."""

    questions: int = Field(description="Questions asked.")
    answerable: int = Field(description="Of these, labelled answerable.")
    unanswerable: int = Field(description="Of these, labelled unanswerable.")
    refusals: dict[str, int] = Field(description="Refused questions by stage; `talk`: taken for no question.")
    unsure: int = Field(description="Questions for which passages were shown that may answer.")
    figures: Figures = Field(description="Over all questions.")
    auroc: Estimate = Field(description="AUROC of confidence.")
    aurc: Estimate = Field(description="Area under the risk-coverage curve.")
    coverage_at: dict[str, Rate] = Field(description="Coverage at a false-answer rate of 1%, 5%, 10%.")
    claimed_unsupported: int = Field(description="Sentences shown although the grounding check rejected them: 0.")
    speed: dict[str, Percentiles] = Field(description="Milliseconds per stage and in total.")
    ingestion: Ingestion | None = Field(None, description="What building the index took; null: not known.")
    chunks_per_second: float | None = Field(None, description="At ingestion.")
    by_kind: dict[str, Figures] = Field(description="The same per kind of question.")
    by_document: dict[str, Figures] = Field(description="The same per gold document.")


def summarise(scores: Sequence[QuestionScore], *, ingestion: Ingestion | None = None) -> Summary:
    """Sum scored questions up. Nothing depends on their order."""
    labelled = [score for score in scores if score.answerable is not None]
    confidences = [score.confidence for score in labelled]
    answerable = [bool(score.answerable) for score in labelled]
    covered = coverage_at(confidences, answerable, FALSE_ANSWER_LIMITS)
    refused = Counter(score.refusal_stage or "talk" for score in scores if not (score.answered or score.unsure))
    return Summary(
        questions=len(scores),
        answerable=sum(answerable),
        unanswerable=len(answerable) - sum(answerable),
        refusals=dict(sorted(refused.items())),
        unsure=sum(score.unsure for score in scores),
        figures=figures(scores),
        auroc=auroc(confidences, answerable),
        aurc=aurc(confidences, answerable),
        coverage_at={f"{limit:.2f}": one for limit, one in zip(FALSE_ANSWER_LIMITS, covered, strict=True)},
        claimed_unsupported=sum(score.claimed_unsupported for score in scores),
        speed=speed(scores),
        ingestion=ingestion,
        chunks_per_second=ingestion.chunks_per_second if ingestion else None,
        by_kind=_by(scores, lambda score: (score.kind,) if score.kind else ()),
        by_document=_by(scores, lambda score: score.documents),
    )


def figures(scores: Sequence[QuestionScore]) -> Figures:
    """Return the figures over some questions; each over those that say something about it."""
    answerable = [score for score in scores if score.answerable is True]
    unanswerable = [score for score in scores if score.answerable is False]
    excerpts = [(len(score.not_verbatim), score.excerpts) for score in scores if score.not_verbatim is not None]
    return Figures(
        questions=len(scores),
        retrieval=_retrieval(scores),
        coverage=_share(score.answered for score in answerable),
        false_answer_rate=intervals.bounded_rate(sum(score.answered for score in unanswerable), len(unanswerable)),
        use=use(scores),
        answer_contains_gold=_share(score.contains_gold for score in scores),
        answer_recall=intervals.mean(score.answer_recall for score in scores if score.answer_recall is not None),
        citation_precision=intervals.clustered_rate([score.citation_hits for score in scores if score.citation_hits]),
        page_accuracy=intervals.clustered_rate([score.page_hits_cited for score in scores if score.page_hits_cited]),
        unsupported_sentences=intervals.clustered_bounded_rate(
            [(len(score.unsupported), score.sentences) for score in scores]
        ),
        excerpts_not_verbatim=intervals.clustered_bounded_rate(excerpts),
    )


def use(scores: Sequence[QuestionScore]) -> dict[str, Rate]:
    """Return what a person gets, by name: shares of the answerable questions, and of the unanswerable ones unsure."""
    known = [score for score in scores if score.got is not None]
    placed = [score for score in known if score.gold_first is not None]
    unanswerable = [score for score in scores if score.answerable is False]
    found = {name: _share(score.got == name for score in known) for name in ("right", "wrong", "unsure", "refused")}
    for name in ("unsure", "refused"):
        found[f"{name}, gold in the first 3"] = _share(score.gold_first for score in placed if score.got == name)
    found["right, or gold in the first 3"] = _share(score.got == "right" or score.gold_first for score in placed)
    found["unanswerable: unsure"] = _share(score.unsure for score in unanswerable)
    return found


def speed(scores: Sequence[QuestionScore]) -> dict[str, Percentiles]:
    """Return percentiles per stage and in total, over the questions for which it ran, by linear interpolation."""
    import numpy as np

    result = {}
    for stage in STAGES:
        values = [value for score in scores if (value := getattr(score.timings_ms, stage)) is not None]
        p50, p95, p99 = np.percentile(values, [50, 95, 99]).tolist() if values else (None, None, None)
        result[stage] = Percentiles(count=len(values), p50=p50, p95=p95, p99=p99)
    return result


def _retrieval(scores: Sequence[QuestionScore]) -> dict[str, Rate]:
    judged = [score.retrieval for score in scores if score.retrieval is not None]
    by_place = {"document": [score.document_hits for score in scores], "page": [score.page_hits for score in scores]}
    found = {
        name: _share(one[name] > 0 for one in judged) if name in HITS else intervals.mean(one[name] for one in judged)
        for name in MEASURES
    }
    for part, hits in by_place.items():
        found |= {f"{part} {name}": _share(one[name] for one in hits if one is not None) for name in HITS}
    return found


def _share(values: Iterable[bool | None]) -> Rate:
    known = [value for value in values if value is not None]
    return intervals.rate(sum(known), len(known))


def _by(scores: Sequence[QuestionScore], key: Callable[[QuestionScore], tuple[str, ...]]) -> dict[str, Figures]:
    """Return the figures per group; a question counts in each group that it belongs to."""
    groups: dict[str, list[QuestionScore]] = {}
    for score in scores:
        for name in key(score):
            groups.setdefault(name, []).append(score)
    return {name: figures(groups[name]) for name in sorted(groups)}
