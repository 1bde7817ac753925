"""What is told of another thing than the one asked about is known by form; in doubt it is not."""

import pytest

from rag.language.other_subjects import tells_of_another

TOLD = (
    "The crane can lift a mooring; the washer can rinse.",
    "Each chain is 68 m long.",
    "A new master is tested by the warden.",
    "A mooring is let for a year.",
)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How much does each chain weigh?", "No single axle may weigh more than 6.5 tonnes."),
        ("How many tonnes does the chain weigh?", "Trailers weigh 3 tonnes."),
        (
            "How many crossings does a new master have to make?",
            "A new deckhand makes 25 crossings before working alone.",
        ),
        ("How many crossings must a master make?", "A deckhand has to make 25 crossings."),
        ("How often must a master be examined?", "The deckhands are examined every two years."),
        ("How much does a mooring cost in winter?", "In winter the locker costs 40 pounds."),
    ],
)
def test_a_verb_with_another_subject_each_time_tells_of_another(question: str, text: str) -> None:
    assert tells_of_another(question, text, TOLD)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How much does each chain weigh?", "Each chain weighs 3 tonnes."),
        ("How much does each chain weigh?", "It weighs 3 tonnes."),
        ("How much does each chain weigh?", "Together they weigh 6 tonnes, and no axle may weigh more than 7."),
        ("How much does each chain weigh?", "No axle may weigh more than the chain, 3 tonnes."),
        ("How much does each chain weigh?", "The weight is 3 tonnes."),  # the verb is not there
        ("How much does each chain weigh?", "3 tonnes is what is to be weighed."),
        ("How much does a rope weigh?", "The line weighs 3 kg."),  # the documents name no rope: the line may be one
        ("How much can the crane Borea lift near its mast?", "Crane Borea is smaller: 4 tonnes near the mast."),
        ("How long does the washer rinse returned glass?", "The washer soaks returned glass for nine minutes."),
        ("How many days did the mooring last?", "The work, planned to last two days, went on for nine."),
        ("How many days has a master to hand the log in?", "Whoever falls ill hands in the log within three days."),
        ("How much do you weigh?", "The chain weighs 3 tonnes."),
        ("What does each chain weigh?", "No axle may weigh more than 6.5 tonnes."),  # no form known here
    ],
)
def test_in_doubt_it_is_not_of_another(question: str, text: str) -> None:
    assert not tells_of_another(question, text, TOLD)
