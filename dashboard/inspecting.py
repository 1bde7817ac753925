"""What the page Inspect does: the list of recorded requests, and everything about one of them."""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import components, jobs, links, resources, sources, state
from dashboard.answer_card import draw_answer, draw_gate, draw_hits, draw_timings
from dashboard.columns import EVENTS, REQUESTS
from dashboard.components import Figure
from dashboard.inspect_again import draw_dropped, draw_other_settings, draw_why_not
from dashboard.readable import highlighted
from dashboard.words import SPANS, estimator, held_against, md, milliseconds, moment, score, since, where, wrote
from rag.candor import Candor
from rag.models import Answer
from rag.text.counted import several

LISTED = 500
_OUTCOMES = ["All", "Answered", "Unsure", "Refused", "Talk"]
_SETTINGS = {"top_k": "passages", "no_llm": "quote only", "context": "pasted text",
             "max_tokens": "longest answer, tokens"}  # fmt: skip
_HELPS = {"Outcome": "unsure: the closest sentences were shown, and nothing was claimed.",
          "Confidence": "Compared with the thresholds: at the first or above Candor answers, at the second or above it "
                        "is unsure, below both it refuses."}  # fmt: skip
VIEWS = ["Unanswered", "Requests", "Label"]  # the views of the page


def choose_view() -> str:
    """Draw the choice of a view and return it; a link to a request, or with a filter of them, means the requests."""
    is_one = any(state.url(name) for name in (state.REQUEST, state.QID, "outcome", "span"))
    if state.get(state.PART) is None and not state.url(state.PART):
        state.put(state.PART, "Requests" if is_one else "Unanswered")
    view = links.choose("View", VIEWS, key=state.PART, required=True, label_visibility="collapsed")
    links.draw_invalid(state.PART, where="above")
    return str(view or VIEWS[0])


def draw_requests() -> None:
    """Draw the recorded requests with their filters; the one that is chosen stands in the URL."""
    if not jobs.records_are_read():
        return
    found = resources.get_report().requests(**_filters(), limit=LISTED)
    if found.empty:
        components.empty_state("No request here", "Ask something on the page **Ask**, through the API or with `candor "
                               "ask`, or widen the filters.", icon=":material/search_off:")  # fmt: skip
        return
    older = " To find older ones, use the filters or the id." if len(found) >= LISTED else ""
    st.caption(f"{several(len(found), 'request')}, newest first. Choose one to open it.{older}")
    components.opening_table(found[[*REQUESTS]], [*found["request_id"]], state.REQUEST, columns=REQUESTS,
                             key="requests", alt="Recorded requests", height=300)  # fmt: skip


def _open_typed() -> None:
    typed, recorder = str(state.get("text") or "").strip(), resources.get_candor().wiring.recorder
    is_id = bool(typed) and " " not in typed
    if is_id and (recorder.has_answer(typed) or not resources.get_report().request_events(typed).empty):
        state.put_url(state.REQUEST, typed)


def _filters() -> dict[str, Any]:  # keyword arguments of a query, not data
    with st.container(horizontal=True, vertical_alignment="bottom"):
        outcome = links.choose("Outcome", _OUTCOMES, key="outcome", default="All")
        span = links.choose("Time", SPANS, key="span", default="All")
        text = st.text_input("Question or request id", key="text", type="search", width=240, on_change=_open_typed)
        names = [record.document for record in resources.get_candor().documents()]
        document = st.selectbox("Cites document", names, index=None, placeholder="Any", key="cites", width=220)
        low, high = st.slider("Confidence", 0.0, 1.0, (0.0, 1.0), 0.05, key="between", width=220)
    links.draw_invalid("outcome", "span", where="above")
    return {"outcome": outcome.lower() if outcome and outcome != "All" else None, "since": since(span),
            "text": text or "", "document": document, "min_confidence": low, "max_confidence": high}  # fmt: skip


