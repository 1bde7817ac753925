"""Other thresholds on many recorded questions at once, without asking again: over arrays, as fast as a slider.

Only thresholds and estimators are tried: another number of passages, another similarity threshold or another weight in
the search gives the reader other windows to read, and what it would have said of those is not in any record.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
import pandas as pd

from rag.evaluation.intervals import BoundedRate, Rate, bounded_rate, rate
from rag.evaluation.repeated import once_labelled
from rag.models import EstimatorName, Outcome
from rag.records.requests import DEFAULT_THRESHOLD, ENDED
from rag.whatif.cases import Cases, Flags, Floats, Words

OUTCOMES: tuple[Outcome, ...] = tuple(one for one in get_args(Outcome) if one != "talk")
"""How a question ends, from an answer to none."""


@dataclass(frozen=True, eq=False)
class WhatIf:
    """What would have happened to all of them."""

    frame: pd.DataFrame
    """A row for each question: request_id, question, answerable, recorded, decision, flipped, confidence, threshold,
    unsure_threshold, margin, exact, tried, answers, right, number, age. `decision` is `unknown` where the record does
    not hold what the estimator would have said; `tried` is false where thresholds that are set would not decide the
    question; `answers` is false where no threshold lets it be answered: nothing was found, or something after the gate
    refused; `right` says of an answer that was given and would be again whether it is right (1, 0, NaN: not judged);
    labelled questions of the same words and label have one `number`, and the newest an `age` of 0."""

    @cached_property
    def known(self) -> pd.DataFrame:
        """The questions with a decision."""
        return self.frame[self.frame["decision"] != "unknown"]

    @cached_property
    def once(self) -> pd.DataFrame:
        """The labelled ones of these; of those that were asked again, the newest."""
        return once_labelled(self.known)

    @property
    def answered(self) -> Rate:
        """Answered / all questions with a decision, each as often as it was asked."""
        return self.share("answered")

    @property
    def coverage(self) -> Rate:
        """Answered / answerable, a question that was asked again counted once, as it was last; null without labels."""
        return self.share("answered", answerable=True)

    @property
    def false_answers(self) -> BoundedRate:
        """Answered / unanswerable, counted like coverage, with the one-sided 95% bound; null without labels."""
        counted = self.share("answered", answerable=False)
        return bounded_rate(int(counted.numerator), counted.denominator)

    @property
    def right(self) -> Rate:
        """Right / judged, of the answers that were given and would be again, each as often as it was given."""
        judged = self.known["right"].dropna()
        return rate(int(judged.sum()), len(judged))

    def share(self, outcome: Outcome, *, answerable: bool | None = None) -> Rate:
        """Return how many of the questions end in a way.

        Args:
            outcome: The way.
            answerable: Only those with this label, each counted once; None: all of them, as often as they were asked.
        """
        frame = self.known if answerable is None else self.once[self.once["answerable"] == answerable]
        return rate(int((frame["decision"] == outcome).sum()), len(frame))

    @property
    def labelled(self) -> tuple[int, int]:
        """How many requests have a label, and how many questions those are: the same words and label are one."""
        numbers = self.frame.loc[self.frame["answerable"].notna(), "number"]
        return len(numbers), int(numbers.nunique())

    @cached_property
    def of_tried(self) -> "WhatIf":
        """The same of those questions alone that the thresholds decide: all that a curve or a promise rests on."""
        return WhatIf(self.frame[self.frame["tried"]])


def what_if(
    cases: Cases,
    *,
    confidence_threshold: float | None = None,
    unsure_threshold: float | None = None,
    estimator: EstimatorName | None = None,
    in_force: EstimatorName | None = None,
) -> WhatIf:
    """Return what would have happened under other settings.

    The gate is decided anew. What came after it is taken from the record: a question whose grounding failed stays as it
    ended, and one that the gate had stopped counts as answered when it passes, although its draft was never written
    (`exact` is then False). Where the question left open which editions are meant, the higher confidence of both
    choices is held against the thresholds, as the pipeline does; by another estimator only one is known, and what is
    not answered is not exact.

    Args:
        cases: The recorded questions.
        confidence_threshold: Answer from here on, 0 to 1; None: as recorded.
        unsure_threshold: Show passages as unsure from here on, 0 to 1, never above the other; None: as recorded.
        estimator: How confidence is computed; None: as recorded.
        in_force: The estimator that the thresholds are set for. Where `estimator` is None, what another one decided, or
            a threshold that the question named, keeps its own: so does the pipeline. None: they decide all.
    """
    same = np.full(len(cases), True) if estimator is None else cases.estimators == estimator
    own = cases.confidences if estimator is None else np.where(same, cases.confidences, cases.estimates[estimator])
    confidence = np.fmax(own, np.where(same, cases.others, np.nan))
    tried = np.full(len(cases), True)  # for which of them thresholds that are set would decide
    if estimator is None and in_force is not None:
        tried = np.isin(cases.estimators, ["", in_force]) & ~cases.named
    threshold, unsure = _thresholds(cases, same, tried, confidence_threshold, unsure_threshold, estimator)
    reached = cases.found & ~np.isin(cases.stages, ENDED)
    passes = reached & (confidence >= threshold)
    before = np.where(cases.stages == "grounding", cases.recorded, "answered")
    doubted = np.where(cases.written_unsure, "answered", "unsure")
    decision = np.where(passes, before, np.where(reached & (confidence >= unsure), doubted, "refused"))
    exact = (~passes | ((own >= threshold) & (cases.stages != "gate"))) & (
        same | np.isnan(cases.others) | (own >= threshold)
    )
    frame = _frame(cases, decision, confidence, threshold, unsure, exact, tried)
    return WhatIf(frame.assign(answers=reached & (cases.stages != "grounding")))


def recorded_threshold(cases: Cases) -> float | None:
    """Return the threshold that decided, for lines of an evaluation, which do not hold it.

    Any value between the highest confidence that the gate refused and the lowest that it passed decides the same; the
    one returned is the lowest that it passed. None where nothing passed.
    """
    passed = cases.confidences[(cases.recorded == "answered") | (cases.stages == "grounding")]
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

    frame = result.of_tried.once.sort_values("confidence", ascending=False, kind="stable")
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


def _thresholds(
    cases: Cases,
    same: Flags,
    tried: Flags,
    threshold: float | None,
    unsure: float | None,
    estimator: EstimatorName | None,
) -> tuple[Floats, Floats]:
    """Return from which confidence on each is answered, and from which it is unsure; NaN: from none."""
    recorded = np.where(same & ~np.isnan(cases.thresholds), cases.thresholds, DEFAULT_THRESHOLD)
    limits = recorded if threshold is None else np.where(tried, threshold, recorded)
    recorded = np.where(same, cases.unsure_thresholds, np.nan)
    lower = recorded if unsure is None else np.where(tried, unsure, recorded)
    names = cases.estimators if estimator is None else np.full(len(cases), estimator, dtype=object)
    knows_unsure = np.isin(names, ["", "calibrated"])
    return limits, np.where(knows_unsure, np.minimum(lower, limits), np.nan)


def _frame(
    cases: Cases,
    decision: Words,
    confidence: Floats,
    threshold: Floats,
    unsure: Floats,
    exact: Flags,
    tried: Flags,
) -> pd.DataFrame:
    """Return a row for each question: how it ended and would end, and what that rests on."""
    unknown = np.isnan(confidence)
    answered_again = (decision == "answered") & (cases.recorded == "answered") & ~unknown
    return pd.DataFrame(
        {
            "request_id": pd.Series(cases.ids, dtype="str"),
            "question": pd.Series(cases.questions, dtype="str"),
            "answerable": cases.answerable,
            "recorded": pd.Series(cases.recorded, dtype="str"),
            "decision": pd.Series(np.where(unknown, "unknown", decision), dtype="str"),
            "flipped": (decision != cases.recorded) & ~unknown,
            "confidence": confidence,
            "threshold": threshold,
            "unsure_threshold": unsure,
            "margin": confidence - threshold,
            "exact": exact & ~unknown,
            "tried": tried,
            "right": np.where(answered_again, cases.right, np.nan),
            "number": cases.numbers,
            "age": cases.ages,
        }
    )


_NEARNESS = {name: place for place, name in enumerate(reversed(OUTCOMES))}
"""How near to an answer each way of ending is."""


def changes_between(before: WhatIf, after: WhatIf) -> pd.DataFrame:
    """Return the questions that end otherwise under the second settings, those that get worse first.

    Nearer to an answer is better where the label says answerable, and worse where it says unanswerable: unsure lies
    between answered and refused. Without a label a question has only flipped. Questions of which either side is not
    known are left out.

    Returns:
        Columns request_id, question, change (regressed, improved or flipped), answerable (1, 0 or NaN), before and
        after (answered, unsure or refused), confidence and threshold of both, and exact: whether the record holds all
        that both rest on. In each kind of change the closest to the threshold of the second settings stands first.
    """
    one, two = before.frame, after.frame
    ends = [frame["decision"] for frame in (one, two)]
    rows = (ends[0] != "unknown") & (ends[1] != "unknown") & (ends[0] != ends[1])
    one, two = one[rows], two[rows]
    nearer = two["decision"].map(_NEARNESS) > one["decision"].map(_NEARNESS)
    label = two["answerable"]
    better = np.where(nearer, label == 1, label == 0)
    frame = pd.DataFrame(
        {
            "request_id": two["request_id"],
            "question": two["question"],
            "change": np.where(label.isna(), "flipped", np.where(better, "improved", "regressed")),
            "answerable": label,
            "before": one["decision"],
            "after": two["decision"],
            "confidence_before": one["confidence"],
            "confidence_after": two["confidence"],
            "threshold_before": one["threshold"],
            "threshold_after": two["threshold"],
            "exact": one["exact"] & two["exact"],
        }
    )
    worst_first = frame["change"].map({"regressed": 0, "improved": 1, "flipped": 2})
    return frame.iloc[np.lexsort((two["margin"].abs(), worst_first))].reset_index(drop=True)
