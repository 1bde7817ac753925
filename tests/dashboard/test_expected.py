"""What the label of a question expects stands beside what came of it, on Inspect and where two runs are compared."""

import pytest
from seen import text_of

from dashboard import run_lines
from rag.evaluation.datasets import Gold
from rag.evaluation.lines import LineChunk, read_lines
from rag.evaluation.runs import load_run, write_run

GOLD = "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second."


@pytest.fixture
def first(run_of_three, library):
    """The first question of the run."""
    return read_lines(library.settings.data_dir / "runs" / f"{run_of_three}.jsonl")[0]


def test_a_question_of_a_run_shows_the_expected_answer_and_at_which_rank_its_place_was_found(open_page, run_of_three):
    told = text_of(open_page("inspector", of_run=run_of_three, qid="samples-01"))
    assert "**Expected**, as the data set samples says: “0.4 and 0.6 metres per second”." in told
    assert f"page 6 · section 2.1: “{GOLD}” · **found at rank 1**" in told


def test_a_label_that_says_otherwise_now_is_not_shown(library, first):
    assert run_lines.label_of(library, "samples", first) is not None
    for other in ({"question": "What else?"}, {"answerable": False}, {"qid": "none"}):
        assert run_lines.label_of(library, "samples", first.model_copy(update=other)) is None
    assert run_lines.label_of(library, "no such set", first) is None


def test_a_data_set_that_is_not_at_hand_is_named(open_page, run_of_three, library):
    path = library.settings.data_dir / "runs" / f"{run_of_three}.jsonl"
    write_run(load_run(path).model_copy(update={"dataset": "elsewhere"}), path)
    told = text_of(open_page("inspector", of_run=run_of_three, qid="samples-01"))
    assert "the data set **elsewhere** is not listed under **New run**" in told


def test_a_place_is_found_at_the_rank_of_the_first_passage_that_holds_it():
    place = Gold(document="a.md", section="2.1", text="The lamp burns.")
    found = [
        LineChunk(rank=rank, chunk_id=str(rank), document="a.md", section=section, similarity_score=0.5,
                  content="At dusk the lamp burns.")
        for rank, section in ((1, "1.9"), (2, "2.1 Lamps"), (3, "2.1 Lamps"))
    ]  # fmt: skip
    words = ":material/location_on: a.md · section 2.1: “The lamp burns.”"
    assert run_lines.place_in_words(place, found) == f"{words} · **found at rank 2**"
    assert run_lines.place_in_words(place, found[:1]) == f"{words} · **not found in 1 passage**"
    assert run_lines.place_in_words(place, []) == f"{words} · **nothing was retrieved**"
    assert run_lines.place_in_words(place, None) == words
