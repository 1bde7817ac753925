"""The page Evaluate: a run in the background, its figures, its export, comparing, labelling."""

import csv
import errno
import json
import re
import shutil
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
import recorded
from seen import KNOWN, ROOT, UNKNOWN, Open, button, text_of
from streamlit.testing.v1 import AppTest

from dashboard import labelling, queries, resources, run_tables, running
from dashboard.run_lines import wrongly_ended
from dashboard.running import RunOptions
from rag.candor import Candor
from rag.errors import ConfigurationError, ServiceUnavailable
from rag.evaluation.agreement import SETTLED
from rag.evaluation.datasets import load_dataset
from rag.evaluation.lines import read_lines
from rag.evaluation.runlist import note_run, noted_runs
from rag.evaluation.runner import Evaluation
from rag.evaluation.runs import load_run, write_run
from rag.evaluation.scores import score_lines
from rag.models import Answer
from rag.stored import Label


@pytest.fixture
def run_of_three(library: Candor) -> Iterator[str]:
    """The name of a run over the first three sample questions."""
    folder = library.settings.data_dir / "runs"
    running.run_dataset(library, ROOT / "samples", options=RunOptions(limit=3), job=running.Job("evaluate", "samples"))
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


def test_a_run_is_asked_with_its_own_name_and_settings_and_gone_on_with_under_the_name(
    open_page: Open, library: Candor
) -> None:
    runs = library.settings.data_dir / "runs"

    def started(limit: int, *, fresh: bool = False) -> Evaluation:
        test = open_page("evaluate")
        test.number_input(key="limit").set_value(limit)
        test.text_input(key="run_name").set_value("mean, of three")
        test.selectbox(key="run_estimator").set_value("mean_similarity")
        test.slider(key="run_top_k").set_value(3)
        test.checkbox(key="run_fresh").set_value(fresh)
        button(test, "Start").click().run()
        (job,) = resources.get_jobs().of(running.KIND)
        assert job.thread is not None
        job.thread.join(120)
        assert job.state == "done", job.error
        resources.get_jobs().forget(job)
        evaluation: Evaluation = job.result
        return evaluation

    first = started(2)
    assert [path.name for path in runs.glob("*.jsonl")] == ["mean_of_three.jsonl"]
    answer = queries.run_answer(runs, "mean_of_three", first.lines[0])
    assert answer is not None
    assert answer.gate is not None
    assert (answer.gate.estimator, answer.query.top_k) == ("mean_similarity", 3)
    assert library.settings.estimator == "max_similarity"  # what is in force stays
    assert (first.resumed, started(3).resumed, started(3, fresh=True).resumed) == (0, 2, 0)
    for path in runs.glob("*"):
        if path.is_file():
            path.unlink()


def test_a_run_does_not_take_the_place_of_one_over_another_data_set(run_of_three: str, library: Candor) -> None:
    line = json.dumps({"qid": "1", "question": KNOWN, "answerable": True}).encode()
    kept = running.keep_dataset(library, "other", line, [])
    with pytest.raises(ConfigurationError, match="is over 'samples', and this one is over 'other'"):
        running.run_dataset(library, kept.folder, options=RunOptions(run_of_three), job=running.Job("evaluate", "x"))
    running._remove(kept.folder)


def test_a_run_over_what_is_indexed_takes_its_settings_too(library: Candor) -> None:
    line = json.dumps({"qid": "1", "question": KNOWN, "answerable": True}).encode()
    kept = running.keep_dataset(library, "indexed", line, [])
    options = RunOptions("strict", settings={"confidence_threshold": 0.99, "estimator": "mean_similarity", "top_k": 2})
    done = running.run_dataset(library, kept.folder, options=options, job=running.Job("evaluate", "x"))
    answer = queries.run_answer(library.settings.data_dir / "runs", "strict", done.lines[0])
    assert answer is not None
    assert answer.gate is not None
    assert (answer.gate.estimator, answer.gate.threshold, answer.query.top_k) == ("mean_similarity", 0.99, 2)
    assert done.lines[0].decision == "refused"
    running._remove(kept.folder)
    for path in (library.settings.data_dir / "runs").glob("strict*"):
        path.unlink()


