"""Removing runs and uploaded data sets on Evaluate: asked before, refused where something is being written."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from dashboard import components, resources, state
from dashboard.words import md, several, size
from rag.candor import Candor
from rag.errors import ConfigurationError, IndexNotReady
from rag.evaluation.datasets import DataSet, load_dataset
from rag.evaluation.own_index import index_folder
from rag.evaluation.runlist import files_of_run, forget_run, is_in, remove_folder, remove_run, run_files, runs_of
from rag.evaluation.runs import run_name
from rag.evaluation.testset import datasets_in


def draw_run_removal(name: str) -> None:
    """Draw the button that removes a run; one that was written elsewhere is only taken off the list."""
    folder = resources.runs_folder()
    lines = run_files(folder).get(name)
    if lines is None:
        return
    if not is_in(folder, lines):
        done = f"{run_name(lines)} is off the list; its files are where they were."
        st.button("Take it off the list", key="forget-run", icon=":material/playlist_remove:",
                  on_click=components.tell, args=(done, forget_run, folder, lines),
                  help=f"The run is in {md(str(lines))}; its files stay there.")  # fmt: skip
    elif st.button("Remove this run", key="remove-run", icon=":material/delete:"):
        confirm_run_removal(name, lines)


@st.dialog("Remove this run?", icon=":material/delete:")
def confirm_run_removal(name: str, lines: Path) -> None:
    """Ask before a run is removed."""
    st.markdown(
        f"The run **{md(name)}**, its figures and its answers are removed for good: nothing can be compared with it or "
        "tried on it any more. **Export** keeps a copy. Gates and promotions that were chosen on it stay."
    )
    for path in files_of_run(lines):
        st.caption(f"{md(path.name)} · {size(path.lstat().st_size)}")

    def remove() -> None:
        _require_idle(lines, f"The run {run_name(lines)!r} is being written")
        remove_run(resources.runs_folder(), lines)

    components.draw_confirmation("Remove it", "Keep it", "remove-run", components.tell,
                                 f"Removed the run {run_name(lines)}.", remove)  # fmt: skip


def _require_idle(path: Path, what: str) -> None:
    if resources.get_jobs().holding(path):
        raise ConfigurationError(f"{what} now. Wait until that has ended, or cancel it, and remove it then.")


def draw_dataset_removal(candor: Candor) -> None:
    """Draw the choice of an uploaded data set and the button that removes it; what comes with Candor is no choice."""
    folders = {path.name: path for path in datasets_in(candor.settings.data_dir)}
    with st.expander("Remove a data set", icon=":material/delete:"):
        if not folders:
            st.caption(
                "No data set was uploaded. Data sets that come with Candor or are in other folders cannot be "
                "removed here."
            )
            return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.selectbox("Uploaded data set", [*folders], key="dataset_removed", width=320)
            if st.button("Remove this data set", key="remove-dataset", icon=":material/delete:") and name in folders:
                with components.guarded():
                    confirm_dataset_removal(candor, load_dataset(folders[name]))
        st.caption("Data sets that come with Candor or are in other folders cannot be removed here.")


@st.dialog("Remove this data set?", icon=":material/delete:")
def confirm_dataset_removal(candor: Candor, dataset: DataSet) -> None:
    """Ask before a data set is removed; its runs stay unless that is asked for, too."""
    with_documents = f" and {several(len(dataset.documents), 'document')}" if dataset.documents else ""
    st.markdown(
        f"**{md(dataset.name)}** with {several(len(dataset.questions), 'question')}{with_documents} is removed for "
        f"good{', with the index that its runs used' if dataset.documents else ''}. To use it again, upload it again. "
        "The documents on the page Documents are not affected."
    )
    runs = runs_of(dataset, resources.runs_folder())
    if runs:
        names = ", ".join(md(run_name(path)) for path in runs)
        st.checkbox(f"Remove its {several(len(runs), 'run')}, too: {names}", key=f"remove-runs-of-{dataset.name}")
        st.caption("If not ticked, they stay under **Runs** with their figures and answers.")
    components.draw_confirmation("Remove it", "Keep it", "remove-dataset", _remove_dataset, candor, dataset, runs)


def _remove_dataset(candor: Candor, dataset: DataSet, runs: Sequence[Path]) -> None:
    runs = runs if state.get(f"remove-runs-of-{dataset.name}") else ()
    also = f" and {several(len(runs), 'run')} of it" if runs else ""
    with components.telling(f"Removed the data set {dataset.name}{also}."):
        if dataset.folder not in datasets_in(candor.settings.data_dir):
            raise ConfigurationError(f"{dataset.name!r} was not uploaded, or is gone: there is nothing to remove.")
        _require_idle(dataset.folder, f"A job needs the data set {dataset.name!r}")
        for lines in runs:
            _require_idle(lines, f"The run {run_name(lines)!r} is being written")
        index = _own_index(candor, dataset)
        for lines in runs:
            remove_run(resources.runs_folder(), lines)
        remove_folder(dataset.folder)
        if index is not None:
            remove_folder(index)


def _own_index(candor: Candor, dataset: DataSet) -> Path | None:
    """Return the index that was made of a data set's documents by this version; None where there is none."""
    from rag.ingest.version import ingestion_version
    from rag.serving import check_index

    if not dataset.documents:
        return None
    embedding, settings = candor.wiring.embedder.fingerprint, candor.settings
    home = index_folder(dataset, data_dir=settings.data_dir, embedding=embedding, ingestion=ingestion_version(),
                        language=settings.language)  # fmt: skip
    if not home.is_dir():
        return None
    try:
        check_index(settings.model_copy(update={"data_dir": home, "qdrant_url": None}))
    except IndexNotReady as error:
        raise ConfigurationError(
            f"Another process asks the questions of {dataset.name!r} now: its index is in use. Remove it when that has "
            "ended."
        ) from error
    return home
