"""The dashboard's router: the frame that every page shares. Run it with `streamlit run app.py`, or by `server.py`."""

from pathlib import Path
from typing import Literal

import streamlit as st

ASSETS = Path(__file__).parent / "dashboard" / "assets"

st.set_page_config(
    page_title="Candor",
    page_icon=str(ASSETS / "icon.svg"),
    layout="wide",
    menu_items={"About": "Candor answers questions over your own documents, and says so when it cannot."},
)
st.html(ASSETS / "both.css")
if st.context.theme.type == "dark":
    st.html(ASSETS / "dark.css")
hidden = st.session_state.get("hidden_pages", frozenset())  # `dashboard.state.HIDDEN`, kept by `login.require`


def entry(path: str, title: str, icon: str, tip: str, *, default: bool = False) -> st.Page:
    """Return a page of the menu, or one that only its address leads to where this person may not see it."""
    shown: Literal["visible", "hidden"] = "hidden" if title in hidden else "visible"
    return st.Page(path, title=title, icon=f":material/{icon}:", default=default, help=tip, visibility=shown)


# Called before anything heavy is imported: until then the first session shows the automatic menu.
page = st.navigation(
    {
        "Use": [
            entry("pages/ask.py", "Ask", "forum", "Ask your documents.", default=True),
            entry("pages/documents.py", "Documents", "description", "What is indexed."),
        ],
        "Understand": [
            entry("pages/inspector.py", "Inspect", "search_insights", "One past request."),
            entry("pages/monitor.py", "Monitor", "monitoring", "Traffic and latency."),
        ],
        "Improve": [
            entry("pages/tune.py", "Tune", "tune", "Thresholds and their effect."),
            entry("pages/evaluate.py", "Evaluate", "fact_check", "Runs and labels."),
        ],
    }
)
st.logo(str(ASSETS / "logo.svg"), icon_image=str(ASSETS / "icon.svg"), size="large")
from dashboard import login  # noqa: E402

login.require(page)
page.run()
