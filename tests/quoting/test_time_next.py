"""Where the best sentence does not tell when or how long, the one beside it that does is quoted in its place."""

from passages import hit

from rag.generate import extract
from rag.models import Query


def answer(question: str, text: str, section: str | None = None) -> str:
    passages = [hit(text, section=section)]
    return extract(Query(question=question), passages, document_frequency=lambda _: {}, indexed=9).text


def test_when_one_must_is_told_by_the_next_sentence_and_not_by_that_one_may():
    text = "A guide may decline any tour freely. A guide must decline if the path is flooded."

    assert answer("When must a guide decline any tour?", text) == "A guide must decline if the path is flooded. [1]"


def test_a_next_sentence_with_no_word_of_the_best_one_does_not_take_its_place():
    text = "A guide may decline any tour freely. Maps are lent if it rains."

    assert answer("When must a guide decline any tour?", text).startswith("A guide may decline any tour freely. [1]")


def test_what_they_do_for_how_long_is_told_after_who_they_are():
    text = "Guest bakers show a pass that is not older than two years. They stay at most 30 days. Ovens are black."

    assert answer("How long may guest bakers stay?", text).endswith("They stay at most 30 days. [1]")


def test_the_heading_has_the_words_that_a_sentence_under_it_leaves_out():
    text = "The plunge pool is filled in May. Children swim elsewhere. Stay in for two minutes only."

    assert answer("How long may I stay in the plunge pool?", text, "Plunge pool") == (
        "Stay in for two minutes only. [1]"
    )
    assert answer("How long may I stay in the plunge pool?", text, "Garden") == ""
