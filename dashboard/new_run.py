"""Starting an evaluation run on Evaluate: the data set, what the run is told, and how far it is."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import components, job_cards, queries, removing, resources, running, state
from dashboard.jobs import Job
from dashboard.running import RunOptions
from dashboard.words import ESTIMATOR_HELP, estimator, md, several
from rag.evaluation.datasets import DataSet, misnamed_gold
from rag.evaluation.runs import run_name

if TYPE_CHECKING:
    from rag.candor import Candor

_KEPT = "dataset_kept"
"""Session: the data set that was uploaded by the click before."""


def draw_new_run(candor: "Candor") -> None:
    """Draw the choice of a data set, the upload of one, and the start of a run."""
    folders = {str(path): path for path in running.known_datasets(candor)}
    kept: DataSet | None = st.session_state.pop(_KEPT, None)
    if kept is not None and str(kept.folder) in folders:
        state.put("dataset", str(kept.folder))
    if state.get("dataset") not in folders:  # somebody removed it
        st.session_state.pop("dataset", None)
    with st.form("new-run"):
        chosen = st.selectbox("Data set", [*folders], format_func=lambda path: folders[path].name, index=0 if folders
                              else None, key="dataset", placeholder="None at hand: give a folder")  # fmt: skip
        other = st.text_input("Or a folder on this machine", key="dataset_folder",
                              placeholder="a folder with questions.jsonl and documents/")  # fmt: skip
        options = _options(candor)
        started = st.form_submit_button("Start", type="primary", icon=":material/play_arrow:")
    st.caption("With documents, the questions are asked of an index of their own; without, of what is indexed now.")
    if started:
        folder = Path(other) if other else folders.get(chosen or "")
        if folder is None:
            st.error("Choose a data set, or give a folder.", icon=":material/error:")
        else:
            start = resources.get_jobs().start
            work = partial(running.run_dataset, candor, folder, options=options)
            start(running.KIND, folder.name, lambda job: work(job=job), holds=[folder])
            st.rerun()
    if kept is not None:
        _draw_kept(kept)
    _draw_upload(candor)
    removing.draw_dataset_removal(candor)


def _draw_kept(kept: DataSet) -> None:
    """Say what was uploaded; it is chosen above already."""
    st.success(
        f"Kept {md(kept.name)} with {several(len(kept.questions), 'question')}. It is chosen above: **Start** runs it.",
        icon=":material/check_circle:",
    )
    if wrong := misnamed_gold(kept, kept.questions):
        st.warning(md(wrong), icon=":material/label_off:")


def _options(candor: "Candor") -> RunOptions:
    """Draw what a run can be told."""
    limit = st.number_input("Only the first questions", 1, None, None, key="limit", placeholder="all of them")
    with st.expander("Name and settings", icon=":material/tune:"):
        name = st.text_input(
            "Name of the run", key="run_name", max_chars=80, placeholder="the data set and the moment",
            help="Under the name of a run that was cut off, and with the same settings, its answers are kept and the "
            "rest is asked. Letters, digits, - and _ stay.",
        )  # fmt: skip
        is_fresh = st.checkbox("Ask all again, also where a run of this name has answers", key="run_fresh")
        settings = _settings(candor)
    return RunOptions(name or "", limit, is_fresh, settings)


def _settings(candor: "Candor") -> dict[str, Any]:  # names and values of settings, not data
    """Draw the settings that decide, as they are in force, and return those that the run is asked with."""
    chosen, names = resources.settings_in_force(), [*candor.wiring.estimators]
    with st.container(horizontal=True):
        name = st.selectbox("Estimator of confidence", names, names.index(chosen.estimator), format_func=estimator,
                            key="run_estimator", help=ESTIMATOR_HELP, width=220)  # fmt: skip
        confidence = st.number_input("Confidence threshold", 0.0, 1.0, chosen.confidence_threshold, 0.05, width=220,
                                     key="run_confidence", placeholder="the estimator's own")  # fmt: skip
        similarity = st.slider("Similarity threshold", 0.0, 1.0, chosen.similarity_threshold, 0.05, width=220,
                               key="run_similarity")  # fmt: skip
        top_k = st.slider("Passages", 1, 20, chosen.top_k, width=220, key="run_top_k")
        weight = st.slider("Weight of similarity", 0.0, 1.0, chosen.dense_weight, 0.05, width=220, key="run_weight",
                           help="1: by meaning alone; 0: by words alone.")  # fmt: skip
    values = {"estimator": name, "confidence_threshold": confidence, "similarity_threshold": similarity,
              "top_k": top_k, "dense_weight": weight}  # fmt: skip
    return {setting: value for setting, value in values.items() if value != getattr(chosen, setting)}


def _draw_upload(candor: "Candor") -> None:
    with (
        st.expander("Upload a data set", icon=":material/upload_file:"),
        st.form("dataset-upload", clear_on_submit=True),
    ):
        name = st.text_input("Name", key="dataset_name", max_chars=60)
        questions = st.file_uploader("questions.jsonl", ["jsonl"], key="dataset_questions")
        documents = st.file_uploader("Documents (optional)", accept_multiple_files=True, key="dataset_documents")
        if st.form_submit_button("Keep it", icon=":material/save:"):
            if questions is None:
                st.error("The file questions.jsonl is missing: one JSON object a line.", icon=":material/error:")
                return
            with components.guarded():
                given = [(file.name, file.getvalue()) for file in documents]
                kept = running.keep_dataset(candor, name or "", questions.getvalue(), given, called=questions.name)
                state.put(_KEPT, kept)
                st.rerun()  # the choice of a data set is drawn already, without this one


def draw_jobs() -> None:
    """Draw the runs that are going on, and how the last one ended."""
    job_cards.draw_jobs(
        running.KIND,
        lambda job: f"The run over {md(job.title)} is done: {several(job.total, 'question')}.",
        cancel_help="Lines that are written stay.",
        lead_on=_draw_show,
    )


def _draw_show(job: Job) -> None:
    """Draw the button that shows a finished run: another one may be chosen, and another tab be open."""
    runs = queries.runs(resources.runs_folder())
    for name in sorted({run_name(path) for path in job.holds} & runs.keys()):
        st.button(f"Show {md(name)}", key=f"show-{job.job_id}", icon=":material/fact_check:",
                  on_click=_show, args=(name,))  # fmt: skip


def _show(run: str) -> None:
    state.put(state.RUN, run)
    state.put("view", "Runs")
