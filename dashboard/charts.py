"""DataFrame in, figure out; imports no streamlit.

Colours are told apart with every kind of colour blindness, and on white and on black alike (contrast 3:1 or more).
"""

from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dashboard.words import milliseconds
from rag.whatif.history import in_digits

BLUE, ORANGE, GREEN, PURPLE, GREY = "#1b87c9", "#d97706", "#159f78", "#b56cab", "#7f8f94"
OUTCOMES = {"answered": BLUE, "unsure": PURPLE, "refused": ORANGE, "stopped": GREY}
STAGES = {"validate": "#7f8f94", "embed": "#1b87c9", "retrieve": "#159f78", "read": "#5b7fd1", "gate": "#d97706",
          "prompt": "#b56cab", "generate": "#c8553d", "ground": "#8a7a1f", "total": "#56707a"}  # fmt: skip
"""One colour for each stage, everywhere the same."""
TEXT_ON_LIGHT, TEXT_ON_DARK = "#3d4f55", "#c9d6d6"
BESIDE = 300  # height, in pixels, of charts that stand beside each other


def _laid_out(figure: go.Figure, *, height: int, x: str = "", y: str = "", legend: bool = True) -> go.Figure:
    figure.update_layout(
        height=height, margin={"l": 8, "r": 8, "t": 28 if legend else 8, "b": 8}, showlegend=legend, bargap=0.15,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}, hoverlabel={"namelength": -1},
    )  # fmt: skip
    return figure.update_xaxes(title_text=x, automargin=True).update_yaxes(title_text=y, automargin=True)


def write_on(figure: go.Figure | dict[str, Any], *, dark: bool) -> go.Figure | dict[str, Any]:
    """Give all text of a chart a contrast of 7:1 or more against the background of a theme."""
    color = TEXT_ON_DARK if dark else TEXT_ON_LIGHT
    if isinstance(figure, dict):
        return figure | {"config": {"axis": {"labelColor": color}, "legend": {"labelColor": color}}}
    axis = {"tickfont_color": color, "title_font_color": color}
    figure.update_traces(outsidetextfont_color=color, selector={"type": "bar"})
    figure.update_layout(legend_font_color=color)
    return figure.update_xaxes(**axis).update_yaxes(**axis).update_annotations(font_color=color)


def _whole_counts(figure: go.Figure, most: float) -> go.Figure:
    return figure.update_yaxes(dtick=1 if most <= 5 else None, tickformat=",d", rangemode="tozero")


def confidence_meter(confidence: float, threshold: float, unsure: float | None = None) -> go.Figure:
    """Draw a confidence as a bar, against the thresholds as lines, all 0..1; `unsure` None: there is no such line."""
    ended = "answered" if confidence >= threshold else "refused" if unsure is None or confidence < unsure else "unsure"
    bar = go.Bar(x=[confidence], y=[""], orientation="h", marker_color=OUTCOMES[ended], width=0.6,
                 hovertemplate="confidence %{x:.3f}<extra></extra>")  # fmt: skip
    figure = go.Figure(bar)
    _mark_thresholds(figure, threshold, unsure, f"{threshold:.2f}", annotation_yshift=18)
    figure.update_xaxes(range=[0, 1], tickvals=[0, 0.25, 0.5, 0.75, 1]).update_yaxes(showticklabels=False)
    return _laid_out(figure, height=96, legend=False).update_layout(margin_t=26)


def _mark_thresholds(
    figure: go.Figure, threshold: float | None, unsure: float | None, named: str, **shifted: int
) -> None:
    if unsure is not None:
        figure.add_vline(x=unsure, line_width=2, line_color=GREY, line_dash="dot")
    if threshold is not None:
        figure.add_vline(x=threshold, line_width=3, line_color=GREY, annotation_text=f"threshold {named}",
                         annotation_position="top left" if threshold > 0.5 else "top right", **shifted)  # fmt: skip


def waterfall(stages: pd.DataFrame) -> go.Figure:
    """Draw the stages of one request one after the other; columns stage, start_ms and ms, in order."""
    figure = go.Figure(
        go.Bar(
            x=stages["ms"], y=stages["stage"], base=stages["start_ms"], orientation="h",
            marker_color=[STAGES.get(stage, GREY) for stage in stages["stage"]],
            text=[milliseconds(value) for value in stages["ms"]], textposition="outside",
            hovertemplate="%{y}: %{x:.1f} ms<extra></extra>",
        )
    )  # fmt: skip
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(range=[0, 1.16 * float((stages["start_ms"] + stages["ms"]).max() or 1)])  # room for the labels
    return _laid_out(figure, height=60 + 34 * max(len(stages), 1), x="milliseconds", legend=False)