def test_a_run_shows_its_figures_with_what_they_were_counted_from(open_page: Open, run_of_three: str) -> None:
    test = open_page("evaluate", run=run_of_three)
    figures = next(one.value for one in test.dataframe if "figure" in one.value).set_index("figure")
    assert figures.loc["coverage", "of"] == 3
    assert "Coverage" in text_of(test)
    counts = {metric.label: metric.delta for metric in test.metric}
    assert counts["Coverage"] == f"{figures.loc['coverage', 'counted']:g} of 3"
    assert counts["False answers"] == "of none"
    assert "none is labelled unanswerable, so nothing tells of false answers" in text_of(test)
    speed = next(one.value for one in test.dataframe if "p95_ms" in one.value)
    assert "total" in set(speed["stage"])
    parts = [one.value for one in test.dataframe if "hit@5" in one.value]
    assert len(parts) == 2  # by kind and by document
    for part in parts:
        for share, of in (("coverage", "coverage_of"), ("hit@5", "hit_of"), ("contains_gold", "gold_of")):
            told = part.loc[part[share].notna(), of]
            assert len(told)
            assert told.str.match(r"\d+ of \d+; \d+% to \d+%$").all()


def figures_of(test: AppTest) -> dict[str, str]:
    return {str(metric.label): str(metric.value) for metric in test.metric}


def test_every_setting_is_tried_on_a_run(open_page: Open, run_of_three: str, library: Candor) -> None:
    tune = open_page("tune", run=run_of_three)
    assert "of 3;" in text_of(tune)
    assert not any(one.disabled for one in tune.slider)
    as_recorded = figures_of(tune)
    assert as_recorded["Other passages"] == "0"
    assert figures_of(open_page("tune", run=run_of_three, t_top_k="1"))["Other passages"] == "3"
    by_words = figures_of(open_page("tune", run=run_of_three, t_weight="0.0"))
    assert int(by_words["Other passages"]) > 0
    mean = open_page("tune", run=run_of_three, t_estimator="Mean similarity", t_confidence="0.0")
    confidences = mean_confidences(library, run_of_three)
    assert figures_of(mean)["Answered"] == "100.0%"
    threshold = round(sorted(confidences)[1] + 0.005, 2)
    answered = sum(confidence >= threshold for confidence in confidences)
    assert answered < 3  # the best similarity, which decided, reaches it three times
    some = open_page("tune", run=run_of_three, t_estimator="Mean similarity", t_confidence=f"{threshold:.2f}")
    assert figures_of(some)["Answered"] == f"{answered / 3:.1%}"


def mean_confidences(library: Candor, run: str) -> list[float]:
    """Return the mean similarity of the five passages of each line."""
    lines = read_lines(library.settings.data_dir / "runs" / f"{run}.jsonl")
    return [sum(chunk.similarity_score for chunk in line.retrieved[:5]) / 5 for line in lines]


def test_the_calibrated_estimator_is_tried_on_a_run_that_another_decided(open_page: Open, run_of_three: str) -> None:
    tune = open_page("tune", run=run_of_three, t_estimator="Calibrated", t_top_k="1", t_confidence="0.0")
    assert tune.selectbox(key="t_estimator").value == "calibrated"
    assert "does not hold all" not in text_of(tune)  # worked out when the run was made, for each number of passages
    assert figures_of(tune)["Answered"] == "100.0%"
    flips = open_page("tune", run=run_of_three, t_estimator="Calibrated", t_top_k="1", t_confidence="1.0")
    assert figures_of(flips)["Would flip"] == "3"


def test_a_run_of_an_older_version_has_the_threshold_alone_and_says_so(
    open_page: Open, run_of_three: str, library: Candor
) -> None:
    (library.settings.data_dir / "runs" / f"{run_of_three}.answers.jsonl.gz").unlink()
    tune = open_page("tune", run=run_of_three, t_top_k="1")
    sliders = (*tune.slider, *tune.select_slider, *tune.selectbox)
    locked = {one.key: one.disabled for one in sliders if str(one.key).startswith("t_")}
    assert locked == {"t_confidence": False} | dict.fromkeys(
        ("t_similarity", "t_top_k", "t_weight", "t_estimator"), True
    )
    assert "made by an older version" in text_of(tune)
    assert figures_of(tune)["Other passages"] == "0"
    none = open_page("tune", run=run_of_three, t_confidence="1.0")
    assert figures_of(none)["Answered"] == "0.0%"
    inspect = open_page("inspector", of_run=run_of_three, qid="samples-01")
    assert KNOWN in text_of(inspect)
    assert "not which sentences were dropped and why" in text_of(inspect)


