import json

import pytest

from rag.errors import ConfigurationError
from rag.evaluation.lines import dump_line, line_of, read_lines, refused_line

from .made import answer, question, refusal

FIELDS = {
    "qid", "question", "answerable", "kind", "decision", "refusal_stage", "answer", "confidence", "sentences",
    "citations", "retrieved", "timings_ms",
}  # fmt: skip
WHOLE = dump_line(line_of(question("a"), answer("Line\u2028separators\x85 and 😀 stay.")))
REFUSED = dump_line(refused_line(question("b", answerable=None), "validation", total_ms=0.5))


def read(path, text):
    path.write_text(text, encoding="utf-8")
    return read_lines(path)


def test_a_line_has_exactly_the_fields_that_are_written_down():
    value = json.loads(WHOLE)
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


@pytest.mark.parametrize(("outcome", "told"), [("unsure", ("unsure", "gate", None)), ("talk", ("refused", None, None))])
def test_unsure_is_a_decision_of_its_own_and_talk_counts_as_refused(outcome, told):
    line = line_of(question(), refusal(outcome=outcome))
    assert (line.decision, line.refusal_stage, line.answer) == told


def test_lines_come_back_as_they_were_written_also_those_of_runs_before_the_reader(tmp_path):
    path = tmp_path / "run.jsonl"
    lines = read(path, f"{WHOLE}\n{REFUSED}\n")
    assert [dump_line(line) for line in lines] == [WHOLE, REFUSED] == path.read_text(encoding="utf-8").splitlines()
    assert lines[0].answer == "Line\u2028separators\x85 and 😀 stay."
    older = json.loads(WHOLE)
    del older["timings_ms"]["read"], older["retrieved"][0]["retrieval_rank"]
    (line,) = read(path, json.dumps(older))
    assert (line.timings_ms.read, line.retrieved[0].retrieval_rank) == (None, None)


def test_a_torn_last_line_is_skipped_and_a_torn_other_line_is_an_error(tmp_path):
    assert [line.qid for line in read(tmp_path / "run.jsonl", f"{WHOLE}\n{WHOLE[:50]}")] == ["a"]
    with pytest.raises(ConfigurationError, match="line 1"):
        read(tmp_path / "run.jsonl", f"{WHOLE[:50]}\n{WHOLE}\n")
