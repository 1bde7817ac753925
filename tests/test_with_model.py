"""The comparison with a model: a run goes on where it stopped, and a quick start answers from a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.with_model import ask, asked
from rag.evaluation.datasets import Question

QUESTIONS = [Question(qid=f"q{n}", question="Why?", answerable=True) for n in range(3)]


def test_a_question_that_has_a_line_is_not_asked_again(tmp_path: Path) -> None:
    qids: list[str] = []

    def answer(one: Question) -> dict[str, Any]:
        qids.append(one.qid)
        return {"qid": one.qid, "decision": "answered"}

    ask(QUESTIONS[:2], answer, tmp_path / "plain.jsonl")
    ask(QUESTIONS, answer, tmp_path / "plain.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "plain.jsonl").read_text().splitlines()]

    assert qids == ["q0", "q1", "q2"]
    assert [line["qid"] for line in lines] == qids
    assert all(line["seconds"] >= 0 for line in lines)


WORKER = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if question == "Why not?":
        sys.exit(3)
    found = [{"document": "a.pdf.txt", "content": "b"}]
    print(json.dumps({"answer": question.upper(), "retrieved": found}), flush=True)
"""


@pytest.fixture
def worker() -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", WORKER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        yield started
        started.terminate()


def test_a_worker_s_answer_becomes_a_line_of_the_document_that_its_text_is_of(
    worker: "subprocess.Popen[str]",
) -> None:
    line = asked(worker, QUESTIONS[0])

    assert (line["qid"], line["decision"], line["answer"]) == ("q0", "answered", "WHY?")
    assert line["citations"] == [{"document": "a.pdf"}]


def test_a_worker_that_ends_is_an_error_that_names_the_question(worker: "subprocess.Popen[str]") -> None:
    with pytest.raises(SystemExit, match="exit code 3 at q9"):
        asked(worker, Question(qid="q9", question="Why not?", answerable=True))
