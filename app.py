"""The dashboard's router: the frame that every page shares. Run it with `streamlit run app.py`, or by `server.py`."""

from pathlib import Path

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
# Called before anything heavy is imported: until then the first session shows the automatic menu. The menu is our own
# (`dashboard.menu`), which calls pages by what people look for; titles and addresses stay.
page = st.navigation(
    [
        st.Page("pages/ask.py", title="Ask", icon=":material/forum:", default=True),
        st.Page("pages/documents.py", title="Documents", icon=":material/description:"),
        st.Page("pages/inspector.py", title="Inspect", icon=":material/search_insights:"),
        st.Page("pages/monitor.py", title="Monitor", icon=":material/monitoring:"),
        st.Page("pages/tune.py", title="Tune", icon=":material/tune:"),
        st.Page("pages/evaluate.py", title="Evaluate", icon=":material/fact_check:"),
    ],
    position="hidden",
)
st.logo(str(ASSETS / "logo.svg"), icon_image=str(ASSETS / "icon.svg"), size="large")
from dashboard import login  # noqa: E402

login.require(page)
page.run()
