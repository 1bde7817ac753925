import pytest

from rag.language.measures import measure_end


def measured(question: str, word: str) -> str:
    """Return what is read as a measure from the first place of a word on; empty where it is none."""
    start = question.index(word)
    return question[start : max(measure_end(question, start, start + len(word)), start)]


@pytest.mark.parametrize(
    ("question", "word", "measure"),
    [
        ("She's 30 kg.", "30", "30 kg"),
        ("a 5 year old dog", "5", "5 year"),
        ("a 5-year-old dog", "5-year-old", "5-year"),
        ("an unshored 1.5m trench", "1.5m", "1.5m"),
        ("Is 5% enough?", "5", "5%"),
        ("Is 5 % enough?", "5", "5 %"),
        ("Is 20 °C too warm?", "20", "20 °C"),
        ("May I stay 2-3 days?", "2-3", "2-3 days"),
        ("for 4 nights", "4", "4"),
        ("Can I bring 2 adult dogs?", "2", "2"),
        ("Is $30 enough?", "30", "30"),
        ("2000 kg of sand", "2000", "2000 kg"),
    ],
)
def test_a_number_with_a_unit_or_of_things_counted_is_a_measure(question, word, measure):
    assert measured(question, word) == measure


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Is room 12 heated?", "12"),
        ("Are class 3 chemicals allowed?", "3"),
        ("Is form 7 days late?", "7"),
        ("Has Windows 11 updates?", "11"),
        ("Is boiler 3 valves short?", "3"),
        ("In 2019 people moved.", "2019"),
        ("the 2023 second quarter", "2023"),
        ("in 2019 dollars", "2019"),
        ("in the 1990s", "1990s"),
        ("Is flat 3A free?", "3A"),
        ("Is it open at 14:00?", "14:00"),
        ("What is 112?", "112"),
        ("Who answers on 4444?", "4444"),
        ("the 3rd floor", "3rd"),
        ("Which gloves?", "gloves"),
    ],
)
def test_a_number_that_tells_things_apart_a_year_and_a_number_alone_are_none(question, word):
    assert measured(question, word) == ""
