"""Editions of one work, asked for through the whole pipeline: what is searched, what decides, what is kept of it."""

from collections.abc import Iterator

import pytest
from library import quiet_settings
from readers import about, read_by

from rag import Candor
from rag.models import Query
from rag.recording.replay import recorded_request, replay

TARIFF = "# Quay tariff\n\nThe mooring fee for a rowing boat is {fee} euros a night. It is paid at the gate.\n"
CRANE = "The crane lifts boats of up to 900 kg on Mondays.\n"
FEE = "What is the mooring fee for a rowing boat?"
LIFTED = "Up to how many kg does the crane lift boats on Mondays?"


@pytest.fixture(scope="module")
def quay(tmp_path_factory) -> Iterator[Candor]:
    """A tariff of four years, issued again without a change in the last; one earlier edition says more."""
    folder = tmp_path_factory.mktemp("quay")
    for year, fee in ((2021, 4), (2022, 5), (2023, 6), (2024, 6)):
        text = TARIFF.format(fee=fee) + (CRANE if year == 2022 else "")
        (folder / f"quay_tariff_{year}.md").write_text(text, encoding="utf-8")
    (folder / "berths.md").write_text("# Berths\n\nA rowing boat lies at the north pier.\n")
    with Candor.open(quiet_settings(folder / "data")) as candor:
        read_by(candor, about("mooring fee", "crane"))
        assert not candor.ingest([folder]).failed
        yield candor


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("What is the latest mooring fee for a rowing boat?", "quay_tariff_2024.md"),
        ("What was the mooring fee for a rowing boat in 2023?", "quay_tariff_2023.md"),
        ("What was the mooring fee for a rowing boat in 2021?", "quay_tariff_2021.md"),
    ],
)
def test_an_edition_is_found_though_another_has_the_same_bytes(quay, question, document):
    answer = quay.ask(question, confidence_threshold=0.0)

    assert {citation.document for citation in answer.citations} == {document}


def test_a_question_for_no_edition_is_held_to_the_higher_confidence_of_the_latest_and_of_all(quay):
    latest = quay.retrieve(LIFTED, confidence_threshold=0.0)
    assert latest.editions_searched == "latest"
    assert latest.other is not None
    assert latest.decision.confidence < latest.other.confidence  # what was asked stands in an earlier edition

    between = (latest.decision.confidence + latest.other.confidence) / 2
    found = quay.retrieve(LIFTED, confidence_threshold=between)
    refused = quay.retrieve(LIFTED, confidence_threshold=1.0)

    assert (found.editions_searched, found.decision.passed) == ("all", True)
    assert refused.editions_searched == "all"
    assert not refused.decision.passed
    assert refused.decision.confidence == found.decision.confidence == pytest.approx(latest.other.confidence)


@pytest.mark.parametrize("question", [LIFTED, FEE, "Who paints the lighthouse?"])
def test_a_recorded_answer_tells_what_the_gate_would_have_said_at_another_threshold(quay, question):
    for asked_at in (0.0, 0.5, 1.0):
        recorded = recorded_request(quay.ask(question, confidence_threshold=asked_at, no_llm=True))
        for threshold in (0.01, 0.3, 0.6, 0.9, 1.0):
            tried = replay(recorded, confidence_threshold=threshold)
            passed = quay.retrieve(question, confidence_threshold=threshold).decision.passed
            assert passed == (tried.confidence >= threshold)


def test_the_confidence_with_the_other_choice_of_editions_is_kept_with_the_answer(quay):
    recorder = quay.wiring.recorder
    answer = quay.ask(FEE)
    named = quay.ask("What was the mooring fee for a rowing boat in 2021?")
    recorder.close()

    assert answer.other_confidence == quay.retrieve(FEE).other.confidence
    assert named.other_confidence is None
    assert recorder.read_answer(answer.request_id).other_confidence == answer.other_confidence
    assert "other_confidence" not in answer.model_dump(mode="json")


def test_nothing_is_chosen_where_a_text_is_selected(quay):
    query = Query(question=FEE, mode="selected-text-only", context=TARIFF.format(fee=9))

    assert quay.pipeline.retrieve(query).editions_searched is None
