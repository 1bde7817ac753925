"""Krippendorff's alpha, against the published example and numbers worked by hand."""

import pytest

from rag.evaluation.krippendorff import alpha

# Krippendorff 2011, section C: four observers, twelve units, nominal data; a dot is a missing value.
PUBLISHED = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def test_the_published_example_comes_out():
    units = ([value for value in unit if value != "."] for unit in zip(*PUBLISHED, strict=True))
    found = alpha([unit] for unit in units)
    assert found.alpha == pytest.approx(0.743, abs=0.0005)
    assert (found.items, found.verdicts) == (11, 40)  # the twelfth unit has one value


def test_perfect_agreement_is_1_and_the_same_verdict_throughout_is_not_defined():
    assert alpha([[["yes"] * 3], [["no"] * 2]]).alpha == 1
    same = alpha([[["yes"] * 3], [["yes"] * 2]])
    assert (same.alpha, same.items, same.verdicts) == (None, 2, 5)
    assert alpha([]).alpha is None


def test_three_people_of_whom_one_is_missing_once():
    # yes yes no: pairs yes-yes 2, yes-no 2, no-yes 2, each / 2 -> o_yy 1, o_yn 1, o_ny 1; no no: o_nn 2
    # n_yes 2, n_no 3, n 5; D_o 2; D_e (2*3 + 3*2) / 4 = 3; alpha 1 - 2/3
    found = alpha([[["yes", "yes", "no"], ["no", "no"], ["yes"]]])
    assert found.alpha == pytest.approx(1 / 3)
    assert (found.items, found.verdicts, found.requests) == (2, 5, 1)


def test_agreement_worse_than_chance_is_below_0():
    # both units yes no: o_yn 2, o_ny 2, n 4; D_o 4; D_e 8/3; alpha 1 - 1.5
    assert alpha([[["yes", "no"], ["no", "yes"]]]).alpha == pytest.approx(-0.5)


def test_an_interval_is_given_from_five_requests_on_and_holds_alpha():
    requests = [[["yes", "yes", "yes"]], [["no", "no", "yes"]], [["no", "no"]], [["yes", "yes"]]]
    assert alpha(requests).low is None
    found = alpha(requests * 5)
    assert found.low < found.alpha < found.high <= 1
    assert alpha(requests * 5) == found


def test_more_passages_of_the_same_requests_do_not_narrow_the_interval():
    requests = [[["yes", "yes"]], [["no", "yes"]], [["no", "no"]], [["yes", "yes"]], [["no", "no"]]] * 4
    once, fourfold = alpha(requests), alpha([units * 4 for units in requests])
    assert fourfold.high - fourfold.low == pytest.approx(once.high - once.low, abs=0.03)
