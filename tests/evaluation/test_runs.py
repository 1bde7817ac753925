"""A run on disk: its lines, the whole answers beside them, which runs there are, and how they go for good."""

import gzip
import json
from pathlib import Path
from unittest.mock import Mock

import pytest

from rag.errors import ConfigurationError
from rag.evaluation import runlist
from rag.evaluation.lines import dump_line, line_of, read_lines, refused_line
from rag.evaluation.runlist import lost_runs, note_run, noted_runs, remove_folder, remove_run, run_files
from rag.evaluation.runs import Run, held_answer, held_line, held_path, held_requests, holding, run_path, write_run
from rag.evaluation.summary import summarise
from rag.records.requests import recorded_request

from .made import answer, data_set, question, refusal

PLACE = {"document", "page", "chapter", "section", "chunk_id", "similarity_score"}
FIELDS = {
    "qid", "question", "answerable", "kind", "decision", "refusal_stage", "answer", "confidence", "sentences",
    "citations", "retrieved", "timings_ms",
}  # fmt: skip
WHOLE = dump_line(line_of(question("a"), answer("Line\u2028separators\x85 and 😀 stay.")))
REFUSED = dump_line(refused_line(question("b", answerable=None), "validation", total_ms=0.5))


def test_a_line_has_exactly_the_fields_written_down_twenty_chunks_and_a_cited_one_below_and_tells_unsure_from_refused():
    value = json.loads(WHOLE)
    assert set(value) == FIELDS
    assert set(value["sentences"][0]) == {"text", "supported", "support", "citations"}
    assert set(value["citations"][0]) == PLACE | {"excerpt"}
    assert set(value["retrieved"][0]) == PLACE | {"rank", "retrieval_rank", "content"}
    assert value["timings_ms"] == {"embed": 2.0, "retrieve": 3.0, "read": 6.0, "gate": 1.0, "generate": 4.0,
                                   "ground": 5.0, "total": 21.5}  # fmt: skip
    kept = [[chunk.rank for chunk in line_of(question(), answer(hits=22, cite=cite)).retrieved] for cite in (1, 22)]
    assert kept == [[*range(1, 21)], [*range(1, 21), 22]]
    unsure, talk = (line_of(question(), refusal(outcome=outcome)) for outcome in ("unsure", "talk"))
    assert (unsure.decision, unsure.refusal_stage, unsure.answer) == ("unsure", "gate", None)
    assert (talk.decision, talk.refusal_stage, talk.answer) == ("refused", None, None)


