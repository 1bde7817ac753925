import pytest

from rag.opening.spelling import corrected
from rag.text.words import stems, term_id

TEXT = """
Wear nitrile gloves with dichloromethane. Rinse eyes for fifteen minutes. The autoclave is serviced each year. The
environmental officer approves reimbursement. Accommodation is booked by Larkfield. Roots and seeds. Which form?
"""


HELD = {term_id(stem) for stem in stems(TEXT)}


def counts(terms):
    return dict.fromkeys(HELD.intersection(terms), 1)


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("glovs for dichlormethane", "gloves for dichloromethane"),  # a letter too few, twice
        ("nitirle gloves?", "nitrile gloves?"),  # two exchanged
        ("is the autoclavee serviced", "is the autoclave serviced"),  # a letter too many
        ("who is the enviromentel officer", "who is the environmental officer"),  # two edits of a long word
    ],
)
def test_a_misspelt_word_becomes_the_word_of_the_index(asked, read):
    assert corrected(asked, counts) == read


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
    assert corrected(asked, counts) is None