def test_a_question_of_a_run_shows_what_a_recorded_request_shows(open_page: Open, run_of_three: str) -> None:
    inspect = open_page("inspector", of_run=run_of_three, qid="samples-01")
    told = text_of(inspect)
    assert KNOWN in told
    assert "Label answerable" in told
    assert {"Answer", "Stages", "Passages", "Prompt", "Sentences", "Settings"} <= {tab.label for tab in inspect.tabs}
    assert ", 0 dropped" in told  # what the grounding check said of each
    scores = next(one.value for one in inspect.dataframe if "bm25_rank" in one.value)
    assert len(scores) == 10
    stages = next(one.value for one in inspect.dataframe if "start_ms" in one.value)
    assert {"validate", "embed", "retrieve", "gate", "ground"} <= set(stages["stage"])
    links = {str(link.proto.label): str(link.proto.query_string) for link in inspect.get("page_link")}
    asked = dict(parse_qsl(links["Ask again with the run's settings"]))
    assert (asked["question"], asked["estimator"], asked["top_k"]) == (KNOWN, "Best similarity", "5")
    assert "confidence_threshold" not in asked  # the estimator's own decided


@pytest.fixture
def other_run(library: Candor, run_of_three: str) -> str:
    """The name of a copy of the run, in which the first question was refused."""
    folder = library.settings.data_dir / "runs"
    lines = [json.loads(line) for line in (folder / f"{run_of_three}.jsonl").read_text(encoding="utf-8").splitlines()]
    lines[0] |= {"decision": "refused", "refusal_stage": "gate", "answer": None, "sentences": [], "citations": []}
    (folder / "other.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    run = load_run(folder / f"{run_of_three}.jsonl")
    scores = score_lines(read_lines(folder / "other.jsonl"), load_dataset(ROOT / "samples").questions)
    write_run(run.model_copy(update={"scores": tuple(scores)}), folder / "other.jsonl")
    return "other"


def test_a_question_that_ended_against_its_label_says_so(run_of_three: str, other_run: str, library: Candor) -> None:
    folder = library.settings.data_dir / "runs"
    right, refused = (read_lines(folder / f"{name}.jsonl")[0] for name in (run_of_three, other_run))
    assert (right.decision, right.answerable) == ("answered", True)
    assert wrongly_ended(right) == ""
    assert wrongly_ended(right.model_copy(update={"answerable": False})) == "answered, though unanswerable"
    assert wrongly_ended(refused) == "refused, though answerable"
    for label in (False, None):
        assert wrongly_ended(refused.model_copy(update={"answerable": label})) == ""


def test_two_runs_are_compared_question_by_question(open_page: Open, run_of_three: str, other_run: str) -> None:
    test = open_page("evaluate", before=run_of_three, after=other_run)
    told = text_of(test)
    assert "No evidence of a difference in any figure" in told
    assert "Of single questions 1 regressed (listed below): a fact about these questions, and no evidence" in told
    assert re.search(r"Verdict and p of every row are corrected for looking at \d+ figures at once", told)
    assert "The intervals are not" in told
    assert "Questions that ended differently: 1 of 3" in told
    table = next(one.value for one in test.dataframe if "change" in one.value)
    assert table[["qid", "change", "before", "after"]].values.tolist() == [
        ["samples-01", "regressed", "answered, rightly", "refused, though answerable"]
    ]
    assert "Refused at gate" in told  # beside the answer of the other run
    links = [str(link.proto.query_string) for link in test.get("page_link") if link.proto.label == "Open in Inspect"]
    assert any(f"of_run={other_run}" in link and "qid=samples-01" in link for link in links)


def test_a_question_of_another_data_set_is_not_compared_by_its_id(
    open_page: Open, run_of_three: str, other_run: str, library: Candor
) -> None:
    path = library.settings.data_dir / "runs" / f"{other_run}.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0]["question"] = "What else is there?"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    write_run(load_run(path).model_copy(update={"dataset": "second", "dataset_fingerprint": "other"}), path)
    told = text_of(open_page("evaluate", before=run_of_three, after=other_run))
    assert "Questions that ended differently: 0 of 2" in told
    assert "1 question in both runs with another text or label, and not compared: samples-01" in told
    assert "of different data sets, 'samples' and 'second'" in told


def test_two_runs_say_which_settings_changed_from_what_to_what(
    open_page: Open, run_of_three: str, library: Candor
) -> None:
    promotions, weight = library.wiring.sessions.promotions, library.settings.dense_weight
    promotions.promote({"top_k": 3, "dense_weight": 0.9, "estimator": "calibrated"}, note="to compare")
    resources.put_in_force(library)
    folder = library.settings.data_dir / "runs"
    for path in [*folder.glob(f"{run_of_three}.*")]:  # both would be called by the same second
        path.rename(folder / path.name.replace(run_of_three, "first", 1))
    try:
        options = RunOptions(limit=3)
        running.run_dataset(library, ROOT / "samples", options=options, job=running.Job("evaluate", "samples"))
    finally:
        promotions.undo(by="Ada")
        resources.put_in_force(library)
    after = next(path.stem for path in folder.glob("samples-*.jsonl"))
    told = text_of(open_page("evaluate", before="first", after=after))
    assert "these changed: settings" not in told
    for part in ("passages 5 → 3", f"weight of similarity {weight} → 0.9", "estimator Best similarity → Calibrated"):
        assert part in told
    run = load_run(folder / "first.jsonl")
    unnamed = run.fingerprints.model_copy(update={"settings": "other"})
    assert run_tables.changed_parts(run, run.model_copy(update={"fingerprints": unnamed})) == [
        "settings that the runs do not hold by name"
    ]


def test_a_first_question_that_was_refused_is_no_change_of_the_prompt(run_of_three: str, library: Candor) -> None:
    run = load_run(library.settings.data_dir / "runs" / f"{run_of_three}.jsonl")
    prompted, silent = (
        run.model_copy(update={"fingerprints": run.fingerprints.model_copy(update={"prompt": name})})
        for name in ("cited/1", "")
    )
    answer = recorded.answered()
    other = answer.model_copy(update={"fingerprints": answer.fingerprints.model_copy(update={"prompt": "cited/2"})})
    assert run_tables.changed_parts(prompted, silent) == []
    assert run_tables.changed_parts(prompted, silent, answers=(None, other)) == ["prompt"]
    quoted = answer.model_copy(update={"fingerprints": answer.fingerprints.model_copy(update={"prompt": ""})})
    assert run_tables.changed_parts(prompted, silent, answers=(None, quoted)) == ["prompt"]


def test_a_run_is_exported_a_row_and_a_line_for_each_question(
    open_page: Open, run_of_three: str, library: Candor
) -> None:
    labels = [one.proto.label for one in open_page("evaluate", run=run_of_three).get("download_button")]
    assert {"CSV, a row for each question", "JSONL, everything"} <= set(labels)
    path = library.settings.data_dir / "runs" / f"{run_of_three}.jsonl"
    rows = [*csv.DictReader(StringIO(run_tables.lines_table(read_lines(path)).to_csv(index=False)))]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(row["qid"], row["answer"]) for row in rows] == [(line["qid"], line["answer"] or "") for line in lines]
    assert rows[0]["documents"] == "; ".join(one["document"] for one in lines[0]["citations"])


