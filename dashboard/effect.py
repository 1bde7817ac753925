"""What thresholds do to labelled questions, in rates where enough have a label, and in words."""

import streamlit as st

from dashboard import components
from dashboard.thresholds import TuneSettings
from dashboard.words import bounded, count_of, counted, percent, several
from rag.whatif.arrays import OUTCOMES, WhatIf
from rag.whatif.cases import Cases
from rag.whatif.history import in_digits

ENOUGH = 20
"""From so many labelled questions on percentages are shown: of fewer a share says little and looks like much."""


def draw_effect(cases: Cases, result: WhatIf) -> None:
    """Draw the rates where enough questions have a label, else counts; and what they leave out."""
    requests, labelled = result.labelled
    if labelled >= ENOUGH:
        _draw_rates(result)
    elif labelled:
        st.markdown(consequences(result))
        st.caption(f":material/info: {several(labelled, 'question')} with a label; percentages come from {ENOUGH} "
                   "on. Judge more on **Evaluate**, or choose a run above.")  # fmt: skip
    else:
        st.caption(f":material/info: None of {several(len(cases), 'question')} has a label, so nothing says which way "
                   "is right. Judge some on **Inspect**, or choose a run above.")  # fmt: skip
    notes = []
    if 0 < requests < len(cases):
        notes.append(f"Without a label: {len(cases) - requests} of {several(len(cases), 'request')}.")
    if untried := int((~result.frame["tried"]).sum()):
        notes.append(
            f"{several(untried, 'question')} named a threshold or were asked with another estimator than the one in "
            "force: these thresholds do not decide them, and they count as they ended."
        )
    if inexact := int((~result.frame["exact"]).sum()):
        notes.append(f"For {several(inexact, 'question')} the record does not hold all that these settings rest on.")
    if notes:
        st.caption(f":material/info: {' '.join(notes)}")


def _draw_rates(result: WhatIf) -> None:
    """Draw the rates with what they were counted from."""
    unsure, false = result.share("unsure", answerable=True), result.false_answers
    components.metrics(
        {
            "Answered": percent(result.coverage.value, digits=0),
            "Unsure": percent(unsure.value, digits=0),
            "False answers": percent(false.value, digits=0),
            "At most": percent(false.upper_bound, digits=0),
            "Right": percent(result.right.value, digits=0),
        },
        counts={
            "Answered": count_of(result.coverage, none="no label"),
            "Unsure": count_of(unsure, none="no label"),
            "False answers": count_of(false, none="no label"),
            "Right": count_of(result.right, none="none judged"),
        },
        helps={
            "Answered": "Of the questions that the documents answer; whether the answer is right is not asked here.",
            "Unsure": "Of the same: the closest sentences are shown, and nothing is claimed.",
            "False answers": "Answered, of the questions that the documents do not answer.",
            "At most": "One-sided 95% upper bound of that rate (Clopper and Pearson).",
            "Right": "Of the answers that were given and would be again, as far as somebody judged them or a run's "
            "label tells.",
        },
    )


def consequences(result: WhatIf) -> str:
    """Return in sentences how labelled questions would end, and how they ended; empty without labels.

    A question that was asked again is counted once, as it was last.
    """
    told = []
    for label, named in ((1, "answer"), (0, "do not answer")):
        among = result.once[result.once["answerable"] == label]
        now, before = ([int((among[of] == one).sum()) for one in OUTCOMES] for of in ("decision", "recorded"))
        if len(among):
            told.append(
                f"Of {several(len(among), 'question')} that the documents {named}, **{now[0]}** would be answered, "
                f"**{now[1]}** unsure and **{now[2]}** refused (as they ended: {', '.join(map(str, before))})."
            )
    return " ".join(told)


def in_words(result: WhatIf, settings: TuneSettings) -> str:
    """Return the effect in words; what no label tells is left out."""
    told = [f"{name} {counted(result.share(name))}" for name in OUTCOMES]
    if result.coverage.denominator:
        told.append(f"coverage {counted(result.coverage)}")
    if result.false_answers.denominator:
        told.append(f"false answers {bounded(result.false_answers)}")
    unsure = f", unsure from {in_digits(settings.unsure_threshold)}" if settings.unsure_threshold is not None else ""
    return f"threshold {in_digits(settings.confidence_threshold)}{unsure}: {'; '.join(told)}"
