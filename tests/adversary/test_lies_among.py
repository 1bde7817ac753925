"""Counting lies among what was shown: a twist that invents no word is counted as well."""

from collections import Counter

from ollama_server.brains import Lie

from adversary.full_size import Caught, lies_among, report

TRUTH = "Anders repaired the roof and Berit painted the fence."
LIES = [
    Lie("mixed_clauses", "Berit repaired the roof.", TRUTH, 1),
    Lie("other_number", "The mill has 12  doors.", "The mill has 21 doors.", 2),
]


def test_a_lie_of_the_truth_s_own_words_is_counted_with_its_kind() -> None:
    assert lies_among(["Berit repaired the roof."], LIES) == ["mixed_clauses: Berit repaired the roof."]
    assert lies_among(["The mill has 12 doors."], LIES) == ["other_number: The mill has 12 doors."]


def test_a_truth_a_part_of_it_and_another_sentence_are_not_counted() -> None:
    assert lies_among([TRUTH, "repaired the roof", "The gate is open."], LIES) == []


def test_the_report_tells_how_many_lies_of_each_kind_were_told() -> None:
    caught = [Caught(told=Counter(mixed_clauses=2)), Caught(told=Counter(mixed_clauses=1, negation=4))]
    assert [one.lies_told for one in caught] == [2, 5]
    assert "lies told by kind: mixed_clauses 3, negation 4" in report("liar", caught)
