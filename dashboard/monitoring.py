"""What the page Monitor does: one screen of figures, and behind each choice below it what somebody asks to see."""

from collections.abc import Callable, Mapping
from datetime import datetime

import pandas as pd
import streamlit as st

from dashboard import charts, components, links, queries, resources, state
from dashboard.columns import ERRORS, FEEDBACK, LATENCY, OVER_TIME, REFUSALS, SLOWEST, STOPPED
from dashboard.components import Figure
from dashboard.words import SPANS, md, milliseconds, moment, percent, request_label, several, since
from rag.candor import Candor
from rag.models import Health
from rag.records.unanswered import grouped
from rag.whatif.arrays import OUTCOMES

LATEST = 50  # how many judgements are listed
LOW = 26  # height, in pixels, of rows that must all be on one screen
_WEEK = "7 days"
_SERVICES = {"qdrant": "Vector store", "embedding": "Embedding model", "llm": "Model server", "sessions": "Database",
             "reader": "Reader", "grounding": "Grounding model", "gate": "Gate"}  # fmt: skip


def choose() -> tuple[datetime | None, str | None]:
    """Draw what is looked at, and return when its time begins and which part of it; None: all, on one screen."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        span = links.choose("Time", SPANS, key="period", default="All", required=True, label_visibility="collapsed")
        part = links.choose("More", PARTS, key="more", label_visibility="collapsed")
        st.button("Refresh", icon=":material/refresh:", type="tertiary")
    links.draw_invalid("period", "more", where="above")
    return since(span), part


def draw_overview(candor: Candor, begin: datetime | None) -> str | None:
    """Draw the figures of the head, and return what else was recorded in words; None: nothing ever was."""
    row = resources.get_report().overview(since=begin).iloc[0]
    if not row["log_lines"]:
        components.empty_state("Nothing happened yet", "Requests appear here as soon as somebody asks on the page "
                               "**Ask**, through the API or with `candor ask`.",
                               icon=":material/monitoring:")  # fmt: skip
        return None
    requests = f"{int(row['requests']):,}"
    meant = {"answered": "The share of all questions. Coverage of answerable questions needs labels.",
             "unsure": "The closest sentences were shown, and nothing was claimed."}  # fmt: skip
    shares = {f"Share {one}": Figure(percent(row[f"{one}_share"]), meant.get(one), f"{int(row[one]):,} of {requests}")
              for one in OUTCOMES}  # fmt: skip
    week = since(_WEEK)
    found = [one for one in queries.without_answer(candor) if week is None or one.timestamp >= week]
    groups = grouped(found, {}, candor.wiring.recorder.dismissed())
    told = ("Questions of the last 7 days without a good answer: refused, unsure, called bad, or with sentences "
            "dropped. What was dismissed or answered since is left out.")  # fmt: skip
    unanswered = sum(group.times for group in groups if not group.dismissed)
    ended = Figure(requests, "Questions that ended: answered, unsure or refused.")
    components.metrics({"Requests": ended, **shares, "Unanswered": Figure(f"{unanswered:,}", told, "this week")})
    beside = ("talk", "rejected", "stopped", "log_lines")
    return ", ".join(f"{name.replace('_', ' ')} {int(row[name]):,}" for name in beside)


_MEANINGS = (
    "Talk: greetings and thanks, which count in no rate. Rejected: questions outside the limits, such as too short, "
    "that were not searched. Stopped: questions without an outcome, because the user stopped or left or time ran out. "
    "A question that was left while it waited for its turn is not counted."
)


def draw_screen(candor: Candor, begin: datetime | None, also: str) -> None:
    """Draw the rest of the one screen, where nothing has to be scrolled at 1280 x 800; `also` says what else was."""
    left, right = components.side_by_side()
    with left, st.container(gap="xsmall"):
        _draw_outcomes(begin)
        _draw_errors(begin)
    with right, st.container(gap="xsmall"):
        _draw_percentiles(begin)
        st.caption(f"Also recorded: {also}.", help=_MEANINGS)
    draw_health(candor)


def _draw_outcomes(begin: datetime | None) -> None:
    outcomes = components.local(resources.get_report().outcomes(since=begin))
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown("**Requests**", width="content")
        components.page_link("pages/inspector.py", "The unanswered questions", icon=":material/quiz:",
                             params={state.PART: "Unanswered", "since": _WEEK})  # fmt: skip
    ended = ", ".join(f"{outcomes[name].sum()} {name}" for name in charts.OUTCOMES)
    components.chart(charts.outcomes_over_time(outcomes), outcomes, alt=f"Requests over time: {ended}",
                     key="outcomes", columns=OVER_TIME)  # fmt: skip


def _draw_errors(begin: datetime | None) -> None:
    errors = resources.get_report().errors(since=begin)
    count = int(errors.loc[errors["level"] == "ERROR", "lines"].sum())
    none = "" if len(errors) else " :green-badge[:material/check_circle: no errors and no warnings with a code]"
    st.markdown(f"**Errors: {count:,}**{none}",
                help="Log lines of level ERROR. The table also lists warnings with a code.")  # fmt: skip
    if len(errors):
        components.table(errors, columns=ERRORS, key="errors", alt="Errors by code", height=3 * LOW, row_height=LOW)


def _draw_percentiles(begin: datetime | None) -> None:
    st.markdown("**Latency**", help="p50: half of the requests took less; p95: 95 of 100 took less. Stages under 1 ms "
                "are left out.")  # fmt: skip
    stages = resources.get_report().latency(since=begin)
    columns = {name: LATENCY[name] for name in ("stage", "p50_ms", "p95_ms", "requests")}
    slow = stages.loc[stages["p95_ms"] >= 1, [*columns]]
    components.table(slow, columns=columns, key="latency", alt="Percentiles per stage", row_height=LOW,
                     height=min(len(slow) + 1, 8) * LOW)  # fmt: skip
    spoken = [f"A request took {milliseconds(row['p50_ms'])} (p50), {milliseconds(row['p95_ms'])} (p95)."
              for row in stages[stages["stage"] == "total"].to_dict("records")]  # fmt: skip
    ingested = stages.loc[stages["stage"] == "ingest", "requests"]
    spoken += [f"Of ingest: {several(int(count), 'document')}, no requests." for count in ingested]
    st.caption(" ".join(spoken))


def _draw_traffic(begin: datetime | None) -> None:
    report = resources.get_report()
    left, right = components.side_by_side()
    with left:
        st.markdown("**Why requests were not answered**")
        components.table(report.refusal_reasons(since=begin), columns=REFUSALS, key="refusals",
                         alt="Not answered, by stage and code")  # fmt: skip
    with right:
        st.markdown("**Documents cited most**")
        components.table(report.top_documents(since=begin, limit=10), columns=REFUSALS, key="top-documents",
                         alt="Documents by answers that cite them")  # fmt: skip
    stopped = report.stopped(since=begin, limit=LATEST)
    if not stopped.empty:
        st.markdown("**Questions that were stopped or left**")
        components.table(stopped, columns=STOPPED, key="stopped", alt="Questions stopped or left, newest first")
        st.caption("Only their log lines are recorded, not their words.")
        _draw_open(stopped.assign(outcome="stopped"), key="open-stopped")


def _draw_latency(begin: datetime | None) -> None:
    report = resources.get_report()
    names = [str(name) for name in report.latency(since=begin)["stage"]]
    if not names:
        st.caption("Nothing was timed in this time.")
        return
    stage = st.selectbox("Stage", names, index=len(names) - 1, key="stage", width=240)
    over_time = components.local(report.latency_over_time(since=begin, stage=stage))
    figure = charts.lines_over_time(over_time, {"p50_ms": "p50", "p95_ms": "p95", "p99_ms": "p99"}, y="milliseconds")
    components.chart(figure, over_time, alt=f"Latency of {stage} over time", key="over-time", columns=LATENCY)
    slowest = report.slowest(since=begin, limit=10)
    st.markdown("**Slowest requests**")
    components.table(slowest, columns=SLOWEST, key="slowest", alt="Slowest requests")
    _draw_open(slowest, key="open-slow")


def _draw_open(requests: pd.DataFrame, *, key: str) -> None:
    rows, zone = requests.to_dict("records"), components.zone()
    if labels := {str(row["request_id"]): request_label(row, zone) for row in rows}:
        components.draw_open(labels, key, lambda chosen: {state.REQUEST: chosen})


def _draw_confidence(begin: datetime | None) -> None:
    drift = components.local(resources.get_report().confidence_over_time(since=begin))
    names = {"p50": "median", "p10": "10% quantile", "p90": "90% quantile"}
    figure = charts.lines_over_time(drift, names, y="confidence", unit="share")
    components.chart(figure, drift, alt="Confidence over time", key="drift", columns=OVER_TIME)


def _draw_feedback(begin: datetime | None) -> None:
    report = resources.get_report()
    counted = report.verdicts(since=begin).iloc[0]
    good, bad = int(counted["good"]), int(counted["bad"])
    st.subheader("What people thought", anchor=False, help="Thumbs on answers and refusals; the last on each counts.")
    if not good + bad:
        st.caption("Nobody rated an answer in this time. The thumbs are below every answer on the page **Ask**. "
                   "Labels are counted on **Inspect**, not here.")  # fmt: skip
        return
    st.markdown(f":material/thumb_up: **{good}** good · :material/thumb_down: **{bad}** bad")
    latest = report.feedback(since=begin, limit=LATEST)
    components.table(latest, columns=FEEDBACK, key="feedback", alt="The latest judgements of answers")
    _draw_open(latest, key="open-judged")


def draw_lost(candor: Candor) -> None:
    """Draw how many lines could not be kept, where any: what the tables are counted from lacks them."""
    if lost := candor.wiring.recorder.lost_lines:
        st.warning(
            "They are missing here and on Inspect. The disk was full or the data folder could not be written: free "
            "some space, or make it writable. The count restarts when Candor starts.",
            title=f"{several(lost, 'line')} of the log and of answers could not be kept", icon=":material/warning:",
        )  # fmt: skip


PARTS: Mapping[str, Callable[[datetime | None], None]] = {
    "Not answered": _draw_traffic, "Latency": _draw_latency, "Confidence": _draw_confidence, "Feedback": _draw_feedback
}  # fmt: skip
"""What is drawn in the place of the one screen, on request."""


@st.cache_data(show_spinner="Checking all services …", ttl=30, max_entries=2)
def _health(_candor: Candor, data_dir: str) -> Health:
    return _candor.health()


@st.fragment
def draw_health(candor: Candor) -> None:
    """Draw in one line how every service is, at most half a minute old; below it those that fail, or failed."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Health**", width="content")
        place = st.container()
        if st.button("Check all services", icon=":material/health_and_safety:", type="tertiary"):
            _health.clear()
    health = _health(candor, str(candor.settings.data_dir))
    color = {"healthy": "green", "degraded": "orange", "unavailable": "red"}[health.status]
    services = [(_SERVICES.get(name, name), one) for name, one in health.services.items()]
    details = [f"{called}: {md(one.detail)}" for called, one in services if one.detail]
    if health.status == "degraded":
        details.append("Degraded: Candor answers by quoting. For a model's own words, start the model server.")
    there, gone = (", ".join(f"{called} {milliseconds(one.latency_ms)}" for called, one in services if one.state == how)
                   for how in ("connected", "disconnected"))  # fmt: skip
    place.markdown(
        f":{color}-badge[{health.status}] :small[{there}{' :orange-badge[disconnected] ' if gone else ''}{gone}]",
        help="  \n".join(details) or None,
    )
    told = []
    for called, one in services:
        if one.state != "connected":
            told.append(f"{called}{f' ({one.kind})' if one.kind else ''}: {one.detail}")
        elif last := one.last_error:
            told.append(f"{called} failed last on {moment(last.timestamp, components.zone())}: {last.message}")
    if told:
        st.text("\n".join(told))  # plain text: an address in it is no link
