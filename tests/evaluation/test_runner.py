import os
import shutil

import pytest

from rag.errors import ConfigurationError, GeneratorUnavailable, IndexNotReady, InvalidQuery, StoreUnavailable
from rag.evaluation.datasets import load_dataset
from rag.evaluation.lines import read_lines
from rag.evaluation.runlist import runs_in
from rag.evaluation.runner import evaluate
from rag.evaluation.runs import held_answer, held_requests, load_run, run_path

from .made import FINGERPRINTS, answer, data_set, question, refusal

ASKED = ["What is worn?", "What is missing?", "Why?", "Who?"]


class Asked:
    """A pipeline's face: real answers, and a note of every question."""

    def __init__(self, broken=(), **fingerprints):
        self.questions, self.broken = [], dict(broken)
        self.fingerprints = FINGERPRINTS.model_copy(update=fingerprints)

    def __call__(self, question):
        self.questions.append(question)
        if question in self.broken:
            raise self.broken[question]
        return (refusal if "missing" in question else answer)(fingerprints=self.fingerprints)


def made(folder):
    rows = [{**question(answerable="missing" not in text).model_dump(), "question": text} for text in ASKED]
    return data_set(folder, *({**row, "qid": f"q{number}"} for number, row in enumerate(rows)))


@pytest.fixture
def dataset(tmp_path):
    return made(tmp_path / "set")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "run.jsonl"


def qids(out):
    return [line.qid for line in read_lines(out)]


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_question_is_asked_once_in_order_and_the_run_is_kept_beside_its_lines(dataset, tmp_path):
    ask, seen, out = Asked(), [], tmp_path / "runs" / "base.jsonl"
    texts = {"manual.md": "Wear gloves."}.get
    found = evaluate(dataset, ask=ask, out=out, text_of=texts, progress=lambda *done: seen.append(done))
    assert ask.questions == ASKED
    assert [line.decision for line in read_lines(out)] == ["answered", "refused", "answered", "answered"]
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    figures, run = found.summary.figures, load_run(out)
    assert (figures.coverage.numerator, figures.coverage.denominator) == (3, 3)
    assert (figures.false_answer_rate.value, figures.excerpts_not_verbatim.value) == (0, 0)
    assert (run, run.dataset, run.fingerprints, runs_in(out.parent)) == (found.run, "set", FINGERPRINTS, [(out, run)])


def test_an_interrupted_run_goes_on_where_it_stopped_and_holds_the_whole_answers_beside_its_lines(dataset, out):
    with pytest.raises(ConfigurationError, match="belong together"):
        load_run(out)
    with pytest.raises(KeyboardInterrupt):
        evaluate(dataset, ask=Asked({"Why?": KeyboardInterrupt()}), out=out)
    assert (qids(out), runs_in(out.parent)) == (["q0", "q1"], [])
    with pytest.raises(ConfigurationError, match="not finished"):
        load_run(out)
    out.write_text(out.read_text(encoding="utf-8") + '{"qid": "q2", "torn', encoding="utf-8")
    ask = Asked()
    found = evaluate(dataset, ask=ask, out=out, dense_weight=0.6)
    assert ask.questions == ["What is worn?", "Why?", "Who?"]  # the first one shows the fingerprints
    assert (found.resumed, load_run(out).dense_weight) == (2, 0.6)
    lines = read_lines(out)
    assert qids(out) == [one.request_id for one in held_requests(out, lines)] == ["q0", "q1", "q2", "q3"]
    assert all(held_answer(out, line) is not None for line in lines)


def test_an_outage_at_the_start_is_an_error_and_a_later_failure_a_line_that_is_tried_again_on_resuming(dataset, out):
    for outage in (StoreUnavailable, IndexNotReady, ConfigurationError):
        with pytest.raises(outage):
            evaluate(dataset, ask=Asked({"What is worn?": outage("No.")}), out=out)
        assert not out.exists()
    errors = InvalidQuery("Too short."), GeneratorUnavailable("The model hangs."), ZeroDivisionError("a bug")
    found = evaluate(dataset, ask=Asked(zip(ASKED[1:], errors, strict=True)), out=out)
    lines = read_lines(out)
    assert [one.refusal_stage for one in held_requests(out, lines)] == [None, "validation", "error", "error"]
    assert [held_answer(out, line) is None for line in lines] == [False, True, True, True]
    assert found.summary.refusals == {"error": 2, "validation": 1}
    again = Asked()
    evaluate(dataset, ask=again, out=out)
    assert again.questions == ["What is worn?", "Why?", "Who?"]
    assert [line.refusal_stage for line in read_lines(out)] == [None, "validation", None, None]


