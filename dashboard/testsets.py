"""Test sets on Evaluate: questions about one's own documents, typed or imported, checked, kept and exported."""

from functools import partial

import pandas as pd
import streamlit as st

from dashboard import components, queries, removing, state
from dashboard.words import md, several
from rag.candor import Candor
from rag.errors import ConfigurationError
from rag.evaluation import testset
from rag.evaluation.datasets import DataSet, load_dataset, misnamed_gold
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
    kept = st.session_state.pop(_NEXT, None)
    if kept in names or state.get(_CHOICE) not in names:
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
            components.exports(
                dataset.name, partial(testset.as_csv, dataset.questions), partial(testset.as_lines, dataset.questions)
            )
        st.caption(f"On the command line: `candor evaluate {dataset.folder}`")
    _draw_import(candor)
    removing.draw_dataset_removal(candor)


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
        if file is None:
            st.error("The file of questions is missing: CSV, or one JSON object a line.", icon=":material/error:")
            return
        with components.guarded():
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