def test_lines_come_back_as_they_were_written_and_a_torn_last_one_is_skipped(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text(f"{WHOLE}\n{REFUSED}\n{WHOLE[:50]}", encoding="utf-8")
    lines = read_lines(path)
    assert [dump_line(line) for line in lines] == [WHOLE, REFUSED] == path.read_text(encoding="utf-8").splitlines()[:2]
    assert lines[0].answer == "Line\u2028separators\x85 and 😀 stay."
    path.write_text(f"{WHOLE[:50]}\n{WHOLE}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="line 1"):
        read_lines(path)


def written(path, pairs, keep=()):
    with holding(path, keep=keep) as file:
        for qid, one in pairs:
            file.write(held_line(qid, one))


@pytest.mark.parametrize(
    "held",
    [None, b"no gzip at all", gzip.compress(b'{"qid": "q1", "version": 2}\n'), held_line("q1", answer())],
    ids=["none", "no gzip", "later version", "earlier run"],  # packed bytes hold the time of day
)
def test_a_line_whose_own_answer_is_not_held_says_what_it_says_itself(tmp_path, held):
    path, line = tmp_path / "run.jsonl", line_of(question("q1"), answer(confidence=0.7))
    if held is not None:
        held_path(path).write_bytes(held)
    (short,) = held_requests(path, [line])
    assert (short.request_id, short.confidence, short.estimator, short.threshold) == ("q1", 0.7, None, None)
    assert held_answer(path, line) is None


def test_a_held_answer_comes_back_whole_and_a_torn_end_costs_only_the_last_and_is_gone_when_the_run_goes_on(tmp_path):
    path, first, last, qid = tmp_path / "run.jsonl", answer(), refusal(), 'é"\\1'
    lines = [line_of(question(qid), first), line_of(question("q2"), last)]
    written(path, [(qid, first), ("q2", last)])
    assert held_requests(path, lines[:1]) == [recorded_request(first).model_copy(update={"request_id": qid})]
    held_path(path).write_bytes(held_path(path).read_bytes()[:-20])
    assert [held_answer(path, line) for line in lines] == [first, None]
    written(path, [("q2", last)], keep={qid})
    rows = gzip.decompress(held_path(path).read_bytes()).splitlines()
    assert [json.loads(row)["qid"] for row in rows] == [qid, "q2"]
    assert [held_answer(path, line) for line in lines] == [first, last]


def unfinished(lines, *, summary=None):
    lines.parent.mkdir(parents=True, exist_ok=True)
    lines.touch()
    write_run(Run(dataset="made", dataset_fingerprint="d", fingerprint="f", summary=summary), lines)
    return lines


def finished(lines):
    held_path(unfinished(lines, summary=summarise([]))).write_bytes(b"")
    return lines


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def runs(tmp_path):
    return tmp_path / "runs"


def test_runs_are_listed_once_by_name_and_those_of_one_name_by_their_folders_and_paths(runs, tmp_path):
    own, dotted = unfinished(runs / "base.jsonl"), unfinished(tmp_path / "v1.1")
    first, second = (unfinished(tmp_path / name / "new" / "base.jsonl") for name in "ab")
    for lines in (own, dotted, dotted, first, second):
        note_run(runs, lines)
    assert noted_runs(runs) == [dotted, first, second]  # one in the folder needs no note
    assert run_files(runs) == {"base": own, "v1.1": dotted, "base (new)": first, str(second): second}
    (runs / "elsewhere.json").write_text("[3]")
    with pytest.raises(ConfigurationError, match=r"elsewhere\.json.*Remove it"):
        run_files(runs)


def test_a_run_goes_with_its_files_unless_unfinished_or_elsewhere_and_is_lost_without_one(runs, tmp_path, monkeypatch):
    gone, written, elsewhere = finished(runs / "a.jsonl"), unfinished(runs / "b.jsonl"), finished(tmp_path / "c.jsonl")
    (runs / "a.jsonl.previous").write_text("{}\n")
    note_run(runs, elsewhere)
    remove_run(runs, gone)
    assert names(runs) == ["b.jsonl", "b.run.json", "elsewhere.json"]
    for lines in (written, elsewhere):
        with pytest.raises(ConfigurationError, match="outside of the data folder or has no figures"):
            remove_run(runs, lines)
        assert (lines.is_file(), run_path(lines).is_file()) == (True, True)
    assert noted_runs(runs) == [elsewhere]
    kept, halved, removed = (unfinished(tmp_path / name) for name in ("kept.jsonl", "halved.jsonl", "removed.jsonl"))
    for lines in (kept, halved, removed):
        note_run(runs, lines)
    run_path(halved).unlink()
    removed.unlink()
    assert lost_runs(runs) == [halved, removed]
    runlist.forget_run(runs, halved)
    assert (lost_runs(runs), halved.is_file()) == ([removed], True)
    monkeypatch.setattr("os.stat", Mock(side_effect=PermissionError(13, "Permission denied")))
    assert runlist.is_there(kept) is False


def test_a_folder_that_cannot_be_removed_stays_whole_and_says_so(tmp_path, monkeypatch):
    folder = data_set(tmp_path / "made", {"qid": "1", "question": "Which gloves?"}, documents={}).folder
    monkeypatch.setattr(Path, "rename", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(ConfigurationError, match="could not be removed"):
        remove_folder(folder)
    monkeypatch.undo()
    assert names(folder) == ["documents", "questions.jsonl"]
    remove_folder(folder)
    assert names(tmp_path) == []