def test_a_limit_takes_no_line_from_a_finished_run_and_sets_lines_made_otherwise_aside_aloud(dataset, out, caplog):
    whole = evaluate(dataset, ask=Asked(), out=out)
    files, before, ask = contents(out.parent).keys(), out.read_bytes(), Asked()
    found = evaluate(dataset, ask=ask, out=out, limit=3)
    assert (contents(out.parent).keys(), out.read_bytes()) == (files, before)
    assert ask.questions == ["What is worn?"]  # it shows the fingerprints; nothing else is asked
    assert (len(found.lines), found.summary.questions, found.resumed, found.beyond) == (3, 3, 3, 1)
    assert (len(load_run(out).scores), load_run(out).summary) == (4, whole.summary)
    assert not caplog.records
    found = evaluate(dataset, ask=Asked(gate="g2"), out=out, limit=2)
    assert (found.resumed, found.beyond, qids(out)) == (0, 0, ["q0", "q1"])
    assert out.with_name("run.jsonl.previous").read_bytes() == before
    assert f"Of the 4 lines in {out} not all are taken over: as it was, it is kept as {out}.previous." in caplog.text


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (None, "it is over 'set', and this one is over 'other'"),
        (lambda second: second.unlink(), "run.run.json' is not there"),
        (lambda second: second.write_text("{"), "run.run.json' is damaged: EOF"),
        (lambda second: second.write_text("{}"), "run.run.json' is of another version.*: dataset is not"),
    ],
)
def test_a_run_that_cannot_be_gone_on_with_says_why_and_is_kept_when_all_is_asked_again(dataset, out, spoil, why):
    evaluate(dataset, ask=Asked(), out=out)
    other, before = dataset if spoil else made(out.parent / "other"), out.read_bytes()
    if spoil:
        spoil(run_path(out))
    with pytest.raises(ConfigurationError, match=f"{why}.*--fresh"):
        evaluate(other, ask=Asked(), out=out)
    assert out.read_bytes() == before
    evaluate(other, ask=Asked(), out=out, resume=False, limit=3)
    assert load_run(out).summary.questions == 3
    assert out.with_name("run.jsonl.previous").read_bytes() == before


@pytest.mark.parametrize("resume", [True, False])
def test_what_is_no_run_is_left_as_it_is_and_nothing_is_asked(dataset, tmp_path, resume):
    (tmp_path / "notes.txt").write_text("do not lose this\n")
    for link, target in (("link", "notes.txt"), ("nowhere", "missing"), ("circle", "circle")):
        (tmp_path / link).symlink_to(tmp_path / target)
    os.mkfifo(tmp_path / "pipe")
    flat = shutil.copytree(dataset.folder, tmp_path / "flat")
    (flat / "documents" / "manual.md").rename(flat / "manual.md")
    (flat / "documents").rmdir()
    evaluate(dataset, ask=Asked(), out=tmp_path / "base")
    before, names, asking = contents(tmp_path), sorted(tmp_path.rglob("*")), Asked()
    for name, said in (
        ("link", "is not an evaluation run"),
        ("nowhere", "is no regular file"),
        ("circle", "cannot be written"),
        ("pipe", "is no regular file"),
        ("set", "is no regular file"),
        ("x" * 300, "cannot be written"),
        ("set/documents/../questions.jsonl", "is a file of the data set 'set'"),
        ("set/documents/a/run.jsonl", "would be taken for documents"),
        ("flat/run.jsonl", "would be taken for documents"),
        ("base.jsonl", r"would share .*\.run\.json' with the run"),
    ):
        one = load_dataset(flat) if name.startswith("flat") else dataset
        with pytest.raises(ConfigurationError, match=said):
            evaluate(one, ask=asking, out=tmp_path / name, resume=resume)
    assert (asking.questions, sorted(tmp_path.rglob("*")), contents(tmp_path)) == ([], names, before)
    evaluate(dataset, ask=Asked(), out=dataset.folder / "run.jsonl")  # beside documents/ nothing is taken for one
    assert load_dataset(dataset.folder).documents == dataset.documents
