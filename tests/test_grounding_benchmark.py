"""The grounding figures: what is counted, by hand, with checks of which it is known what they say."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from benchmarks.grounding import (
    Pair,
    changed_number,
    exchanged_number,
    load_pairs,
    measure,
    numbered_sentences,
    text_of,
    weighted_auroc,
)
from rag.errors import ConfigurationError

DRUM = "The drum holds 40 litres. It is emptied each morning by the porter of the house. It weighs 12 kilograms empty."
TANK = "The tank is made of steel and stands behind the house, where it is filled twice a week."
PAIRS = [
    Pair("The drum holds 40 litres.", DRUM, "SUPPORT"),
    Pair("The porter empties the drum.", DRUM, "SUPPORT"),
    Pair("The drum holds 90 litres.", DRUM, "CONTRADICT"),
    Pair("The tank is green.", TANK, "NOT_ENOUGH_INFO"),
    Pair("The tank is of steel.", TANK, "NOT_ENOUGH_INFO"),
]


def strict(claim: str, evidence: str) -> float:
    """Support only what stands there word for word."""
    return 0.9 if claim in evidence else 0.1


def trusting(claim: str, evidence: str) -> float:
    return 0.9


def written(folder: Path, *rows: object) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_a_check_that_trusts_everything_is_shown_as_such() -> None:
    found = measure(PAIRS, trusting, 10)
    assert found.against_rest.value == 0.5  # all ties
    counted = {label: (one.numerator, one.denominator) for label, one in found.supported.items()}
    assert counted == {"SUPPORT": (2, 2), "CONTRADICT": (1, 1), "NOT_ENOUGH_INFO": (2, 2)}
    assert (found.claims_changed.numerator, found.claims_changed.denominator) == (1, 1)  # the other has no number


def test_a_check_that_asks_for_the_very_words_supports_no_changed_number() -> None:
    found = measure(PAIRS, strict, 10)
    # .9 and .1 against .1, .1, .1: 3 + 3 * .5 of 6
    assert found.against_rest.value == pytest.approx(4.5 / 6)
    assert (found.supported["SUPPORT"].numerator, found.supported["CONTRADICT"].numerator) == (1, 0)
    assert (found.claims_changed.numerator, found.claims_changed.denominator) == (0, 1)
    # no sentence of 40 characters or more has a number
    assert (found.sentences.numerator, found.sentences.denominator) == (0, 0)


def test_sentences_with_a_number_are_taken_once_for_each_text() -> None:
    long = "The large drum in the corner of the yard holds 40 litres."
    pairs = [Pair("A claim.", f"{long} It is green.", "SUPPORT"), Pair("Another.", f"{long} It is green.", "SUPPORT")]
    assert [one.claim for one in numbered_sentences(pairs)] == [long]
    found = measure(pairs, strict, 10)
    assert (found.sentences.numerator, found.sentences.denominator) == (1, 1)
    assert (found.sentences_changed.numerator, found.sentences_changed.denominator) == (0, 1)
    believed = measure(pairs, trusting, 10)
    assert (believed.sentences_changed.numerator, believed.sentences_changed.denominator) == (1, 1)
    assert believed.sentences_exchanged.denominator == 0  # its text states no other number


def test_a_changed_number_differs_in_one_digit_and_is_stated_nowhere() -> None:
    pair = Pair("The drum holds 40 litres.", DRUM, "SUPPORT")
    found = {changed_number(pair, random.Random(seed)) for seed in range(200)}
    # of 4 the digits 1 to 9 but 4, of 0 all of them
    values = {f"{first}0" for first in "12356789"} | {f"4{second}" for second in "123456789"}
    assert found == {f"The drum holds {value} litres." for value in values}
    near = Pair("It took 4 days.", "It took 4 days, not 1, two, three, 5, 6, 7 or 8.", "SUPPORT")
    assert {changed_number(near, random.Random(seed)) for seed in range(20)} == {"It took 9 days."}


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The protein p53 binds IL-6 in HT29 cells.", "p53 binds IL-6."),  # numbers in names
        ("The drum is green.", DRUM),
        ("It took 4 days.", "1 2 3 4 5 6 7 8 9"),  # every other digit is stated
    ],
)
def test_where_no_number_can_be_changed_there_is_no_pair(claim: str, evidence: str) -> None:
    assert changed_number(Pair(claim, evidence, "SUPPORT"), random.Random(1)) is None


def test_an_exchanged_number_is_another_one_of_the_same_text() -> None:
    text = "The drum holds 40 litres, is emptied at 7 and weighs 12 kilograms; 40 litres are enough."
    pair = Pair("The drum holds 40 litres.", text, "SUPPORT")
    found = {exchanged_number(pair, random.Random(seed)) for seed in range(50)}
    assert found == {"The drum holds 7 litres.", "The drum holds 12 litres."}
    assert exchanged_number(Pair("The drum holds 40 litres.", "40 litres.", "SUPPORT"), random.Random(1)) is None
    assert exchanged_number(Pair("The drum is green.", text, "SUPPORT"), random.Random(1)) is None


def test_the_weighted_area_counts_each_score_so_often() -> None:
    scores, positive = np.array([0.9, 0.2, 0.5]), np.array([True, True, False])
    assert weighted_auroc(scores, positive, np.array([1, 1, 1])) == 0.5  # one of two is above
    assert weighted_auroc(scores, positive, np.array([3, 1, 2])) == 0.75  # three of four
    assert weighted_auroc(np.array([0.5, 0.5]), np.array([True, False]), np.array([1, 1])) == 0.5
    assert np.isnan(weighted_auroc(scores, positive, np.array([1, 1, 0])))


def test_the_interval_of_the_area_holds_it_and_is_the_same_each_time() -> None:
    pairs = [Pair(f"Claim {n}.", f"Text {n // 2}.", "SUPPORT" if n % 3 else "CONTRADICT") for n in range(60)]
    support = {pair.claim: (n * 37 % 60) / 60 for n, pair in enumerate(pairs)}
    one, again = (measure(pairs, lambda claim, _: support.get(claim, 0.0), 5).against_rest for _ in range(2))
    assert one == again
    assert one.low is not None
    assert one.high is not None
    assert 0 < one.low < one.value < one.high < 1  # type: ignore[operator]


def test_the_table_shows_counts_and_intervals() -> None:
    drawn = text_of(measure(PAIRS, strict, 10, "strict@1"), len(PAIRS))
    # 1 of 2: Wilson .0945 to .9055
    assert "| called supported, SUPPORT | 50.0% (1 of 2; 9.5% to 90.5%) |" in drawn
    assert "5 pairs; supported from 0.86; check strict@1" in drawn


def test_pairs_are_read_and_the_short_name_of_a_label_too(tmp_path: Path) -> None:
    row = {"claim": "It is wet.", "evidence": "It rained.", "label": "NOINFO", "split": "train"}
    assert load_pairs(written(tmp_path, row, "", {**row, "label": "SUPPORT"})) == [
        Pair("It is wet.", "It rained.", "NOT_ENOUGH_INFO"),
        Pair("It is wet.", "It rained.", "SUPPORT"),
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "line 1: not JSON"),
        ([1], "line 1: the texts 'claim', 'evidence' and 'label' are needed"),
        ({"claim": "a", "evidence": "b"}, "line 1: the texts"),
        ({"claim": "a", "evidence": "b", "label": "MAYBE"}, "line 1: the label is 'MAYBE'"),
        ("", "is empty"),
    ],
)
def test_a_file_that_holds_no_pairs_is_named_with_its_line(tmp_path: Path, row: object, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        load_pairs(written(tmp_path, row))
