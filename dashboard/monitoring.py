"""What the page Monitor does: traffic, outcomes, latency, confidence, feedback, errors and health, from the records."""

from datetime import datetime
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard import charts, components, links, resources
from dashboard.columns import ERRORS, FEEDBACK, HISTOGRAM, LATENCY, OVER_TIME, REFUSALS, SLOWEST, STOPPED
from dashboard.inspecting import SPANS, since
from dashboard.words import milliseconds, moment, percent, request_label, several
from rag.whatif.arrays import OUTCOMES

if TYPE_CHECKING:
    from rag.candor import Candor

LATEST = 50
"""How many judgements are listed."""


def choose_span() -> datetime | None:
    """Draw the time range and the refresh, and return when the range begins."""
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        links.note_choice("period", "Time", [*SPANS])
        span = st.segmented_control("Time", [*SPANS], default="All", key="period", bind="query-params", required=True)
        st.button("Refresh", icon=":material/refresh:")
    links.draw_invalid("period", where="above")
    return since(span)


def draw_overview(begin: datetime | None) -> bool:
    """Draw the totals; return whether anything was recorded."""
    row = resources.get_report().overview(since=begin).iloc[0]
    if not row["log_lines"]:
        components.empty_state(
            "Nothing happened yet",
            "Requests appear here as soon as somebody asks on the page **Ask**, through the API or with `candor ask`.",
            icon=":material/monitoring:",
        )
        return False
    components.metrics(
        {
            "Requests": f"{int(row['requests']):,}",
            "Share answered": percent(row["answered_share"]),
            "Share unsure": percent(row["unsure_share"]),
            "Share refused": percent(row["refused_share"]),
            "Latency p50": milliseconds(row["p50_ms"]),
            "Latency p95": milliseconds(row["p95_ms"]),
            "Talk": f"{int(row['talk']):,}",
            "Rejected": f"{int(row['rejected']):,}",
            "Stopped": f"{int(row['stopped']):,}",
            "Errors": f"{int(row['error_lines']):,}",
            "Log lines": f"{int(row['log_lines']):,}",
        },
        counts={
            f"Share {outcome}": f"{int(row[outcome]):,} of {int(row['requests']):,}"
            for outcome in ("answered", "unsure", "refused")
        },
        helps={
            "Requests": "Questions that ended: answered, unsure or refused.",
            "Share answered": "The coverage of all that was asked; coverage of what the documents answer needs labels.",
            "Share unsure": "The closest sentences were shown, and nothing was claimed.",
            "Talk": "Greetings and thanks: they ask nothing of the documents and are in no rate.",
            "Latency p50": "Half of the requests took less.",
            "Latency p95": "95 of 100 requests took less.",
            "Rejected": "Questions outside the limits, as too short: nothing was searched for them.",
            "Stopped": "Questions that ended with neither: stopped or left by whoever asked, or out of time. One that "
            "was left before its turn came is not among them.",
            "Errors": "Log lines of level ERROR. Warnings with a code stand with them in the table below.",
        },
    )
    return True


def draw_traffic(begin: datetime | None) -> None:
    """Draw requests and their outcomes over time, and why requests were not answered."""
    report = resources.get_report()
    outcomes = report.outcomes(since=begin)
    ended = ", ".join(f"{outcomes[name].sum()} {name}" for name in charts.OUTCOMES)
    alt = f"Requests over time: {ended}"
    st.subheader("Requests", anchor=False)
    components.chart(charts.outcomes_over_time(outcomes), outcomes, alt=alt, key="outcomes", columns=OVER_TIME)
    left, right = components.side_by_side()
    with left:
        st.markdown("**Why requests were not answered**")
        components.table(
            report.refusal_reasons(since=begin), columns=REFUSALS, key="refusals", alt="Not answered, by stage and code"
        )
    with right:
        st.markdown("**Documents cited most**")
        components.table(
            report.top_documents(since=begin, limit=10),
            columns=REFUSALS,
            key="top-documents",
            alt="Documents by answers that cite them",
        )
    _draw_stopped(begin)


