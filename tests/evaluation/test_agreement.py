"""Agreement of labellers on answers, passages and answerability: Cohen's kappa and Krippendorff's alpha, by hand."""

import pytest

from rag.evaluation.agreement import SETTLED, agreement, agreement_of_all, alpha
from rag.workspace.values import Label


def label(who, target, verdict, aspect="answer", item=""):
    return Label(target=target, aspect=aspect, item=item, labeller=who, verdict=verdict)


def both(target, first, second, aspect="answer", item=""):
    return [label("ada", target, first, aspect, item), label("bo", target, second, aspect, item)]


PASSAGES = [
    *both("r1", "relevant", "relevant", "chunk", "c1"),
    *both("r1", "irrelevant", "irrelevant", "chunk", "c2"),
    *both("r1", "irrelevant", "relevant", "chunk", "c3"),
    *both("r2", "irrelevant", "irrelevant", "chunk", "c1"),
    label("ada", "r3", "relevant", "chunk", "c1"),  # judged by one of them alone
]


def test_each_aspect_has_its_own_denominator_and_passages_of_one_request_are_not_independent():
    # 3 of 4 equal. ada: 1 relevant of 4, bo: 2 of 4. p_e = 1/4 * 2/4 + 3/4 * 2/4 = 1/2, kappa = (3/4 - 1/2) / (1/2).
    answers, answerable, passages = agreement([*PASSAGES, *both("r1", "correct", "correct")], "ada", "bo")
    assert (passages.agreement.items, passages.requests, passages.agreement.kappa) == (4, 2, 0.5)
    assert (passages.observed.numerator, passages.observed.denominator) == (3, 4)
    assert (answers.agreement.items, answers.agreement.observed) == (1, 1.0)
    assert (answerable.agreement.items, answerable.observed.value, answerable.low) == (0, None, None)
    verdicts = ("r1", "relevant"), ("r2", "irrelevant")
    many = [one for target, said in verdicts for n in range(12) for one in both(target, said, said, "chunk", str(n))]
    (_, _, passages) = agreement(many, "ada", "bo")
    assert (passages.agreement.items, passages.agreement.kappa, passages.high) == (24, 1.0, 1.0)
    assert passages.observed.low == pytest.approx(1 / (1 + 1.96**2 / 2), abs=1e-3)  # Wilson, 2 of 2: two requests


def test_interval_of_kappa_ends_where_kappa_does():
    # 2 of 4 equal, both say yes 3 times: p_e = 9/16 + 1/16 = 5/8, kappa = (1/2 - 5/8) / (3/8) = -1/3. v = 4/3 / 16 =
    # 1/12, n* = (1/4) / (1/12) = 3. Wilson at 1/2 of 3: .5 -+ 1.96 sqrt(1/12 + 3.8415/36) / 2.2805, .1253 to .8747; as
    # kappa (.1253 - .625) / .375 = -1.33.
    pairs = [("yes", "yes"), ("yes", "yes"), ("yes", "no"), ("no", "yes")]
    (answers, _, _) = agreement([one for n, pair in enumerate(pairs) for one in both(f"r{n}", *pair)], "ada", "bo")
    assert answers.agreement.kappa == pytest.approx(-1 / 3)
    assert (answers.low, answers.high) == (-1.0, pytest.approx((0.8747 - 0.625) / 0.375, abs=5e-4))


def test_three_people_agree_as_far_as_each_aspect_has_it_and_settling_is_no_judgement():
    # r1 yes yes no, r2 no no: o_yy 1, o_yn 1, o_ny 1, o_nn 2; alpha = 1 - 2 / ((2*3 + 3*2) / 4) = 1/3
    three = [("cy", "r1", "no"), ("cy", "r3", "no"), (SETTLED, "r3", "yes")]
    labels = [*both("r1", "yes", "yes", "answerable"), *both("r2", "no", "no", "answerable"), *PASSAGES]
    found = dict(agreement_of_all([*labels, *(label(*one, "answerable") for one in three)]))
    assert found["answerable"].alpha == pytest.approx(1 / 3)
    assert (found["answerable"].items, found["answerable"].verdicts, found["answerable"].requests) == (2, 5, 2)
    assert (found["chunk"].items, found["chunk"].requests) == (4, 2)
    assert (found["answer"].items, found["answer"].alpha) == (0, None)


# Krippendorff 2011, section C: four observers, twelve units, nominal data; a dot is a missing value.
PUBLISHED = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def test_alpha_is_that_of_the_published_example_and_has_an_interval_from_five_requests_on():
    found = alpha([[[one for one in unit if one != "."]] for unit in zip(*PUBLISHED, strict=True)])
    assert (found.alpha, found.items, found.verdicts) == (pytest.approx(0.743, abs=0.0005), 11, 40)  # one has one value
    assert (alpha([[["yes"] * 3], [["no"] * 2]]).alpha, alpha([[["yes"] * 3], [["yes"] * 2]]).alpha) == (1, None)
    requests = [[["yes", "yes", "yes"]], [["no", "no", "yes"]], [["no", "no"]], [["yes", "yes"]]]
    found = alpha(requests * 5)
    assert alpha(requests).low is None
    assert found.low < found.alpha < found.high <= 1
    assert alpha(requests * 5) == found
