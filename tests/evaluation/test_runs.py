"""The whole answers of a run beside its lines: what is kept, what is read again, and what is left alone."""

import gzip
import json

import pytest

from rag.evaluation.lines import line_of
from rag.evaluation.runs import held_answer, held_line, held_path, held_requests, holding
from rag.records.requests import recorded_request

from .made import answer, question, refusal


def written(path, pairs, keep=()):
    with holding(path, keep=keep) as file:
        for qid, one in pairs:
            file.write(held_line(qid, one))


def test_a_held_answer_comes_back_whole_and_its_short_form_is_that_of_a_recorded_request(tmp_path):
    path, whole, qid = tmp_path / "run.jsonl", answer(), 'é"\\1'
    line = line_of(question(qid), whole)
    written(path, [("other", refusal()), (qid, whole)])
    assert held_answer(path, line) == whole
    assert held_requests(path, [line]) == [recorded_request(whole).model_copy(update={"request_id": qid})]


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


def test_a_torn_end_costs_only_the_last_answer_and_is_gone_when_the_run_goes_on(tmp_path):
    path, first, last = tmp_path / "run.jsonl", answer(), refusal()
    lines = [line_of(question("q1"), first), line_of(question("q2"), last)]
    written(path, [("q1", first), ("q2", last)])
    held_path(path).write_bytes(held_path(path).read_bytes()[:-20])
    assert [held_answer(path, line) for line in lines] == [first, None]
    written(path, [("q2", last)], keep={"q1"})
    assert [json.loads(row)["qid"] for row in gzip.decompress(held_path(path).read_bytes()).splitlines()] == [
        "q1",
        "q2",
    ]
    assert [held_answer(path, line) for line in lines] == [first, last]
