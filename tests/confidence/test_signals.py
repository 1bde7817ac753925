"""The four signals of the gate, worked out by hand from readings."""

from math import log

import pytest
from passages import hit

from rag.confidence.signals import LOWEST, signals


def read(*readings, marks=(), rank=1):
    """A passage whose windows were read so; None: that window was not read."""
    return hit("One. Two. Three.", rank=rank).model_copy(update={"window_readings": readings, "marks": marks})


def test_best_is_the_highest_reading_and_second_that_of_another_passage():
    found = signals([read(0.3, 0.5, rank=1), read(0.8, 0.75, rank=2), read(0.2, rank=3)])

    assert found["best"] == pytest.approx(log(0.8 / 0.2))
    assert found["second"] == 0.0  # the other passage's .5, not the .75 beside the best


def test_agree_counts_windows_that_answer_up_to_five():
    assert signals([read(0.5, 0.49, None), read(0.9, rank=2)])["agree"] == pytest.approx(2 / 5)
    assert signals([read(*[0.9] * 4), read(*[0.6] * 4, rank=2)])["agree"] == 1.0


def test_clear_is_the_highest_mark_of_the_best_passage_alone():
    found = signals([read(0.3, marks=(0.9, 0.1)), read(0.6, marks=(0.2, 0.7, 0.4), rank=2)])

    assert found["clear"] == 0.7


@pytest.mark.parametrize(("probability", "odds"), [(1.0, 8.0), (0.99999, 8.0), (0.0, -8.0), (1e-9, -8.0)])
def test_log_odds_end_at_eight(probability, odds):
    assert signals([read(probability)])["best"] == odds


@pytest.mark.parametrize("hits", [[], [read()], [read(None, None), read(None, rank=2)]])
def test_where_nothing_was_found_or_read_all_signals_are_at_their_lowest(hits):
    assert signals(hits) == LOWEST == {"best": -8.0, "second": -8.0, "agree": 0.0, "clear": 0.0}
