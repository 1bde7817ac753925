"""A year that names an edition is not searched for, and binds what other documents say all the same."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from library import quiet_settings
from passages import hit
from readers import about, knowing, read_by

from rag import Candor
from rag.events import SentenceChecked
from rag.models import Answer, GroundedSentence, Grounding
from rag.ranking.years import grounded_in_years


def checked(*passages: int) -> Grounding:
    sentences = tuple(
        GroundedSentence(text=f"S{number}.", supported=True, support=0.9, passages=(number,), evidence=("S",))
        for number in passages
    )
    return Grounding(is_valid=True, sentences=sentences, answers=True)


def test_what_does_not_speak_of_the_year_is_dropped_beside_what_does():
    passages = [hit("Fee: 4.", document="fees_2022.md"), hit("Fee: 9.", document="berths.md")]
    found = grounded_in_years(checked(1, 2), passages, ["2022"])

    assert [one.supported for one in found.sentences] == [True, False]
    assert found.sentences[1].reason == "its passage does not mention 2022"
    assert found.answers
    assert not found.is_valid


# --- the whole way ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Candor]:
    """A tariff in two editions, and rules of examinations that have none."""
    folder = tmp_path_factory.mktemp("club")
    for year, fee in ((2021, 4), (2022, 5)):
        text = f"# Harbour tariff\n\nThe mooring fee for a rowing boat is {fee} euros a night. Pay at the gate.\n"
        (folder / f"harbour_tariff_{year}.md").write_text(text, encoding="utf-8")
    (folder / "exams.md").write_text("# Exams\n\nThe results of the sailing test are announced on 19 June 2026.\n")
    (folder / "parrots.md").write_text("# Parrots\n\nA parrot eats seeds and sleeps at night.\n")
    with Candor.open(quiet_settings(folder / "data")) as candor:
        read_by(candor, about("sailing test", "mooring fee", "parrot eat"))
        assert not candor.ingest([folder]).failed
        yield candor


def ask(club: Candor, question: str) -> Answer:
    return club.ask(question, confidence_threshold=0.0, no_llm=True)


def test_a_year_of_an_edition_is_not_dropped_from_a_question_that_another_document_answers(club: Candor):
    refused = ask(club, "When are the results of the sailing test of 2021 announced?")

    assert refused.answer is None
    assert refused.message is not None
    assert "The question asks about 2021, which the cited passages do not mention." in refused.message
    assert "19 June 2026" in (ask(club, "When are the results of the sailing test announced?").answer or "")
    assert "19 June 2026" in (ask(club, "When are the results of the sailing test of 2026 announced?").answer or "")


def test_what_is_streamed_says_nothing_that_the_year_forbids(club: Candor):
    query = club.query(
        "When are the results of the sailing test of 2021 announced?", confidence_threshold=0.0, no_llm=True
    )
    told = [event.sentence for event in club.pipeline.stream(query) if isinstance(event, SentenceChecked)]

    assert told
    assert not any(sentence.supported for sentence in told)


def test_a_refusal_speaks_of_editions_only_where_the_nearest_passage_is_of_one(club: Candor):
    reader = knowing({"What does a parrot eat?": "eats seeds", "What is the mooring fee for a rowing boat?": "5 euros"})
    pipeline = replace(club.pipeline, reader=reader)

    def notes(question: str) -> list[str]:
        refused = pipeline.ask(pipeline.query(question, confidence_threshold=1.0, no_llm=True))
        assert refused.answer is None
        return [note for note in refused.notes if "editions" in note]

    assert notes("What does a parrot eat?") == []
    assert len(notes("What is the mooring fee for a rowing boat?")) == 1
