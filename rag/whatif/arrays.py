"""Other thresholds on many recorded questions at once: `rag.recording.replay` over arrays, as fast as a slider."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rag.evaluation.intervals import BoundedRate, Rate, bounded_rate, rate
from rag.evaluation.repeated import newest_of_each, once_labelled
from rag.models import EstimatorName
from rag.recording.replay import DEFAULT_THRESHOLD, RETURNED
from rag.whatif.cases import Cases
from rag.whatif.rankings import Flags, Floats, as_ranked, first_hits, hits_of, ranked_again

_COMPUTED: tuple[EstimatorName, ...] = ("mean_similarity", "max_similarity")


@dataclass(frozen=True, slots=True, eq=False)
class WhatIf:
    """What would have happened to all of them."""

    frame: pd.DataFrame
    """A row for each question: request_id, question, answerable, recorded, decision, flipped, confidence, threshold,
    margin, exact, tried, other_passages, other_best, answers, number, age. `decision` is `unknown` where the record
    does not hold what the estimator would have said; `tried` is false where a threshold that is set would not decide
    the question; the next two say whether an answer would rest on other passages, and whether another would come first;
    `answers` is false where no threshold of confidence lets it be answered: nothing is left of what was found, or
    something after the gate refused;
    labelled questions of the same words and label have one `number`, and the newest an `age` of 0."""
    answered: Rate
    """Answered / all questions with a decision, each as often as it was asked."""
    coverage: Rate
    """Answered / answerable, a question that was asked again counted once, as it was last; null without labels."""
    false_answers: BoundedRate
    """Answered / unanswerable, counted like coverage, with the one-sided 95% bound; null without labels."""

    @property
    def labelled(self) -> tuple[int, int]:
        """How many requests have a label, and how many questions those are: the same words and label are one."""
        numbers = self.frame.loc[self.frame["answerable"].notna(), "number"]
        return len(numbers), int(numbers.nunique())

    @property
    def of_tried(self) -> "WhatIf":
        """The same of those questions alone that the threshold decides: all that a curve or a promise rests on."""
        frame = self.frame[self.frame["tried"]]
        known = frame[frame["decision"] != "unknown"]
        once = once_labelled(known)
        good, bad = ((once.loc[once["answerable"] == label, "decision"] == "answered") for label in (1, 0))
        return WhatIf(
            frame=frame,
            answered=rate(int((known["decision"] == "answered").sum()), len(known)),
            coverage=rate(int(good.sum()), len(good)),
            false_answers=bounded_rate(int(bad.sum()), len(bad)),
        )

    @property
    def flips(self) -> pd.DataFrame:
        """The questions that would have ended otherwise, the closest to the threshold first."""
        changed = self.frame[self.frame["flipped"]]
        return changed.iloc[np.argsort(np.abs(changed["margin"].to_numpy()), kind="stable")]


def what_if(
    cases: Cases,
    *,
    similarity_threshold: float | None = None,
    confidence_threshold: float | None = None,
    top_k: int | None = None,
    estimator: EstimatorName | None = None,
    dense_weight: float | None = None,
    in_force: EstimatorName | None = None,
) -> WhatIf:
    """Return what would have happened under other settings; the rules are those of `rag.recording.replay.replay`.

    Of a question that left open which editions are meant, the higher confidence of both choices counts, as for the
    pipeline; of other hits or another estimator only one is known, and a refusal is not exact.

    Another weight of similarity ranks the recorded chunks anew. That is not exact: one that was not recorded could
    have come among them.

    Args:
        cases: The recorded questions.
        similarity_threshold: Drops single chunks, 0 to 1; None: as recorded.
        confidence_threshold: Refuse below this, 0 to 1; None: as recorded.
        top_k: How many chunks an answer may rest on, 1 to 20; None: as recorded.
        estimator: How confidence is computed; None: as recorded.
        dense_weight: What similarity counts against BM25 in fusion, 0 to 1; None: as recorded.
        in_force: The estimator that `confidence_threshold` is set for. Where `estimator` is None, what another one
            decided, or a threshold that the question named, keeps its own: so does the pipeline. None: it decides all.
    """
    floors = cases.floors if similarity_threshold is None else np.full(len(cases), similarity_threshold)
    limits = cases.top_k if not top_k else np.full(len(cases), top_k)
    order, other = ranked_again(cases.fused, cases.slopes, cases.weights, dense_weight)
    hits = hits_of(cases.similarities, order, floors, limits)
    was = as_ranked(cases.similarities)
    before = hits_of(cases.similarities, was, cases.floors, cases.top_k)
    same = (floors == cases.floors) & (limits == cases.top_k) & (hits == before).all(axis=1)
    first = (floors == cases.floors) & ~other
    confidence, known = _confidence(cases, hits, same, first, estimator)
    tried = _tried(cases, estimator, in_force)
    threshold = _threshold(cases, confidence_threshold, estimator, tried)
    retrieved = (~np.isnan(cases.similarities)).sum(axis=1)
    complete = (floors >= cases.floors) & (same | _hold_all(cases, hits, limits, retrieved)) & ~other
    stages = np.array(cases.stages, dtype=object)
    unscored = (retrieved == 0) & (cases.confidences > 0)
    found = hits.any(axis=1) | unscored
    passed = found & (confidence >= threshold)
    judged = np.array([estimator in (None, name) for name in cases.estimators], dtype=bool) & same
    others = np.where(judged, cases.others, np.nan)
    by_other = ~passed & (others >= threshold)
    known_editions = passed | np.isnan(cases.others) | (judged & ~by_other)
    answers = (found | ~np.isnan(others)) & ~np.isin(stages, ["validation", "error", "grounding"])
    answered = (passed | by_other) & answers
    exact = known & complete & known_editions & ~(answered & (stages == "gate"))
    confidence = np.where(np.isnan(others), confidence, np.maximum(confidence, others))
    moved = (hits != before).any(axis=1), first_hits(hits, order) != first_hits(before, was)
    return _summed(cases, answered, answers, confidence, threshold, exact, moved, tried)


def _hold_all(cases: Cases, hits: Flags, limits: NDArray[np.int64], retrieved: NDArray[np.int64]) -> Flags:
    """Return for whom other hits than those recorded are out of the question: the rest is full of them, or was all."""
    all_there_was = (limits <= retrieved) & (retrieved < np.maximum(cases.top_k, RETURNED))
    full = (hits.sum(axis=1) == limits) | all_there_was
    found: Flags = full & ((limits == cases.top_k) | (np.maximum(limits, cases.top_k) <= RETURNED))
    return found


def recorded_threshold(cases: Cases) -> float | None:
    """Return the threshold that decided, for lines of an evaluation, which do not hold it.

    Any value between the highest confidence that the gate refused and the lowest that it passed decides the same; the
    one returned is the lowest that it passed. None where nothing passed.
    """
    stages = np.array(cases.stages, dtype=object)
    passed = cases.confidences[cases.recorded | (stages == "grounding")]
    return float(passed.min()) if len(passed) else None


def risk_coverage(result: WhatIf) -> pd.DataFrame:
    """Return coverage and false-answer rate at every confidence that occurs, the highest first.

    At a threshold t a question is answered when its confidence reaches t, a passage is left to answer from, and nothing
    after the gate refused it. Only labelled questions that the threshold decides count, each once, as it was last
    asked. El-Yaniv & Wiener 2010, "On the foundations of noise-free selective classification".

    Returns:
        Columns threshold, answered, coverage, false_answers, false_answer_rate, false_answer_upper (one-sided 95%
        Clopper-Pearson, for this one threshold) and risk (unanswerable among the answered); NaN where undefined.
    """
    from scipy.special import betaincinv

    frame = once_labelled(result.frame[(result.frame["decision"] != "unknown") & result.frame["tried"]])
    frame = frame.sort_values("confidence", ascending=False, kind="stable")
    positive = (frame["answerable"] == 1).to_numpy()
    shown = frame["answers"].to_numpy(dtype=bool)
    good, bad = np.cumsum(positive & shown), np.cumsum(~positive & shown)
    confidence = frame["confidence"].to_numpy()
    last = np.append(confidence[1:] != confidence[:-1], True)[: len(confidence)]
    good, bad, total, negatives = good[last], bad[last], int(positive.sum()), int((~positive).sum())
    upper = np.where(bad < negatives, betaincinv(bad + 1.0, np.maximum(negatives - bad, 1), 0.95), 1.0)
    return pd.DataFrame(
        {
            "threshold": confidence[last],
            "answered": good + bad,
            "coverage": good / total if total else np.full(len(good), np.nan),
            "false_answers": bad,
            "false_answer_rate": bad / negatives if negatives else np.full(len(bad), np.nan),
            "false_answer_upper": upper if negatives else np.full(len(bad), np.nan),
            "risk": np.divide(bad, good + bad, out=np.full(len(bad), np.nan), where=(good + bad) > 0),
        }
    )


def _confidence(
    cases: Cases, hits: Flags, same: Flags, first: Flags, estimator: EstimatorName | None
) -> tuple[Floats, Flags]:
    """Return the confidences, NaN where not recorded, and whether each is what the estimator would have said.

    `first`: for whom the hits are the first of the recorded chunks, none of them dropped or moved.
    """
    names = np.array(cases.estimators, dtype=object)
    wanted = names if estimator is None else np.full(len(cases), estimator, dtype=object)
    confidence = np.where(wanted == names, cases.confidences, np.nan)
    known = (wanted == names) & same
    for name, recorded in cases.estimates.items():
        use = (wanted == name) & np.isnan(confidence)
        confidence, known = np.where(use, recorded, confidence), np.where(use, same, known)
    scores, count = np.where(hits, cases.similarities, 0.0), hits.sum(axis=1)
    worked_out = _at_depth(cases.at_depth, count)
    use = (wanted == "calibrated") & first & ~np.isnan(worked_out) & ~((names == "calibrated") & same)
    confidence, known = np.where(use, worked_out, confidence), known | use
    means = np.divide(scores.sum(axis=1), count, out=np.zeros(len(cases)), where=count > 0)
    best = scores.max(axis=1, initial=0.0)
    for computed, values in zip(_COMPUTED, (means, best), strict=True):
        use = (wanted == computed) & ~((names == computed) & same)
        confidence, known = np.where(use, values, confidence), known | use
    return confidence, known


def _at_depth(values: Floats, depths: NDArray[np.int64]) -> Floats:
    """Return the value of each row at a depth, counted from 1; NaN at depth 0 and beyond the last."""
    padded = np.concatenate([np.full((len(values), 1), np.nan), values], axis=1)
    found: Floats = np.take_along_axis(padded, np.minimum(depths, values.shape[1])[:, None], axis=1)[:, 0]
    return found


def _tried(cases: Cases, estimator: EstimatorName | None, in_force: EstimatorName | None) -> Flags:
    """Return for which questions a threshold that is set would decide."""
    if estimator is not None or in_force is None:
        return np.full(len(cases), True)
    return np.array([name in ("", in_force) for name in cases.estimators], dtype=bool) & ~cases.named


def _threshold(cases: Cases, threshold: float | None, estimator: EstimatorName | None, tried: Flags) -> Floats:
    own = np.array([estimator in (None, name) for name in cases.estimators], dtype=bool)
    recorded = np.where(own & ~np.isnan(cases.thresholds), cases.thresholds, DEFAULT_THRESHOLD)
    return recorded if threshold is None else np.where(tried, threshold, recorded)


def _summed(
    cases: Cases,
    answered: Flags,
    answers: Flags,
    confidence: Floats,
    threshold: Floats,
    exact: Flags,
    moved: tuple[Flags, Flags],
    tried: Flags,
) -> WhatIf:
    unknown = np.isnan(confidence)
    counts = np.zeros(len(cases), dtype=bool)
    counts[~unknown] = newest_of_each(cases.numbers[~unknown], cases.ages[~unknown])
    positive, negative = (cases.answerable == 1) & counts, (cases.answerable == 0) & counts
    return WhatIf(
        frame=_frame(cases, answered, answers, confidence, threshold, exact, moved, tried),
        answered=rate(int((answered & ~unknown).sum()), int((~unknown).sum())),
        coverage=rate(int((answered & positive).sum()), int(positive.sum())),
        false_answers=bounded_rate(int((answered & negative).sum()), int(negative.sum())),
    )


def _frame(
    cases: Cases,
    answered: Flags,
    answers: Flags,
    confidence: Floats,
    threshold: Floats,
    exact: Flags,
    moved: tuple[Flags, Flags],
    tried: Flags,
) -> pd.DataFrame:
    """Return a row for each question: how it ended and would end, and what that rests on."""
    unknown = np.isnan(confidence)
    return pd.DataFrame(
        {
            "request_id": pd.Series(cases.ids, dtype="str"),
            "question": pd.Series(cases.questions, dtype="str"),
            "answerable": cases.answerable,
            "recorded": pd.Series(np.where(cases.recorded, "answered", "refused"), dtype="str"),
            "decision": pd.Series(
                np.where(unknown, "unknown", np.where(answered, "answered", "refused")), dtype="str"
            ),
            "flipped": (answered != cases.recorded) & ~unknown,
            "confidence": confidence,
            "threshold": threshold,
            "margin": confidence - threshold,
            "exact": exact & ~unknown,
            "tried": tried,
            "other_passages": moved[0],
            "other_best": moved[1],
            "answers": answers,
            "number": cases.numbers,
            "age": cases.ages,
        }
    )  # fmt: skip