def draw_request(candor: Candor, request_id: str) -> None:
    """Draw everything about one request."""
    answer = candor.wiring.recorder.read_answer(request_id)
    events = resources.get_report().request_events(request_id)
    if answer is not None:
        draw_head(answer)
        draw_parts(candor, answer, events)
    elif not events.empty:
        _draw_log_only(request_id, events)
    else:
        st.warning("It was removed or never recorded. Check the id, or choose a request from the list.",
                   title=f"No request {md(request_id)}", icon=":material/search_off:")  # fmt: skip


def _draw_log_only(request_id: str, events: pd.DataFrame) -> None:
    st.subheader(md(request_id), anchor=False)
    if stopped := events[events["event"] == "question_stopped"]["processing_time_ms"].tolist():
        st.info(f"It was stopped or left after {milliseconds(stopped[-1])}, before it was answered. Only its log lines "
                "are kept, not the question and the passages.", icon=":material/stop_circle:")  # fmt: skip
    else:
        for ended in map(json.loads, events[events["event"] == "answer_returned"]["data"].tolist()[-1:]):
            _draw_figures(str(ended.get("outcome") or "–"), score(ended.get("confidence")),
                          score(ended.get("threshold")), estimator(ended.get("estimator")),
                          milliseconds(ended.get("processing_time_ms")), helps={})  # fmt: skip
        st.info("Only its log lines are kept. The question and the answer were not recorded, or were removed.")
    _draw_events(events)


def _draw_figures(*values: str, helps: Mapping[str, str] = _HELPS) -> None:
    names = ("Outcome", "Confidence", "Threshold", "Estimator", "Took")
    components.metrics({name: Figure(one, helps.get(name)) for name, one in zip(names, values, strict=True)})


def draw_parts(candor: Candor, answer: Answer, events: pd.DataFrame, *, left_out: Collection[str] = ()) -> None:
    """Draw the parts of a request, a tab each, without those that have nothing in them or are left out."""

    def draw_its_answer() -> None:
        cited = sources.opened(sources.cited_by(answer))
        here, beside = components.side_by_side() if cited else (st.container(), None)
        with here:
            draw_answer(candor, answer, key=f"i-{answer.request_id}", is_inspected=True, is_of_index=not left_out)
        if cited is not None and beside is not None:
            with beside:
                sources.draw_opened(candor, cited)

    def draw_stages() -> None:
        draw_timings(answer, "stages")
        _draw_events(events)

    shown: dict[str, Callable[[], None]] = {
        "Answer": draw_its_answer,
        "Stages": draw_stages,
        "Passages": lambda: _draw_passages(candor, answer),
        "Prompt": lambda: _draw_prompt(answer),
        "Sentences": lambda: _draw_sentences(answer),
        "Settings": lambda: _draw_settings(answer),
        "Not found?": lambda: draw_why_not(candor, answer),
        "What if?": lambda: draw_other_settings(candor, answer),
    }
    filled = {"Prompt": answer.prompt or answer.draft, "Sentences": answer.grounding and answer.grounding.sentences}
    names = [name for name in shown if name not in left_out and filled.get(name, True)]
    components.tabs({name: shown[name] for name in names}, key="parts")


def _draw_passages(candor: Candor, answer: Answer) -> None:
    draw_hits(answer, "passages")
    if read := [hit for hit in answer.retrieved[: answer.query.top_k] if hit.windows]:
        st.markdown("**How the reader judged them**")
        st.markdown(":small[Blue: the window that answers most probably. Orange: the sentences that are part of the "
                    "answer.]")  # fmt: skip
    for place, hit in enumerate(read):
        label = f"{hit.rank} · {md(where(hit))} · reading {score(hit.reading)}"
        with st.expander(label, type="compact", expanded=place == 0):
            st.markdown(highlighted(hit))
    draw_dropped(candor, answer)
    st.markdown("**Confidence**")
    draw_gate(answer, "passages")


def draw_head(answer: Answer) -> None:
    """Draw the question, how it ended, and what it was held against."""
    st.subheader(md(answer.query.question), anchor=False)
    gate, took = answer.gate, milliseconds(answer.timings_ms.total)
    confidence, held = held_against(gate) if gate else (score(None), score(None))
    if gate is not None and gate.unsure_threshold is not None:
        held += f", {score(gate.unsure_threshold)}"
    _draw_figures(answer.outcome, confidence, held, estimator(gate.estimator if gate else None), took)
    session = f" · session `{answer.session_id}`" if answer.session_id else ""
    st.caption(f"`{answer.request_id}` · {moment(answer.timestamp, components.zone())} · {md(wrote(answer))}{session}")


