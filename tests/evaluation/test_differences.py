from itertools import product

import numpy as np
import pytest

from rag.evaluation.differences import EXACT, mcnemar, paired_interval, sign_flips


def means(changes):
    """Two runs whose questions have one value each and differ by these changes."""
    after = np.ones((len(changes), 2))
    after[:, 0] = changes
    return after * [0, 1], after


def test_of_shares_the_sign_flips_are_mcnemars_test():
    for gained, lost in ((2, 8), (7, 7), (30, 12)):
        found = sign_flips(*means([1.0] * gained + [-1.0] * lost + [0.0] * 5))
        assert found == pytest.approx(mcnemar(gained, lost), abs=1e-12 if gained + lost <= EXACT else 0.005)


def test_drawn_signs_and_the_bootstrap_are_repeatable_and_see_a_clear_difference():
    changed = means([0.1, 0.2, 0.0, 0.3] * 25)
    assert sign_flips(*changed) == sign_flips(*changed) == 1 / 10_001  # never zero
    assert sign_flips(*means([0.1, -0.1] * 50)) > 0.5
    assert sign_flips(*means([0.0] * 50)) == 1
    # mean .15, s = .1118 / sqrt(100) = .0112: .15 -+ .0219
    assert paired_interval(*changed) == paired_interval(*changed) == pytest.approx((0.128, 0.172), abs=0.003)
    assert paired_interval(*means([0.0] * 10)) == (0, 0)


def test_a_ratio_exchanges_questions_with_all_of_their_citations_and_the_bootstrap_weighs_by_them():
    before, after = np.array([[0.0, 1.0], [1.0, 4.0], [2.0, 2.0]]), np.array([[2.0, 2.0], [3.0, 3.0], [1.0, 2.0]])
    differences = []
    for turned in product([False, True], repeat=3):
        both = [(after[n], before[n]) if turn else (before[n], after[n]) for n, turn in enumerate(turned)]
        first, second = (sum(each) for each in zip(*both, strict=True))
        differences.append(second[0] / second[1] - first[0] / first[1])
    # 3/7 against 6/7; 3/7 is reached, besides, only where all are exchanged
    assert differences[0] == pytest.approx(3 / 7)
    assert sign_flips(before, after) == sum(abs(one) >= differences[0] - 1e-12 for one in differences) / 8
    before, after = np.array([[1.0, 1.0], [0.0, 3.0]] * 50), np.array([[0.0, 1.0], [3.0, 3.0]] * 50)
    low, high = paired_interval(before, after)
    assert low < 0.5 < high  # 50 of 200 against 150 of 200, though as many questions lost as gained
