"""What thresholds do to labelled questions on Tune, in rates or counts, and what of it is proven, in three readings."""

import streamlit as st

from dashboard import components, links, state, tables, thresholds
from dashboard.columns import PROMISES
from dashboard.components import Figure
from dashboard.thresholds import DecidedBy, TuneSettings
from dashboard.words import bounded, count_of, counted, md, percent, several
from rag.candor import Candor
from rag.confidence.calibrated import Calibrated
from rag.evaluation.intervals import Rate
from rag.evaluation.promises import Reading, readings
from rag.whatif.arrays import OUTCOMES, WhatIf
from rag.whatif.cases import Cases
from rag.whatif.history import in_digits

NAMES = {"observed": "On these questions", "long run": "In the long run", "next questions": "On the next questions"}
MOST = 5.0  # of 100 unanswerable questions at most so many are to get an answer, unless another number is chosen
SURE = 0.95  # with what confidence
COMING = 100  # how many unanswerable questions the reading of the next ones is about
TARGET = "t_target"
_HELP = (
    "Three ways to read the same sentence. On these questions: what happened, which promises nothing. In the long run: "
    f"the rate over very many questions like these. On the next questions: the share among the next {COMING}, which "
    "varies more, so the threshold is higher."
)


def draw_sentence(candor: Candor, result: WhatIf | None, settings: TuneSettings, by: DecidedBy) -> bool:
    """Draw in one sentence what is proven of the thresholds as they stand; return whether anything is.

    The threshold was chosen by looking: proven is what is not below the lowest one that keeps the rate, of those tried
    from the strictest down (`rag.evaluation.risk`).
    """
    links.note_number(TARGET, "Answer wrongly at most, of 100", 0.5, 50)
    target = _target()
    state.put_url(TARGET, None if target == MOST else f"{target:g}")
    thresholds.stand(TARGET, target)
    if result is None:
        return False
    long_run = readings(result.of_tried.frame, target=target / 100, confidence=SURE, horizon=COMING)[1]
    is_proven = long_run.threshold is not None and settings.confidence_threshold >= long_run.threshold
    st.markdown(f":material/{'verified_user' if is_proven else 'data_alert'}: {_sentence(result, long_run, is_proven)}")
    own = thresholds.decides(candor, by, settings.estimator)
    if not is_proven and isinstance(own, Calibrated) and own.threshold == settings.confidence_threshold:
        st.caption(f"The gate itself says: {md(own.fit.guarantee)}")
    if not is_proven and long_run.threshold is not None:
        digits = in_digits(long_run.threshold)
        st.button(f"Set it to {digits}, where it is proven", icon=":material/verified_user:", key="t_prove",
                  on_click=state.put_url, args=("t_confidence", digits))  # fmt: skip
    return is_proven


def _sentence(result: WhatIf, long_run: Reading, is_proven: bool) -> str:
    wanted = f"at most {_target():g} of 100 unanswerable questions get an answer, with {SURE:.0%} confidence"
    if is_proven:
        return f"**With these settings {wanted}, judged on {several(long_run.unanswerable, 'question')}.**"
    questions, seen = several(long_run.unanswerable, "unanswerable question"), result.of_tried.false_answers
    told = f" Of {questions} here {seen.numerator:g} would get an answer." if seen.denominator else ""
    more = f" {md(long_run.words)}"
    if long_run.threshold is not None:
        more = f" From {in_digits(long_run.threshold)} on {wanted}, judged on {questions}."
    elif long_run.needed:
        labels = several(long_run.needed, "more unanswerable question")
        more = f" To prove that {wanted}, label at least {labels}."
    return f"**Nothing is proven for these settings.**{told}{more}"


def _target() -> float:
    """Return of 100 unanswerable questions how many may get an answer: as the address says, else `MOST`."""
    return links.given(TARGET, 0.5, 50) or MOST


