"""Test sets on Evaluate: typed or imported, checked, kept, exported, run; and the removal of test sets and runs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from dashboard import components, queries, resources, state
from dashboard.words import md, several, size
from rag.candor import Candor
from rag.errors import ConfigurationError, IndexNotReady
from rag.evaluation import testset
from rag.evaluation.datasets import DataSet, load_dataset, misnamed_gold
from rag.evaluation.own_index import index_folder
from rag.evaluation.runlist import files_of_run, forget_run, is_in, remove_folder, remove_run, run_files, runs_of
from rag.evaluation.runs import run_name
from rag.evaluation.testset import datasets_in
from rag.models import Chunk

_NEW = "A new test set"
_CHOICE = "test_set"
_NEXT = "test_set_next"  # session: the test set that is chosen when the page is drawn again: one that was just kept
_ANSWERABLE = {"yes": True, "no": False}
_CALLED: dict[bool | None, str] = {True: "yes", False: "no"}


def draw_test_sets(candor: Candor) -> None:
    """Draw the table in which questions are written, the import of a file, and the removal of a test set."""
    folders = {path.name: path for path in testset.datasets_in(candor.settings.data_dir)}
    names = [_NEW, *folders]
    kept = st.session_state.pop(_NEXT, None) or state.get(_CHOICE)
    state.put(_CHOICE, kept if kept in names else _NEW)
    chosen = str(st.selectbox("Test set", names, key=_CHOICE, width=420))
    dataset = load_dataset(folders[chosen]) if chosen in folders else None
    if dataset is not None and (wrong := misnamed_gold(dataset, dataset.questions)):
        st.warning(md(wrong), icon=":material/label_off:")
    _draw_table(candor, dataset)
    if dataset is not None:
        with st.container(horizontal=True):
            st.button("Run it", icon=":material/play_arrow:", key="run_test_set", on_click=st.session_state.update,
                      args=({"dataset": str(dataset.folder), "view": "New run"},))  # fmt: skip
            asked = dataset.questions
            components.exports(dataset.name, partial(testset.as_csv, asked), partial(testset.as_lines, asked))
        st.caption(f"On the command line: `candor evaluate {dataset.folder}`")
    _draw_import(candor)
    draw_dataset_removal(candor)


def _draw_table(candor: Candor, dataset: DataSet | None) -> None:
    name = dataset.name if dataset else ""
    version = dataset.fingerprint[:8] if dataset else ""  # what was typed belongs to the lines that it was typed into
    documents = _documents(candor, dataset)
    st.caption(
        "One question per line. Copy the sentence that answers from the document, word for word; Candor finds its "
        "place. Add about as many questions that the documents do not answer."
    )
    rows = [{**testset.entry_of(one, 0).model_dump(), "answerable": _CALLED.get(one.answerable)}
            for one in (dataset.questions if dataset else ())]  # fmt: skip
    edited = st.data_editor(
        pd.DataFrame(rows, columns=[*testset.Entry.model_fields]), num_rows="dynamic", hide_index=True,
        key=f"test-set-{name}-{version}", alt="Questions of the test set",
        column_order=["question", "answerable", "sentence", "document"],
        column_config={
            "question": st.column_config.TextColumn("Question", required=True, max_chars=1000, width=300),
            "answerable": st.column_config.SelectboxColumn("Do the documents answer it?", options=[*_ANSWERABLE]),
            "sentence": st.column_config.TextColumn("Sentence that answers", width=340),
            "document": st.column_config.SelectboxColumn("Document", options=documents, help="Empty: Candor finds it."),
        },
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        called = name or st.text_input("Name of the test set", key="test_set_name", max_chars=60, width=320)
        if st.button("Keep this test set", key="keep_test_set", icon=":material/save:", type="primary"):
            with components.guarded():
                entries = _entries(edited)
                chunks = _chunks(candor, entries) if dataset is None or not dataset.documents else None
                found = testset.checked(entries, called="the table", documents=documents, chunks=chunks)
                if dataset is not None:
                    _tell(testset.change_dataset(dataset.folder, found))
                _tell(testset.keep_dataset(candor.settings.data_dir, str(called or ""), testset.as_lines(found)))


def _tell(kept: DataSet) -> None:
    told = f"Kept {kept.name} with {several(len(kept.questions), 'question')}."
    st.session_state.update({_NEXT: kept.name, state.TOLD: told})
    st.rerun()


def _documents(candor: Candor, dataset: DataSet | None) -> list[str]:
    if dataset is not None and dataset.documents:
        return [path.name for path in dataset.documents]
    return sorted(record.document for record in candor.documents())


def _chunks(candor: Candor, entries: list[testset.Entry]) -> list[Chunk]:
    """Return the chunks in which sentences can stand: those of the documents that are named, else all."""
    names = {one.document for one in entries if one.sentence}
    wanted = sorted(names) if "" not in names else _documents(candor, None)
    return [chunk for document in wanted for chunk in queries.chunks(candor, document)]


def _entries(edited: pd.DataFrame) -> list[testset.Entry]:
    found = []
    for line, row in enumerate(edited.astype(object).where(edited.notna(), None).to_dict("records"), start=1):
        given = {str(name): value for name, value in row.items() if value not in (None, "")}
        if given.keys() & {"question", "sentence"}:
            given |= {"line": line, "answerable": _ANSWERABLE.get(str(row["answerable"]))}
            found.append(testset.Entry.model_validate(given))
    return found


def _draw_import(candor: Candor) -> None:
    place = st.expander("Import a test set", icon=":material/upload_file:")
    with place, st.form("dataset-upload", clear_on_submit=True):
        st.caption("CSV with a header row (question, answerable, sentence, document) or JSONL. A test set with "
                   "documents gets an index of its own; without, it uses the current index.")  # fmt: skip
        name = st.text_input("Name", key="dataset_name", max_chars=60)
        file = st.file_uploader("Questions", ["csv", "jsonl"], key="dataset_questions")
        documents = st.file_uploader("Documents (optional)", accept_multiple_files=True, key="dataset_documents")
        if not st.form_submit_button("Import it", icon=":material/save:"):
            return
        with components.guarded():
            if file is None:
                raise ConfigurationError("The file of questions is missing: CSV, or one JSON object a line.")
            given = [(one.name, one.getvalue()) for one in documents]
            _import(candor, name or "", file.name, file.getvalue(), given)


def _import(candor: Candor, name: str, called: str, data: bytes, documents: list[tuple[str, bytes]]) -> None:
    """Keep the questions of a file: JSONL as it is, with all its fields; CSV checked against the documents."""
    entries = testset.read_entries(data, called=called)
    if called.lower().endswith(".csv"):
        names = [one for one, _ in documents] or _documents(candor, None)
        chunks = None if documents else _chunks(candor, entries)
        questions = testset.as_lines(testset.checked(entries, called=called, documents=names, chunks=chunks))
    else:
        questions = data.decode("utf-8-sig")
    if not entries:
        raise ConfigurationError(f"{called!r} holds no question. Write one JSON object a line, each a question.")
    _tell(testset.keep_dataset(candor.settings.data_dir, name, questions, documents))


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
        if folders:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                name = st.selectbox("Uploaded data set", [*folders], key="dataset_removed", width=320)
                if st.button("Remove this data set", key="remove-dataset", icon=":material/delete:"):
                    with components.guarded():
                        confirm_dataset_removal(candor, load_dataset(folders[name]))
        none = "" if folders else "No data set was uploaded. "
        st.caption(f"{none}Data sets that come with Candor or are in other folders cannot be removed here.")


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
        told = f"Another process asks the questions of {dataset.name!r} now: its index is in use. Remove it afterwards."
        raise ConfigurationError(told) from error
    return home
