"""What only the browser knows or does: which citation was chosen, which conversations were begun there, where it looks.

Links inside Markdown would open a new tab, Streamlit knows no browser from another, and its pages end at the last line
of a long answer. Three components without any appearance mend that; their code is ours alone, and what people or
documents wrote reaches them as data only.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st

from dashboard import state

_SOURCES = """
const RUNNING = '[data-test-script-state="running"], [data-test-script-state$="Requested"]';
let waiting = 0;
export default function ({ setTriggerValue }) {
  const tell = (chosen) => {  // not while something runs: it would end an answer that is being written
    clearTimeout(waiting);
    const runs = document.querySelector(RUNNING);
    document.documentElement.style.cursor = runs ? "progress" : "";
    if (runs) waiting = setTimeout(tell, 150, chosen);
    else setTriggerValue("chosen", chosen);
  };
  const open = (event) => {
    const link = event.target.closest ? event.target.closest('a[href^="#source-"]') : null;
    if (!link) return;
    event.preventDefault();
    event.stopPropagation();
    tell(link.getAttribute("href").slice("#source-".length));
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
_BEGINNING = """
let shown = null;
export default function ({ data }) {
  if (!data.answer || data.answer === shown) return;
  shown = data.answer;
  const show = () => {
    const question = [...document.querySelectorAll('[data-testid="stChatMessage"]')].at(-2);
    if (!question) return;
    question.style.scrollMarginTop = "4rem";
    question.scrollIntoView({ block: "start" });
  };
  const later = [60, 300, 700, 1500].map((wait) => setTimeout(show, wait));
  const stop = () => later.forEach(clearTimeout);
  for (const move of ["wheel", "keydown", "pointerdown", "touchstart"]) {
    document.addEventListener(move, stop, { once: true, passive: true, capture: true });
  }
}
"""


@cache
def _sources() -> Callable[..., Any]:
    return st.components.v2.component("candor_sources", js=_SOURCES)


@cache
def _conversations() -> Callable[..., Any]:
    return st.components.v2.component("candor_conversations", js=_CONVERSATIONS)


@cache
def _beginning() -> Callable[..., Any]:
    return st.components.v2.component("candor_beginning", js=_BEGINNING)


def show_beginning(answer: str | None) -> None:
    """Scroll to the question of an answer or error that has just come, the last of the page; draws nothing, once.

    Args:
        answer: What tells it from others: nothing is scrolled again for the same; None: none has come.
    """
    _beginning()(key="beginning", data={"answer": answer})


def source_anchor(request_id: str, number: int) -> str:
    """Return where the link of a citation leads; the browser never goes there.

    >>> source_anchor("req_20260121_123456789abc", 2)
    '#source-req_20260121_123456789abc-2'
    """
    return f"#source-{request_id}-{number}"


def chosen_source() -> tuple[str, int] | None:
    """Return the request and the number of the citation that was just chosen; draws nothing, once on a page.

    Called before an answer is written, it also takes what is chosen meanwhile: it is told when the answer stands.
    """
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