def test_a_link_of_before_opens_the_question_of_a_run(open_page: Open, run_of_three: str) -> None:
    assert KNOWN in text_of(open_page("inspector", run=run_of_three, qid="samples-01"))


def test_runs_that_ended_alike_say_so(open_page: Open, run_of_three: str, library: Candor) -> None:
    folder = library.settings.data_dir / "runs"
    for suffix in (".jsonl", ".run.json"):
        (folder / f"again{suffix}").write_bytes((folder / f"{run_of_three}{suffix}").read_bytes())
    assert "Every question that stands in both runs ended the same" in text_of(open_page("evaluate"))


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
    library.ask(KNOWN)
    test = open_page("evaluate")
    test.text_input(key="labeller").set_value("grace").run()
    judged = text_of(test)
    waiting = len(list(library.wiring.recorder.requests()))
    assert f"0 judged by you, {waiting} of the newest {waiting} requests waiting." in judged
    assert re.search(r"Confidence \d\.\d+, threshold \d\.\d+ · `req_", judged)
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


def test_what_the_documents_do_not_answer_no_passage_answers(open_page: Open, library: Candor) -> None:
    library.ask("Who won the football world cup in 1998?")
    test = open_page("evaluate")
    test.text_input(key="labeller").set_value("heidi").run()
    button(test, "Right to refuse").click().run()
    labels = library.wiring.sessions.labels.list(labeller="heidi")
    assert [label.verdict for label in labels if label.aspect == "chunk"] == ["irrelevant"] * 5
    for label in labels:
        library.wiring.sessions.labels.remove(label)


