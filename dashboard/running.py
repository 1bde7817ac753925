"""Evaluation runs in the background: the data sets at hand, what a run is told, and its start on Evaluate."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st

from dashboard import jobs, queries, resources, state
from dashboard.jobs import Job
from dashboard.words import ESTIMATOR_HELP, estimator, md
from rag.candor import Candor
from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet, load_dataset
from rag.evaluation.own_index import evaluate_indexed
from rag.evaluation.own_index import run as run_on_own_index
from rag.evaluation.runner import Evaluation
from rag.evaluation.runs import read_run, run_name
from rag.evaluation.testset import datasets_in, file_name
from rag.text.counted import several

KIND = "evaluate"


def known_datasets(candor: Candor) -> list[Path]:
    """Return the data sets at hand: those made here, then the samples beside the program."""
    uploaded = datasets_in(candor.settings.data_dir)
    samples = Path(__file__).resolve().parent.parent / "samples"
    return [*uploaded, *([samples] if (samples / "questions.jsonl").is_file() else [])]


def has_documents(folder: Path) -> bool:
    """Return whether a data set has documents, in `documents/` or beside its questions."""
    beside = (path for path in folder.iterdir() if path.is_file() and path.suffix != ".jsonl")
    return (folder / "documents").is_dir() or any(not path.name.startswith(".") for path in beside)


class RunOptions(NamedTuple):
    """What `candor evaluate` can be told, and the settings that it takes from its environment."""

    name: str = ""  # what the run is called, as `--out` names its file; empty: the data set and the time
    limit: int | None = None  # only the first so many questions; None: all
    is_fresh: bool = False  # whether all questions are asked again, also where a run of this name has their answers
    settings: Mapping[str, Any] = MappingProxyType({})  # names and values of settings in place of those in force


def run_dataset(candor: Candor, folder: Path, options: RunOptions, job: Job) -> Evaluation:
    """Ask the questions of a data set of its own index, without documents of what is indexed now, and keep the run.

    Raises:
        ConfigurationError: It is no data set, or there is a run of this name over another one.
        IndexNotReady: It has no documents, and nothing is indexed.
    """
    dataset = load_dataset(folder)
    settings = candor.settings.model_copy(update=dict(options.settings))
    out = _target(candor, dataset, options)
    job.holds |= {out.resolve()}

    how: dict[str, Any] = {"out": out, "limit": options.limit, "resume": not options.is_fresh,
                           "progress": partial(job.tell, current="asking")}  # fmt: skip
    if not dataset.documents:
        return evaluate_indexed(candor, dataset, settings, **how)
    job.tell(0, 0, f"indexing {several(len(dataset.documents), 'document')}")
    return run_on_own_index(
        folder, settings, **how,
        ingest_progress=lambda now: job.tell(now.files_done, now.files_total, f"indexing {now.current}"),
    )  # fmt: skip


def _target(candor: Candor, dataset: DataSet, options: RunOptions) -> Path:
    """Return the file of a run; raises `ConfigurationError` where one of this name is over another data set."""
    name = file_name(options.name) or f"{dataset.name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    out = candor.settings.data_dir / "runs" / f"{name}.jsonl"
    before = None if options.is_fresh else read_run(out)
    if before is not None and before.dataset != dataset.name:
        told = f"The run {name!r} uses the data set {before.dataset!r}, not {dataset.name!r}."
        raise ConfigurationError(f"{told} Choose another name, or ask all again to replace it.")
    return out


def draw_new_run(candor: Candor) -> None:
    """Draw the choice of a data set and the start of a run, and what came of the last one."""
    jobs.draw_ended(KIND, lambda job: f"The run over {md(job.title)} is done: {several(job.total, 'question')}.",
                         lead_on=_draw_show)  # fmt: skip
    folders = {str(path): path for path in known_datasets(candor)}
    if state.get("dataset") not in folders:  # somebody removed it
        st.session_state.pop("dataset", None)
    with st.form("new-run"):
        chosen = st.selectbox("Data set", [*folders], 0 if folders else None, lambda path: folders[path].name,
                              key="dataset", placeholder="None: write a test set")  # fmt: skip
        other = st.text_input("Or a folder on this machine", key="dataset_folder",
                              placeholder="a folder with questions.jsonl and documents/")  # fmt: skip
        limit = st.number_input("Only the first questions", 1, None, None, key="limit", placeholder="all of them")
        with st.expander("Name and settings", icon=":material/tune:"):
            name = st.text_input(
                "Name of the run", key="run_name", max_chars=80, placeholder="the data set and the time",
                help="To resume a run that was cut off, use its name and the same settings: its answers are kept and "
                     "the rest is asked. Other characters than letters, digits, - and _ are replaced.",
            )  # fmt: skip
            is_fresh = st.checkbox("Ask all again, even if a run of this name has answers", key="run_fresh")
            settings = _settings(candor)
        started = st.form_submit_button("Start", type="primary", icon=":material/play_arrow:")
    st.caption("A data set with documents gets an index of its own. One without documents uses the current index.")
    if started:
        folder = Path(other) if other else folders.get(chosen or "")
        if folder is None:
            st.error("Choose a data set, or give a folder.", icon=":material/error:")
        else:
            options = RunOptions(name or "", limit, is_fresh, settings)
            work = partial(run_dataset, candor, folder, options)
            resources.get_jobs().start(KIND, folder.name, work, holds=[folder])
            st.rerun()


def _settings(candor: Candor) -> dict[str, Any]:  # names and values of settings, not data
    chosen, names = candor.settings, [*candor.wiring.estimators]
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


def _draw_show(job: Job) -> None:
    runs = queries.runs()
    for name in sorted({run_name(path) for path in job.holds} & runs.keys()):
        st.button(f"Show {md(name)}", key=f"show-{job.job_id}", icon=":material/fact_check:",
                  on_click=st.session_state.update, args=({state.RUN: name, "view": "Runs"},))  # fmt: skip
