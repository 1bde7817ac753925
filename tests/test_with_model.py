"""The comparison with a model: a run goes on where it stopped, and texts are cut with an overlap."""

import json
from pathlib import Path
from typing import Any

from benchmarks.with_model import LENGTH, OVERLAP, ask, cut
from rag.evaluation.datasets import Question

QUESTIONS = [Question(qid=f"q{n}", question="Why?", answerable=True) for n in range(3)]


def test_a_question_that_has_a_line_is_not_asked_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(one: Question) -> dict[str, Any]:
        asked.append(one.qid)
        return {"qid": one.qid, "decision": "answered"}

    ask(QUESTIONS[:2], answer, tmp_path / "plain.jsonl")
    ask(QUESTIONS, answer, tmp_path / "plain.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "plain.jsonl").read_text().splitlines()]

    assert asked == ["q0", "q1", "q2"]
    assert [line["qid"] for line in lines] == asked
    assert all(line["seconds"] >= 0 for line in lines)


def test_two_neighbouring_pieces_share_an_overlap_and_nothing_is_lost() -> None:
    text = "".join(str(n % 10) for n in range(2 * LENGTH))
    first, second, third = cut(text)

    assert (len(first), first[-OVERLAP:]) == (LENGTH, second[:OVERLAP])
    assert second[-OVERLAP:] == third[:OVERLAP]
    assert first + second[OVERLAP:] + third[OVERLAP:] == text
    assert cut("short") == ["short"]
