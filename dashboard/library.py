"""Collections of documents and house words: edited on Documents, chosen on Ask."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard import components, state
from dashboard.columns import COLLECTIONS, HOUSE_WORDS
from dashboard.state import URL
from dashboard.words import several
from rag.errors import CandorError
from rag.housewords import as_csv, checked, of_csv
from rag.ingest.loaders.cleaning import decode
from rag.models import HouseWord
from rag.stored import Collection

if TYPE_CHECKING:
    from rag.candor import Candor

COLLECTION = "collection"
"""URL, and key: the collection that is asked, or listed."""
_EDITED = "words_edited"
"""Counts changes of the house words, so that the editor begins anew after each."""


def collections(candor: "Candor") -> Sequence[Collection]:
    """Return the collections, by name; none where nothing was ever kept."""
    return candor.wiring.sessions.collections.list() if candor.wiring.has_sessions else ()


def pick(kept: Sequence[Collection]) -> Collection | None:
    """Draw the choice of a collection, bound to the URL, and return it; None: all documents."""
    names = [one.name for one in kept]
    if state.url(COLLECTION) not in (None, *names):
        st.warning("Everything is searched now. Choose another collection.",
                   title=f"There is no collection {state.url(COLLECTION)!r}")  # fmt: skip
    name = st.selectbox("Collection", names, index=None, placeholder="All documents", key=COLLECTION, bind=URL)
    return next((one for one in kept if one.name == name), None)


def draw_collections_of(candor: "Candor", document: str) -> None:
    """Draw in which collections a document is; a new name makes one."""
    kept = collections(candor)
    own = [one.name for one in kept if document in one.documents]
    key = f"collections-of-{document}"
    st.multiselect(
        "Collections", [one.name for one in kept], own, key=key, accept_new_options=True,
        placeholder="Choose one, or type the name of a new one", on_change=_put_into, args=(candor, document, key, own),
        help="Ask questions of a collection alone: choose it on **Ask**. A document may be in several.",
    )  # fmt: skip


def _put_into(candor: "Candor", document: str, key: str, before: Sequence[str]) -> None:
    chosen, stored = [" ".join(name.split()) for name in state.get(key, [])], candor.wiring.sessions.collections
    with _telling():
        for name in chosen:
            if name and name not in before:
                stored.add(name[:200], [document], by=_who())
        for name in before:
            if name not in chosen:
                stored.take_out(name, [document], by=_who())


@contextmanager
def _telling(done: str = "") -> Iterator[None]:
    """Keep what came of a click until the page is drawn again."""
    try:
        yield
    except CandorError as error:
        state.put(state.TOLD, error)
    else:
        state.put(state.TOLD, done or state.get(state.TOLD))


def _who() -> str:
    return state.get(state.PERSON) or ""


# --- the tab Collections -----------------------------------------------------------------------------------------


def draw_collections(candor: "Candor") -> None:
    """Draw the collections, and the documents of one of them to change."""
    kept = collections(candor)
    if kept:
        rows = [(one.name, len(one.documents), ", ".join(one.documents), one.by, one.changed_at) for one in kept]
        components.table(pd.DataFrame(rows, columns=[*COLLECTIONS]), columns=COLLECTIONS, alt="Collections",
                         key="collections-table")  # fmt: skip
    name = st.selectbox(
        "Change a collection", [one.name for one in kept], index=None, accept_new_options=True, key="changed",
        placeholder="Choose one, or type the name of a new one",
    )  # fmt: skip
    if not name:
        return
    found = next((one for one in kept if one.name == name), Collection(name=name[:200]))
    indexed = [record.document for record in candor.documents()]
    key = f"documents-of-{name}"
    st.multiselect("Its documents", sorted({*indexed, *found.documents}), found.documents, key=key,
                   on_change=_put, args=(candor, found.name, key))  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        if found.documents:
            components.page_link("pages/ask.py", "Ask this collection", icon=":material/forum:",
                                 params={COLLECTION: found.name})  # fmt: skip
            st.button("Remove the collection", icon=":material/delete:", on_click=_remove, args=(candor, found),
                      help="Its documents stay.")  # fmt: skip


def _put(candor: "Candor", name: str, key: str) -> None:
    with _telling():
        candor.wiring.sessions.collections.put(name, state.get(key, []), by=_who())


def _remove(candor: "Candor", kept: Collection) -> None:
    with _telling(f"Removed the collection {kept.name}; its documents are where they were."):
        candor.wiring.sessions.collections.remove(kept.name)
        state.put("changed", None)


# --- the tab House words -----------------------------------------------------------------------------------------


def draw_words(candor: "Candor") -> None:
    """Draw the house words to be edited, and the ways from and to a file."""
    stored = candor.wiring.sessions.house_words
    kept = stored.list() if candor.wiring.has_sessions else ()
    st.caption(
        "What people here call things, and the documents do not: an abbreviation, another name. A question is looked "
        "for as it is asked and with the other name put in; what finds more is kept, and the answer says so."
    )
    rows = [(one.word, one.means, one.by, one.created_at) for one in kept]
    frame = pd.DataFrame(rows, columns=[*HOUSE_WORDS]).astype({"word": str, "means": str})
    edited = st.data_editor(
        frame, key=f"words-{state.get(_EDITED, 0)}", num_rows="dynamic", hide_index=True, column_config=HOUSE_WORDS,
        disabled=["by", "created_at"], alt="House words", placeholder="",
    )  # fmt: skip
    wanted = {(str(row.word or ""), str(row.means or "")) for row in edited.fillna("").itertuples()} - {("", "")}
    before = {(one.word, one.means) for one in kept}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Save", type="primary", icon=":material/save:", disabled=wanted == before, on_click=_save,
                  args=(candor, before, wanted))  # fmt: skip
        st.download_button("Export CSV", as_csv(kept), "house-words.csv", "text/csv", disabled=not kept,
                           icon=":material/download:", on_click="ignore")  # fmt: skip
        st.caption(several(len(kept), "house word"), width="content")
    file = st.file_uploader("Import CSV", "csv", key=f"words-file-{state.get(_EDITED, 0)}",
                            help="A line for each: word,meaning. What is kept already stays.")  # fmt: skip
    if file is not None:
        with components.guarded():
            _import(candor, of_csv(decode(file.getvalue()), by=_who()))
            st.rerun()


def _save(candor: "Candor", before: set[tuple[str, str]], wanted: set[tuple[str, str]]) -> None:
    """Keep what was edited: what is new is added by whoever looks, what is gone is removed."""
    stored = candor.wiring.sessions.house_words
    with _telling():
        new = [checked(word, means, by=_who()) for word, means in sorted(wanted - before)]
        for word, means in before - wanted:
            stored.remove(word, means)
        _import(candor, new)


def _import(candor: "Candor", words: Sequence[HouseWord]) -> None:
    new = candor.wiring.sessions.house_words.add(words)
    state.put(_EDITED, state.get(_EDITED, 0) + 1)
    state.put(state.TOLD, f"Kept; {several(new, 'house word')} new.")
