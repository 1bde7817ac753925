"""Editions of one work through the whole pipeline: what is searched, what decides, what is said and kept of it."""

from collections.abc import Iterator

import pytest
from library import quiet_settings
from questions import SURE, ask
from readers import about, read_by

from rag import Candor
from rag.records.requests import recorded_request
from rag.whatif.arrays import what_if
from rag.whatif.cases import cases_of

FEE = "What is the mooring fee for a rowing boat?"
LIFTED = "Up to how many kg does the crane lift boats on Mondays?"


@pytest.fixture(scope="module")
def harbour(tmp_path_factory) -> Iterator[Candor]:
    """A tariff of four years, the last issued again unchanged, one of which says more; minutes; another document."""
    folder = tmp_path_factory.mktemp("harbour")
    for year, fee in ((2021, 4), (2022, 5), (2023, 6), (2024, 6)):
        text = (
            f"# Harbour tariff\n\nThe mooring fee for a rowing boat is {fee} euros a night. It is paid at the gate.\n"
        )
        more = "The crane lifts boats of up to 900 kg on Mondays.\n" if year == 2022 else ""
        (folder / f"harbour_tariff_{year}.md").write_text(text + more, encoding="utf-8")
    (folder / "minutes_2023-03-14.md").write_text(
        "# Minutes\n\nThe roof of the boat house leaks; Ada mends the roof in June.\n"
    )
    (folder / "minutes_2023-05-09.md").write_text("# Minutes\n\nThe members choose Ben Okoro as their new treasurer.\n")
    (folder / "berths.md").write_text("# Berths\n\nA rowing boat lies at the north pier, by the slipway.\n")
    with Candor.open(quiet_settings(folder / "data")) as candor:
        read_by(candor, about("mooring fee", "crane", "mends"))
        assert not candor.ingest([folder]).failed
        yield candor


@pytest.mark.parametrize(
    ("question", "read_as"), [(FEE, None), ("What is the latest mooring fee for a rowing boat?", FEE)]
)
def test_the_latest_edition_answers_and_what_was_left_out_is_said(harbour, question, read_as):
    answer = ask(harbour.pipeline, question, **SURE)

    assert {citation.document for citation in answer.citations} == {"harbour_tariff_2024.md"}
    assert "6 euros" in (answer.answer or "")
    assert not {"harbour_tariff_2021.md", "harbour_tariff_2022.md"} & {hit.document for hit in answer.retrieved}
    assert answer.notes[0].startswith("Of 4 editions by file name, the latest was searched: “harbour_tariff_2024.md”")
    assert (answer.query.question, answer.asked) == (question, read_as)
    assert answer.gate.removed_by_filters == 0  # editions left out are none


def test_what_only_an_earlier_edition_says_is_answered_from_it_and_said_so(harbour):
    answer = ask(harbour.pipeline, LIFTED)

    assert {citation.document for citation in answer.citations} == {"harbour_tariff_2022.md"}
    assert "the latest edition is “harbour_tariff_2024.md”" in answer.notes[0]


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("What is the latest mooring fee for a rowing boat?", "harbour_tariff_2024.md"),
        ("What was the mooring fee for a rowing boat in 2023?", "harbour_tariff_2023.md"),
        ("What was the mooring fee for a rowing boat in 2021?", "harbour_tariff_2021.md"),
    ],
)
def test_an_edition_is_found_though_another_has_the_same_bytes(harbour, question, document):
    answer = harbour.ask(question, confidence_threshold=0.0)

    assert {citation.document for citation in answer.citations} == {document}


def test_a_question_for_no_edition_is_held_to_the_higher_confidence_of_the_latest_and_of_all(harbour):
    latest = harbour.retrieve(LIFTED, confidence_threshold=0.0)
    assert latest.editions_searched == "latest"
    assert latest.other is not None
    assert latest.decision.confidence < latest.other.confidence  # what was asked stands in an earlier edition

    between = (latest.decision.confidence + latest.other.confidence) / 2
    found = harbour.retrieve(LIFTED, confidence_threshold=between)
    refused = harbour.retrieve(LIFTED, confidence_threshold=1.0)

    assert (found.editions_searched, found.decision.passed) == ("all", True)
    assert refused.editions_searched == "all"
    assert not refused.decision.passed
    assert refused.decision.confidence == found.decision.confidence == pytest.approx(latest.other.confidence)


@pytest.mark.parametrize("question", [LIFTED, FEE])
def test_a_recorded_answer_tells_what_the_gate_would_have_said_at_another_threshold(harbour, question):
    for asked_at in (0.0, 1.0):
        recorded = recorded_request(harbour.ask(question, confidence_threshold=asked_at, no_llm=True))
        for threshold in (0.01, 0.6, 1.0):
            tried = what_if(cases_of([recorded]), confidence_threshold=threshold).frame["confidence"].item()
            passed = harbour.retrieve(question, confidence_threshold=threshold).decision.passed
            assert passed == (tried >= threshold)


def test_the_confidence_with_the_other_choice_of_editions_is_kept_with_the_answer(harbour):
    recorder = harbour.wiring.recorder
    answer = harbour.ask(FEE)
    named = harbour.ask("What was the mooring fee for a rowing boat in 2021?")
    recorder.close()

    assert answer.other_confidence == harbour.retrieve(FEE).other.confidence
    assert named.other_confidence is None
    assert recorder.read_answer(answer.request_id).other_confidence == answer.other_confidence
    assert "other_confidence" not in answer.model_dump(mode="json")
