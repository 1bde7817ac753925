"""`candor collection`, `words` and `keys`, and asking with them; the commands that ground, evaluate and report."""

import json
import shutil

from library import NOBODY, ROOT
from questions import GLOVES

from rag.evaluation.runlist import noted_runs
from rag.evaluation.runs import Run, write_run
from rag.evaluation.scores import QuestionScore
from rag.evaluation.summary import summarise
from rag.record import Recorder


def test_a_collection_is_made_asked_listed_and_removed(inside, home):
    made = inside("collection", "add", "Office", "faq.html", "travel_policy.docx", data_dir=home)
    listed = inside("documents", "--collection", "Office", "--json", data_dir=home)
    answer = inside("ask", GLOVES, "--collection", "Office", "--json", data_dir=home)
    less = inside("collection", "remove", "Office", "faq.html", "--json", data_dir=home)
    gone = inside("collection", "remove", "Office", data_dir=home)
    assert made.out == "Office: faq.html, travel_policy.docx\n"
    assert [one["document"] for one in listed.json] == ["faq.html", "travel_policy.docx"]
    assert {hit["document"] for hit in answer.json["retrieved"]} <= {"faq.html", "travel_policy.docx"}
    assert answer.json["query"]["filters"]["collection"] == "Office"
    assert (less.json["documents"], gone.out) == (["travel_policy.docx"], "Removed the collection Office.\n")
    assert inside("collection", "list", "--json", data_dir=home).json == []


def test_what_is_not_there_is_refused_by_name(inside, home):
    for arguments, told in (
        (["ask", GLOVES, "--collection", "Offices"], "There is no collection 'Offices'. Collections: none"),
        (["collection", "add", "Office"], "Name the documents of the collection 'Office'"),
        (["collection", "add", "Office", "faq.htm"], "There is no document 'faq.htm' in the index"),
        (["collection", "remove", "Offices"], "There is no collection 'Offices'"),
        (["words", "add", "PPE", "ppe"], "'PPE' cannot be its own meaning"),
        (["words", "remove", "PPE"], "There is no house word 'PPE'"),
    ):
        ran = inside(*arguments, data_dir=home)
        assert (ran.code, told in ran.err) == (1, True), arguments


def test_house_words_are_added_listed_imported_exported_and_removed(inside, tmp_path):
    home, file = tmp_path / "data", tmp_path / "words.csv"
    file.write_text("word,means,by\nSDS,safety data sheet,ada\nPPE,protective gear,\n", encoding="utf-8")
    added = inside("words", "add", "PPE", "protective gear", data_dir=home)
    read = inside("words", "import", str(file), "--json", data_dir=home)
    listed = inside("words", "list", "--csv", data_dir=home)
    gone = inside("words", "remove", "SDS", data_dir=home)
    assert (added.out, read.json) == ("PPE = protective gear\n", {"new": 1, "read": 2})
    assert listed.out.splitlines()[0] == "word,means,by"
    assert listed.out.splitlines()[2] == "SDS,safety data sheet,ada"
    assert gone.out == "Removed SDS.\n"
    assert inside("words", "list", data_dir=home).out == "PPE = protective gear\n"


def test_every_command_for_keys_takes_json(inside, tmp_path):
    made = inside("keys", "create", "desk", "--json", data_dir=tmp_path / "data")
    key_id = made.json["key_id"]
    revoked = inside("keys", "revoke", key_id, "--json", data_dir=tmp_path / "data")
    listed = inside("keys", "list", "--json", data_dir=tmp_path / "data")
    again = inside("keys", "revoke", key_id, "--json", data_dir=tmp_path / "data")
    assert (revoked.code, revoked.json) == (0, {"key_id": key_id, "revoked": True})
    assert [key["key_id"] for key in listed.json if key["revoked_at"]] == [key_id]
    assert again.code == 1
    assert key_id in again.err


def test_questions_asked_in_vain_are_listed_together_until_they_are_dismissed(inside, home):
    for question in (NOBODY, NOBODY.lower()):
        asked = inside("ask", question, "--json", data_dir=home)
    listed = inside("unanswered", "--json", data_dir=home)
    told = inside("unanswered", data_dir=home)
    assert asked.json["outcome"] == "refused"
    newest = asked.json["request_id"]
    (group,) = [one for one in listed.json if newest in [each["request_id"] for each in one["questions"]]]
    assert group["times"] == 2
    assert f"   2 x  {group['last'][:10]}  {group['question']}  (2 refused)" in told.out.splitlines()
    Recorder(home).dismiss([newest])
    assert NOBODY.lower() not in inside("unanswered", data_dir=home).out


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


def test_questions_without_labels_are_asked_every_rate_is_null_and_a_second_run_keeps_answers(inside, tmp_path, caplog):
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


def written(path, **score):
    """Write a finished run of one question; its data set is called as its file."""
    scores = (QuestionScore(**{"answerable": None, "answered": True, "confidence": 0.5, **score}),)
    run = Run(dataset=path.stem, dataset_fingerprint=path.stem, fingerprint=path.stem, scores=scores)
    path.parent.mkdir(exist_ok=True, parents=True)
    path.touch()
    write_run(run.model_copy(update={"summary": summarise(scores)}), path)


def test_runs_without_a_common_question_end_as_a_mistake_does(inside, tmp_path):
    for name in "ab":
        written(tmp_path / f"{name}.jsonl", qid=name, sentences=1)
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
    written(data / "runs" / "first.jsonl", qid="a", answerable=True, unsure=False, kind="fact")
    ran = inside("report", "--out", "report.html", data_dir=data)
    assert (ran.code, ran.out) == (0, "")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Run first of" in page
    assert "<td>1 of 1</td>" in page