def _draw_stopped(begin: datetime | None) -> None:
    """Draw the questions that were stopped or left, and after how long; nothing where there are none."""
    stopped = resources.get_report().stopped(since=begin, limit=LATEST)
    if not stopped.empty:
        st.markdown("**Questions that were stopped or left**")
        components.table(stopped, columns=STOPPED, key="stopped", alt="Questions stopped or left, newest first")
        st.caption("Their words are not recorded: what was stopped has log lines and nothing else.")
        _draw_open(stopped.assign(outcome="stopped"), key="open-stopped")


def draw_latency(begin: datetime | None) -> None:
    """Draw p50, p95 and p99 of each stage, over time and as a distribution, and the slowest requests."""
    report = resources.get_report()
    stages = report.latency(since=begin)
    st.subheader("Latency", anchor=False, help="p50: half of the requests took less; p95: 95 of 100 took less.")
    components.table(stages, columns=LATENCY, key="latency", alt="Percentiles per stage")
    spoken = "; ".join(
        f"{row['stage']}: p50 {milliseconds(row['p50_ms'])}, p95 {milliseconds(row['p95_ms'])}"
        for row in stages.to_dict("records")
    )
    ingested = stages.loc[stages["stage"] == "ingest", "requests"]
    documents = f" Of ingest: {several(int(ingested.iloc[0]), 'document')}, no requests." if len(ingested) else ""
    st.caption(f"{spoken}.{documents}" if spoken else "")
    asked = stages[stages["stage"] != "ingest"]  # a document takes seconds: beside it no stage of a question shows
    components.plot(charts.latency_by_stage(asked), key="latency-chart", alt=spoken)
    names = [str(name) for name in stages["stage"]]
    if not names:
        return
    stage = st.selectbox("Stage", names, index=len(names) - 1, key="stage", width=240)
    over_time = report.latency_over_time(since=begin, stage=stage)
    left, right = components.side_by_side()
    with left:
        st.markdown("**Over time**")
        figure = charts.lines_over_time(
            over_time, {"p50_ms": "p50", "p95_ms": "p95", "p99_ms": "p99"}, y="milliseconds"
        )
        components.chart(figure, over_time, alt=f"Latency of {stage} over time", key="over-time", columns=LATENCY)
    with right:
        st.markdown("**Distribution**")
        histogram = report.latency_histogram(since=begin, stage=stage)
        components.chart(charts.latency_histogram(histogram), histogram, alt=f"Distribution of the latency of {stage}",
                         key="distribution", columns=HISTOGRAM)  # fmt: skip
    _draw_slowest(begin)


def _draw_slowest(begin: datetime | None) -> None:
    slowest = resources.get_report().slowest(since=begin, limit=10)
    st.markdown("**Slowest requests**")
    components.table(slowest, columns=SLOWEST, key="slowest", alt="Slowest requests")
    _draw_open(slowest, key="open-slow")


def _draw_open(requests: pd.DataFrame, *, key: str) -> None:
    """Draw the choice of one of the listed requests and the way to it; nothing where none is listed."""
    labels = {str(row["request_id"]): request_label(row) for row in requests.to_dict("records")}
    if labels:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.selectbox("Open", [*labels], format_func=lambda one: labels[one], key=key, width=520)
            components.inspect_link(chosen, "Open in Inspect")


def draw_confidence(begin: datetime | None) -> None:
    """Draw how confidence drifts, and how it is distributed."""
    report = resources.get_report()
    drift, spread = report.confidence_over_time(since=begin), report.confidence_histogram(since=begin)
    st.subheader("Confidence", anchor=False, help="A drift means that other questions are asked, or the index changed.")
    left, right = components.side_by_side()
    with left:
        figure = charts.lines_over_time(
            drift, {"p50": "median", "p10": "10% quantile", "p90": "90% quantile"}, y="confidence", unit="share"
        )
        components.chart(figure, drift, alt="Confidence over time", key="drift", columns=OVER_TIME)
    with right:
        figure = charts.confidence_histogram(spread, {name: name for name in OUTCOMES}, None)
        components.chart(figure, spread, alt="Confidence of answered, unsure and refused requests", key="spread",
                         columns=HISTOGRAM)  # fmt: skip


