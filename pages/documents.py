"""Documents: add them, see what is indexed, read the chunks, remove them."""

import streamlit as st

from dashboard import components, documents, resources

components.header("Documents", "What Candor answers from. Nothing that you add leaves this machine.")
with components.guarded():
    candor = resources.get_candor()
    components.draw_told()
    documents.draw_upload(candor)
    documents.draw_jobs()
    records = candor.documents()
    if records:
        documents.draw_list(records)
        documents.draw_one(candor, records)
    else:
        components.empty_state("Nothing is indexed yet", "Drop files on the field above, then choose **Add**.")
        st.caption(
            "PDF, Word, HTML, Markdown, text, EPUB and mail, and ZIP archives of them; scanned pages cannot be read."
        )
