"""Two settings on the same recorded questions, by hand."""

from test_whatif import LABELS, SIX, request

from rag.whatif.arrays import what_if
from rag.whatif.cases import cases_of
from rag.whatif.changes import COLUMNS, changes_between


def test_questions_that_end_otherwise_are_listed_with_what_the_label_says_of_it() -> None:
    cases = cases_of([*SIX, request("u", 0.65)], LABELS)  # a .9, b .7, c .4, d .2 answerable; e .6, f .1 not; u unknown
    found = changes_between(what_if(cases, confidence_threshold=0.5), what_if(cases, confidence_threshold=0.68))
    assert found[["request_id", "change", "before", "after"]].values.tolist() == [
        ["e", "improved", "answered", "refused"],  # unanswerable, and refused now
        ["u", "flipped", "answered", "refused"],
    ]
    assert (found["threshold_before"].iloc[0], found["threshold_after"].iloc[0]) == (0.5, 0.68)


def test_what_gets_worse_stands_first_the_closest_to_the_threshold_first() -> None:
    cases = cases_of(SIX, LABELS)
    found = changes_between(what_if(cases, confidence_threshold=0.5), what_if(cases, confidence_threshold=0.95))
    assert found["request_id"].tolist() == ["a", "b", "e"]  # .05 and .25 below, both answerable; e is for the better
    assert found["change"].tolist() == ["regressed", "regressed", "improved"]
    back = changes_between(what_if(cases, confidence_threshold=0.95), what_if(cases, confidence_threshold=0.5))
    assert back["change"].tolist() == ["regressed", "improved", "improved"]


def test_unsure_is_better_than_refused_for_what_can_be_answered_and_worse_for_what_cannot() -> None:
    cases = cases_of(SIX, LABELS)  # c .4 and d .2 answerable, f .1 not: refused without an unsure threshold
    found = changes_between(what_if(cases), what_if(cases, unsure_threshold=0.05))
    assert found[["request_id", "change", "after"]].values.tolist() == [
        ["f", "regressed", "unsure"],
        ["c", "improved", "unsure"],
        ["d", "improved", "unsure"],
    ]
    stricter = changes_between(what_if(cases), what_if(cases, confidence_threshold=0.65, unsure_threshold=0.5))
    assert stricter[["request_id", "change"]].values.tolist() == [["e", "improved"]]  # unanswerable, answered before


def test_what_is_not_known_on_either_side_is_left_out() -> None:
    cases = cases_of([request("x", 0.9, estimator="max_similarity", similarities=())])
    found = changes_between(what_if(cases), what_if(cases, estimator="calibrated", confidence_threshold=0.99))
    assert found.empty
    assert list(found.columns) == COLUMNS
