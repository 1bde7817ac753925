"""Where both thresholds stand on Tune: as the page's address says, else as what is in force or decided the questions.

The address alone holds what somebody chose: the one slider and those under Advanced are views of it.
"""

from typing import Any, NamedTuple, cast

import streamlit as st

from dashboard import links, queries, state
from dashboard.words import ESTIMATOR_HELP, estimator, md, several
from rag.candor import Candor
from rag.gate import Estimator
from rag.models import EstimatorName
from rag.whatif.arrays import recorded_threshold
from rag.whatif.cases import Cases, Floats
from rag.whatif.history import ESTIMATORS, in_digits
from rag.whatif.line import careful_line

RECORDED = "Recorded requests"  # what stands for them among the runs
_AGAIN = "Run the data set again on **Evaluate** with what is in force, and choose that run here."
AS_RECORDED = "As recorded"  # the estimator of each question, as it was
KEYS = ("t_confidence", "t_unsure", "t_estimator")
"""The parameters of the address, and the keys of the sliders under Advanced."""
_GATE = "tune_gate"  # session: the gate that decided the questions that were drawn last


class DecidedBy(NamedTuple):
    """The gate that decided the questions of a run; of recorded requests, each asked in its own way, none."""

    run: str = ""
    gate: str = ""  # its fingerprint; empty where the run does not hold it
    embedding: str = ""
    estimator: EstimatorName | None = None
    threshold: float | None = None  # what its questions were held against; None: not one number, or not known
    unsure: float | None = None  # from where on they were unsure; the same


IN_FORCE = DecidedBy()


class TuneSettings(NamedTuple):
    """Where the sliders stand."""

    confidence_threshold: float
    unsure_threshold: float | None  # None: the estimator knows no unsure
    estimator: EstimatorName | None  # None: each question's own


def in_force(candor: Candor) -> TuneSettings:
    """Return from which confidence on questions are answered and unsure now, exactly."""
    chosen, own = candor.settings, decides(candor)
    threshold = own.threshold if chosen.confidence_threshold is None else chosen.confidence_threshold
    unsure = own.unsure_threshold
    if unsure is not None:
        unsure = min(unsure if chosen.unsure_threshold is None else chosen.unsure_threshold, threshold)
    return TuneSettings(threshold, unsure, None)


def start(candor: Candor, by: DecidedBy, name: EstimatorName | None = None) -> TuneSettings:
    """Return where the sliders begin: at what the questions were held against, where what decided them is not in force.

    An estimator that is tried, and that is not in force, brings its own thresholds; None: as recorded.
    """
    threshold, unsure, _ = in_force(candor)
    own = decides(candor, by, name)
    if name is None and not is_in_force(candor, by):
        threshold = by.threshold if by.threshold is not None else own.threshold if by.estimator else threshold
        unsure = by.unsure if by.unsure is not None else own.unsure_threshold
    elif name not in (None, candor.settings.estimator):
        threshold, unsure = own.threshold, own.unsure_threshold
    return TuneSettings(threshold, None if unsure is None else min(unsure, threshold), name)


def decides(candor: Candor, by: DecidedBy = IN_FORCE, wanted: EstimatorName | None = None) -> Estimator:
    """Return the estimator that the thresholds are about: the one that is tried, else decided, else is in force."""
    return candor.wiring.estimators[wanted or by.estimator or candor.settings.estimator]


def chosen(candor: Candor, by: DecidedBy) -> TuneSettings:
    """Return the settings that the address names, where it names none those of the start, and tidy the address.

    Where another gate decided the questions than those that were drawn last, thresholds are not taken over.
    """
    names = {estimator(name): name for name in candor.wiring.estimators}
    links.note_number("t_confidence", "Confidence threshold", 0, 1)
    links.note_number("t_unsure", "Unsure threshold", 0, 1)
    links.note_choice("t_estimator", "Estimator of confidence", [AS_RECORDED, *names])
    wanted = names.get(state.url("t_estimator") or "")
    gate = by.gate or by.run or decides(candor).fingerprint
    if wanted is None and state.get(_GATE, gate) != gate:
        put_back()
    state.put(_GATE, gate)
    begins, exact = start(candor, by, wanted), _exact(candor, by, wanted)
    threshold = _named("t_confidence", begins.confidence_threshold, [one.confidence_threshold for one in exact])
    unsure = None
    if decides(candor, by, wanted).unsure_threshold is not None:
        lower = [one.unsure_threshold for one in exact if one.unsure_threshold is not None]
        unsure = min(_named("t_unsure", begins.unsure_threshold or 0.0, lower), threshold)
        if state.url("t_unsure"):
            state.put_url("t_unsure", in_digits(unsure))
    title = estimator(wanted) if wanted else AS_RECORDED
    state.put_url("t_estimator", estimator(wanted) if wanted else None)
    for key, value in zip(KEYS, (threshold, unsure or 0.0, title), strict=True):
        stand(key, value)
    return TuneSettings(threshold, unsure, wanted)


