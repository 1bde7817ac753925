"""What the form of a sentence is worth: times of a row for `when`, and what merely is there for `what if`."""

import pytest
from passages import hit

from rag.generate import extract
from rag.language.asked import understand
from rag.models import Query
from rag.quoting.candidates import candidates, sought_in, telling_stems

ROWS = "| Ward | Visits |\n| --- | --- |\n| Stroke | 15:00 to 18:00 |\n| Births | whenever wanted |"


def answer(question: str, *hits) -> str:
    return extract(Query(question=question), hits, document_frequency=lambda _: {}, indexed=9).text


def scores(question: str) -> tuple[float, float]:
    """Return the scores of the row with times and of the one without."""
    found = candidates([hit(ROWS)], sought_in(question, understand(question), {}, "english"))
    timed, untimed = (one.score for one in found)
    return timed, untimed


def test_a_row_of_times_is_worth_more_for_when_and_for_nothing_else():
    timed, untimed = scores("When are visits to the wards?")
    assert timed - untimed == pytest.approx(0.15)

    timed, untimed = scores("Which visits go to the wards?")
    assert timed - untimed == pytest.approx(0)


def test_what_costs_is_quoted_beside_what_merely_is_there():
    there, cost = "There is one remote for the garage.", "A new key costs 60 euros and a new remote 95 euros."

    assert cost in answer("What if I lose the garage remote?", hit(f"{there} {cost}"))
    assert cost not in answer("Where is the garage remote?", hit(f"{there} {cost}"))


def test_someone_names_nothing_that_is_asked_about():
    assert telling_stems("visit someone in care", language="english") == ["visit", "care"]
    assert telling_stems("someone", language="english") == []


def test_how_something_is_known_is_worth_less_where_it_is_asked_what_to_do():
    text = "Suspect blight if the leaves of a plant are black. A plant with blight is burnt."
    question = "What should I do if I suspect that a plant has blight?"

    def lead(asked: str) -> float:
        found = candidates([hit(text)], sought_in(asked, understand(asked), {}, "english"))
        signs, deed = (one.score for one in found)
        return signs - deed

    assert lead("How do I suspect that a plant has blight?") - lead(question) == pytest.approx(0.3)


def test_a_sentence_whose_limits_hold_what_is_asked_about_is_worth_more():
    text = "Parcels of 1 to 5 kg cost 4 euros. Parcels of 5 to 10 kg cost 7 euros."

    assert answer("What does a parcel of 7 kg cost?", hit(text)).startswith("Parcels of 5 to 10 kg cost 7 euros.")


def test_a_limit_that_a_value_lies_beyond_answers_whether_it_will_do():
    told = "A picture for the pass is taken in the hall at noon. Prints must not be older than six months."

    assert "six months" in answer("My picture for the pass is eight months old. Will it do?", hit(told))
    assert "six months" not in answer("Where is a picture for the pass taken?", hit(told))
