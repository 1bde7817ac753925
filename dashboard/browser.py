"""What the page learns from the browser: which citation was chosen, and which conversations were begun there.

Links inside Markdown would open a new tab, and Streamlit knows no browser from another. Two components without any
appearance tell both; their code is ours alone, and what people or documents wrote reaches them as data only.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from dashboard import state

_SOURCES = """
export default function ({ setTriggerValue }) {
  const open = (event) => {
    const link = event.target.closest ? event.target.closest('a[href^="#source-"]') : null;
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    setTriggerValue("chosen", link.getAttribute("href").slice("#source-".length));
  };
  document.addEventListener("click", open, true);
  return () => document.removeEventListener("click", open, true);
}
"""
_CONVERSATIONS = """
const KEY = "candor-conversations";
const MOST = 200;
const begunHere = () => {
  try { return JSON.parse(localStorage.getItem(KEY)) || []; } catch { return []; }
};
export default function ({ data, setStateValue }) {
  let begun = begunHere();
  if (data.begun && !begun.includes(data.session)) {
    begun = [...begun, data.session].slice(-MOST);
    try { localStorage.setItem(KEY, JSON.stringify(begun)); } catch { /* a browser that keeps nothing */ }
  }
  const isForeign = !data.begun && !begun.includes(data.session);
  if (isForeign && data.told !== data.session) setStateValue("foreign", data.session);
}
"""


@cache
def _sources() -> Callable[..., Any]:
    return st.components.v2.component("candor_sources", js=_SOURCES)


@cache
def _conversations() -> Callable[..., Any]:
    return st.components.v2.component("candor_conversations", js=_CONVERSATIONS)


def source_anchor(request_id: str, number: int) -> str:
    """Return where the link of a citation leads; the browser never goes there.

    >>> source_anchor("req_20260121_123456789abc", 2)
    '#source-req_20260121_123456789abc-2'
    """
    return f"#source-{request_id}-{number}"


def chosen_source() -> tuple[str, int] | None:
    """Return the request and the number of the citation that was just chosen; draws nothing, once on a page."""
    chosen = _sources()(key="chosen-source", on_chosen_change=_ignore).chosen
    request_id, _, number = str(chosen or "").rpartition("-")
    return (request_id, int(number)) if request_id and number.isdigit() else None


def is_foreign(session: str, *, begun: bool) -> bool:
    """Return whether this browser says that a conversation was begun in another; draws nothing, once on a page.

    It says so a moment after the page is drawn for the first time, and has it drawn again.

    Args:
        session: The conversation.
        begun: It was begun, or taken over, here: the browser keeps its id from now on.
    """
    key = "foreign-conversation"
    said = state.get(key, {}).get("foreign")
    found = _conversations()(
        key=key, data={"session": session, "begun": begun, "told": said}, default={"foreign": said},
        on_foreign_change=_ignore,
    ).foreign  # fmt: skip
    return not begun and found == session


def _ignore() -> None:
    """Do nothing: Streamlit wants a callback for whatever a component tells."""
