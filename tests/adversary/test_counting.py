"""Which questions an adversary is asked, and which lies are counted among what was shown."""

from ollama_server.brains import Lie

from adversary.full_size import lies_among

TRUTH = "Anders repaired the roof and Berit painted the fence."
LIES = [
    Lie("mixed_clauses", "Berit repaired the roof.", TRUTH, 1),
    Lie("other_number", "The mill has 12  doors.", "The mill has 21 doors.", 2),
]


def test_a_lie_is_counted_with_its_kind_and_a_truth_a_part_of_it_and_another_sentence_are_not():
    told = [TRUTH, "repaired the roof", "The gate is open.", "Berit repaired the roof.", "The mill has 12 doors."]
    assert lies_among(told, LIES) == ["mixed_clauses: Berit repaired the roof.", "other_number: The mill has 12 doors."]
