"""A bound on false answers, read in three ways: as seen on these questions, in the long run, on the next ones."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd
from pydantic import Field

from rag.evaluation.intervals import Rate, rate
from rag.evaluation.risk import threshold_for, threshold_keeping
from rag.models import Value
from rag.text.counted import several
from rag.whatif.cases import once_labelled

ReadingName = Literal["observed", "long run", "next questions"]


class Reading(Value):
    """The lowest threshold that keeps a rate of false answers, in one sense of keeping it."""

    name: ReadingName = Field(description="In which sense.")
    threshold: float | None = Field(None, description="Answer where confidence >= threshold; null: there is none.")
    false_answers: int | None = Field(None, description="Unanswerable questions that it answers on these data.")
    unanswerable: int = Field(description="Unanswerable questions with a label, each once.")
    coverage: Rate | None = Field(None, description="Answerable ones that it answers; null: no threshold, no labels.")
    needed: int = Field(0, description="How many more unanswerable questions must be labelled at least.")
    words: str = Field(description="What it promises, or why it cannot, in plain words.")


def readings(frame: pd.DataFrame, *, target: float, confidence: float, horizon: int) -> tuple[Reading, ...]:
    """Return the threshold for a rate of false answers in every sense.

    A question that something after the gate refused is never answered. One that was asked again counts once, as last.

    Args:
        frame: `WhatIf.frame`.
        target: The share of unanswerable questions that may be answered, above 0 and below 1.
        confidence: With what probability the second and third are to hold, above 0 and below 1.
        horizon: How many unanswerable questions to come the third is about, at least 1.

    Raises:
        ConfigurationError: An argument is outside its range.
    """
    known = once_labelled(frame[frame["confidence"].notna()])
    if known.empty and frame["answerable"].notna().any():
        count = int((once_labelled(frame)["answerable"] == 0).sum())
        words = (
            f"{several(count, 'unanswerable question')} {'is' if count == 1 else 'are'} labelled, but no confidence of "
            "this estimator was recorded there. Choose another one, or evaluate again with this."
        )
        return tuple(Reading(name=name, unanswerable=count, words=words) for name in get_args(ReadingName))
    scores = np.where(known["answers"], known["confidence"], 0.0)
    unanswerable, answerable = scores[known["answerable"] == 0].tolist(), scores[known["answerable"] == 1]

    def reading(name: ReadingName, threshold: float | None, words: str, needed: int = 0) -> Reading:
        answered = None if threshold is None else sum(one >= threshold for one in unanswerable)
        covered = None
        if threshold is not None and len(answerable):
            covered = rate(int((answerable >= threshold).sum()), len(answerable))
        return Reading(name=name, threshold=threshold, false_answers=answered, unanswerable=len(unanswerable),
                       coverage=covered, needed=needed, words=words)  # fmt: skip

    def promised(name: ReadingName, coming: int | None) -> Reading:
        """Return the lowest threshold that is proven to keep the rate, over the draw of the labelled questions."""
        control = threshold_for(unanswerable, target=target, confidence=confidence, horizon=coming)
        if control.threshold is None:
            return reading(name, None, control.reason, control.needed)
        kind = f"the next {coming} questions" if coming else "all questions to come"
        words = (
            f"Of {kind} like these that the documents do not answer, at most {target:.1%} are answered wrongly; "
            f"such a promise, made again and again from other labels, is kept {confidence:.0%} of the time."
        )
        return reading(name, control.threshold, words)

    observed = reading("observed", *_observed(unanswerable, target))
    return observed, promised("long run", None), promised("next questions", horizon)


def _observed(unanswerable: Sequence[float], target: float) -> tuple[float | None, str, int]:
    """Return the lowest threshold that keeps the rate on exactly these questions, its promise, and what is missing."""
    if not unanswerable:
        return None, "No unanswerable question is labelled yet.", 1
    threshold, count = threshold_keeping(unanswerable, target=target), len(unanswerable)
    false = sum(one >= threshold for one in unanswerable)
    if false > target * count + 1e-9:
        return None, f"More than {target:.1%} of these questions have a confidence of 1: no threshold refuses them.", 0
    asked = f"Of exactly {several(count, 'question')} here {false} {'is' if false == 1 else 'are'} answered wrongly."
    return threshold, f"{asked} Others may turn out worse: a number that was seen is no promise.", 0
