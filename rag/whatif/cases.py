"""Recorded questions as a table: what the record holds of each of them that another threshold may decide by."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import pandas as pd

from rag.records.requests import ESTIMATORS, RecordedRequest
from rag.text.words import fold

Floats: TypeAlias = "pd.Series[float]"
Cases: TypeAlias = pd.DataFrame
"""A row for each recorded question; made once, asked many times. Talk asks nothing, and is not among them.

- request_id, question; answerable: 1 for yes, 0 for no, NaN where nobody labelled it; right: the same of its answer;
- recorded: how it ended (answered, unsure or refused); stages: where, without an answer, else empty;
- estimators, gates: what decided, and which fit of it; empty where that is not recorded;
- confidence: by what decided; a column for each estimator's by its name, NaN where the record does not hold it;
- other: the confidence with the other choice of editions, where the question left it open, else NaN;
- thresholds, unsure_thresholds: NaN where there was none or it is not recorded;
- named: whether the question itself named a threshold, which no setting moves;
- found: whether anything was found to answer from; written_unsure: whether a model answered though the gate was unsure;
- words: a number, one for all of the same words;
- number: one for all labelled questions of the same words and label, the others have each their own;
- age: 0 for the newest, 1 for the one before it; without moments, and within one, the first is the newest.
"""
_TYPES = {
    **dict.fromkeys(("request_id", "question", "recorded", "stages", "estimators", "gates"), "str"),
    **dict.fromkeys(("confidence", "other", "thresholds", "unsure_thresholds", *ESTIMATORS), "float64"),
    **dict.fromkeys(("named", "found", "written_unsure"), "bool"),
    **dict.fromkeys(("answerable", "right"), "float64"),
}


def cases_of(
    requests: Iterable[RecordedRequest],
    answerable: Mapping[str, bool | None] | None = None,
    right: Mapping[str, bool | None] | None = None,
) -> Cases:
    """Return recorded questions as a table.

    Args:
        requests: Short forms: `Recorder.requests()`, or `recorded_line` of each line of an evaluation.
        answerable: Labels by request id; missing ones count as not labelled. Where the same question has the same
            label again, the newest request stands for it in every rate that rests on labels.
        right: Whether the answer that was given is right, by request id; missing ones are not judged.
    """
    labels, rights = answerable or {}, right or {}
    asked = [one for one in requests if one.decision != "talk"]
    rows = [
        (
            *(one.request_id, one.question, one.decision, one.refusal_stage or "", one.estimator or "", one.gate),
            *(one.confidence, one.other_confidence, one.threshold, one.unsure_threshold),
            *map(one.confidence_by, ESTIMATORS),
            *(one.named_threshold, one.found, one.is_written_unsure),
            *(labels.get(one.request_id), rights.get(one.request_id)),
        )
        for one in asked
    ]
    said: dict[object, int] = {}
    words = [said.setdefault(fold(one.question) or id(one), len(said)) for one in asked]  # without words, each its own
    numbers: dict[object, int] = {}
    given = [labels.get(one.request_id) for one in asked]
    same = [id(one) if label is None else (word, label) for one, word, label in zip(asked, words, given, strict=True)]
    newest_first = pd.Series([-one.timestamp.timestamp() if one.timestamp else float("inf") for one in asked])
    return (
        pd.DataFrame(rows, columns=[*_TYPES], dtype="object")
        .astype(_TYPES)
        .assign(
            words=words,
            number=[numbers.setdefault(one, len(numbers)) for one in same],
            age=newest_first.astype("float64").rank(method="first") - 1,
        )
    )


def once_labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the labelled rows of a frame without those that a newer row of the same question stands for.

    Args:
        frame: Has `answerable` (1, 0 or NaN), `number` and `age`, as `Cases`.
    """
    labelled = frame[frame["answerable"].notna()]
    return labelled.loc[labelled.groupby("number")["age"].idxmin().sort_values()]
