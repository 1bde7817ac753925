"""Drawn pieces that two or more pages use: header, empty state, error box, chart with its table, links.

What only the browser knows or does stands at the end: links inside Markdown would open a new tab, Streamlit knows no
browser from another, its pages end at the last line of a long answer, nothing of it puts a text on the clipboard, and
the viewer of PDFs shows a badge and not what is framed. Five components of `assets` mend that; what people or documents
wrote reaches them as data only.
"""

import runpy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, tzinfo
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from dashboard import links, state
from dashboard.words import md
from rag.errors import CandorError, ErrorCode, FolderUnwritable

if TYPE_CHECKING:  # pages are served before what draws charts and tables is imported
    import pandas as pd
    from plotly import graph_objects as go
    from streamlit.delta_generator import DeltaGenerator

AVATAR = str(Path(__file__).parent / "assets" / "icon.svg")  # what stands beside an answer
_TITLES = {
    ErrorCode.QUERY_TOO_SHORT: "The question is too short",
    ErrorCode.INVALID_INPUT: "This needs a correction",
    ErrorCode.VECTOR_DB_ERROR: "The index cannot be used",
    ErrorCode.LLM_ERROR: "The model server failed",
    ErrorCode.SERVICE_UNAVAILABLE: "A service that Candor needs does not answer",
    ErrorCode.RATE_LIMIT_EXCEEDED: "Too many requests",
}


def header(title: str, caption: str) -> None:
    """Draw the head of a page; `app.py` runs first where Streamlit took `pages/` for an application of its own."""
    from streamlit.runtime.pages_manager import PagesManager

    if PagesManager.uses_pages_directory:
        runpy.run_path(str(Path(__file__).parent.parent / "app.py"), run_name="__main__")
        st.stop()
    if state.get(state.PAGE) != title:
        st.session_state.update({state.PAGE: title, state.MISSING: {}, state.INVALID: {}})
    with st.container(key="page-head"):
        st.title(title, anchor=False)
        st.caption(caption)
    links.draw_unknown()


def error_box(error: CandorError) -> None:
    """Draw an expected error: what happened, and what to do next."""
    known = "The data folder cannot be written" if isinstance(error, FolderUnwritable) else None
    title = known or _TITLES.get(error.error_code, "This did not work")
    st.error(md(error.message), title=title, icon=":material/error:")


def draw_told() -> None:
    """Draw what came of the last click in a dialog, once: what a dialog's callback drew would replace the page."""
    told = state.get(state.TOLD)
    state.put(state.TOLD, None)
    if isinstance(told, CandorError):
        error_box(told)
    elif told:
        st.toast(md(str(told)), icon=":material/done:")


@contextmanager
def telling(done: str = "") -> Iterator[None]:
    """Tell when the page is drawn again what came of a callback: that it is done, or the error that kept it."""
    try:
        yield
        if done:
            state.put(state.TOLD, done)
    except CandorError as error:
        state.put(state.TOLD, error)


def tell(done: str, action: Callable[..., object], *args: object) -> None:
    """Do something as a callback, and tell when the page is drawn again what came of it."""
    with telling(done):
        action(*args)


def draw_confirmation(
    label: str, refusal: str, key: str, then: Callable[..., None], *args: object, icon: str = ":material/delete:"
) -> None:
    """Draw the two buttons of a dialog that asks before something is done; either closes it."""
    with st.container(horizontal=True):
        is_done = st.button(label, type="primary", icon=icon, key=f"{key}-confirmed", on_click=then, args=args)
        if st.button(refusal, key=f"{key}-refused") or is_done:
            st.rerun()


@contextmanager
def guarded() -> Iterator[None]:
    """Draw an expected error instead of what would have been drawn; anything else is a bug and looks like one."""
    from streamlit.runtime.caching.hashing import UserHashError

    try:
        yield
    except CandorError as error:
        error_box(error)
    except UserHashError as error:  # what is asked for could not be told from what is kept: the index does not answer
        if not isinstance(error.__cause__, CandorError):
            raise
        error_box(error.__cause__)


def empty_state(title: str, body: str, *, icon: str = ":material/inbox:") -> None:
    """Draw what is missing and what to do, in Markdown of our own, where there is nothing yet."""
    with st.container(border=True, horizontal_alignment="center", vertical_alignment="center"):
        st.markdown(f"## {icon}", text_alignment="center", anchors=False)
        st.markdown(f"**{title}**", text_alignment="center")
        st.markdown(body, text_alignment="center")


