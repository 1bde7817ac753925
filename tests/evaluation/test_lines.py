import json

import pytest

from rag.errors import ConfigurationError
from rag.evaluation.lines import dump_line, line_of, read_lines, refused_line

from .made import answer, question, refusal

PLACE = {"document", "page", "chapter", "section", "chunk_id", "similarity_score"}
FIELDS = {
    "qid", "question", "answerable", "kind", "decision", "refusal_stage", "answer", "confidence", "sentences",
    "citations", "retrieved", "timings_ms",
}  # fmt: skip
WHOLE = dump_line(line_of(question("a"), answer("Line\u2028separators\x85 and 😀 stay.")))
REFUSED = dump_line(refused_line(question("b", answerable=None), "validation", total_ms=0.5))


def test_a_line_has_exactly_the_fields_that_are_written_down():
    value = json.loads(WHOLE)
    assert set(value) == FIELDS
    assert set(value["sentences"][0]) == {"text", "supported", "support", "citations"}
    assert set(value["citations"][0]) == PLACE | {"excerpt"}
    assert set(value["retrieved"][0]) == PLACE | {"rank", "retrieval_rank", "content"}
    assert value["timings_ms"] == {"embed": 2.0, "retrieve": 3.0, "read": 6.0, "gate": 1.0, "generate": 4.0,
                                   "ground": 5.0, "total": 21.5}  # fmt: skip


def test_twenty_chunks_are_kept_and_a_cited_one_that_ranks_below():
    kept = [[chunk.rank for chunk in line_of(question(), answer(hits=22, cite=cite)).retrieved] for cite in (1, 22)]
    assert kept == [[*range(1, 21)], [*range(1, 21), 22]]


def test_unsure_is_a_decision_of_its_own_and_talk_counts_as_refused():
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
