"""Two runs compared and opened, beside what the labels expect; runs that were written elsewhere."""

from seen import KNOWN, ROOT, button, says, table_with, text_of

from dashboard import run_lines, running
from dashboard.running import RunOptions
from rag.evaluation.lines import read_lines
from rag.evaluation.runlist import note_run, noted_runs
from rag.evaluation.runs import load_run, write_run

GOLD = "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second."


def test_two_runs_are_compared_question_by_question_with_the_settings_that_changed(open_page, run_of_three, library):
    settings = {"top_k": 3, "dense_weight": 0.9, "estimator": "mean_similarity", "confidence_threshold": 1.0}
    options = RunOptions("other", limit=3, settings=settings)
    running.run_dataset(library, ROOT / "samples", options=options, job=running.Job("evaluate", "samples"))
    test = open_page("evaluate", before=run_of_three, after="other")
    says(text_of(test), "newly withheld; 3 questions are too few to generalise.",
         "Questions that ended differently: 3 of 3", "Refused at gate",  # beside the answer of the other run
         "confidence threshold 0.50 → 1.00", "estimator Best similarity → Mean similarity", "passages 5 → 3",
         f"weight of similarity {library.settings.dense_weight:.2f} → 0.90")  # fmt: skip
    row = table_with(test, "change").set_index("qid").loc["samples-01"]
    told = ["regressed", "answered, rightly", "refused, though answerable"]
    assert row[["change", "before", "after"]].to_list() == told


def test_a_run_written_elsewhere_is_listed_tried_and_compared_like_others(open_page, run_of_three, library, tmp_path):
    folder = library.settings.data_dir / "runs"
    for suffix in (".jsonl", ".run.json"):
        (tmp_path / f"mine{suffix}").write_bytes((folder / f"{run_of_three}{suffix}").read_bytes())
    note_run(folder, tmp_path / "mine.jsonl")
    evaluate = open_page("evaluate", run="mine")
    assert set(table_with(evaluate, "auroc")["name"]) == {"mine", run_of_three}
    compared = text_of(open_page("evaluate", before="mine", after=run_of_three))
    assert "No question got better or worse; 3 questions are too few to say that none would." in compared
    assert "of 3;" in text_of(open_page("tune", run="mine", t_confidence="0.9"))
    assert KNOWN in text_of(open_page("inspector", of_run="mine", qid="samples-01"))


def test_a_run_that_is_gone_is_said_and_can_be_taken_off_the_list(open_page, run_of_three, library, tmp_path):
    folder = library.settings.data_dir / "runs"
    note_run(folder, tmp_path / "gone.jsonl")
    test = open_page("evaluate")
    assert "gone.jsonl" in text_of(test)
    assert run_of_three in set(table_with(test, "auroc")["name"])
    button(test, "Take it off the list").click().run()
    assert "gone.jsonl" not in text_of(test)
    assert noted_runs(folder) == []


def test_a_question_of_a_run_shows_the_expected_answer_and_at_which_rank_its_place_was_found(open_page, run_of_three):
    told = text_of(open_page("inspector", of_run=run_of_three, qid="samples-01"))
    assert "**Expected**, as the data set samples says: “0.4 and 0.6 metres per second”." in told
    assert f"page 6 · section 2.1: “{GOLD}” · **found at rank 1**" in told


def test_a_label_that_says_otherwise_now_is_not_shown_and_a_data_set_that_is_not_at_hand_is_named(
    open_page, run_of_three, library
):
    path = library.settings.data_dir / "runs" / f"{run_of_three}.jsonl"
    first = read_lines(path)[0]
    assert run_lines.label_of(library, "samples", first) is not None
    for other in ({"question": "What else?"}, {"answerable": False}, {"qid": "none"}):
        assert run_lines.label_of(library, "samples", first.model_copy(update=other)) is None
    write_run(load_run(path).model_copy(update={"dataset": "elsewhere"}), path)
    told = text_of(open_page("inspector", of_run=run_of_three, qid="samples-01"))
    assert "the data set **elsewhere** is not listed under **New run**" in told
