"""The choice of a run: what is shown stands in the URL, and what a link asks for and is not here is said."""

from collections.abc import Collection, Sequence
from typing import Literal

import streamlit as st

from dashboard import state
from dashboard.state import URL
from dashboard.words import md


def choose_run(
    label: str, names: Sequence[str], *, key: str, default: str, width: int | Literal["stretch"] = "stretch"
) -> str:
    """Draw the choice of a run and return its name; say so where the URL names one that is not here.

    Streamlit takes a widget's own default out of the URL, and what is the default today is another run tomorrow. The
    widget therefore has none: the run of the beginning is put into its state, and so into the URL.

    Args:
        label: What the widget is called.
        names: The runs that are here; at least one.
        key: Of the widget, and of the parameter in the URL.
        default: Shown where neither the URL nor an earlier choice names one.
        width: In pixels, or as wide as the page.
    """
    note_missing(key, names, shown=default)
    kept = state.get(key)
    if key not in st.session_state and state.url(key) is None:  # once the widget is drawn, the URL is its own
        state.put_url(key, default)
    state.put(key, kept if kept in names else default)
    chosen = st.selectbox(label, names, index=None, key=key, bind=URL, width=width)
    return str(chosen) if chosen in names else default


def note_missing(key: str, names: Collection[str], *, shown: str) -> None:
    """Remember what the URL asks for where it is not here; before the widget is drawn, which takes it out of the URL.

    Args:
        key: The parameter.
        names: What is here.
        shown: What is shown instead.
    """
    asked = state.url(key)
    if asked is not None and asked not in names and state.get(key) is None:
        state.put(state.MISSING, {**state.get(state.MISSING, {}), key: (asked, shown)})


def draw_missing(key: str, *, called: str | None = None) -> None:
    """Draw that what a link named is not here, until another choice is made or the page is left.

    Args:
        key: The parameter, and the widget.
        called: How to speak of what is shown instead; None: by its name.
    """
    asked, shown = state.get(state.MISSING, {}).get(key, (None, None))
    if asked is not None and state.get(key) == shown:
        st.warning(
            f"Shown instead: {called or f'**{md(shown)}**'}. Runs lie in the data folder under `runs`; choose one of "
            "those listed, or ask whoever sent the link for the run's files.",
            title=f"The run {md(asked)} is not here",
            icon=":material/search_off:",
        )