def _draw_events(events: pd.DataFrame) -> None:
    if events.empty:
        st.caption("No log lines of this request are kept.")
        return
    st.markdown("**Log lines**")
    components.table(events[[*EVENTS]], columns=EVENTS, alt="Log lines of this request", key="events")
    for row in events.head(21).to_dict("records"):
        label = f"{row['component']} · {row['event']} · {milliseconds(row['processing_time_ms'])}"
        with st.expander(md(label), type="compact"):
            st.json(json.loads(row["data"]), expanded=True)
            if row["error"] != "null":
                st.json(json.loads(row["error"]), expanded=True)


def _draw_prompt(answer: Answer) -> None:
    if (prompt := answer.prompt) is not None:
        st.caption(
            f"Template {md(prompt.template)} · at most {prompt.prompt_tokens} tokens in a window of {prompt.num_ctx} · "
            f"answer of at most {prompt.max_tokens} · {several(len(prompt.left_out), 'passage')} left out, "
            f"{len(prompt.shortened)} shortened"
        )
        st.markdown("**Instructions**")
        st.code(prompt.system_prompt, language=None, wrap_lines=True)
        st.markdown("**Passages and question**")
        st.code(prompt.user_prompt, language=None, wrap_lines=True, height=400)
    if answer.draft is not None:
        st.markdown("**The draft, before it was checked**")
        st.code(answer.draft.text or "(empty)", language=None, wrap_lines=True)
        st.caption(f"Ended: {answer.draft.finish_reason}. A draft is never shown as an answer.")


def _draw_sentences(answer: Answer) -> None:
    if answer.grounding is None:
        return
    checked = several(len(answer.grounding.sentences), "sentence")
    st.caption(f"{checked}, {len(answer.left_out)} dropped · {md(answer.grounding.method)}")
    by_model = answer.generator.is_model  # a quotation is what the document says: nothing was checked but that
    kept = ":green-badge[supported]" if by_model else ":blue-badge[quoted]"
    for one in answer.grounding.sentences:
        badge = kept if one.supported else ":red-badge[dropped]"
        support = f"support {one.support:.2f} · " if by_model else ""
        passages = ", ".join(str(number) for number in one.passages) or "none"
        reason = f" · {md(one.reason)}" if one.reason else ""
        st.markdown(f"{badge} {md(one.text)}  \n:small[{support}passages {passages}{reason}]")
    for issue in answer.grounding.validation_issues:
        st.caption(f":material/info: {md(issue)}")


def _draw_settings(answer: Answer) -> None:
    settings = answer.query.model_dump(mode="json", exclude={"question", "query_id", "request_id", "timestamp"})

    def plain(name: str, value: object) -> str:
        if isinstance(value, dict):
            return ", ".join(f"{key} = {one}" for key, one in value.items() if one is not None) or "none"
        if value is None:
            return "none" if name in ("context", "session_id", "previous") else "default"
        return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

    left, right = components.side_by_side()
    with left:
        st.markdown("**Settings of the question**")
        rows = [(_SETTINGS.get(name, name.replace("_", " ")), plain(name, value)) for name, value in settings.items()]
        components.table(pd.DataFrame(rows, columns=["Setting", "Value"]), key="set", alt="Settings", height="content")
    with right:
        st.markdown("**What the answer depended on**")
        st.caption("A fingerprint is a short digest: equal fingerprints and settings give the same answer.")
        rows = [(name, value[:12] if len(value) == 64 else value or "–")  # of a SHA-256 12 digits tell enough
                for name, value in answer.fingerprints.model_dump().items()]  # fmt: skip
        components.table(pd.DataFrame(rows, columns=["Part", "Fingerprint"]), key="fp", alt="Fingerprints")
        if resources.get_candor().wiring.catalogue.fingerprint() != answer.fingerprints.index:
            st.caption(":material/info: The index has changed since then. If you ask again, the answer may differ.")
