"""Tables, charts and words as they are drawn: what is read first, how many digits, room for labels."""

import tomllib

import pytest
import recorded
from seen import ROOT

from dashboard import charts
from dashboard.readable import highlighted
from dashboard.tables import inputs_table
from rag.confidence.signals import SIGNALS
from rag.models import GateDecision


def test_every_input_of_an_estimator_has_a_name_and_a_meaning_and_its_own_value():
    names = (*SIGNALS, "max_similarity", "mean_similarity", "chunks")
    gate = GateDecision(passed=True, estimator="calibrated", confidence=0.8, threshold=0.6, margin=0.2, reason="High.",
                        inputs={name: index / 10 for index, name in enumerate(names)})  # fmt: skip
    table = inputs_table(gate)
    assert len(table) == len(names)
    assert table["Decided"].to_list() == ["yes"] * len(SIGNALS) + ["no"] * 3
    by_mean = gate.model_copy(update={"estimator": "mean_similarity"})
    assert inputs_table(by_mean)["What was read"][0] == "Mean similarity"
    assert not any("_" in name for name in table["What was read"])
    assert (table["What it means"].str.len() > 5).all()
    assert table.set_index("What was read")["Value"]["Agreement"] == "0.200"  # the third


@pytest.mark.parametrize("dark", [True, False])
def test_the_text_of_a_chart_is_told_from_the_background_of_its_theme(dark):
    figure = charts.write_on(charts.confidence_meter(0.4, 0.6), dark=dark)
    text = {figure.layout.xaxis.tickfont.color, figure.layout.annotations[0].font.color}
    background = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]["dark" if dark else "light"]
    assert [contrast(color, background["backgroundColor"]) >= 7 for color in text] == [True]


def contrast(first, second):
    """The contrast of two colours by WCAG 2.1, 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(color):
    """The relative luminance of `#rrggbb` by WCAG 2.1."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_meter_shows_by_its_colour_how_a_question_ended_and_a_line_for_each_threshold():
    colours = [charts.confidence_meter(at, 0.7, 0.3).data[0].marker.color for at in (0.8, 0.7, 0.5, 0.2)]
    assert colours == [charts.BLUE, charts.BLUE, charts.OUTCOMES["unsure"], charts.ORANGE]
    assert charts.confidence_meter(0.5, 0.7).data[0].marker.color == charts.ORANGE  # it knows no unsure
    assert [len(charts.confidence_meter(0.5, 0.7, unsure).layout.shapes) for unsure in (None, 0.3)] == [1, 2]


def test_the_best_window_and_the_marked_sentences_of_a_passage_are_told_by_their_colour():
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