def no_documents() -> None:
    """Draw the empty state of an empty index."""
    may_add = state.get(state.MAY_CHANGE)
    told = "Add PDF, Word, HTML, Markdown or text files on the page **Documents**, or run `candor ingest PATH`."
    empty_state("Nothing is indexed yet", told if may_add else "An administrator has to add documents first.",
                icon=":material/library_add:" if may_add else ":material/inbox:")  # fmt: skip
    if may_add:
        page_link("pages/documents.py", "Add documents", icon=":material/upload_file:")


def page_link(page: str, label: str, *, icon: str | None = None, params: Mapping[str, str] | None = None) -> None:
    """Draw a link to another page; nothing where the person may not see it, the words alone outside the navigation."""
    from streamlit.errors import StreamlitPageNotFoundError

    if any(one.path == page and one.title in state.get(state.HIDDEN, ()) for one in state.PAGES):
        return
    try:
        st.page_link(page, label=label, icon=icon, query_params=dict(params) if params else None)
    except (StreamlitPageNotFoundError, KeyError):
        st.caption(label)


def inspect_link(label: str = "Open in Inspect", **params: str) -> None:
    """Draw a link that opens on Inspect what parameters of its address name: a request, or a question of a run."""
    page_link("pages/inspector.py", label, icon=":material/search_insights:", params=params)


def ask_again(
    question: str, label: str = "Ask again", *, icon: str = ":material/replay:", key: str = "",
    on_click: Callable[[str], None] | None = None,
) -> None:  # fmt: skip
    """Draw the way to a question asked anew: a click on Ask, which `on_click` prepares; elsewhere a link to Ask."""
    if on_click is None:
        page_link("pages/ask.py", label, icon=icon, params={state.QUESTION: question})
    else:
        st.button(label, key=key, icon=icon, on_click=on_click, args=(question,))


def draw_open(labels: Mapping[str, str], key: str, params: Callable[[str], Mapping[str, str]]) -> None:
    """Draw the choice of one of several, each with how it is called, and the link to it on Inspect."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Open", [*labels], format_func=lambda one: labels[one], key=key, width=520)
        inspect_link(**params(chosen))


def download(label: str, data: Any, name: str, *, icon: str = ":material/download:", **more: Any) -> None:
    """Draw the button that saves a file; a function is called for what it holds when somebody clicks."""
    st.download_button(label, data, name, icon=icon, on_click="ignore", **more)


def exports(
    name: str, csv: Callable[[], str], jsonl: Callable[[], str], *, labels: tuple[str, str] = ("CSV", "JSONL")
) -> None:
    """Draw the buttons that save rows as a table and as lines of JSON."""
    download(labels[0], csv, f"{name}.csv", mime="text/csv", icon=":material/table:")
    download(labels[1], jsonl, f"{name}.jsonl", mime="application/jsonl", icon=":material/data_object:")


def chart(
    figure: "go.Figure | dict[str, Any]", data: "pd.DataFrame", *, alt: str, key: str,
    columns: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """Draw a chart and, behind it, the table of what it shows; `alt` says what is to be seen in it."""
    plot(figure, alt=alt, key=f"{key}-chart")
    with st.expander("As a table", type="compact", icon=":material/table:"):
        table(data, columns=columns, alt=f"Table: {alt}", key=f"{key}-table")


def plot(figure: "go.Figure | dict[str, Any]", *, alt: str, key: str) -> None:
    """Draw a chart, of plotly or as Vega-Lite, whose text is told from the background of the theme in use."""
    from dashboard import charts

    if (theme := st.context.theme.type) is not None:
        figure = charts.write_on(figure, dark=theme == "dark")
    if isinstance(figure, dict):
        st.vega_lite_chart(figure, key=key, alt=alt)
    else:
        st.plotly_chart(figure, key=key, alt=alt, config={"displayModeBar": False, "displaylogo": False})


def table(
    frame: "pd.DataFrame", *, alt: str, key: str, columns: Mapping[str, Any] | None = None,
    height: int | Literal["auto", "content"] = "auto", **selecting: Any,
) -> None:  # fmt: skip
    """Draw a table without its index; what is missing is a dash, shares have one decimal.

    Columns stand as they are configured, the others behind them; moments are in the time zone of whoever looks. `alt`
    says what the table holds, for those who do not see it; `selecting` is what `st.dataframe` takes.
    """
    columns = dict(columns or {})
    named = [name for name in columns if name in frame]
    shares = {name: 3 for name in named if columns[name].get("type_config", {}).get("format") == "percent"}
    drawn = local(frame[[*named, *(name for name in frame if name not in named)]].round(shares))
    st.dataframe(drawn, height=height, hide_index=True, placeholder="–", column_config=columns, alt=alt, key=key,
                 **selecting)  # fmt: skip


def opening_table(
    frame: "pd.DataFrame", listed: Sequence[str], parameter: str, *, key: str, by: Literal["rows", "cells"] = "rows",
    **how: Any,
) -> None:  # fmt: skip
    """Draw a table of which a click opens a row: what is `listed` at its place is put into the URL.

    It is the list as it was clicked; a row stays marked while others move into it. `how` is as for `table`.
    """

    def opened() -> None:
        for one in state.get(key, {}).get("selection", {}).get(by, []):
            state.put_url(parameter, listed[one[0] if by == "cells" else one])

    mode = "single-cell" if by == "cells" else "single-row"
    table(frame, key=key, on_select=opened, selection_mode=mode, **how)


def zone() -> tzinfo:
    """Return the time zone of whoever looks, UTC where the browser names none; pages say it once, in their head."""
    named = st.context.timezone
    try:
        return ZoneInfo(named) if isinstance(named, str) and named else UTC
    except (ZoneInfoNotFoundError, ValueError):  # some browsers name a zone of their own
        return UTC


def local(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return a frame with its moments in the time zone of whoever looks."""
    moments = frame.select_dtypes("datetimetz")
    return frame.assign(**{str(name): moments[name].dt.tz_convert(zone()) for name in moments})


