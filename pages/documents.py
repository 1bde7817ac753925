"""Documents: read them, add them, put them into collections, and say what people here call things."""

import streamlit as st

from dashboard import components, documents, library, resources, state

components.header("Documents", "What Candor answers from.")
with components.guarded():
    candor = resources.get_candor()
    components.draw_told()
    st.caption(documents.what_leaves(candor.wiring.sends_to))
    collections = {"Collections": library.draw_collections} if state.get(state.MAY_CHANGE) else {}
    views = {"Documents": documents.draw, **collections, "House words": library.draw_words}
    for tab, draw in zip(st.tabs([*views], key="tab", on_change="rerun", bind=state.URL), views.values(), strict=True):
        with tab:
            if tab.open:
                draw(candor)
