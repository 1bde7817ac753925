"""Questions that repeat the words and the label of another: they prove nothing new, and count once."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rag.text.words import fold


def words_and_label(question: str, answerable: bool | None) -> tuple[str, bool | None]:
    """Return what makes a question the same as another: its words without case and white space, and its label.

    >>> words_and_label("Who  pays the FINE?", True)
    ('who pays the fine?', True)
    """
    return fold(question), answerable


def numbers_of(questions: Sequence[str], answerable: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return a number for each question: labelled ones have the same where they repeat each other, others their own.

    Args:
        questions: Their words; one without words repeats no other.
        answerable: 1 for yes, 0 for no, NaN where nobody labelled it.
    """
    seen: dict[tuple[str, bool | None], int] = {}
    numbers = np.arange(len(questions), dtype=np.int64)
    for place in np.flatnonzero(~np.isnan(answerable)).tolist():
        if questions[place].strip():
            numbers[place] = seen.setdefault(words_and_label(questions[place], bool(answerable[place])), place)
    return numbers


def ages_of(moments: Sequence[datetime | None]) -> NDArray[np.int64]:
    """Return a rank for each question, 0 for the newest; without moments, and within one, the first is the newest."""
    stamps = pd.Series([-moment.timestamp() if moment else np.inf for moment in moments], dtype="float64")
    ranks: NDArray[np.int64] = (stamps.rank(method="first") - 1).to_numpy().astype(np.int64)
    return ranks


def once_labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the labelled rows of a frame without those that a newer row of the same question stands for.

    Args:
        frame: Has `answerable` (1, 0 or NaN), `number` and `age`, as `WhatIf.frame`.
    """
    labelled = frame[frame["answerable"].notna()]
    return labelled.loc[labelled.groupby("number")["age"].idxmin().sort_values()]
