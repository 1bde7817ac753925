"""A question about the thing in a title is not answered with a sentence that shares nothing with it but that title."""

import pytest
from passages import hit

from rag.generate import extract
from rag.language.titled import only_its_title
from rag.models import DocumentMetadata, Query

TITLE = "Handbook of the Tarn Valley Library"


def only(question: str, said: str, *titles: str) -> bool:
    return only_its_title(question, said, titles or (TITLE,), language="english")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When was the Tarn Valley Library founded?", "A card costs 4 euros a year."),
        ("How many people work for the Tarn Valley Library?", "The library closes at 18:00 on Fridays."),
    ],
)
def test_what_says_nothing_of_what_is_asked_shares_the_title_only(question, said):
    assert only(question, said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When was the Tarn Valley Library founded?", "It was founded by two sisters in 1911."),
        ("When did the Tarn Valley Library begin?", "The reading room began in a barn in 1911."),
        ("Who purchased the Tarn Valley Library?", "The town bought the house."),
        ("How old is the Tarn Valley Library?", "The house is from 1911."),  # nothing is left that could be missing
        ("I am 16. Is the Tarn Valley Library for me?", "It is open to all from 12 to 80 years."),
        ("When does the library close?", "Doors are locked at 18:00."),  # one word is no name
        ("May a reader from the valley enter the library?", "Visitors sign at the desk."),  # two words apart are none
    ],
)
def test_the_same_word_another_form_of_it_or_one_that_means_the_same_is_more_than_the_title(question, said):
    assert not only(question, said)


def test_without_a_title_nothing_is_its():
    assert not only_its_title(
        "When was the Tarn Valley Library founded?", "A card costs 4 euros.", [""], language="english"
    )


def test_nothing_is_quoted_that_shares_only_the_name_in_the_title():
    def answer(question: str) -> str:
        passage = hit("A card costs 4 euros a year. The house was founded in 1911.").model_copy(
            update={"metadata": DocumentMetadata(title=TITLE)}
        )
        return extract(Query(question=question), [passage], document_frequency=lambda _: {}, indexed=9).text

    assert answer("How many ghosts haunt the Tarn Valley Library?") == ""
    assert "1911" in answer("When was the Tarn Valley Library founded?")
