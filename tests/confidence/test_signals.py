"""The four signals of the gate, worked out by hand from readings."""

from math import log

import pytest
from passages import hit

from rag.confidence.signals import LOWEST, signals


def read(*readings, marks=()):
    """A passage whose windows were read so; None: that window was not read."""
    return hit("One. Two. Three.").model_copy(update={"window_readings": readings, "marks": marks})


@pytest.mark.parametrize(
    ("hits", "expected"),
    [
        # best is the highest reading, second that of another passage: its .5, not the .75 beside the best
        ([read(0.3, 0.5), read(0.8, 0.75), read(0.2)], {"best": log(4), "second": 0.0}),
        ([read(0.5, 0.49, None), read(0.9)], {"agree": 2 / 5}),  # windows that answer
        ([read(*[0.9] * 4), read(*[0.6] * 4)], {"agree": 1.0}),  # up to five
        ([read(0.3, marks=(0.9, 0.1)), read(0.6, marks=(0.2, 0.7, 0.4))], {"clear": 0.7}),  # of the best passage alone
        *(([read(probability)], {"best": odds}) for probability, odds in ((1.0, 8.0), (0.99999, 8.0), (1e-9, -8.0))),
        *((nothing, LOWEST) for nothing in ([], [read()], [read(None, None), read(None)])),
    ],
)
def test_the_signals_are_those_worked_out_by_hand(hits, expected):
    found = signals(hits)
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert LOWEST == {"best": -8.0, "second": -8.0, "agree": 0.0, "clear": 0.0}


def test_a_code_that_no_document_has_keeps_the_best_reading_below_24_percent():
    sure = [read(0.95)]
    assert signals(sure)["best"] == pytest.approx(log(19))
    assert signals(sure, has_absent_code=True)["best"] == pytest.approx(log(0.24 / 0.76))
    assert signals([read(0.1)], has_absent_code=True)["best"] == pytest.approx(log(1 / 9))
