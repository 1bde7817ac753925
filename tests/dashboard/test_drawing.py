"""Tables, charts and words as they are drawn: what is read first, how many digits, room for labels."""

import tomllib

import pandas as pd
import pytest
import recorded
from seen import ROOT

from dashboard import charts, columns
from dashboard.components import shown
from dashboard.readable import highlighted
from dashboard.tables import hits_table, inputs_table
from rag.confidence.signals import SIGNALS
from rag.models import GateDecision


def test_a_table_draws_what_is_configured_first_and_in_that_order() -> None:
    frame = pd.DataFrame({"text": ["t"], "other": [1], "rank": [1], "document": ["a.md"]})
    assert [*shown(frame, columns.HITS)] == ["rank", "document", "text", "other"]


def test_a_share_in_a_table_has_one_decimal_and_other_numbers_keep_theirs() -> None:
    drawn = shown(pd.DataFrame({"share": [5 / 9], "requests": [5]}), columns.REFUSALS)
    assert drawn["share"].tolist() == [0.556]
    precise = shown(pd.DataFrame({"auroc": [0.91827], "coverage": [None]}), columns.RUNS)
    assert precise["auroc"].tolist() == [0.91827]
    assert precise["coverage"].isna().all()


@pytest.mark.parametrize("table", [columns.HITS, columns.REQUESTS, columns.RUNS, columns.CHANGED])
def test_what_a_table_is_about_fits_the_narrowest_screen(table: dict[str, dict[str, object]]) -> None:
    first = [column["width"] for column in table.values()][:3]  # 800 pixels leave a table 440
    assert sum(width for width in first if isinstance(width, int)) <= 440


def test_the_label_of_the_last_stage_has_room_beside_its_bar() -> None:
    stages = pd.DataFrame({"stage": ["embed", "gate"], "start_ms": [0.0, 40.0], "ms": [40.0, 10.0]})
    assert charts.waterfall(stages).layout.xaxis.range == pytest.approx((0, 58))


def test_a_single_moment_is_named_once_and_a_minute_on_either_side_is_shown() -> None:
    moment = pd.Timestamp("2026-11-22 11:29", tz="UTC")
    frame = pd.DataFrame(
        {"time": [moment], "answered": [4], "unsure": [0], "refused": [6], "stopped": [0], "p50": [0.1]}
    )
    for figure in (charts.outcomes_over_time(frame), charts.lines_over_time(frame, {"p50": "p50"}, y="ms")):
        assert list(figure.layout.xaxis.tickvals) == [moment]
        assert {bar.width for bar in figure.data if bar.type == "bar"} <= {30_000}
        assert (figure.layout.xaxis.range[1] - figure.layout.xaxis.range[0]).total_seconds() == 120


def test_every_input_of_an_estimator_has_a_name_and_a_meaning_and_its_own_value() -> None:
    names = (*SIGNALS, "max_similarity", "mean_similarity", "chunks")
    gate = GateDecision(passed=True, estimator="calibrated", confidence=0.8, threshold=0.6, margin=0.2, reason="High.",
                        inputs={name: index / 10 for index, name in enumerate(names)})  # fmt: skip
    table = inputs_table(gate)
    assert len(table) == len(names)
    assert table["Decided"].to_list() == ["yes"] * len(SIGNALS) + ["no"] * 3
    assert (
        inputs_table(gate.model_copy(update={"estimator": "mean_similarity"}))["What was read"][0] == "Mean similarity"
    )
    assert not any("_" in name for name in table["What was read"])
    assert (table["What it means"].str.len() > 5).all()
    assert table.set_index("What was read")["Value"]["Agreement"] == "0.200"  # the third


