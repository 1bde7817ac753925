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
from rag.models import EstimatorName, Outcome
from rag.records.requests import DEFAULT_THRESHOLD, ENDED
from rag.whatif.cases import Cases, once_labelled

OUTCOMES: tuple[Outcome, ...] = tuple(one for one in get_args(Outcome) if one != "talk")
"""How a question ends, from an answer to none."""


@dataclass(frozen=True, eq=False)
class WhatIf:
    """What would have happened to all of them."""

    frame: pd.DataFrame
    """A row for each question: request_id, question, answerable, recorded, decision, flipped, confidence, threshold,
    unsure_threshold, margin, exact, tried, answers, right, words, number, age.

    `decision` is `unknown` where the record does not hold what the estimator would have said; `tried` is false where
    thresholds that are set would not decide the question; `answers` is false where no threshold lets it be answered:
    nothing was found, or something after the gate refused; `right` says of an answer that was given and would be again
    whether it is right (1, 0, NaN: not judged); `words`, `number` and `age` are as in `Cases`."""

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
    every, given = pd.Series(True, cases.index), cases["estimators"]
    same = every if estimator is None else given == estimator
    own = cases["confidence"] if estimator is None else cases["confidence"].where(same, cases[estimator])
    confidence = pd.Series(np.fmax(own, cases["other"].where(same)), cases.index)
    tried = every  # for which of them thresholds that are set would decide
    if estimator is None and in_force is not None:
        tried = given.isin(["", in_force]) & ~cases["named"]
    threshold = cases["thresholds"].where(same).fillna(DEFAULT_THRESHOLD)
    if confidence_threshold is not None:
        threshold = threshold.mask(tried, confidence_threshold)
    unsure = cases["unsure_thresholds"].where(same)
    if unsure_threshold is not None:
        unsure = unsure.mask(tried, unsure_threshold)
    decides = given if estimator is None else pd.Series(estimator, cases.index)
    knows_unsure = decides.isin(["", "calibrated"])
    unsure = pd.Series(np.minimum(unsure, threshold), cases.index).where(knows_unsure)

    ended, recorded = cases["stages"], cases["recorded"]
    reached, unknown = cases["found"] & ~ended.isin(ENDED), confidence.isna()
    passes, clears = reached & (confidence >= threshold), own >= threshold
    decision = _decided(cases, passes, may_answer=reached & (confidence >= unsure))
    exact = (~passes | (clears & (ended != "gate"))) & (same | cases["other"].isna() | clears)
    again = (decision == "answered") & (recorded == "answered") & ~unknown
    frame = cases[["request_id", "question", "answerable", "recorded", "words", "number", "age"]].assign(
        decision=decision.mask(unknown, "unknown"),
        flipped=(decision != recorded) & ~unknown,
        confidence=confidence,
        threshold=threshold,
        unsure_threshold=unsure,
        margin=confidence - threshold,
        exact=exact & ~unknown,
        tried=tried,
        answers=reached & (ended != "grounding"),
        right=cases["right"].where(again),
    )
    return WhatIf(frame)


def _decided(cases: Cases, passes: "pd.Series[bool]", *, may_answer: "pd.Series[bool]") -> "pd.Series[str]":
    """Return how each question ends; what was written of an unsure one, or fell in grounding, is as recorded."""
    decision = pd.Series("refused", cases.index, dtype="str").mask(may_answer, "unsure")
    decision = decision.mask((decision == "unsure") & cases["written_unsure"], "answered")
    return decision.mask(passes, cases["recorded"].where(cases["stages"] == "grounding", "answered"))


def recorded_threshold(cases: Cases) -> float | None:
    """Return the threshold that decided, for lines of an evaluation, which do not hold it.

    Any value between the highest confidence that the gate refused and the lowest that it passed decides the same; the
    one returned is the lowest that it passed. None where nothing passed.
    """
    passed = cases.loc[(cases["recorded"] == "answered") | (cases["stages"] == "grounding"), "confidence"]
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


_NEARNESS = {name: place for place, name in enumerate(reversed(OUTCOMES))}
"""How near to an answer each way of ending is."""


def changes_between(before: WhatIf, after: WhatIf) -> pd.DataFrame:
    """Return the questions that end otherwise under the second settings, those that get worse first.

    Nearer to an answer is better where the label says answerable, and worse where it says unanswerable: unsure lies
    between answered and refused. Without a label a question has only flipped. Questions of which either side is not
    known are left out. One that was asked again in the same words stands once: as its label says where one of these
    requests has one, else as it was asked last.

    Returns:
        Columns request_id, question, times (how many requests of these words end otherwise), change (regressed,
        improved or flipped), answerable (1, 0 or NaN), before and after (answered, unsure or refused), confidence and
        threshold of both, and exact: whether the record holds all that both rest on. In each kind of change the closest
        to the threshold of the second settings stands first.
    """
    both = before.frame.merge(after.frame, left_index=True, right_index=True, suffixes=("_before", "_after"))
    one, two = both["decision_before"], both["decision_after"]
    both = both[(one != "unknown") & (two != "unknown") & (one != two)]
    one, two, label = both["decision_before"], both["decision_after"], both["answerable_after"]
    better = np.where(two.map(_NEARNESS) > one.map(_NEARNESS), label == 1, label == 0)
    change = pd.Series(np.where(label.isna(), "flipped", np.where(better, "improved", "regressed")), both.index)
    same, kind = both["words_after"], change.map({"regressed": 0, "improved": 1, "flipped": 2})
    names = [f"{name}_{when}" for name in ("confidence", "threshold") for when in ("before", "after")]
    frame = pd.DataFrame(
        {
            "request_id": both["request_id_after"],
            "question": both["question_after"],
            "times": same.groupby(same).transform("size"),
            "change": change,
            "answerable": label,
            "before": one,
            "after": two,
            **{name: both[name] for name in names},
            "exact": both["exact_before"] & both["exact_after"],
        }
    )
    order = pd.DataFrame({"kind": kind, "far": both["margin_after"].abs(), "same": same, "age": both["age_after"]})
    shown = order.sort_values(["kind", "age"]).drop_duplicates("same").sort_values(["kind", "far"])
    return frame.loc[shown.index].reset_index(drop=True)
