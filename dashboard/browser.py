"""What only the browser knows or does: which citation was chosen, which conversations were begun there, where it looks.

Links inside Markdown would open a new tab, Streamlit knows no browser from another, and its pages end at the last line
of a long answer; nothing of Streamlit's puts a text on the clipboard. Four components mend that, three without any
appearance; their code is ours alone, and what people or documents wrote reaches them as data only.
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
  if ((data.answer || "") === shown) return;
  shown = data.answer || "";
  const focus = () => {  // until it is so: on a busy machine the input is drawn later, or disabled at first
    const field = document.querySelector('[data-testid="stChatInputTextArea"]');
    const isFree = document.activeElement === document.body && matchMedia("(pointer: fine)").matches;
    if (isFree) field?.focus({ preventScroll: true });
    if (!isFree || document.activeElement === field) clearInterval(focusing);
  };
  const focusing = setInterval(focus, 100);
  const show = () => {
    const question = shown && [...document.querySelectorAll('[data-testid="stChatMessage"]')].at(data.place);
    if (!question) return;
    question.style.scrollMarginTop = "4rem";
    question.scrollIntoView({ block: "start" });
  };
  const later = [60, 300, 700, 1500].map((wait) => setTimeout(show, wait));
  const stop = () => { later.forEach(clearTimeout); clearInterval(focusing); };
  setTimeout(() => clearInterval(focusing), 15_000);
  for (const move of ["wheel", "keydown", "pointerdown", "touchstart"]) {
    document.addEventListener(move, stop, { once: true, passive: true, capture: true });
  }
}
"""
_COPY_HTML = """
<button type="button">
  <svg aria-hidden="true" viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor">
    <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />
  </svg>
  <span>Copy</span>
</button>
"""
_COPY_CSS = """
button {
  display: flex; align-items: center; gap: 0.5rem; min-height: 2.5rem; padding: 0.25rem 0.5rem; border: 0;
  font: inherit; font-size: 0.875rem; color: var(--st-text-color); background: none; cursor: pointer;
}
button:hover, button:focus-visible { color: var(--st-primary-color); }
"""
_COPY = """
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  const copied = () => { button.querySelector("span").textContent = "Copied"; };
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(data.text); copied(); } catch {  // a page that is not served securely
      const field = document.body.appendChild(document.createElement("textarea"));
      field.value = data.text; field.select();
      if (document.execCommand("copy")) copied();
      field.remove();
    }
  };
}
"""


@cache
def _component(name: str, js: str, html: str | None = None, css: str | None = None) -> Callable[..., Any]:
    return st.components.v2.component(f"candor_{name}", html=html, css=css, js=js)


def copy_button(text: str, *, key: str) -> None:
    """Draw the button that puts a text on the clipboard."""
    _component("copy", _COPY, _COPY_HTML, _COPY_CSS)(key=key, data={"text": text}, width="content", height="content")


def show_beginning(answer: str | None, place: int = -2) -> None:
    """Scroll to the question of an answer or error that has just come, or that a link names; draws nothing, once.

    Nothing is scrolled again for the same answer. The input gets the focus where nothing else has it, and where there
    is a keyboard. `place` is that of the question among the messages: the last but one.
    """
    _component("beginning", _BEGINNING)(key="beginning", data={"answer": answer, "place": place})


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
    chosen = _component("sources", _SOURCES)(key="chosen-source", on_chosen_change=_ignore).chosen
    request_id, _, number = str(chosen or "").rpartition("-")
    return (request_id, int(number)) if request_id and number.isdigit() else None


def is_foreign(session: str, *, begun: bool) -> bool:
    """Return whether this browser says that a conversation was begun in another; draws nothing, once on a page.

    It says so a moment after the page is drawn for the first time, and has it drawn again. What was begun, or taken
    over, here is kept by the browser from now on.
    """
    key = "foreign-conversation"
    said = state.get(key, {}).get("foreign")
    data = {"session": session, "begun": begun, "told": said}
    found = _component("conversations", _CONVERSATIONS)(key=key, data=data, default={"foreign": said},
                                                        on_foreign_change=_ignore)  # fmt: skip
    return not begun and found.foreign == session


def _ignore() -> None:
    """Do nothing: Streamlit wants a callback for whatever a component tells."""