def side_by_side() -> tuple["DeltaGenerator", "DeltaGenerator"]:
    """Return two places beside each other; on a narrow screen the second stands below the first."""
    grid = st.grid(2, min_column_width=360)
    return grid.cell(), grid.cell()


def tabs(parts: Mapping[str, Callable[[], object]], *, key: str) -> None:
    """Draw parts as tabs, by their names; only the one that is open is computed and sent."""
    for tab, draw in zip(st.tabs([*parts], key=key, on_change="rerun"), parts.values(), strict=True):
        if tab.open:
            with tab:
                draw()


class Figure(NamedTuple):
    """A figure as it is drawn, what it means, and what a share was counted from: "12 of 14"."""

    value: str
    help: str | None = None
    counted: str | None = None


def metrics(figures: Mapping[str, Figure]) -> None:
    """Draw figures by name in a row that wraps on narrow screens; more than five in two rows of like length."""
    columns = len(figures) if len(figures) <= 5 else (len(figures) + 1) // 2
    with st.grid(columns, min_column_width=138):
        for label, one in figures.items():
            st.metric(label, one.value, one.counted, delta_color="off", delta_arrow="off", border=True,
                      height="stretch", help=one.help)  # fmt: skip


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
    """Scroll to the question of an answer or error that has just come, or that a link names, the last but one message.

    It stands at this `place` among the messages. The input gets the focus where nothing else has it.
    """
    _component("beginning")(key="beginning", data={"answer": answer, "place": place})


def show_framed() -> None:
    """Bring into sight what is framed in a PDF, on a narrow screen as wide as it; hide the viewer's badge."""
    _component("page")(key="page-framed")


def chosen_source() -> tuple[str, int] | None:
    """Return the request and the number of the citation that was just chosen; draws nothing, once on a page.

    Called before an answer is written, it also takes what is chosen meanwhile: it is told when the answer stands.
    """
    chosen = _component("sources")(key="chosen-source", on_chosen_change=lambda: None).chosen  # it wants a callback
    request_id, _, number = str(chosen or "").rpartition("-")
    return (request_id, int(number)) if request_id and number.isdigit() else None


def is_foreign(session: str, *, begun: bool) -> bool:
    """Return whether this browser says, a moment after the first drawing, that a conversation was begun in another."""
    key = "foreign-conversation"
    said = state.get(key, {}).get("foreign")
    data = {"session": session, "begun": begun, "told": said}
    found = _component("conversations")(key=key, data=data, default={"foreign": said}, on_foreign_change=lambda: None)
    return not begun and found.foreign == session
