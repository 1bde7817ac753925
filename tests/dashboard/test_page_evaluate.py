"""The page Evaluate: a run in the background, its figures, its export, comparing, labelling."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from seen import KNOWN, ROOT, Open, button, text_of

from dashboard import labelling, resources, running
from rag.candor import Candor
from rag.evaluation.runlist import note_run, noted_runs


@pytest.fixture
def run_of_three(library: Candor) -> Iterator[str]:
    """The name of a run over the first three sample questions."""
    folder = library.settings.data_dir / "runs"
    running.run_dataset(library, ROOT / "samples", limit=3, job=running.Job("evaluate", "samples"))
    yield sorted(path.stem for path in folder.glob("*.jsonl"))[-1]
    for path in folder.glob("*.json*"):
        path.unlink()


def test_without_a_run_it_says_how_to_start_one(open_empty: Open) -> None:
    test = open_empty("evaluate")
    assert [title.value for title in test.title] == ["Evaluate"]
    assert "No run yet" in text_of(test)
    assert "candor evaluate DATASET" in text_of(test)


def test_a_run_goes_on_in_the_background_and_appears_when_it_is_done(open_page: Open, library: Candor) -> None:
    test = open_page("evaluate")
    test.number_input(key="limit").set_value(2)
    button(test, "Start").click().run()
    (job,) = resources.get_jobs().of(running.KIND)
    assert job.thread is not None
    job.thread.join(120)
    assert job.state == "done", job.error
    test.run()
    assert "is done: 2 questions" in text_of(test)
    assert "Questions 2" in text_of(test)
    for path in (library.settings.data_dir / "runs").glob("*.json*"):
        path.unlink()


def test_a_run_shows_its_figures_with_what_they_were_counted_from(open_page: Open, run_of_three: str) -> None:
    test = open_page("evaluate", run=run_of_three)
    figures = next(one.value for one in test.dataframe if "figure" in one.value).set_index("figure")
    assert figures.loc["coverage", "of"] == 3
    assert "Coverage" in text_of(test)
    assert "none is labelled unanswerable, so nothing tells of false answers" in text_of(test)
    speed = next(one.value for one in test.dataframe if "p95_ms" in one.value)
    assert "total" in set(speed["stage"])


def test_a_run_is_tried_on_tune_and_its_questions_open_in_inspect(open_page: Open, run_of_three: str) -> None:
    tune = open_page("tune", run=run_of_three)
    assert "of 3;" in text_of(tune)
    assert {one.key: one.disabled for one in tune.slider}["t_weight"]  # its lines do not hold what was fused
    inspect = open_page("inspector", run=run_of_three, qid="samples-01")
    assert KNOWN in text_of(inspect)
    assert "Label answerable" in text_of(inspect)


def test_two_runs_are_compared_question_by_question(open_page: Open, run_of_three: str, library: Candor) -> None:
    folder = library.settings.data_dir / "runs"
    for suffix in (".jsonl", ".run.json"):
        (folder / f"again{suffix}").write_bytes((folder / f"{run_of_three}{suffix}").read_bytes())
    test = open_page("evaluate")
    assert "No evidence of a difference in any figure" in text_of(test)


def test_a_run_written_elsewhere_is_listed_tried_and_compared_like_those_of_the_data_folder(
    open_page: Open, run_of_three: str, library: Candor, tmp_path: Path
) -> None:
    folder = library.settings.data_dir / "runs"
    for suffix in (".jsonl", ".run.json"):
        (tmp_path / f"mine{suffix}").write_bytes((folder / f"{run_of_three}{suffix}").read_bytes())
    note_run(folder, tmp_path / "mine.jsonl")
    evaluate = open_page("evaluate", run="mine")
    assert set(next(one.value for one in evaluate.dataframe if "auroc" in one.value)["name"]) == {"mine", run_of_three}
    assert "Questions 3" in text_of(evaluate)
    assert "No evidence of a difference in any figure" in text_of(evaluate)
    assert "of 3;" in text_of(open_page("tune", run="mine"))
    assert KNOWN in text_of(open_page("inspector", run="mine", qid="samples-01"))


def test_a_run_that_is_not_where_it_was_written_is_said_and_can_be_taken_off_the_list(
    open_page: Open, run_of_three: str, library: Candor, tmp_path: Path
) -> None:
    folder = library.settings.data_dir / "runs"
    note_run(folder, tmp_path / "gone.jsonl")
    test = open_page("evaluate")
    assert "gone.jsonl" in text_of(test)
    assert run_of_three in set(next(one.value for one in test.dataframe if "auroc" in one.value)["name"])
    button(test, "Take it off the list").click().run()
    assert "gone.jsonl" not in text_of(test)
    assert noted_runs(folder) == []


def test_a_judgement_becomes_a_label_and_a_line_of_a_data_set(open_page: Open, library: Candor) -> None:
    test = open_page("evaluate")
    test.text_input(key="labeller").set_value("grace").run()
    judged = text_of(test)
    button(test, "Passage 2").click().run()
    name = "Correct" if any(one.label == "Correct" for one in test.button) else "Right to refuse"
    button(test, name).click().run()
    labels = library.wiring.sessions.labels.list(labeller="grace")
    assert {label.aspect for label in labels} == {"answer", "answerable", "chunk"}
    chunks = [label.verdict for label in labels if label.aspect == "chunk"]
    assert sorted(chunks) == ["irrelevant"] * 4 + ["relevant"]
    assert "1 judged by you" in text_of(test)
    lines = labelling.labelled_questions(library)
    line = next(line for line in lines if line["qid"] == labels[0].target)
    assert str(line["question"]) in judged


def test_an_uploaded_data_set_with_a_broken_line_is_not_kept(library: Candor) -> None:
    from rag.errors import ConfigurationError

    with pytest.raises(ConfigurationError, match="line 1"):
        running.keep_dataset(library, "broken", b"no json\n", [])
    assert running.known_datasets(library) == [ROOT / "samples"]


def test_an_uploaded_data_set_is_at_hand(library: Candor, tmp_path: Path) -> None:
    line = json.dumps({"qid": "1", "question": KNOWN, "answerable": True}).encode()
    kept = running.keep_dataset(library, "my set", line, [("a.md", b"# A\n\nText of a.\n")])
    assert (kept.name, len(kept.questions), len(kept.documents)) == ("my_set", 1, 1)
    assert kept.folder in running.known_datasets(library)
    running._remove(kept.folder)