def test_a_mistaken_judgement_is_shown_again_and_replaced_whole(open_page: Open, library: Candor) -> None:
    labels = library.wiring.sessions.labels
    library.ask(UNKNOWN)
    test = open_page("evaluate")
    test.text_input(key="labeller").set_value("ivan").run()
    assert button(test, "Back").disabled
    button(test, "Right to refuse").click().run()
    (target,) = {label.target for label in labels.list(labeller="ivan")}
    button(test, "Skip").click().run()
    button(test, "Back").click().run()
    assert "You judged this already" not in text_of(test)  # it was skipped
    button(test, "Back").click().run()
    assert "You judged this already: **correct**" in text_of(test)
    button(test, "Should have answered").click().run()
    kept = {(label.target, label.aspect, label.verdict) for label in labels.list(labeller="ivan")}
    assert kept == {(target, "answer", "wrong"), (target, "answerable", "yes")}  # no passage is judged any more
    assert "You judged this already" not in text_of(test)
    for label in labels.list(labeller="ivan"):
        labels.remove(label)


@pytest.mark.parametrize("document", ["a.md", "folder/a.md"])
def test_an_uploaded_data_set_says_which_labels_name_a_document_that_it_does_not_have(
    open_page: Open, library: Candor, document: str
) -> None:
    row = {"qid": "1", "question": KNOWN, "answerable": True, "gold": [{"document": document}]}
    test = open_page("evaluate")
    test.text_input(key="dataset_name").set_value("uploaded")
    test.file_uploader(key="dataset_questions").set_value(("questions.jsonl", json.dumps(row).encode(), "text/plain"))
    test.file_uploader(key="dataset_documents").set_value([("a.md", b"# A\n\nText of a.\n", "text/markdown")])
    try:
        button(test, "Keep it").click().run()
        told = text_of(test)
        assert "Kept uploaded with 1 question" in told
        assert str(test.selectbox(key="dataset").value) == str(running.datasets_folder(library) / "uploaded")
        assert ("that the data set does not have: 'folder/a.md'" in told) is (document == "folder/a.md")
    finally:
        shutil.rmtree(running.datasets_folder(library) / "uploaded", ignore_errors=True)


def test_an_uploaded_data_set_with_a_broken_line_is_not_kept(library: Candor) -> None:
    from rag.errors import ConfigurationError

    with pytest.raises(ConfigurationError, match=r"^mine\.jsonl, line 1: not JSON"):
        running.keep_dataset(library, "broken", b"no json\n", [], called="mine.jsonl")
    with pytest.raises(ConfigurationError, match=r"^'mine.jsonl' holds no question\."):
        running.keep_dataset(library, "broken", b"", [], called="mine.jsonl")
    with pytest.raises(ConfigurationError, match=r"^'mine\.jsonl' cannot be read as UTF-8"):
        running.keep_dataset(library, "broken", b"\xff\xfe", [], called="mine.jsonl")
    assert running.known_datasets(library) == [ROOT / "samples"]


