from itertools import product

import numpy as np
import pytest

from rag.evaluation.paired import EXACT, holm, mcnemar, paired_interval, sign_flips


def means(changes):
    """Two runs whose questions have one value each and differ by these changes."""
    after = np.ones((len(changes), 2))
    after[:, 0] = changes
    before = after.copy()
    before[:, 0] = 0
    return before, after


def test_mcnemar_is_the_binomial_tail():
    assert mcnemar(0, 0) == 1
    assert mcnemar(3, 3) == 1
    # 2 * (1 + 10) / 2^10
    assert mcnemar(1, 9) == mcnemar(9, 1) == pytest.approx(22 / 1024)
    assert 0 <= mcnemar(3000, 100) < 1e-12


def test_holm_multiplies_by_what_is_left_and_never_falls():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_signs_are_counted_by_hand():
    # sums of +-1 +-2 +-4 are odd, 7 5 3 1 and their negatives, one sign pattern each: |sum| >= 5 in 4 of 8
    assert sign_flips(*means([-1.0, 2.0, 4.0])) == 4 / 8
    assert sign_flips(*means([1.0, 2.0, 4.0])) == 2 / 8
    assert sign_flips(*means([1.0, -1.0])) == 1


@pytest.mark.parametrize("count", [1, 5, 7])
def test_few_changes_of_one_sign_have_the_probability_of_so_many_coins(count):
    assert sign_flips(*means([0.25] * count)) == sign_flips(*means([0.25] * count + [0.0] * 50)) == 2 / 2**count
    assert sign_flips(*means([0.0] * 50)) == 1


@pytest.mark.parametrize(("gained", "lost"), [(1, 3), (2, 8), (7, 7), (30, 12), (12, 30)])
def test_of_shares_the_sign_flips_are_mcnemars_test(gained, lost):
    found = sign_flips(*means([1.0] * gained + [-1.0] * lost + [0.0] * 5))
    assert found == pytest.approx(mcnemar(gained, lost), abs=1e-12 if gained + lost <= EXACT else 0.005)


def test_drawn_signs_and_the_bootstrap_are_repeatable_and_see_a_clear_difference():
    changed = means([0.1, 0.2, 0.0, 0.3] * 25)
    assert sign_flips(*changed) == sign_flips(*changed) == 1 / 10_001  # never zero
    assert sign_flips(*means([0.1, -0.1] * 50)) > 0.5
    low, high = paired_interval(*changed)
    assert paired_interval(*changed) == (low, high)
    # mean .15, s = .1118 / sqrt(100) = .0112: .15 -+ .0219
    assert (low, high) == (pytest.approx(0.128, abs=0.003), pytest.approx(0.172, abs=0.003))
    assert paired_interval(*means([0.0] * 10)) == (0, 0)


@pytest.mark.parametrize("count", [5, 6, 12])
def test_without_a_difference_no_more_than_five_in_a_hundred_are_found(count):
    chance = np.random.default_rng(count)
    found = [sign_flips(*means(chance.normal(size=count))) for _ in range(400)]
    # at most .05 of 400 and three standard errors: 20 + 3 * sqrt(400 * .05 * .95) = 33
    assert sum(p_value <= 0.05 for p_value in found) <= (0 if count < 6 else 33)


def test_a_ratio_exchanges_questions_with_all_of_their_citations():
    before, after = np.array([[0.0, 1.0], [1.0, 4.0], [2.0, 2.0]]), np.array([[2.0, 2.0], [3.0, 3.0], [1.0, 2.0]])
    differences = []
    for turned in product([False, True], repeat=3):
        first = sum(after[n] if turn else before[n] for n, turn in enumerate(turned))
        second = sum(before[n] if turn else after[n] for n, turn in enumerate(turned))
        differences.append(second[0] / second[1] - first[0] / first[1])
    # 3/7 against 6/7; 3/7 is reached, besides, only where all are exchanged
    assert differences[0] == pytest.approx(3 / 7)
    assert sign_flips(before, after) == sum(abs(one) >= differences[0] - 1e-12 for one in differences) / 8


def test_the_bootstrap_of_a_ratio_weighs_a_question_by_its_citations():
    before, after = np.array([[1.0, 1.0], [0.0, 3.0]] * 50), np.array([[0.0, 1.0], [3.0, 3.0]] * 50)
    low, high = paired_interval(before, after)
    # 50 of 200 against 150 of 200, though as many questions lost as gained
    assert low < 0.5 < high
    assert sign_flips(before, after) < 0.001
