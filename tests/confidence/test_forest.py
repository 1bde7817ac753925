"""Boosted trees as numbers: what they add, and what is refused."""

import numpy as np
import pytest
from pydantic import ValidationError

from rag.confidence.forest import Forest

TWO = {  # 0: is the first signal at most .5? 1 leaf; 2: is the second at most .2? 3, 4 leaves; 5: a tree of one leaf
    "signals": (0, 0, 1, 0, 0, 0),
    "cuts": (0.5, 0, 0.2, 0, 0, 0),
    "left": (1, 1, 3, 3, 4, 5),
    "right": (2, 1, 4, 3, 4, 5),
    "values": (0, -1.0, 0, 0.25, 2.0, 0.5),
    "roots": (0, 5),
}


def test_each_row_gets_the_leaves_that_it_reaches_added_up():
    signals = np.array([[0.5, 0.9], [0.6, 0.2], [0.6, 0.3]])

    assert Forest(**TWO).odds(signals).tolist() == [-0.5, 0.75, 2.5]  # -1 + .5, .25 + .5, 2 + .5


def test_no_trees_add_nothing():
    empty = Forest(signals=(), cuts=(), left=(), right=(), values=(), roots=())

    assert empty.odds(np.zeros((2, 3))).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"cuts": (0.5,)}, "needs a signal, a cut"),
        ({"right": (0, 1, 4, 3, 4, 5)}, "leads back"),
        ({"right": (9, 1, 4, 3, 4, 5)}, "leads back"),
        ({"roots": (6,)}, "begins at a node"),
        ({"values": (0, float("nan"), 0, 0, 0, 0)}, "not finite"),
    ],
)
def test_a_damaged_forest_is_refused(changed, why):
    with pytest.raises(ValidationError, match=why):
        Forest(**{**TWO, **changed})
