"""Fitting the gate on labels and data sets, and the gates that were fitted, as Evaluate shows them under Calibrate.

`data_dir/gates/FINGERPRINT/` holds what the pipeline reads once a gate is promoted, and what that is worth.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from pydantic import Field, ValidationError

from dashboard import components, jobs, promoting, resources, running
from dashboard.columns import GATES, WORTH
from dashboard.jobs import Job
from dashboard.labelling import labelled_questions
from dashboard.tables import frame
from dashboard.words import md, percent, several
from rag.candor import Candor
from rag.confidence.calibrated import FILE_NAME, Calibrated, GateFit, load_fit
from rag.confidence.drift import index_state
from rag.evaluation.calibration import Calibration, Counted, calibrate, counted_by
from rag.evaluation.datasets import DataSet, Question
from rag.evaluation.labelled import Labelled, Part, collect, of_corpora, without_known, words_and_label
from rag.evaluation.own_index import opened
from rag.evaluation.risk import Horizon
from rag.evaluation.runs import replace_text
from rag.events import Found
from rag.models import Value
from rag.record import Unrecorded

KIND = "calibrate"
LABELS = "labels"  # the name under which the labels of people stand beside data sets
_DETAILS = "calibration.json"
_log = logging.getLogger(__name__)


class FittedGate(Value):
    """A gate, what it is worth, and how the gate that was in force did on the same questions."""

    calibration: Calibration = Field(description="The fit, out of fold.")
    before: dict[str, Counted] = Field({}, description="What the gate in force then did, by data set.")

    @property
    def fit(self) -> GateFit:
        """What the pipeline reads."""
        return self.calibration.fit


class Wanted(NamedTuple):
    """What a gate is to be fitted on, and what it is to keep."""

    lines: Sequence[Mapping[str, object]]  # labelled questions, as lines of `questions.jsonl`
    folders: Sequence[Path]  # data sets with documents, each in an index of its own
    most: float  # the rate of false answers to keep, above 0 and below 1
    most_refused: float  # the share of the answerable questions that may be refused, 0..1
    horizon: Horizon  # keep it among so many unanswerable questions to come; None: in the long run


def fit_gate(candor: Candor, wanted: Wanted, job: Job) -> FittedGate:
    """Fit a gate and keep it; it is not in force before somebody promotes it.

    Raises:
        ConfigurationError: There are too few labels; the message says how many are missing.
    """
    wiring, parts, states = candor.wiring, list[Part](), [index_state(candor.wiring.catalogue)]
    known: set[tuple[str, bool | None]] = set()

    def collected(dataset: DataSet, find: Callable[[str], Found]) -> list[Labelled]:
        def tell(done: int, total: int) -> None:
            job.tell(done, total, f"{dataset.name}: question {done} of {total}")

        return [*collect(without_known(dataset, known), find, progress=tell)]

    if wanted.lines:  # asked again, which is no traffic: Monitor does not count it
        questions = tuple(Question.model_validate(line) for line in wanted.lines)
        people = DataSet(name=LABELS, folder=candor.settings.data_dir, questions=questions)
        quiet = replace(candor.pipeline, recorder=Unrecorded(candor.settings.data_dir))
        found = collected(people, lambda text: quiet.retrieve(quiet.query(text, estimator="calibrated")))
        parts.append(Part(found, wiring.catalogue.versions()))
    for folder in wanted.folders:
        job.tell(0, 0, f"{folder.name}: indexing its documents")
        with opened(folder, candor.settings) as (own, dataset, _):
            found = collected(dataset, partial(own.retrieve, estimator="calibrated"))
            parts.append(Part(found, own.wiring.catalogue.versions()))
            states.append(index_state(own.wiring.catalogue))
    job.tell(job.done, job.total, "fitting")
    rows = of_corpora(parts)
    fitted = calibrate(
        rows, max_false_answer_rate=wanted.most, max_refused_rate=wanted.most_refused, horizon=wanted.horizon,
        embedding=wiring.embedder.fingerprint, reader=wiring.reader_name,
        indexes=[state for state in states if state is not None],
    )  # fmt: skip
    now = load_fit(candor.settings.gate_home, reader=wiring.reader_name, decides=False).fit
    gate = FittedGate(calibration=fitted, before=counted_by(now, rows))
    home = gates_folder(candor) / gate.fit.fingerprint
    home.mkdir(parents=True, exist_ok=True)
    replace_text(home / _DETAILS, gate.model_dump_json(indent=1) + "\n")
    replace_text(home / FILE_NAME, gate.fit.text())
    return gate


def gates_folder(candor: Candor) -> Path:
    """Return where fitted gates are kept."""
    return candor.settings.data_dir / "gates"


def gates(candor: Candor) -> dict[str, FittedGate]:
    """Return the gates that were fitted here by fingerprint, the latest first; what cannot be read is left out."""
    found = []
    for path in gates_folder(candor).glob(f"*/{_DETAILS}"):
        try:
            found.append(FittedGate.model_validate_json(path.read_text(encoding="utf-8")))
        except (OSError, ValidationError) as error:
            _log.warning("The gate %s cannot be read (%s).", path.parent.name, error)
    found.sort(key=lambda one: str(one.fit.fitted_at), reverse=True)
    return {one.fit.fingerprint: one for one in found}


def _done(job: Job) -> str:
    control = job.result.calibration.control
    promise = "" if control.threshold is not None else " It has no guarantee."
    return f"A gate was fitted: {md(control.reason)}{promise} It is not in force yet; see below."


def draw_calibrate(candor: Candor) -> None:
    """Draw what a gate can be fitted on, the start of a fit, and the gates that there are."""
    jobs.draw_ended(KIND, _done)
    st.markdown(
        "The **gate** decides from the passages found if a question is answered. Fit it on questions whose answer you "
        "know: its confidence is then the probability that the documents answer, and its threshold limits the rate of "
        "false answers."
    )
    lines = labelled_questions(candor)
    folders = {path.name: path for path in running.known_datasets(candor) if running.has_documents(path)}
    names = {LABELS: f"Labels of people: {_counted_once(lines)}"}
    with st.form("calibrate"):
        chosen = st.multiselect("Fit on", [LABELS, *folders], [LABELS] if lines else [], key="fit_on",
                                format_func=lambda name: names.get(name, f"Data set {name}"))  # fmt: skip
        other = st.text_input("And a folder on this machine", key="fit_folder",
                              placeholder="a folder with questions.jsonl and documents/")  # fmt: skip
        most, most_refused, horizon = _draw_promise()
        started = st.form_submit_button("Fit a gate", type="primary", icon=":material/model_training:")
    st.caption(
        "At least 20 questions of each kind are needed, about two documents or more: judge recorded questions on "
        "**Inspect**, or import a test set with documents under **Test sets**. Fitting changes nothing; promoting does."
    )
    if started and not chosen and not other:
        st.error("Choose labels or a data set to fit on, or give a folder.", icon=":material/error:")
    elif started:
        on = [*(folders[name] for name in chosen if name != LABELS), *map(Path, filter(None, [other]))]
        wanted = Wanted(lines if LABELS in chosen else [], on, most, most_refused, horizon)
        title = f"Fitting on {', '.join([*chosen, *filter(None, [other])])}"
        resources.get_jobs().start(KIND, title, partial(fit_gate, candor, wanted), holds=on)
        st.rerun()
    _draw_gates(candor)
    promoting.draw_history(candor, key="gates")


def _draw_promise() -> tuple[float, float, Horizon]:
    with st.container(horizontal=True):
        most = st.number_input("Answer wrongly at most, %", 0.5, 50.0, 5.0, 0.5, key="fit_most", width=220,
                               help="Of the questions that the documents do not answer.")  # fmt: skip
        refused = st.number_input("Refuse at most, %", 0.0, 100.0, 10.0, 0.5, key="fit_refused", width=220,
                                  help="Of the questions that the documents answer. Between the two thresholds Candor "
                                       "is unsure: it shows passages and claims nothing.")  # fmt: skip
        coming = st.number_input("Among the next questions", 1, 1_000_000, None, 10, key="fit_horizon", width=220,
                                 placeholder="as many as labelled",
                                 help="The number of coming questions. Empty: as many as are labelled.")  # fmt: skip
        long_run = st.checkbox("In the long run", False, key="fit_long_run",
                               help="A weaker promise: the observed rate varies around it.")  # fmt: skip
    return most / 100, refused / 100, None if long_run else coming or "as labelled"


def _counted_once(lines: Sequence[Mapping[str, object]]) -> str:
    """Return how many labelled questions of each kind there are, repeated ones once, as a fit counts them."""
    found = {words_and_label(str(line["question"]), bool(line["answerable"])) for line in lines}
    yes = sum(bool(answerable) for _, answerable in found)
    repeated = f" ({several(len(lines), 'request')}, {several(len(found), 'question')})"
    return f"{yes} answerable, {len(found) - yes} unanswerable{repeated if len(found) != len(lines) else ''}"


def _draw_gates(candor: Candor) -> None:
    st.subheader("Gates", anchor=False)
    found = gates(candor)
    deciding: Calibrated = candor.wiring.estimators["calibrated"]  # type: ignore[assignment]
    if drift := deciding.drift():
        st.warning(md(drift), icon=":material/trending_down:")
    if not found:
        st.caption("No gate was fitted here yet. The gate that came with Candor, or the one from `candor calibrate`, "
                   "is in force.")  # fmt: skip
        return
    rows: list[tuple[object, ...]] = [
        (name, name == deciding.fit.fingerprint, one.fit.fitted_at, "; ".join(one.fit.fitted_on), one.fit.threshold,
         one.calibration.control.bound, one.fit.unsure_threshold, one.calibration.refused.upper_bound,
         one.fit.guarantee)
        for name, one in found.items()
    ]  # fmt: skip
    components.table(frame(GATES, rows), columns=GATES, key="gates", alt="Fitted gates")
    name = st.selectbox("Gate", [*found], key="gate", width=320)
    gate = found[str(name)]
    st.markdown(md(gate.calibration.control.reason))
    rows = [(name, gate.calibration.auroc.get(name), one.coverage.value, before and before.coverage.value,
             one.false_answers.value, before and before.false_answers.value, one.refused.value, one.unsure.value)
            for name, one in gate.calibration.counted.items() for before in [gate.before.get(name)]]  # fmt: skip
    components.table(frame(WORTH, rows), columns=WORTH, key="worth", alt="Quality of the gate")
    st.caption(
        f"Answered at {gate.fit.threshold:.4f} or above, for at most {percent(gate.fit.max_false_answer_rate)} false "
        f"answers; refused below {gate.fit.unsure_threshold:.4f}, unsure between. "
        "Every question was judged by weights that were fitted on other documents; *before* is the gate in force then."
    )
    proven = gate.calibration.control.threshold is not None
    if name == deciding.fit.fingerprint:
        said = "This gate is in force." if proven else "This gate is in force, without a guarantee."
        (st.success if proven else st.warning)(said, icon=":material/verified_user:")
        return
    if not proven:
        needed, now = gate.calibration.control.needed, deciding.fit
        more = f" Label at least {needed} more unanswerable questions, then fit again." if needed else ""
        st.warning(
            md(f"Nothing is proven for this gate's threshold.{more} The gate in force stays: threshold "
               f"{now.threshold:.4f}, for at most {now.max_false_answer_rate:.1%} false answers: {now.guarantee}"),
            icon=":material/data_alert:",
        )  # fmt: skip
    folder = (gates_folder(candor) / gate.fit.fingerprint).resolve()
    own = {"confidence_threshold": None, "unsure_threshold": None}  # with the thresholds that belong to it
    promoting.draw_form(candor, {"gate_dir": str(folder), "estimator": "calibrated", **own}, key="gate",
                        label="Put this gate into production",
                        confirm="" if proven else "Put it in force without a guarantee")  # fmt: skip
