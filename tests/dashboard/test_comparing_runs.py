"""Two runs compared and opened, beside what the labels expect; runs that were written elsewhere."""

import json

from seen import KNOWN, ROOT, button, says, table_with, text_of

from dashboard import comparing, run_lines, running
from dashboard.running import RunOptions
from rag.evaluation.lines import read_lines
from rag.evaluation.runlist import note_run, noted_runs
from rag.evaluation.runs import load_run, write_run

GOLD = "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second."


def test_two_runs_are_compared_question_by_question(open_page, run_of_three, other_run):
    test = open_page("evaluate", before=run_of_three, after=other_run)
    told = text_of(test)
    assert "1 newly withheld; 3 questions are too few to generalise." in told
    assert "Verdict and p are corrected for comparing several figures at once" in told
    assert "Questions that ended differently: 1 of 3" in told
    table = table_with(test, "change")
    assert table[["qid", "change", "before", "after"]].values.tolist() == [
        ["samples-01", "regressed", "answered, rightly", "refused, though answerable"]
    ]
    assert "Refused at gate" in told  # beside the answer of the other run
    links = [str(link.proto.query_string) for link in test.get("page_link") if link.proto.label == "Open in Inspect"]
    assert any(f"of_run={other_run}" in link and "qid=samples-01" in link for link in links)


def test_a_question_of_another_data_set_is_not_compared_by_its_id(open_page, run_of_three, other_run, library):
    path = library.settings.data_dir / "runs" / f"{other_run}.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0]["question"] = "What else is there?"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    write_run(load_run(path).model_copy(update={"dataset": "second", "dataset_fingerprint": "other"}), path)
    told = text_of(open_page("evaluate", before=run_of_three, after=other_run))
    assert "All of 2 questions that both runs asked ended the same" in told
    assert "1 question in both runs with another text or label, and not compared: samples-01" in told
    assert "of different data sets, 'samples' and 'second'" in told


def test_two_runs_say_which_settings_changed_from_what_to_what(open_page, run_of_three, library):
    promotions, weight = library.wiring.sessions.promotions, library.settings.dense_weight
    promotions.promote({"top_k": 3, "dense_weight": 0.9, "estimator": "calibrated"}, note="to compare")
    library.put_in_force()
    try:
        options, job = RunOptions("after", limit=3), running.Job("evaluate", "samples")
        running.run_dataset(library, ROOT / "samples", options=options, job=job)
    finally:
        promotions.undo(by="Ada")
        library.put_in_force()
    says(text_of(open_page("evaluate", before=run_of_three, after="after")), "passages 5 → 3",
         f"weight of similarity {weight} → 0.9", "estimator Best similarity → Calibrated")  # fmt: skip
    run = load_run(library.settings.data_dir / "runs" / "after.jsonl")
    unnamed = run.fingerprints.model_copy(update={"settings": "other"})
    assert comparing.changed_parts(run, run.model_copy(update={"fingerprints": unnamed})) == [
        "settings that the runs do not hold by name"
    ]


def test_a_run_written_elsewhere_is_listed_tried_and_compared_like_others(open_page, run_of_three, library, tmp_path):
    folder = library.settings.data_dir / "runs"
    for suffix in (".jsonl", ".run.json"):
        (tmp_path / f"mine{suffix}").write_bytes((folder / f"{run_of_three}{suffix}").read_bytes())
    note_run(folder, tmp_path / "mine.jsonl")
    evaluate = open_page("evaluate", run="mine")
    assert set(table_with(evaluate, "auroc")["name"]) == {"mine", run_of_three}
    assert "Questions 3" in text_of(evaluate)
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
    assert run_lines.label_of(library, "no such set", first) is None
    write_run(load_run(path).model_copy(update={"dataset": "elsewhere"}), path)
    told = text_of(open_page("inspector", of_run=run_of_three, qid="samples-01"))
    assert "the data set **elsewhere** is not listed under **New run**" in told
