"""Two runs compared and opened, beside what the labels expect; runs that were written elsewhere."""

from seen import KNOWN, ROOT, button, says, table_with, text_of

from dashboard import running
from dashboard.running import RunOptions
from rag.evaluation.runlist import note_run, noted_runs


def test_two_runs_are_compared_question_by_question_with_the_settings_that_changed(open_page, run_of_three, library):
    settings = {"top_k": 3, "dense_weight": 0.9, "estimator": "mean_similarity", "confidence_threshold": 1.0}
    options = RunOptions("other", limit=3, settings=settings)
    running.run_dataset(library, ROOT / "samples", options=options, job=running.Job("evaluate", "samples"))
    test = open_page("evaluate", before=run_of_three, after="other")
    says(text_of(test), "newly withheld; 3 questions are too few to generalise.",
         "Questions that ended differently: 3 of 3", "Refused at gate",  # beside the answer of the other run
         "confidence threshold 0.50 → 1.00", "estimator Best similarity → Mean similarity", "passages 5 → 3",
         f"weight of similarity {library.settings.dense_weight:.2f} → 0.90")  # fmt: skip
    test.session_state["opened_source"] = ("before", 1)  # as a click on its number says
    says(text_of(test.run()), "**Source 1**", "Refused at gate")  # in the column of its run, the other beside it
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
