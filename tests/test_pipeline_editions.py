"""Editions of one work through the whole pipeline: what is searched, what decides, what is said and kept of it."""

from dataclasses import replace

import pytest
from library import quiet_settings
from passages import hit
from questions import SURE, ask
from readers import about, knowing, read_by

from rag import Candor
from rag.events import SentenceChecked
from rag.models import GroundedSentence, Grounding
from rag.ranking.years import grounded_in_years
from rag.records.requests import recorded_request
from rag.whatif.arrays import what_if
from rag.whatif.cases import cases_of

FEE = "What is the mooring fee for a rowing boat?"
LIFTED = "Up to how many kg does the crane lift boats on Mondays?"
OTHERS = {
    "minutes_2023-03-14.md": "# Minutes\n\nThe roof of the boat house leaks; Ada mends the roof in June.\n",
    "minutes_2023-05-09.md": "# Minutes\n\nThe members choose Ben Okoro as their new treasurer.\n",
    "berths.md": "# Berths\n\nA rowing boat lies at the north pier, by the slipway.\n",
    "exams.md": "# Exams\n\nThe results of the sailing test are announced on 19 June 2026.\n",
    "parrots.md": "# Parrots\n\nA parrot eats seeds and sleeps at night.\n",
}


@pytest.fixture(scope="module")
def harbour(tmp_path_factory):
    """A tariff of four years, the last issued again unchanged, one of which says more; minutes; other documents."""
    folder = tmp_path_factory.mktemp("harbour")
    for year, fee in ((2021, 4), (2022, 5), (2023, 6), (2024, 6)):
        said = f"The mooring fee for a rowing boat is {fee} euros a night. It is paid at the gate.\n"
        more = "The crane lifts boats of up to 900 kg on Mondays.\n" if year == 2022 else ""
        (folder / f"harbour_tariff_{year}.md").write_text(f"# Harbour tariff\n\n{said}{more}", encoding="utf-8")
    for name, text in OTHERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Candor.open(quiet_settings(folder / "data")) as candor:
        read_by(candor, about("mooring fee", "crane", "mends", "sailing test", "parrot eat"))
        assert not candor.ingest([folder]).failed
        yield candor


@pytest.mark.parametrize(
    ("question", "year", "read_as"),
    [
        (FEE, 2024, None),
        ("What is the latest mooring fee for a rowing boat?", 2024, FEE),
        ("What was the mooring fee for a rowing boat in 2023?", 2023, "What was the mooring fee for a rowing boat?"),
        ("What was the mooring fee for a rowing boat in 2021?", 2021, "What was the mooring fee for a rowing boat?"),
    ],
)
def test_the_edition_that_is_meant_answers_though_one_has_its_bytes_and_it_is_said(harbour, question, year, read_as):
    answer = ask(harbour.pipeline, question, **SURE)
    assert {citation.document for citation in answer.citations} == {f"harbour_tariff_{year}.md"}
    assert {hit.document for hit in answer.retrieved if "tariff" in hit.document} == {f"harbour_tariff_{year}.md"}
    assert answer.notes[0].startswith("Of 4 editions by file name, the ")
    assert (answer.query.question, answer.asked) == (question, read_as)
    assert answer.gate.removed_by_filters == 0  # editions left out are none


def test_what_only_an_earlier_edition_says_is_answered_from_it_and_said_so(harbour):
    answer = ask(harbour.pipeline, LIFTED)
    assert {citation.document for citation in answer.citations} == {"harbour_tariff_2022.md"}
    assert "the latest edition is “harbour_tariff_2024.md”" in answer.notes[0]


def test_a_question_for_no_edition_is_held_to_the_higher_confidence_of_the_latest_and_of_all(harbour):
    latest = harbour.retrieve(LIFTED, confidence_threshold=0.0)
    assert latest.editions_searched == "latest"
    assert latest.decision.confidence < latest.other.confidence  # what was asked stands in an earlier edition
    between = (latest.decision.confidence + latest.other.confidence) / 2
    found, refused = (harbour.retrieve(LIFTED, confidence_threshold=limit) for limit in (between, 1.0))
    assert (found.editions_searched, found.decision.passed) == ("all", True)
    assert (refused.editions_searched, refused.decision.passed) == ("all", False)
    assert refused.decision.confidence == found.decision.confidence == pytest.approx(latest.other.confidence)


@pytest.mark.parametrize("question", [LIFTED, FEE])
def test_a_recorded_answer_tells_what_the_gate_would_have_said_at_another_threshold(harbour, question):
    for asked_at in (0.0, 1.0):
        recorded = recorded_request(harbour.ask(question, confidence_threshold=asked_at, no_llm=True))
        for threshold in (0.01, 0.6, 1.0):
            tried = what_if(cases_of([recorded]), confidence_threshold=threshold).frame["confidence"].item()
            passed = harbour.retrieve(question, confidence_threshold=threshold).decision.passed
            assert passed == (tried >= threshold)


RESULTS = "When are the results of the sailing test{} announced?"


def test_what_does_not_speak_of_the_year_is_dropped_beside_what_does():
    said = tuple(
        GroundedSentence(text=f"S{n}.", supported=True, support=0.9, passages=(n,), evidence=("S",)) for n in (1, 2)
    )
    passages = [hit("Fee: 4.", document="fees_2022.md"), hit("Fee: 9.", document="berths.md")]
    found = grounded_in_years(Grounding(is_valid=True, sentences=said), passages, ["2022"])
    assert [one.supported for one in found.sentences] == [True, False]
    assert found.sentences[1].reason == "its passage does not mention 2022"
    assert (found.answers, found.is_valid) == (True, False)


def test_a_year_of_an_edition_is_not_dropped_from_a_question_that_another_document_answers(harbour):
    pipeline = harbour.pipeline
    refused = ask(pipeline, RESULTS.format(" of 2021"), **SURE)
    assert refused.answer is None
    assert "The question asks about 2021, which the cited passages do not mention." in refused.message
    for year in ("", " of 2026"):
        assert "19 June 2026" in ask(pipeline, RESULTS.format(year), **SURE).answer
    streamed = pipeline.stream(pipeline.query(RESULTS.format(" of 2021"), **SURE))
    told = [event.sentence.supported for event in streamed if isinstance(event, SentenceChecked)]
    assert told
    assert not any(told)


@pytest.mark.parametrize(
    ("question", "answer", "notes"), [("What does a parrot eat?", "eats seeds", 0), (FEE, "6 euros", 1)]
)
def test_a_refusal_speaks_of_editions_only_where_the_nearest_passage_is_of_one(harbour, question, answer, notes):
    pipeline = replace(harbour.pipeline, reader=knowing({question: answer}))
    refused = ask(pipeline, question, confidence_threshold=1.0)
    assert refused.answer is None
    assert sum("editions" in note for note in refused.notes) == notes
