"""Starting an evaluation run on Evaluate: the data set, what the run is told, and how far it is."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import job_cards, queries, resources, running, state
from dashboard.jobs import Job
from dashboard.running import RunOptions
from dashboard.words import ESTIMATOR_HELP, estimator, md, several
from rag.evaluation.runs import run_name

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_new_run(candor: "Candor") -> None:
    """Draw the choice of a data set and the start of a run, and what came of the last one."""
    job_cards.draw_ended(running.KIND, _done, lead_on=_draw_show)
    folders = {str(path): path for path in running.known_datasets(candor)}
    if state.get("dataset") not in folders:  # somebody removed it
        st.session_state.pop("dataset", None)
    with st.form("new-run"):
        chosen = st.selectbox("Data set", [*folders], format_func=lambda path: folders[path].name, index=0 if folders
                              else None, key="dataset", placeholder="None: write a test set")  # fmt: skip
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


def draw_running() -> None:
    """Draw the runs that are going on; how one ended is told where it was started."""
    job_cards.draw_running(running.KIND, cancel_help="Lines that are written stay.")


def _done(job: Job) -> str:
    return f"The run over {md(job.title)} is done: {several(job.total, 'question')}."


def _draw_show(job: Job) -> None:
    """Draw the button that shows a finished run: another one may be chosen, and another tab be open."""
    runs = queries.runs(resources.runs_folder())
    for name in sorted({run_name(path) for path in job.holds} & runs.keys()):
        st.button(f"Show {md(name)}", key=f"show-{job.job_id}", icon=":material/fact_check:",
                  on_click=_show, args=(name,))  # fmt: skip


def _show(run: str) -> None:
    state.put(state.RUN, run)
    state.put("view", "Runs")
