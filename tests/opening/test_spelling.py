from collections.abc import Mapping, Sequence

import pytest

from rag.opening.spelling import WordCounts, corrected
from rag.text.words import stems, term_id

TEXT = """
Wear nitrile gloves with dichloromethane. Rinse eyes for fifteen minutes. The autoclave is serviced each year. The
environmental officer approves reimbursement. Accommodation is booked by Larkfield. Roots and seeds. Which form?
"""


def counts_of(text: str) -> WordCounts:
    held = {term_id(stem) for stem in stems(text)}

    def counts(terms: Sequence[int]) -> Mapping[int, int]:
        return {term: 1 for term in terms if term in held}

    return counts


@pytest.mark.parametrize(
    ("asked", "read", "changes"),
    [
        ("glovs for dichlormethane", "gloves for dichloromethane", 2),  # a letter too few, twice
        ("nitirle gloves?", "nitrile gloves?", 1),  # two exchanged
        ("is the autoclavee serviced", "is the autoclave serviced", 1),  # a letter too many
        ("who is the enviromentel officer", "who is the environmental officer", 1),  # two edits of a long word
    ],
)
def test_a_misspelt_word_becomes_the_word_of_the_index(asked, read, changes):
    found = corrected(asked, counts_of(TEXT))

    assert found is not None
    assert found.question == read
    assert len(found.changes) == changes
    assert all(wrong in asked and right in read for wrong, right in found.changes)


@pytest.mark.parametrize(
    "asked",
    [
        "Which gloves for dichloromethane?",
        "boots and seeds",  # an English word that is near one of the index and not in it
        "where is Larkfeld",  # a name
        "GLOVS",  # capitals
        "glovs-2",  # an identifier
        "e.glovs@x.org",
        "glv",  # too short
        "wich form",  # meant is a word that says little, which the index does not count
        "zzqxwv",  # near nothing
        "glovs " * 9,  # many unknown words
    ],
)
def test_names_identifiers_english_words_and_what_is_near_nothing_stay_as_they_are(asked):
    assert corrected(asked, counts_of(TEXT)) is None


def test_a_made_up_word_that_only_shares_an_id_with_another_is_not_taken():
    counts = counts_of("dichlormethene")

    assert corrected("dichlormethane", counts, occurs=lambda word: False) is None
    assert corrected("dichlormethane", counts) is not None
