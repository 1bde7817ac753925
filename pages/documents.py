"""Documents: add them, read them, put them into collections, and say what people here call things."""

import streamlit as st

from dashboard import components, documents, library, resources
from dashboard.state import URL

components.header("Documents", "What Candor answers from.")
with components.guarded():
    candor = resources.get_candor()
    components.draw_told()
    st.caption(documents.what_leaves(candor.wiring.sends_to))
    listed, collected, words = st.tabs(
        ["Documents", "Collections", "House words"], key="tab", on_change="rerun", bind=URL
    )
    with listed:
        if listed.open:
            documents.draw_jobs()
            documents.draw(candor, candor.documents())
    with collected:
        if collected.open:
            library.draw_collections(candor)
    with words:
        if words.open:
            library.draw_words(candor)
