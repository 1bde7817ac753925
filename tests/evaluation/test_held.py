"""The whole answers of a run beside its lines: what is kept, what is read again, and what is left alone."""

import gzip
import json

import pytest

from rag.evaluation.held import held_answer, held_line, held_path, held_requests, holding
from rag.evaluation.lines import line_of
from rag.records.requests import recorded_request

from .made import answer, question, refusal


def written(path, pairs, keep=(), **options):
    with holding(path, keep=keep) as file:
        for qid, one in pairs:
            file.write(held_line(qid, one, **options))


def raw_lines(path):
    return [json.loads(line) for line in gzip.decompress(held_path(path).read_bytes()).splitlines()]


def test_a_held_answer_comes_back_whole_and_its_short_form_is_that_of_a_recorded_request(tmp_path):
    path, whole = tmp_path / "run.jsonl", answer()
    line = line_of(question("q1"), whole)
    written(path, [("q1", whole)])
    assert held_answer(path, line) == whole
    (short,) = held_requests(path, [line])
    assert short == recorded_request(whole).model_copy(update={"request_id": "q1"})


def test_a_line_whose_answer_is_not_held_says_what_it_says_itself(tmp_path):
    path, line = tmp_path / "run.jsonl", line_of(question("q1"), answer())
    (short,) = held_requests(path, [line])  # an older run: no file at all
    assert (short.request_id, short.confidence, short.estimator, short.threshold) == ("q1", 0.8, None, None)
    assert held_answer(path, line) is None


def test_answers_that_an_earlier_run_left_behind_are_not_those_of_other_lines(tmp_path):
    path = tmp_path / "run.jsonl"
    written(path, [("q1", answer(confidence=0.8))])
    line = line_of(question("q1"), answer(confidence=0.7))
    assert held_answer(path, line) is None
    assert held_requests(path, [line])[0].threshold is None


def test_a_torn_end_costs_only_the_last_answer_and_is_gone_when_the_run_goes_on(tmp_path):
    path, first, last = tmp_path / "run.jsonl", answer(), refusal()
    written(path, [("q1", first), ("q2", last)])
    held_path(path).write_bytes(held_path(path).read_bytes()[:-20])
    assert held_answer(path, line_of(question("q1"), first)) == first
    assert held_answer(path, line_of(question("q2"), last)) is None
    written(path, [("q2", last)], keep={"q1"})
    assert [line["qid"] for line in raw_lines(path)] == ["q1", "q2"]
    assert held_answer(path, line_of(question("q2"), last)) == last


LATER = json.dumps({"qid": "q1", "version": 2}).encode() + b"\n"


@pytest.mark.parametrize(
    "broken", [b"no gzip at all", b"", gzip.compress(b"[1]\n", mtime=0), gzip.compress(LATER, mtime=0)]
)
def test_a_file_that_is_none_of_ours_or_of_a_later_version_counts_as_none(tmp_path, broken):
    path, line = tmp_path / "run.jsonl", line_of(question("q1"), answer())
    held_path(path).write_bytes(broken)
    assert held_answer(path, line) is None
    assert [one.estimator for one in held_requests(path, [line])] == [None]


def test_an_id_with_quotes_and_letters_of_any_script_is_found(tmp_path):
    path, whole, qid = tmp_path / "run.jsonl", answer(), 'é"\\1'
    written(path, [("other", whole), (qid, whole)])
    assert held_answer(path, line_of(question(qid), whole)) == whole
