"""What is proven of the thresholds on Tune: one sentence, and under Advanced the three ways to read it."""

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard import components, links, state, thresholds
from dashboard.decided import DecidedBy
from dashboard.evaluation_columns import PROMISES
from dashboard.thresholds import TuneSettings
from dashboard.words import bounded, counted, md, several
from rag.confidence.calibrated import Calibrated
from rag.evaluation.promises import Reading, readings
from rag.whatif.arrays import WhatIf
from rag.whatif.history import in_digits

if TYPE_CHECKING:
    from rag.candor import Candor

NAMES = {"observed": "On these questions", "long run": "In the long run", "next questions": "On the next questions"}
MOST = 5.0
"""Of 100 unanswerable questions at most so many are to get an answer, unless another number is chosen."""
SURE = 0.95
"""With what confidence."""
COMING = 100
"""How many unanswerable questions the reading of the next ones is about."""
TARGET = "t_target"
_HELP = (
    "Three ways to read the same sentence. What was seen on these questions is a fact and no promise. In the long run: "
    f"the rate over very many questions like these. On the next questions: the share among the next {COMING}, which "
    "scatters more, so that the threshold is higher."
)


def draw_sentence(candor: "Candor", result: WhatIf | None, settings: TuneSettings, by: DecidedBy) -> bool:
    """Draw in one sentence what is proven of the thresholds as they stand; return whether anything is.

    The threshold was chosen by looking, so that a bound at it alone would promise too much: proven is what is not
    below the lowest threshold that keeps the rate, of those tried from the strictest down (`rag.evaluation.risk`).
    """
    links.note_number(TARGET, "Answer wrongly at most, of 100", 0.5, 50)
    target = _target()
    state.put_url(TARGET, None if target == MOST else f"{target:g}")
    thresholds.stand(TARGET, target)
    if result is None:
        return False
    long_run = readings(result.of_tried.frame, target=_target() / 100, confidence=SURE, horizon=COMING)[1]
    is_proven = long_run.threshold is not None and settings.confidence_threshold >= long_run.threshold
    st.markdown(f":material/{'verified_user' if is_proven else 'data_alert'}: {_sentence(result, long_run, is_proven)}")
    own = candor.wiring.estimators[thresholds.deciding(by, settings.estimator)]
    if not is_proven and isinstance(own, Calibrated) and own.threshold == settings.confidence_threshold:
        st.caption(f"The gate itself says: {md(own.fit.guarantee)}")
    if not is_proven and long_run.threshold is not None:
        st.button(f"Set it to {in_digits(long_run.threshold)}, where it is proven", icon=":material/verified_user:",
                  key="t_prove", on_click=_set_confidence, args=(long_run.threshold,))  # fmt: skip
    return is_proven


def _sentence(result: WhatIf, long_run: Reading, is_proven: bool) -> str:
    questions = several(long_run.unanswerable, "unanswerable question")
    wanted = f"at most {_target():g} of 100 unanswerable questions get an answer, with {SURE:.0%} confidence"
    if is_proven:
        return f"**With these settings {wanted}, judged on {several(long_run.unanswerable, 'question')}.**"
    seen = result.of_tried.false_answers
    told = f" Of {questions} here {seen.numerator:g} would get an answer." if seen.denominator else ""
    if long_run.threshold is not None:
        lowest = in_digits(long_run.threshold)
        return f"**Nothing is proven of these settings.**{told} From {lowest} on {wanted}, judged on {questions}."
    if long_run.needed:
        more = several(long_run.needed, "more labelled unanswerable question")
        return f"**Nothing is proven of these settings.**{told} To prove that {wanted}, it takes {more} at least."
    return f"**Nothing is proven of these settings.**{told} {md(long_run.words)}"


def _target() -> float:
    """Return of 100 unanswerable questions how many may get an answer: as the address says, else `MOST`."""
    try:
        found = float(state.url(TARGET) or MOST)
    except ValueError:
        return MOST
    return found if 0.5 <= found <= 50 else MOST


def unproven(result: WhatIf | None) -> str:
    """Return what was seen of settings of which nothing is proven, to go on with."""
    if result is None or not result.false_answers.denominator:
        return ": no unanswerable question here has a label. Judge some on **Inspect**, or choose a run above."
    return f"; on these questions false answers are {bounded(result.false_answers)}."


def draw_readings(result: WhatIf) -> None:
    """Draw the threshold that keeps a rate of false answers in each sense, or how many labels are missing for it."""
    st.markdown("**A threshold with a guarantee**", help=_HELP)
    st.number_input("Answer wrongly at most, of 100", 0.5, 50.0, step=0.5, key=TARGET, width=220, format="%g",
                    on_change=_set_target, help="Of the questions that the documents do not answer.")  # fmt: skip
    tried = result.of_tried
    found = readings(tried.frame, target=_target() / 100, confidence=SURE, horizon=COMING)
    components.table(_table(found), columns=PROMISES, key="promises", alt="Thresholds and what they promise")
    st.caption(counted_once(result))
    for one in found:
        coverage = f" Coverage {counted(one.coverage)}." if one.coverage is not None else ""
        st.markdown(f"- **{NAMES[one.name]}**: {md(one.words)}{coverage}")
    st.caption("All of it holds for questions like these; questions about another subject are another population.")


def _set_target() -> None:
    state.put_url(TARGET, f"{st.session_state[TARGET]:g}")


def _set_confidence(threshold: float) -> None:
    state.put_url("t_confidence", in_digits(threshold))


def counted_once(result: WhatIf) -> str:
    """Return how many requests have a label, what of them counts once, and what no threshold here decides.

    What the threshold does not decide counts in the figures as it ended, and cannot be part of a promise.
    """
    (requests, questions), mine = result.labelled, result.of_tried.labelled[0]
    told = f"With a label: {several(requests, 'request')}, {several(questions, 'question')}." if requests else ""
    if requests != questions:
        told += " What was asked again with the same words and label counts once, as it was last asked."
    if mine != requests:
        told += f" This threshold decides **{mine}** of them; figures count the others, too, as they ended."
    return told


def _table(found: tuple[Reading, ...]) -> pd.DataFrame:
    frame = pd.DataFrame([{**one.model_dump(exclude={"coverage", "words"}), "reading": NAMES[one.name],
                           **_coverage(one)} for one in found])  # fmt: skip
    whole = dict.fromkeys(("false_answers", "unanswerable", "answered", "answerable", "needed"), "Int64")
    return frame.drop(columns="name").astype({**whole, "threshold": "float64", "coverage": "float64"})


def _coverage(one: Reading) -> dict[str, float | None]:
    """Return the share of the answerable questions that are answered, how many those are, and of how many."""
    rate = one.coverage
    if rate is None:
        return dict.fromkeys(("coverage", "answered", "answerable"))
    return {"coverage": rate.value, "answered": rate.numerator, "answerable": rate.denominator}