def test_an_upload_that_the_disk_has_no_room_for_leaves_nothing_behind(
    library: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = json.dumps({"qid": "1", "question": KNOWN, "answerable": True}).encode()
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == "second.md":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        with pytest.raises(ServiceUnavailable, match="No space left on device"):
            running.keep_dataset(library, "mine", line, [("stale.md", b"# Old"), ("second.md", b"# More")])
    assert running.known_datasets(library) == [ROOT / "samples"]
    kept = running.keep_dataset(library, "mine", line, [("fresh.md", b"# New\n\nText.\n")])
    assert [path.name for path in kept.documents] == ["fresh.md"]
    running._remove(kept.folder)


def test_an_upload_that_is_still_being_written_is_not_listed(library: Candor) -> None:
    unfinished = running.datasets_folder(library) / ".unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "questions.jsonl").touch()
    assert running.known_datasets(library) == [ROOT / "samples"]
    running._remove(unfinished)


def test_an_uploaded_data_set_is_at_hand(library: Candor, tmp_path: Path) -> None:
    line = json.dumps({"qid": "1", "question": KNOWN, "answerable": True}).encode()
    kept = running.keep_dataset(library, "my set", line, [("a.md", b"# A\n\nText of a.\n")])
    assert (kept.name, len(kept.questions), len(kept.documents)) == ("my_set", 1, 1)
    assert kept.folder in running.known_datasets(library)
    running._remove(kept.folder)


# --- several labellers -------------------------------------------------------------------------------------------


@pytest.fixture
def two_labellers(library: Candor) -> Iterator[Answer]:
    """An answer that two people judged: they agree on it, and differ on one of its three passages."""
    answer = library.ask(KNOWN)
    labels = library.wiring.sessions.labels
    for label in labels.list():  # of other tests
        labels.remove(label)
    kept = [
        Label(target=answer.request_id, aspect=aspect, item=item, labeller=who, verdict=verdict)
        for who, last in (("ada", "relevant"), ("bo", "irrelevant"))
        for aspect, item, verdict in (
            ("answer", "", "correct"),
            ("chunk", answer.retrieved[0].chunk_id, "relevant"),
            ("chunk", answer.retrieved[1].chunk_id, "irrelevant"),
            ("chunk", answer.retrieved[2].chunk_id, last),
        )
    ]
    for label in kept:
        labels.put(label)
    yield answer
    for label in labels.list(target=answer.request_id):
        labels.remove(label)


def test_agreement_counts_judged_passages_with_their_denominator_and_interval(
    open_page: Open, two_labellers: Answer
) -> None:
    test = open_page("evaluate")
    told = text_of(test)
    # 2 of 3 equal; ada 2 of 3 relevant, bo 1 of 3: p_e = 2/3 1/3 + 1/3 2/3 = 4/9, kappa = (2/3 - 4/9) / (5/9) = .4
    assert "Passages: kappa **0.40**" in told
    assert "the same verdict on 2 of 3" in told
    assert "Answers: the same verdict on 1 of 1, kappa not defined" in told
    table = next(one.value for one in test.dataframe if "kappa" in one.value).set_index("judged")
    assert (table.loc["Passages", "items"], table.loc["Passages", "requests"]) == (3, 1)
    assert table.loc["Passages", "low"] < 0.4 < table.loc["Passages", "high"]


def test_more_than_two_labellers_have_one_agreement_together(
    open_page: Open, library: Candor, two_labellers: Answer
) -> None:
    assert "Krippendorff" not in text_of(open_page("evaluate"))
    library.wiring.sessions.labels.put(
        Label(target=two_labellers.request_id, aspect="chunk", item=two_labellers.retrieved[2].chunk_id,
              labeller="cy", verdict="irrelevant")
    )  # fmt: skip
    test = open_page("evaluate")
    assert "All 3 together" in text_of(test)
    table = next(one.value for one in test.dataframe if "alpha" in one.value).set_index("judged")
    # relevant relevant; irrelevant irrelevant; relevant irrelevant irrelevant: o_rr 2, o_ii 2 + 1, o_ri 1, o_ir 1
    # n_r 3, n_i 4, n 7; D_o 2, D_e 24 / 6 = 4, alpha 1 - 2/4
    assert table.loc["Passages", "alpha"] == pytest.approx(0.5)
    assert (table.loc["Passages", "items"], table.loc["Passages", "verdicts"]) == (3, 7)


def test_a_disagreement_is_listed_settled_and_counts_from_then_on(
    open_page: Open, library: Candor, two_labellers: Answer
) -> None:
    test = open_page("evaluate")
    assert "Disagreements: 1 open, 0 settled" in text_of(test)
    assert next(one for one in test.button if one.key == "settle-relevant").disabled  # nobody gave a name yet
    test.text_input(key="labeller").set_value("carol").run()
    next(one for one in test.button if one.key == "settle-irrelevant").click().run()
    assert "Disagreements: 0 open, 1 settled" in text_of(test)
    (settled,) = library.wiring.sessions.labels.list(labeller=SETTLED)
    assert (settled.item, settled.verdict, settled.note) == (
        two_labellers.retrieved[2].chunk_id,
        "irrelevant",
        "by carol",
    )
    library.wiring.sessions.labels.put(
        Label(target=two_labellers.request_id, aspect="answerable", labeller="ada", verdict="yes")
    )
    (line,) = [one for one in labelling.labelled_questions(library) if one["qid"] == two_labellers.request_id]
    assert [gold["text"] for gold in line["gold"]] == [two_labellers.retrieved[0].content]


def test_nobody_labels_under_the_name_of_what_was_settled(open_page: Open) -> None:
    test = open_page("evaluate")
    test.text_input(key="labeller").set_value(SETTLED).run()
    assert "Give your own" in text_of(test)
    assert not [one for one in test.button if str(one.key).startswith("judge-")]
