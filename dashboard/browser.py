"""What only the browser knows or does: which citation was chosen, which conversations were begun there, where it looks.

Links inside Markdown would open a new tab, Streamlit knows no browser from another, and its pages end at the last line
of a long answer; nothing of Streamlit's puts a text on the clipboard. Four components mend that. Their code stands in
`assets`; what people or documents wrote reaches them as data only.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard import state

_ASSETS = Path(__file__).parent / "assets"


@cache
def _component(name: str) -> Callable[..., Any]:
    """Return the component whose script is `assets/NAME.js`, with its HTML and CSS where there are any."""
    parts = {kind: _ASSETS / f"{name}.{kind}" for kind in ("html", "css", "js")}
    texts: dict[str, Any] = {kind: path.read_text("utf-8") for kind, path in parts.items() if path.is_file()}
    return st.components.v2.component(f"candor_{name}", **texts)


def copy_button(text: str, *, key: str) -> None:
    """Draw the button that puts a text on the clipboard."""
    _component("copy")(key=key, data={"text": text}, width="content", height="content")


def show_beginning(answer: str | None, place: int = -2) -> None:
    """Scroll to the question of an answer or error that has just come, or that a link names; draws nothing, once.

    The input gets the focus where nothing else has it, and where there is a keyboard. `place` is that of the question
    among the messages: the last but one.
    """
    _component("beginning")(key="beginning", data={"answer": answer, "place": place})


def chosen_source() -> tuple[str, int] | None:
    """Return the request and the number of the citation that was just chosen; draws nothing, once on a page.

    Called before an answer is written, it also takes what is chosen meanwhile: it is told when the answer stands.
    """
    chosen = _component("sources")(key="chosen-source", on_chosen_change=_ignore).chosen
    request_id, _, number = str(chosen or "").rpartition("-")
    return (request_id, int(number)) if request_id and number.isdigit() else None


def is_foreign(session: str, *, begun: bool) -> bool:
    """Return whether this browser says, a moment after the first drawing, that a conversation was begun in another."""
    key = "foreign-conversation"
    said = state.get(key, {}).get("foreign")
    data = {"session": session, "begun": begun, "told": said}
    found = _component("conversations")(key=key, data=data, default={"foreign": said}, on_foreign_change=_ignore)
    return not begun and found.foreign == session


def _ignore() -> None:
    """Do nothing: Streamlit wants a callback for whatever a component tells."""
