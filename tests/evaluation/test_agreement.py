"""Agreement of labellers on answers, passages and answerability: Cohen's kappa and Krippendorff's alpha, by hand."""

import pytest

from rag.evaluation.agreement import SETTLED, agreement, agreement_of_all, alpha, disagreements, labellers, that_count
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


def test_judged_passages_count_with_their_own_denominator():
    # 3 of 4 equal. ada: 1 relevant of 4, bo: 2 of 4. p_e = 1/4 * 2/4 + 3/4 * 2/4 = 1/2, kappa = (3/4 - 1/2) / (1/2).
    answers, answerable, passages = agreement([*PASSAGES, *both("r1", "correct", "correct")], "ada", "bo")
    assert [one.aspect for one in (answers, answerable, passages)] == ["answer", "answerable", "chunk"]
    assert (passages.agreement.items, passages.requests, passages.agreement.kappa) == (4, 2, 0.5)
    assert (passages.observed.numerator, passages.observed.denominator) == (3, 4)
    assert (answers.agreement.items, answers.agreement.observed) == (1, 1.0)
    assert (answerable.agreement.items, answerable.observed.value, answerable.low) == (0, None, None)


def test_interval_of_kappa_ends_where_kappa_does():
    # 2 of 4 equal, both say yes 3 times: p_e = 9/16 + 1/16 = 5/8, kappa = (1/2 - 5/8) / (3/8) = -1/3. v = 4/3 / 16 =
    # 1/12, n* = (1/4) / (1/12) = 3. Wilson at 1/2 of 3: .5 -+ 1.96 sqrt(1/12 + 3.8415/36) / 2.2805, .1253 to .8747; as
    # kappa (.1253 - .625) / .375 = -1.33.
    pairs = [("yes", "yes"), ("yes", "yes"), ("yes", "no"), ("no", "yes")]
    labels = [one for number, pair in enumerate(pairs) for one in both(f"r{number}", *pair)]
    (answers, _, _) = agreement(labels, "ada", "bo")
    assert answers.agreement.kappa == pytest.approx(-1 / 3)
    assert answers.observed.low == pytest.approx(0.1253, abs=1e-4)
    assert answers.low == -1.0
    assert answers.high == pytest.approx((0.8747 - 0.625) / 0.375, abs=5e-4)


def test_passages_of_one_request_do_not_count_as_independent():
    many = [one for item in range(12) for one in both("r1", "relevant", "relevant", "chunk", f"c{item}")]
    many += [one for item in range(12) for one in both("r2", "irrelevant", "irrelevant", "chunk", f"c{item}")]
    (_, _, passages) = agreement(many, "ada", "bo")
    assert (passages.agreement.items, passages.agreement.kappa, passages.high) == (24, 1.0, 1.0)
    assert passages.observed.low == pytest.approx(1 / (1 + 1.96**2 / 2), abs=1e-3)  # Wilson, 2 of 2: two requests


def test_what_two_differ_on_is_listed_the_open_ones_first():
    labels = [*both("r1", "correct", "wrong"), *PASSAGES, label(SETTLED, "r1", "wrong")]
    found = disagreements(labels, "ada", "bo")
    assert [(one.target, one.aspect, one.item, one.first, one.second, one.settled) for one in found] == [
        ("r1", "chunk", "c3", "irrelevant", "relevant", None),
        ("r1", "answer", "", "correct", "wrong", "wrong"),
    ]


def test_what_was_settled_counts_before_everybodys_own_and_is_nobodys_judgement():
    labels = [*both("r1", "yes", "yes", "answerable"), label(SETTLED, "r1", "no", "answerable"), *PASSAGES]
    assert that_count(labels) == labels[2:]
    assert labellers(labels) == ["ada", "bo"]


def test_three_people_agree_as_far_as_each_aspect_has_it_and_settling_is_no_judgement():
    # r1 yes yes no, r2 no no: o_yy 1, o_yn 1, o_ny 1, o_nn 2; alpha = 1 - 2 / ((2*3 + 3*2) / 4) = 1/3
    labels = [
        *both("r1", "yes", "yes", "answerable"),
        *both("r2", "no", "no", "answerable"),
        label("cy", "r1", "no", "answerable"),
        label("cy", "r3", "no", "answerable"),
        label(SETTLED, "r3", "yes", "answerable"),
        *PASSAGES,
    ]
    found = dict(agreement_of_all(labels))
    assert list(found) == ["answer", "answerable", "chunk"]
    assert found["answerable"].alpha == pytest.approx(1 / 3)
    assert (found["answerable"].items, found["answerable"].verdicts, found["answerable"].requests) == (2, 5, 2)
    assert (found["chunk"].items, found["chunk"].requests) == (4, 2)
    assert (found["answer"].items, found["answer"].alpha) == (0, None)


# Krippendorff 2011, section C: four observers, twelve units, nominal data; a dot is a missing value.
PUBLISHED = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


@pytest.mark.parametrize(
    ("requests", "expected", "items", "verdicts"),
    [
        # the twelfth unit has one value
        ([[[one for one in unit if one != "."]] for unit in zip(*PUBLISHED, strict=True)], 0.743, 11, 40),
        ([[["yes"] * 3], [["no"] * 2]], 1, 2, 5),
        ([[["yes"] * 3], [["yes"] * 2]], None, 2, 5),  # the same verdict throughout: not defined
        ([], None, 0, 0),
    ],
)
def test_alpha_is_that_of_the_published_example_and_1_where_all_agree(requests, expected, items, verdicts):
    found = alpha(requests)
    assert found.alpha == (None if expected is None else pytest.approx(expected, abs=0.0005))
    assert (found.items, found.verdicts) == (items, verdicts)


def test_an_interval_is_given_from_five_requests_on_and_holds_alpha():
    requests = [[["yes", "yes", "yes"]], [["no", "no", "yes"]], [["no", "no"]], [["yes", "yes"]]]
    assert alpha(requests).low is None
    found = alpha(requests * 5)
    assert found.low < found.alpha < found.high <= 1
    assert alpha(requests * 5) == found
