"""Questions answered from the latest edition of a work, and what is said of those left out."""

from collections.abc import Iterator

import pytest
from library import quiet_settings
from questions import SURE, ask
from readers import about, read_by

from rag import Candor

FEE = "What is the mooring fee for a rowing boat?"


@pytest.fixture(scope="module")
def harbour(tmp_path_factory) -> Iterator[Candor]:
    """Three editions of one tariff that differ in a number, one of which says more; minutes; a document by itself."""
    folder = tmp_path_factory.mktemp("harbour")
    for year, fee in ((2021, 4), (2022, 5), (2023, 6)):
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


@pytest.mark.parametrize("question", [FEE, "What is the latest mooring fee for a rowing boat?"])
def test_the_latest_edition_answers_and_what_was_left_out_is_said(harbour, question):
    answer = ask(harbour.pipeline, question, **SURE)

    assert {citation.document for citation in answer.citations} == {"harbour_tariff_2023.md"}
    assert "6 euros" in (answer.answer or "")
    assert not {"harbour_tariff_2021.md", "harbour_tariff_2022.md"} & {hit.document for hit in answer.retrieved}
    assert answer.notes[0].startswith("Of 3 editions by file name, the latest was searched: “harbour_tariff_2023.md”")
    assert answer.query.question == question


def test_words_that_name_an_edition_do_not_lower_the_confidence(harbour):
    plain = ask(harbour.pipeline, FEE)
    latest = ask(harbour.pipeline, "What is the mooring fee for a rowing boat according to the latest edition?")
    named = ask(harbour.pipeline, "What was the mooring fee for a rowing boat in the 2022 edition?")

    assert latest.confidence == pytest.approx(plain.confidence)
    assert {citation.document for citation in named.citations} == {"harbour_tariff_2022.md"}
    assert "The latest edition is “harbour_tariff_2023.md”." in named.notes[0]


def test_a_chosen_source_is_searched(harbour):
    chosen = ask(harbour.pipeline, FEE, filters={"source": "harbour_tariff_2021.md"}, **SURE)

    assert {hit.document for hit in chosen.retrieved} == {"harbour_tariff_2021.md"}
    assert chosen.notes == ()


def test_what_only_an_earlier_edition_says_is_answered_from_it_and_said_so(harbour):
    answer = ask(harbour.pipeline, "Up to how many kg does the crane lift boats on Mondays?")

    assert {citation.document for citation in answer.citations} == {"harbour_tariff_2022.md"}
    assert "the latest edition of it is “harbour_tariff_2023.md”" in answer.notes[0]


def test_documents_dated_alike_that_say_different_things_are_all_searched(harbour):
    answer = ask(harbour.pipeline, "Who mends the roof of the boat house?", **SURE)

    assert answer.citations[0].document == "minutes_2023-03-14.md"
    assert answer.notes == ()


def test_editions_left_out_do_not_count_as_removed_by_filters(harbour):
    assert ask(harbour.pipeline, FEE, **SURE).gate.removed_by_filters == 0


def test_how_a_question_was_read_is_kept(harbour):
    latest = ask(harbour.pipeline, "What is the latest mooring fee for a rowing boat?")

    assert latest.asked == FEE
    assert ask(harbour.pipeline, FEE).asked is None
