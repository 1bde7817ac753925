"""The dashboard's router: the frame that every page shares. Run it with `streamlit run app.py`, or by `server.py`."""

from pathlib import Path

import streamlit as st

from dashboard.state import PAGES

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
pages = [st.Page(one.path, title=one.title, icon=one.icon, default=one is PAGES[0]) for one in PAGES]
page = st.navigation(pages, position="hidden")
st.logo(str(ASSETS / "logo.svg"), icon_image=str(ASSETS / "icon.svg"), size="large")
from dashboard import login  # noqa: E402

login.require(page)
page.run()