def _exact(candor: Candor, by: DecidedBy, name: EstimatorName | None) -> list[TuneSettings]:
    """Return the settings whose thresholds can be chosen with all their digits."""
    return [start(candor, by, name), *(start(candor, IN_FORCE, one) for one in candor.wiring.estimators)]


def _named(key: str, begins: float, exact: list[float]) -> float:
    """Return the share that the address names, exactly where its digits are those of a known one."""
    if (found := links.given(key, 0, 1)) is None:
        state.put_url(key, None)
        return begins
    named = {in_digits(value): value for value in reversed(exact)}.get(in_digits(found), round(found, 4))
    state.put_url(key, None if named == begins else in_digits(named))
    return named


def put_back() -> None:
    """Let the sliders stand at the start again."""
    for key in KEYS:
        state.put_url(key, None)


def draw_difference(candor: Candor, by: DecidedBy) -> None:
    """Say where the questions were decided by another gate than the one in force."""
    if is_in_force(candor, by):
        return
    name, fit = candor.settings.estimator, decides(candor).fingerprint
    held = "thresholds of their own" if by.threshold is None else f"threshold {in_digits(by.threshold)}"
    now = in_digits(in_force(candor).confidence_threshold)
    st.info(f"These questions were decided by **{estimator(by.estimator)}** ({md(by.gate or 'fit not known')}), {held};"
            f" in force is **{estimator(name)}** ({md(fit)}), threshold {now}. The slider applies to the estimator "
            "that decided them, unless you choose another.", icon=":material/difference:")  # fmt: skip


def draw_careful(candor: Candor, by: DecidedBy, now: TuneSettings) -> None:
    """Draw the one slider, which moves both thresholds along the line of the fit that decides (`careful_line`).

    What is in force, and thresholds that were set one by one, stand on it, too, at their confidence threshold.
    """
    own, begins = decides(candor, by, now.estimator), start(candor, by, now.estimator)
    points = careful_line(own.threshold, own.unsure_threshold)
    for one in (begins, now):
        points[one.confidence_threshold] = one.unsure_threshold
    steps = sorted(points, reverse=True)
    words = {step: f"from {in_digits(step)}" for step in steps} | {steps[0]: "Careful", steps[-1]: "Answers more"}
    words[begins.confidence_threshold] = f"as now ({in_digits(begins.confidence_threshold)})"

    def move() -> None:
        threshold = st.session_state["t_careful"]
        unsure = points[threshold]
        state.put_url("t_confidence", in_digits(threshold))
        state.put_url("t_unsure", None if unsure is None else in_digits(unsure))

    stand("t_careful", now.confidence_threshold)
    st.select_slider(
        "How readily Candor answers", steps, key="t_careful", format_func=lambda step: words[step], on_change=move,
        help="To the left it answers less and is wrong less often; to the right it answers more. Both thresholds move "
        "together; each has its own slider under Advanced.",
    )  # fmt: skip
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.markdown(":small[Careful]", width="content")
        st.markdown(":small[Answers more]", width="content")
    below = "" if now.unsure_threshold is None else f", is unsure at {in_digits(now.unsure_threshold)} or above,"
    from_on = in_digits(now.confidence_threshold)
    st.caption(f"Candor answers at a confidence of {from_on} or above{below} and otherwise refuses.")


def draw_advanced(candor: Candor, by: DecidedBy, now: TuneSettings) -> None:
    """Draw a slider for each threshold and the estimator."""
    exact = [now, *_exact(candor, by, now.estimator)]
    _slider("Confidence threshold", "t_confidence", now.confidence_threshold,
            [one.confidence_threshold for one in exact],
            help="Answer at this confidence or above. Steps of 0.01; the values in force and those of the estimators "
                 "are also available exactly.")  # fmt: skip
    _slider("Unsure threshold", "t_unsure", now.unsure_threshold or 0.0,
            [one.unsure_threshold for one in exact if one.unsure_threshold is not None],
            disabled=now.unsure_threshold is None,
            help="Between this and the confidence threshold, Candor shows the closest sentences and claims nothing. "
                 "Below it, Candor refuses. Never above the confidence threshold.")  # fmt: skip
    names = [AS_RECORDED, *map(estimator, candor.wiring.estimators)]

    def choose() -> None:
        put_back()  # thresholds of another estimator mean nothing for it
        name = st.session_state["t_estimator"]
        state.put_url("t_estimator", None if name == AS_RECORDED else name)

    st.selectbox("Estimator of confidence", names, key="t_estimator", help=ESTIMATOR_HELP, on_change=choose)