def outcomes_over_time(frame: pd.DataFrame) -> dict[str, Any]:
    """Return how questions ended, as a Vega-Lite chart, which a browser draws in a quarter of the time of plotly's.

    Columns time, answered, unsure, refused and stopped, the last where there are any.
    """
    drawn, begins = [name for name in OUTCOMES if name != "stopped" or frame[name].any()], frame["time"]
    width = begins.diff().min() if len(begins) > 1 else pd.Timedelta(minutes=1)
    highs = frame[drawn].cumsum(axis=1)
    values = [{"time": time.isoformat(), "until": (time + width).isoformat(), "outcome": name, "high": int(high),
               "requests": int(count), "low": int(high - count)}
              for name in drawn
              for time, count, high in zip(begins, frame[name], highs[name], strict=True)]  # fmt: skip
    time, low = {"field": "time", "type": "temporal", "title": None}, {"field": "low", "type": "quantitative"}
    colors = {"domain": drawn, "range": [OUTCOMES[name] for name in drawn]}
    return {
        "data": {"values": values}, "mark": "rect", "height": 125,
        "encoding": {
            "x": time, "x2": {"field": "until"}, "y2": {"field": "high"},
            "y": {**low, "title": None, "axis": {"format": ",d", "tickMinStep": 1, "tickCount": 4}},
            "color": {"field": "outcome", "type": "nominal", "scale": colors, "title": None},
            "tooltip": [{**time, "format": "%Y-%m-%d %H:%M"}, {"field": "outcome"}, {"field": "requests"}],
        },
    }  # fmt: skip


def lines_over_time(frame: pd.DataFrame, columns: dict[str, str], *, y: str, unit: str = "") -> go.Figure:
    """Draw columns over `time`, each by its name in the legend; the unit `share` fixes the axis to 0..1."""
    styles = zip(columns.items(), (BLUE, ORANGE, GREEN, PURPLE), ("solid", "dash", "dot", "dashdot"), strict=False)
    figure = go.Figure([go.Scatter(x=frame["time"], y=frame[column], name=name, mode="lines+markers",
                                   line={"color": color, "dash": dash}, marker_size=5)
                        for (column, name), color, dash in styles])  # fmt: skip
    if unit == "share":
        figure.update_yaxes(range=[0, 1])
    if frame["time"].nunique() == 1:  # a minute on either side, where plotly would show fractions of milliseconds
        moment, minute = frame["time"].iloc[0], pd.Timedelta(minutes=1)
        figure.update_xaxes(range=[moment - minute, moment + minute], tickvals=[moment], tickformat="%H:%M<br>%b %d")
    return _laid_out(figure, height=BESIDE, y=y)


def risk_coverage(frame: pd.DataFrame, *, coverage: float | None, false_answers: float | None) -> go.Figure:
    """Draw a frame of `rag.whatif.arrays.risk_coverage`, and where the sliders stand, if that is known."""
    common = {
        "mode": "lines",
        "x": frame["coverage"],
        "customdata": frame["threshold"],
        "hovertemplate": "coverage %{x:.1%}, false answers %{y:.1%}, threshold %{customdata:.3f}<extra></extra>",
    }
    upper = {"name": "95% upper bound", "line": {"color": GREY, "dash": "dot"}}
    figure = go.Figure([
        go.Scatter(y=frame["false_answer_upper"], **upper, **common),
        go.Scatter(y=frame["false_answer_rate"], name="false answers", line={"color": BLUE, "width": 3}, **common),
    ])  # fmt: skip
    if coverage is not None and false_answers is not None:
        figure.add_scatter(
            x=[coverage], y=[false_answers], mode="markers", name="now", cliponaxis=False,
            marker={"color": ORANGE, "size": 14, "symbol": "diamond", "line": {"width": 2, "color": "white"}},
            hovertemplate="now: coverage %{x:.1%}, false answers %{y:.1%}<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(range=[0, 1.02], tickformat=".0%").update_yaxes(rangemode="tozero", tickformat=".0%")
    return _laid_out(figure, height=BESIDE, x="coverage: share of answerable questions answered", y="false-answer rate")


def confidence_histogram(
    frame: pd.DataFrame, groups: dict[str, str], threshold: float | None, unsure: float | None = None
) -> go.Figure:
    """Draw how many requests have which confidence: columns low, high and the `groups`, which are column to name."""
    figure = go.Figure(
        [go.Bar(x=(frame["low"] + frame["high"]) / 2, y=frame[column], name=escape(name), marker_color=color,
                marker_pattern_shape=pattern)
         for (column, name), color, pattern in zip(
             groups.items(), (BLUE, ORANGE, GREY), ("", "/", "."), strict=False)]
    )  # fmt: skip
    figure.update_layout(barmode="stack")
    named = "" if threshold is None else in_digits(threshold)
    _mark_thresholds(figure, threshold, unsure, named, annotation_xshift=-6 if (threshold or 0) > 0.5 else 6)
    figure.update_xaxes(range=[0, 1])
    _whole_counts(figure, frame[[*groups]].sum(axis=1).max() if groups else 0)
    return _laid_out(figure, height=BESIDE, x="confidence", y="requests")
