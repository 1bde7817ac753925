"""Test sets on Evaluate: imported, typed into a table, checked against the documents, run and exported."""

import shutil

import pytest
from seen import KNOWN, button, text_of

from dashboard import running
from rag.evaluation.datasets import load_dataset

SENTENCE = "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second."


@pytest.fixture
def mine(library):
    """Where the test set `mine` is kept."""
    folder = library.settings.data_dir / "datasets" / "mine"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def imported(test, called, text, documents=None):
    test.text_input(key="dataset_name").set_value("mine")
    test.file_uploader(key="dataset_questions").set_value((called, text.encode(), "text/plain"))
    if documents:
        test.file_uploader(key="dataset_documents").set_value(documents)
    return button(test, "Import it").click().run()


def test_an_imported_file_becomes_a_data_set_that_can_be_run_with_the_place_of_each_sentence(open_page, library, mine):
    text = f'question,answerable,sentence\n"{KNOWN}",yes,"{SENTENCE}"\nWho pays for the moon?,no,\n'
    test = imported(open_page("evaluate", view="Test sets"), "mine.csv", text)
    assert [one.value for one in test.toast] == ["Kept mine with 2 questions."]
    asked, other = load_dataset(mine).questions
    assert (asked.gold[0].document, asked.gold[0].page, asked.gold[0].sentence) == ("safety_manual.pdf", 6, SENTENCE)
    assert (other.answerable, other.gold) == (False, ())
    assert test.selectbox(key="test_set").value == "mine"
    assert {"CSV", "JSONL"} <= {one.proto.label for one in test.get("download_button")}
    button(test, "Run it").click().run()
    assert (test.session_state["view"], test.selectbox(key="dataset").value) == ("New run", str(mine))
    done = running.run_dataset(library, mine, options=running.RunOptions("mine"), job=running.Job("evaluate", "mine"))
    assert [line.decision for line in done.lines] == ["answered", "refused"]
    for path in (library.settings.data_dir / "runs").glob("mine*"):
        path.unlink()


def test_what_is_wrong_with_a_file_is_said_with_its_line(open_page, mine):
    page = open_page("evaluate", view="Test sets")
    told = text_of(imported(page, "mine.csv", f'question,sentence\n"{KNOWN}",It lies between 1 and 2.\n'))
    assert "mine.csv, line 2: no document holds the sentence 'It lies between 1 and 2.' word for word." in told
    assert not mine.exists()  # nothing is kept
