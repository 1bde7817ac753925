import json

import pytest

from rag.errors import ConfigurationError
from rag.evaluation.lines import dump_line, line_of, read_lines, refused_line

from .made import answer, question, refusal

FIELDS = {
    "qid", "question", "answerable", "kind", "decision", "refusal_stage", "answer", "confidence", "sentences",
    "citations", "retrieved", "timings_ms",
}  # fmt: skip


def test_a_line_has_exactly_the_fields_that_are_written_down():
    value = json.loads(dump_line(line_of(question(), answer())))
    assert set(value) == FIELDS
    place = {"document", "page", "chapter", "section", "chunk_id", "similarity_score"}
    assert set(value["sentences"][0]) == {"text", "supported", "support", "citations"}
    assert set(value["citations"][0]) == place | {"excerpt"}
    assert set(value["retrieved"][0]) == place | {"rank", "retrieval_rank", "content"}
    assert value["timings_ms"] == {"embed": 2.0, "retrieve": 3.0, "read": 6.0, "gate": 1.0, "generate": 4.0,
                                   "ground": 5.0, "total": 21.5}  # fmt: skip


def test_twenty_chunks_are_kept_and_a_cited_one_that_ranks_below():
    assert [chunk.rank for chunk in line_of(question(), answer(hits=22)).retrieved] == list(range(1, 21))
    assert [chunk.rank for chunk in line_of(question(), answer(hits=22, cite=22)).retrieved] == [*range(1, 21), 22]


def test_unsure_is_a_decision_of_its_own_and_talk_counts_as_refused():
    unsure = line_of(question(), refusal(outcome="unsure"))
    talk = line_of(question(), refusal(outcome="talk"))

    assert (unsure.decision, unsure.refusal_stage, unsure.answer) == ("unsure", "gate", None)
    assert (talk.decision, talk.refusal_stage, talk.answer) == ("refused", None, None)


def test_lines_come_back_as_they_were_written(tmp_path):
    lines = [
        line_of(question("a"), answer("Line\u2028separators\x85 and 😀 stay.")),
        refused_line(question("b", answerable=None), "validation", total_ms=0.5),
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(dump_line(line) + "\n" for line in lines), encoding="utf-8")
    assert read_lines(path) == lines
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_a_torn_last_line_is_skipped_and_a_torn_other_line_is_an_error(tmp_path):
    whole = dump_line(line_of(question("a"), answer()))
    path = tmp_path / "run.jsonl"
    path.write_text(f"{whole}\n{whole[:50]}", encoding="utf-8")
    assert [line.qid for line in read_lines(path)] == ["a"]
    path.write_text(f"{whole[:50]}\n{whole}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="line 1"):
        read_lines(path)


def test_lines_of_runs_before_the_reader_can_be_read(tmp_path):
    older = json.loads(dump_line(line_of(question(), answer())))
    del older["timings_ms"]["read"]
    for chunk in older["retrieved"]:
        del chunk["retrieval_rank"]
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(older) + "\n", encoding="utf-8")
    (line,) = read_lines(path)

    assert (line.timings_ms.read, line.retrieved[0].retrieval_rank) == (None, None)