@pytest.mark.parametrize("dark", [True, False])
def test_the_text_of_a_chart_is_told_from_the_background_of_its_theme(dark: bool) -> None:
    figure = charts.write_on(charts.confidence_meter(0.4, 0.6), dark=dark)
    text = {figure.layout.xaxis.tickfont.color, figure.layout.annotations[0].font.color}
    background = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]["dark" if dark else "light"]
    assert [contrast(color, background["backgroundColor"]) >= 7 for color in text] == [True]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_links_captions_and_what_is_chosen_are_told_from_every_background(theme: str) -> None:
    colours = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"][theme]
    grounds = [part[name] for part in (colours, colours["sidebar"]) for name in part if "ackgroundColor" in name]
    faint = {
        (name, ground)
        for ground in grounds
        for name in ("textColor", "codeTextColor", "primaryColor", "linkColor")
        if contrast(colours[name], ground) < 4.5
    }
    captions = {ground: over(colours["textColor"], ground, share=0.6) for ground in grounds}  # as Streamlit draws them
    assert faint | {pair for pair in captions.items() if contrast(*pair) < 4.5} == set()


def over(colour: str, ground: str, *, share: float) -> str:
    """What is seen of a colour that lets the rest of what is behind it through."""
    parts = [(int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(share * top + (1 - share) * below):02x}" for top, below in parts)


def contrast(first: str, second: str) -> float:
    """The contrast of two colours by WCAG 2.1, 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    """The relative luminance of `#rrggbb` by WCAG 2.1."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_meter_shows_by_its_colour_how_a_question_ended_and_a_line_for_each_threshold() -> None:
    colours = [charts.confidence_meter(at, 0.7, 0.3).data[0].marker.color for at in (0.8, 0.7, 0.5, 0.2)]
    assert colours == [charts.BLUE, charts.BLUE, charts.OUTCOMES["unsure"][0], charts.ORANGE]
    assert charts.confidence_meter(0.5, 0.7).data[0].marker.color == charts.ORANGE  # it knows no unsure
    assert [len(charts.confidence_meter(0.5, 0.7, unsure).layout.shapes) for unsure in (None, 0.3)] == [1, 2]


def test_the_retrieved_passages_show_both_ranks_and_the_reading() -> None:
    first, second, third = recorded.answered().retrieved
    read = (
        second.model_copy(update={"rank": 1, "retrieval_rank": 2, "window_readings": (0.2, 0.9)}),
        first.model_copy(update={"rank": 2, "retrieval_rank": 1, "window_readings": (0.4,)}),
        third.model_copy(update={"rank": 3, "retrieval_rank": 3}),
    )
    table = hits_table(recorded.answered().model_copy(update={"retrieved": read}))
    assert table["rank"].tolist() == [1, 2, 3]
    assert table["retrieval_rank"].tolist() == [2, 1, 3]
    assert table["reading"].tolist()[:2] == [0.9, 0.4]
    assert table["reading"].isna().tolist() == [False, False, True]
    assert hits_table(recorded.answered())["retrieval_rank"].tolist() == [1, 2, 3]  # nothing was read: nothing moved


def test_the_best_window_and_the_marked_sentences_of_a_passage_are_told_by_their_colour() -> None:
    text = "It is cold. Gloves are worn. They are blue. Boots are not."
    spans = ((0, 11), (12, 28), (29, 43), (44, 58))
    hit = recorded.answered().retrieved[0].model_copy(
        update={"content": text, "sentences": spans, "windows": ((0, 11), (12, 43), (44, 58)),
                "window_readings": (0.1, 0.9, None), "marks": (0.0, 0.8, 0.2, 0.0)}
    )  # fmt: skip
    assert highlighted(hit) == (
        "It is cold. :orange-background[Gloves are worn.] :blue-background[They are blue.] Boots are not."
    )
    unread = hit.model_copy(update={"window_readings": (), "marks": (), "window_cosines": (0.5, 0.1, 0.2)})
    assert highlighted(unread) == ":blue-background[It is cold.] Gloves are worn. They are blue. Boots are not."
    assert highlighted(hit.model_copy(update={"windows": ()})) == text  # a record of before there were windows


def test_nothing_in_a_code_span_is_escaped() -> None:
    """There Markdown draws a backslash as it stands."""
    sources = [*(ROOT / "dashboard").glob("*.py"), *(ROOT / "pages").glob("*.py")]
    assert [path.name for path in sources if "`{md(" in path.read_text(encoding="utf-8")] == []