def _slider(label: str, key: str, stands: float, exact: list[float], **how: Any) -> None:
    known = {in_digits(one): one for one in [*(step / 100 for step in range(101)), *reversed(exact), stands]}
    st.select_slider(label, sorted(known.values()), key=key, format_func=in_digits,
                     on_change=lambda: state.put_url(key, in_digits(st.session_state[key])), **how)  # fmt: skip


def stand(key: str, value: object) -> None:
    """Let a widget stand somewhere, drawn or not; one that stands there is left alone, for it may be moving."""
    if state.get(key) != value:
        state.put(key, value)


def decided_by(cases: Cases) -> DecidedBy:
    """Return what decided the questions that were chosen."""
    name = st.session_state.get(state.RUN)
    if name in (None, RECORDED):
        return IN_FORCE
    run = queries.runs().get(str(name))
    known = run.fingerprints if run else None
    gate, embedding = (known.gate, known.embedding) if known else ("", "")
    called = {gate.partition("/")[0], *cases.estimators} & {*ESTIMATORS}
    only = cast("EstimatorName", called.pop()) if len(called) == 1 else None
    threshold = _one_of(cases, cases.thresholds)
    if cases.thresholds.isna().all() and (found := recorded_threshold(cases)) is not None:
        threshold = int(found * 10_000) / 10_000  # the lines hold none: one that decides alike
    return DecidedBy(str(name), gate, embedding, only, threshold, _one_of(cases, cases.unsure_thresholds))


def _one_of(cases: Cases, thresholds: Floats) -> float | None:
    """Return the one threshold of all questions that named none themselves; None where there is none, or several."""
    held = thresholds[~cases.named].dropna().unique()
    return float(held[0]) if len(held) == 1 else None


def is_in_force(candor: Candor, by: DecidedBy) -> bool:
    """Return whether what decided the questions decides now: estimator, fit and embedding."""
    now = (candor.settings.estimator, decides(candor).fingerprint, candor.wiring.embedder.fingerprint)
    return not by.run or (by.estimator, by.gate, by.embedding) == now


def hindrance(candor: Candor, by: DecidedBy, wanted: EstimatorName | None) -> str:
    """Return why nothing that is chosen on these questions can be promoted, and what to do; empty where it can."""
    name = wanted or by.estimator
    if not by.run:
        return ""
    if name is None or not by.gate:
        return f"The run does not record which gate decided its questions, so no threshold fits them. {_AGAIN}"
    embedding, fit = candor.wiring.embedder.fingerprint, decides(candor, by, wanted).fingerprint
    if by.embedding != embedding:
        return (f"The run used the embedding {md(by.embedding)}, but {md(embedding)} is in use now. Its confidences "
                f"cannot be compared. {_AGAIN}")  # fmt: skip
    if name != "calibrated" or by.gate == fit:
        return ""
    if by.estimator != "calibrated":
        return (f"**{estimator(by.estimator)}** decided this run, which does not record the fit of "
                f"**{estimator(name)}**. {_AGAIN}")  # fmt: skip
    return (f"Another fit of the gate decided this run ({md(by.gate)}; {md(fit)} is in use now): their thresholds "
            f"cannot be compared. {_AGAIN} Or put that gate into production first, on **Evaluate** under "
            "**Calibrate**.")  # fmt: skip


def draw_of_another_gate(candor: Candor, cases: Cases, by: DecidedBy) -> int:
    """Say that recorded requests are of another fit of the gate, or do not say which, and return how many."""
    others = (cases.estimators == candor.settings.estimator) & (cases.gates != decides(candor).fingerprint)
    count = 0 if by.run else int(others.sum())
    if count:
        st.warning(
            "They were decided by another fit of the gate, by another reader, or by a version that did not record "
            "which. Thresholds of different fits cannot be compared: choose a run that was made with the gate in "
            "force, or ask them again.",
            title=f"Another gate decided {count} of {several(len(cases), 'request')}", icon=":material/difference:",
        )  # fmt: skip
    return count
