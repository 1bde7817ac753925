"""Calibration as Evaluate shows it: labels in, a gate with its bound out, and the way into production and back."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import calibrating, components, job_cards, promoting, resources, running
from dashboard.calibrating import LABELS, FittedGate
from dashboard.evaluation_columns import GATES, WORTH
from dashboard.jobs import Job
from dashboard.labelling import labelled_questions
from dashboard.words import md, percent, several
from rag.evaluation.repeated import words_and_label

if TYPE_CHECKING:
    from rag.candor import Candor
    from rag.evaluation.risk import Horizon


def draw_running() -> None:
    """Draw the fits that are going on; how one ended is told where it was started."""
    job_cards.draw_running(calibrating.KIND, cancel_help="Everything stays as it is.")


def _done(job: Job) -> str:
    gate: FittedGate = job.result
    promise = "" if gate.calibration.control.threshold is not None else " It has no guarantee, so it stays beside."
    return f"A gate was fitted: {md(gate.calibration.control.reason)}{promise} It is not in force yet; see below."


def draw_calibrate(candor: "Candor") -> None:
    """Draw what a gate can be fitted on, the start of a fit, and the gates that there are."""
    job_cards.draw_ended(calibrating.KIND, _done)
    st.markdown(
        "The **gate** decides from what was found whether to answer. Fitted on questions whose answer you know, its "
        "confidence becomes the probability that the documents answer, and its threshold keeps a rate of false answers."
    )
    lines = labelled_questions(candor)
    folders = {path.name: path for path in running.known_datasets(candor) if running.has_documents(path)}
    names = {LABELS: f"Labels of people: {_counted_once(lines)}"}
    with st.form("calibrate"):
        chosen = st.multiselect("Fit on", [LABELS, *folders], [LABELS] if lines else [], key="fit_on",
                                format_func=lambda name: names.get(name, f"Data set {name}"))  # fmt: skip
        other = st.text_input("And a folder on this machine", key="fit_folder",
                              placeholder="a folder with questions.jsonl and documents/")  # fmt: skip
        with st.container(horizontal=True):
            most = st.number_input("Answer wrongly at most, %", 0.5, 50.0, 5.0, 0.5, key="fit_most", width=220,
                                   help="Of the questions that the documents do not answer.")  # fmt: skip
            refused = st.number_input("Refuse at most, %", 0.0, 100.0, 10.0, 0.5, key="fit_refused", width=220,
                                      help="Of the questions that the documents answer. What lies between the two "
                                      "thresholds is unsure: passages are shown, nothing is claimed.")  # fmt: skip
            coming = st.number_input("Among the next questions", 1, 1_000_000, None, 10, key="fit_horizon", width=220,
                                     placeholder="as many as labelled",
                                     help="Of so many questions to come; empty: as many as labelled.")  # fmt: skip
            long_run = st.checkbox("In the long run", False, key="fit_long_run",
                                   help="A weaker promise: what is observed scatters around it.")  # fmt: skip
        started = st.form_submit_button("Fit a gate", type="primary", icon=":material/model_training:")
    st.caption(
        "At least 20 questions of each kind are needed, about two documents or more: judge recorded questions on "
        "**Inspect**, or import a test set with documents under **Test sets**. Fitting changes nothing; promoting does."
    )
    if started and not chosen and not other:
        st.error("Choose labels or a data set to fit on, or give a folder.", icon=":material/error:")
    elif started:
        wanted = [*(folders[name] for name in chosen if name != LABELS), *([Path(other)] if other else [])]
        _start(
            candor,
            lines if LABELS in chosen else [],
            wanted,
            named=", ".join([*chosen, *([other] if other else [])]),
            most=most / 100,
            most_refused=refused / 100,
            horizon=None if long_run else coming or "as labelled",
        )
    _draw_gates(candor)
    promoting.draw_history(candor, key="gates")


def _start(
    candor: "Candor",
    lines: Sequence[Mapping[str, object]],
    folders: Sequence[Path],
    *,
    named: str,
    most: float,
    most_refused: float,
    horizon: "Horizon",
) -> None:
    """Start the fit of a gate on labels of people and on data sets, and draw the page anew."""
    resources.get_jobs().start(
        calibrating.KIND,
        f"Fitting on {named}",
        lambda job: calibrating.fit_gate(
            candor, lines, folders, most=most, most_refused=most_refused, horizon=horizon, job=job
        ),
        holds=folders,
    )
    st.rerun()


def _counted_once(lines: Sequence[Mapping[str, object]]) -> str:
    """Return how many labelled questions of each kind there are, as a fit counts them: those that repeat others once.

    >>> asked = [{"question": "Who pays?", "answerable": False}, {"question": "who  pays?", "answerable": False}]
    >>> _counted_once(asked)
    '0 answerable, 1 unanswerable (2 requests, 1 question)'
    """
    found = {words_and_label(str(line["question"]), bool(line["answerable"])) for line in lines}
    yes = sum(bool(answerable) for _, answerable in found)
    told = f"{yes} answerable, {len(found) - yes} unanswerable"
    if len(found) == len(lines):
        return told
    return f"{told} ({several(len(lines), 'request')}, {several(len(found), 'question')})"


def _draw_gates(candor: "Candor") -> None:
    """Draw the gates that were fitted, what one of them is worth, and its promotion."""
    st.subheader("Gates", anchor=False)
    found, in_force = calibrating.gates(candor), calibrating.in_force(candor).fit.fingerprint
    if drift := calibrating.in_force(candor).drift():
        st.warning(md(drift), icon=":material/trending_down:")
    if not found:
        st.caption("None fitted here yet: the one that came with Candor, or that of `candor calibrate`, is in force.")
        return
    components.table(calibrating.gates_table(found, in_force), columns=GATES, key="gates", alt="Fitted gates")
    name = st.selectbox("Gate", [*found], key="gate", width=320)
    gate = found[str(name)]
    st.markdown(md(gate.calibration.control.reason))
    components.table(calibrating.worth_table(gate), columns=WORTH, key="worth", alt="What the gate is worth")
    st.caption(
        f"Answered from {gate.fit.threshold:.4f} on, for at most {percent(gate.fit.max_false_answer_rate)} false "
        f"answers; refused below {gate.fit.unsure_threshold:.4f}, unsure between. "
        "Every question was judged by weights that were fitted on other documents; *before* is the gate in force then."
    )
    proven = gate.calibration.control.threshold is not None
    if name == in_force:
        said = "This gate is in force." if proven else "This gate is in force, without a guarantee."
        (st.success if proven else st.warning)(said, icon=":material/verified_user:")
        return
    if not proven:
        st.warning(md(calibrating.unproven(candor, gate)), icon=":material/data_alert:")
    promoting.draw_form(candor, calibrating.promoted(candor, gate), key="gate",
                        label="Put this gate into production",
                        confirm="" if proven else "Put it in force without a guarantee")  # fmt: skip