def draw_feedback(begin: datetime | None) -> None:
    """Draw how people judged answers, and the latest judgements with their notes."""
    report = resources.get_report()
    counted = report.verdicts(since=begin).iloc[0]
    good, bad = int(counted["good"]), int(counted["bad"])
    st.subheader("What people thought", anchor=False, help="Thumbs on answers and refusals; the last on each counts.")
    if not good + bad:
        st.caption(
            "No thumb was given in this time: they stand below every answer on the page **Ask**. Labels are counted "
            "on **Evaluate**, not here."
        )
        return
    st.markdown(f":material/thumb_up: **{good}** good · :material/thumb_down: **{bad}** bad")
    latest = report.feedback(since=begin, limit=LATEST)
    components.table(latest, columns=FEEDBACK, key="feedback", alt="The latest judgements of answers")
    _draw_open(latest, key="open-judged")


def draw_errors(begin: datetime | None) -> None:
    """Draw errors by code, and the volume of the log."""
    report = resources.get_report()
    errors, volume = report.errors(since=begin), report.log_volume(since=begin)
    st.subheader("Errors, warnings and log", anchor=False)
    if errors.empty:
        st.success("No errors and no warnings with a code in this time.", icon=":material/check_circle:")
    else:
        components.table(errors, columns=ERRORS, key="errors", alt="Errors by code")
    figure = charts.lines_over_time(volume, {"info": "INFO", "warning": "WARNING", "error": "ERROR"}, y="log lines")
    components.chart(figure, volume, alt=f"{volume['lines'].sum()} log lines over time", key="volume",
                     columns=OVER_TIME)  # fmt: skip


def draw_lost(candor: "Candor") -> None:
    """Draw how many lines could not be kept, where any: what the tables are counted from lacks them."""
    if lost := candor.wiring.recorder.lost_lines:
        st.warning(
            "They are missing here and on Inspect. The disk was full or the data folder could not be written: free "
            "some space, or make it writable. It is counted anew when Candor starts.",
            title=f"{several(lost, 'line')} of the log and of answers could not be kept",
            icon=":material/warning:",
        )


@st.fragment
def draw_health(candor: "Candor") -> None:
    """Draw the state of every service with its own latency; asked for, because the probes cost time."""
    st.subheader("Health", anchor=False)
    if not st.button("Check all services", icon=":material/health_and_safety:"):
        st.caption("Vector store, embedding model, model server and database, each with its latency.")
        return
    health = candor.health()
    icons = {"healthy": "green", "degraded": "orange", "unavailable": "red"}
    st.markdown(f":{icons[health.status]}-badge[{health.status}] in {milliseconds(health.response_time_ms)}")
    names = {"qdrant": "Vector store", "embedding": "Embedding model", "llm": "Model server", "sessions": "Database"}
    names |= {"reader": "Reader", "grounding": "Grounding model"}
    for name, service in health.services.items():
        badge = ":green-badge[connected]" if service.state == "connected" else ":orange-badge[disconnected]"
        with st.container(gap=None):
            kind = f" ({service.kind})" if service.kind else ""
            st.markdown(f"{badge} **{names.get(name, name)}**{kind} {milliseconds(service.latency_ms)}")
            st.text(service.detail)  # not Markdown: an address in it is no link
            if service.state == "connected" and (last := service.last_error):  # else it is what stands above
                st.text(f"Failed last on {moment(last.timestamp)}: {last.message}")
    if health.status == "degraded":
        st.caption("Degraded: Candor answers by quoting. For a model's own words, start the model server.")