def draw_readings(result: WhatIf) -> None:
    """Draw the threshold that keeps a rate of false answers in each sense, or how many labels are missing for it."""
    st.markdown("**A threshold with a guarantee**", help=_HELP)
    st.number_input("Answer wrongly at most, of 100", 0.5, 50.0, step=0.5, key=TARGET, width=220, format="%g",
                    on_change=lambda: state.put_url(TARGET, f"{st.session_state[TARGET]:g}"),
                    help="Of the questions that the documents do not answer.")  # fmt: skip
    tried = result.of_tried
    found = readings(tried.frame, target=_target() / 100, confidence=SURE, horizon=COMING)
    rows = [(NAMES[one.name], one.threshold, one.false_answers, one.unanswerable,
             *((rate.value, rate.numerator, rate.denominator) if (rate := one.coverage) else (None, None, None)),
             one.needed)
            for one in found]  # fmt: skip
    components.table(tables.frame(PROMISES, rows), columns=PROMISES, key="promises",
                     alt="Thresholds and what they promise")  # fmt: skip
    (requests, questions), mine = result.labelled, tried.labelled[0]
    told = f"With a label: {several(requests, 'request')}, {several(questions, 'question')}." if requests else ""
    if requests != questions:
        told += " Repeated questions with the same words and label count once, as last asked."
    if mine != requests:
        told += f" This threshold decides **{mine}** of them; figures count the others, too, as they ended."
    st.caption(told)
    for one in found:
        coverage = f" Coverage {counted(one.coverage)}." if one.coverage is not None else ""
        st.markdown(f"- **{NAMES[one.name]}**: {md(one.words)}{coverage}")
    st.caption("The promises hold for questions like these, not for questions about another subject.")


ENOUGH = 20
"""From so many labelled questions on percentages are shown: of fewer a share says little and looks like much."""


def draw_effect(cases: Cases, result: WhatIf) -> None:
    """Draw the rates where enough questions have a label, else counts; and what they leave out."""
    requests, labelled = result.labelled
    notes = []
    if labelled >= ENOUGH:
        _draw_rates(result)
    elif labelled:
        st.markdown(consequences(result))
        st.caption(f":material/info: {several(labelled, 'question')} with a label; percentages come from {ENOUGH} "
                   "on. Judge more on **Inspect**, or choose a run above.")  # fmt: skip
    else:
        st.caption(f":material/info: None of {several(len(cases), 'request')} has a label, so the right outcome is "
                   "unknown. Judge some on **Inspect**, or choose a run above.")  # fmt: skip
    if 0 < requests < len(cases):
        notes.append(f"Without a label: {len(cases) - requests} of {several(len(cases), 'request')}.")
    if untried := int((~result.frame["tried"]).sum()):
        notes.append(
            f"{several(untried, 'request')} used their own threshold or another estimator than the one in force. "
            "These thresholds do not decide them, and they count as they ended."
        )
    if inexact := int((~result.frame["exact"]).sum()):
        notes.append(f"The records of {several(inexact, 'request')} lack values that these settings need.")
    if notes:
        st.caption(f":material/info: {' '.join(notes)}")


def _draw_rates(result: WhatIf) -> None:
    false = result.false_answers

    def figure(rate: Rate, told: str, none: str = "no label") -> Figure:
        return Figure(percent(rate.value, digits=0), told, count_of(rate, none=none))

    components.metrics(
        {
            "Answered": figure(result.coverage, "Of the questions that the documents answer; right and wrong answers "
                                                "both count."),
            "Unsure": figure(result.share("unsure", answerable=True),
                             "Of the same: the closest sentences are shown, and nothing is claimed."),
            "False answers": figure(false, "Answered, of the questions that the documents do not answer."),
            "At most": Figure(percent(false.upper_bound, digits=0),
                              "One-sided 95% upper bound of that rate (Clopper and Pearson)."),
            "Right": figure(result.right, "Of the answers that would be given again and that a person or a run's label "
                                          "has judged.", "none judged"),
        }
    )  # fmt: skip


def consequences(result: WhatIf) -> str:
    """Return in sentences how labelled questions would end, and how they ended; each counts once, as asked last."""
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
