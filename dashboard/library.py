"""Collections of documents and house words: edited on Documents, chosen on Ask."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import components, state
from dashboard.columns import COLLECTIONS, HOUSE_WORDS
from dashboard.state import URL
from dashboard.words import md
from rag.candor import Candor
from rag.errors import CandorError
from rag.ingest.loaders.cleaning import decode
from rag.workspace.house_words import as_csv, checked, of_csv
from rag.workspace.values import Collection

_SAVED = "library_saved"  # counts what was saved, so that editors begin anew after it
_UNDONE = "library_undone"  # what was saved last: as it was before, and as it is since


def collections(candor: Candor) -> Sequence[Collection]:
    """Return the collections, by name; none where nothing was ever kept, or the database does not answer."""
    with suppress(CandorError):
        return candor.wiring.sessions.collections.list() if candor.wiring.has_sessions else ()
    return ()


def pick(kept: Sequence[Collection], key: str) -> Collection | None:
    """Draw the choice of a collection, whose name stands under a key in the URL; return it. None: all documents."""
    names = [one.name for one in kept]
    if (asked := state.url(key)) not in (None, *names):
        st.warning("All documents are searched now. Choose another.", title=f"There is no collection {md(str(asked))}")
    name = st.selectbox("Collection", names, index=None, placeholder="All documents", key=key, bind=URL)
    return next((one for one in kept if one.name == name), None)


def draw_collections_of(candor: Candor, document: str) -> None:
    """Draw in which collections a document is; a new name makes one."""
    kept = collections(candor)
    own = [one.name for one in kept if document in one.documents]
    key = f"collections-of-{document}"
    st.multiselect(
        "Collections", [one.name for one in kept], own, key=key, accept_new_options=True,
        placeholder="Choose one, or type the name of a new one", on_change=_put_into, args=(candor, document, key, own),
        disabled=not state.get(state.MAY_CHANGE),
        help="Choose a collection on **Ask** to search only its documents. A document may be in several.",
    )  # fmt: skip


def _put_into(candor: Candor, document: str, key: str, before: Sequence[str]) -> None:
    chosen, stored = {" ".join(name.split()) for name in state.get(key, [])}, candor.wiring.sessions.collections
    with components.telling():
        for name in chosen - {"", *before}:
            stored.add(name[:200], [document], by=state.get(state.PERSON) or "")
        for name in {*before} - chosen:
            stored.take_out(name, [document], by=state.get(state.PERSON) or "")
        _tell_saved()


def _tell_saved() -> None:
    st.session_state.update({_SAVED: state.get(_SAVED, 0) + 1, state.TOLD: "Saved."})


def draw_collections(candor: Candor) -> None:
    """Draw the collections to be edited."""
    st.caption("Named sets of documents. Choose one on **Ask** to search only its documents. Use the empty last row "
               "to add one.")  # fmt: skip
    kept = candor.wiring.sessions.collections.list()
    documents = sorted({record.document for record in candor.documents()}.union(*(one.documents for one in kept)))
    rows = [(one.name, list(one.documents), one.by, one.changed_at) for one in kept]
    chosen = st.column_config.MultiselectColumn("Documents", options=documents, width="large", color="primary")
    edited = _draw_editor("Collections", rows, {**COLLECTIONS, "documents": chosen})
    wanted = {" ".join(str(row.name or "").split())[:200]: tuple(row.documents or ()) for row in edited}
    wanted.pop("", None)
    _draw_save("Collections", {one.name: one.documents for one in kept}, wanted, candor.wiring.sessions.collections.put,
               candor.wiring.sessions.collections.remove)  # fmt: skip


def draw_words(candor: Candor) -> None:
    """Draw the house words to be edited, and the ways from and to a file."""
    stored = candor.wiring.sessions.house_words
    kept = stored.list()
    st.caption(
        "Abbreviations and names that people use and the documents do not. Candor searches for a question as asked "
        "and with the other name, uses the wording that finds more, and the answer says so."
    )
    edited = _draw_editor("House words", [(one.word, one.means, one.by, one.created_at) for one in kept], HOUSE_WORDS)
    wanted = {(str(row.word or ""), str(row.means or "")): () for row in edited if row.word or row.means}
    _draw_save("House words", {(one.word, one.means): () for one in kept}, wanted,
               lambda word, _, by: stored.add([checked(*word, by=by)]), lambda word: stored.remove(*word))  # fmt: skip
    components.download("Export CSV", as_csv(kept), "house-words.csv", mime="text/csv", disabled=not kept)
    file = st.file_uploader("Import CSV", "csv", key=f"words-file-{state.get(_SAVED, 0)}",
                            help="One per line: word,meaning. Existing words are kept.")  # fmt: skip
    if file is not None:
        with components.guarded():
            stored.add(of_csv(decode(file.getvalue()), by=state.get(state.PERSON) or ""))
            _tell_saved()
            st.rerun()


def _draw_editor(called: str, rows: Sequence[tuple[Any, ...]], columns: Mapping[str, Any]) -> Sequence[Any]:
    frame = pd.DataFrame(rows, columns=[*columns]).astype(object)
    edited = st.data_editor(
        frame, key=f"{called}-{state.get(_SAVED, 0)}", num_rows="dynamic", hide_index=True, placeholder="",
        column_config=columns, disabled=["by", "changed_at", "created_at"], alt=called,
    )  # fmt: skip
    return [*edited.astype(object).where(edited.notna(), None).itertuples()]


def _draw_save(
    called: str, before: Mapping[Any, Any], wanted: Mapping[Any, Any], put: Callable[..., Any],
    remove: Callable[[Any], Any],
) -> None:  # fmt: skip
    """Draw the button that keeps what is new or changed, and removes what is gone; both mappings are by name.

    What was saved last can be undone as long as nobody has changed it since.
    """

    def save(wanted: Mapping[Any, Any]) -> None:
        with components.telling():
            for name in wanted:
                if before.get(name) != wanted[name]:
                    put(name, wanted[name], by=state.get(state.PERSON) or "")
            for name in before.keys() - wanted.keys():
                remove(name)
            state.put(f"{_UNDONE}-{called}", (before, wanted))
            _tell_saved()

    earlier, saved = state.get(f"{_UNDONE}-{called}", ({}, None))
    with st.container(horizontal=True):
        st.button("Save", type="primary", icon=":material/save:", disabled=wanted == before, on_click=save,
                  args=(wanted,))  # fmt: skip
        if saved == before == wanted:
            st.button("Undo", icon=":material/undo:", on_click=save, args=(earlier,), help="As it was before saving.")
