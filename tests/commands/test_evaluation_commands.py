"""The commands that ground, evaluate and calibrate."""

import json
import shutil

from library import ROOT

from rag.evaluation.runlist import noted_runs
from rag.evaluation.runs import Run, write_run
from rag.evaluation.scores import QuestionScore
from rag.evaluation.summary import summarise


def test_ground_writes_a_verdict_for_each_claim_in_order_with_its_id(inside, tmp_path):
    evidence = "Nitrile gloves are worn with acids. They are changed every two hours."
    said = {"b": "are worn with acids", "a": "are changed every five hours", "c": "are not worn with acids"}
    rows = [{"id": name, "claim": f"Nitrile gloves {part}."} for name, part in said.items()]
    rows = [{**row, "evidence": evidence} for row in (*rows, {"claim": evidence})]
    (tmp_path / "claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ran = inside("ground", "--claims", "claims.jsonl", "--out", "out.jsonl", data_dir=tmp_path / "data")

    assert (ran.code, ran.out) == (0, "")
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    told = [(one.get("id"), one["supported"]) for one in found]
    assert told == [("b", True), ("a", False), ("c", False), (None, True)]
    assert found[1]["note"] == "The text says 2 hours, not 5 hours."
    assert all(0 <= one["support"] <= 1 for one in found)


def test_questions_without_labels_are_asked_every_rate_is_null_and_a_second_run_keeps_the_answers(
    inside, tmp_path, caplog
):
    dataset, out = tmp_path / "plain", tmp_path / "out.jsonl"
    (dataset / "documents").mkdir(parents=True)
    shutil.copy(ROOT / "samples" / "textbook.md", dataset / "documents")
    rows = [{"qid": f"q{n}", "question": text} for n, text in enumerate(("What is firn?", "hi"))]
    (dataset / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    first = inside("evaluate", str(dataset), "--json", "--out", str(out), data_dir=tmp_path / "data")
    again = inside("evaluate", str(dataset), "--out", str(out), data_dir=tmp_path / "data")

    assert first.code == 0, first.err
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["qid"] for line in lines] == ["q0", "q1"]
    assert lines[1]["refusal_stage"] == "validation"
    assert rates(first.json) == []
    assert first.json["decided"][0].startswith("Decided by the gate that came with Candor, threshold 0.")
    assert noted_runs(tmp_path / "data" / "runs") == [out]
    assert "kept from the run before" not in first.err
    assert "of 2 answers were kept from the run before" in again.err
    assert "Use --fresh to ask all again." in again.err
    assert "Decided by the gate that came with Candor, threshold 0." in again.out
    told = [one.getMessage() for one in caplog.records if "No question has 'answerable'" in one.getMessage()]
    assert len(told) == 2  # once for each run


def test_runs_without_a_common_question_end_as_a_mistake_does(inside, tmp_path):
    for name in "ab":
        score = QuestionScore(qid=name, answerable=None, answered=True, confidence=0.5, sentences=1)
        found = Run(dataset=name, dataset_fingerprint=name, fingerprint=name, scores=(score,))
        write_run(found.model_copy(update={"summary": summarise(found.scores)}), tmp_path / f"{name}.jsonl")
        (tmp_path / f"{name}.jsonl").touch()
    ran = inside("compare", "a.jsonl", "b.jsonl", data_dir=tmp_path / "data")

    assert ran.code == 1
    assert ran.out.startswith("before: a.jsonl, a a\nafter:  b.jsonl, b b\n")
    assert "The runs have no question in common: nothing can be compared." in ran.out


def rates(found):
    """Return every rate, however deep, that is a number although nothing was labelled."""
    if not isinstance(found, dict):
        return []
    is_rate = "denominator" in found and not found["denominator"] and found.get("value") is not None
    return [found] * is_rate + [rate for value in found.values() for rate in rates(value)]


def test_a_report_is_one_page_with_the_latest_run(inside, tmp_path):
    data = tmp_path / "data"
    scores = (QuestionScore(qid="a", answerable=True, answered=True, unsure=False, confidence=0.9, kind="fact"),)
    run = Run(dataset="mine", dataset_fingerprint="1", fingerprint="f", summary=summarise(scores), scores=scores)
    (data / "runs").mkdir(parents=True)
    (data / "runs" / "first.jsonl").touch()
    write_run(run, data / "runs" / "first.jsonl")
    ran = inside("report", "--out", "report.html", data_dir=data)

    assert (ran.code, ran.out) == (0, "")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Run first of" in page
    assert "<td>1 of 1</td>" in page
