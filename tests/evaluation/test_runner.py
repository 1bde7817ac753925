import os
import shutil

import pytest

from rag.errors import ConfigurationError, GeneratorUnavailable, IndexNotReady, InvalidQuery, StoreUnavailable
from rag.evaluation.datasets import load_dataset
from rag.evaluation.held import held_answer, held_requests
from rag.evaluation.lines import read_lines
from rag.evaluation.runlist import runs_in
from rag.evaluation.runner import evaluate
from rag.evaluation.runs import load_run, run_path

from .made import FINGERPRINTS, answer, data_set, question, refusal


class Asked:
    """A pipeline's face: real answers, and a note of every question."""

    def __init__(self, broken=(), fingerprints=FINGERPRINTS):
        self.questions, self.broken, self.fingerprints = [], dict(broken), fingerprints

    def __call__(self, question):
        self.questions.append(question)
        if question in self.broken:
            raise self.broken[question]
        if "missing" in question:
            return refusal(fingerprints=self.fingerprints)
        return answer(fingerprints=self.fingerprints)


def made(folder):
    asked = ["What is worn?", "What is missing?", "Why?", "Who?"]
    lines = [question(f"q{number}", answerable="missing" not in text) for number, text in enumerate(asked)]
    rows = [one.model_copy(update={"question": text}) for one, text in zip(lines, asked, strict=True)]
    return data_set(folder, *(one.model_dump_json() for one in rows))


@pytest.fixture
def dataset(tmp_path):
    return made(tmp_path / "set")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "run.jsonl"


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_question_is_asked_once_in_order_and_the_run_is_kept_beside_its_lines(dataset, tmp_path):
    ask, seen, out = Asked(), [], tmp_path / "runs" / "base.jsonl"
    texts = {"manual.md": "Wear gloves."}.get
    found = evaluate(dataset, ask=ask, out=out, text_of=texts, progress=lambda done, total: seen.append((done, total)))
    assert ask.questions == ["What is worn?", "What is missing?", "Why?", "Who?"]
    assert [(line.qid, line.decision) for line in read_lines(out)] == [
        ("q0", "answered"), ("q1", "refused"), ("q2", "answered"), ("q3", "answered"),
    ]  # fmt: skip
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    figures, run = found.summary.figures, load_run(out)
    assert (figures.coverage.numerator, figures.coverage.denominator) == (3, 3)
    assert (figures.false_answer_rate.value, figures.excerpts_not_verbatim.value) == (0, 0)
    assert (run, run.dataset, run.fingerprints) == (found.run, "set", FINGERPRINTS)
    assert [path for path, _ in runs_in(out.parent)] == [out]


def interrupted(dataset, out, *, at="Why?"):
    """Let a run over the data set be interrupted at a question."""
    with pytest.raises(KeyboardInterrupt):
        evaluate(dataset, ask=Asked({at: KeyboardInterrupt()}), out=out)


def test_an_interrupted_run_goes_on_where_it_stopped_and_holds_the_whole_answers_beside_its_lines(dataset, out):
    interrupted(dataset, out)
    assert [line.qid for line in read_lines(out)] == ["q0", "q1"]
    out.write_text(out.read_text(encoding="utf-8") + '{"qid": "q2", "torn', encoding="utf-8")
    ask = Asked()
    found = evaluate(dataset, ask=ask, out=out, dense_weight=0.6)
    assert ask.questions == ["What is worn?", "Why?", "Who?"]  # the first one shows the fingerprints
    assert found.resumed == 2
    lines = read_lines(out)
    assert [line.qid for line in lines] == [one.request_id for one in held_requests(out, lines)]
    assert [line.qid for line in lines] == ["q0", "q1", "q2", "q3"]
    assert all(held_answer(out, line) is not None for line in lines)
    assert load_run(out).dense_weight == 0.6


def test_a_single_failure_is_a_line_without_an_answer_and_an_error_is_tried_again_on_resuming(dataset, out):
    broken = {
        "What is missing?": InvalidQuery("Too short."),
        "Why?": GeneratorUnavailable("The model hangs."),
        "Who?": ZeroDivisionError("a bug"),
    }
    found = evaluate(dataset, ask=Asked(broken), out=out)
    lines = read_lines(out)
    assert [one.refusal_stage for one in held_requests(out, lines)] == [None, "validation", "error", "error"]
    assert [held_answer(out, line) is None for line in lines] == [False, True, True, True]
    assert found.summary.refusals == {"error": 2, "validation": 1}
    again = Asked()
    evaluate(dataset, ask=again, out=out)
    assert again.questions == ["What is worn?", "Why?", "Who?"]
    assert [line.refusal_stage for line in read_lines(out)] == [None, "validation", None, None]


@pytest.mark.parametrize("outage", [StoreUnavailable("No store."), IndexNotReady("Empty."), ConfigurationError("Bad.")])
def test_an_outage_at_the_start_is_an_error(dataset, out, outage):
    with pytest.raises(type(outage)):
        evaluate(dataset, ask=Asked({"What is worn?": outage}), out=out)
    assert not out.exists()


def test_a_limit_takes_no_line_from_a_finished_run(dataset, out):
    whole = evaluate(dataset, ask=Asked(), out=out)
    files, before, ask = contents(out.parent).keys(), out.read_bytes(), Asked()
    found = evaluate(dataset, ask=ask, out=out, limit=3)
    assert (contents(out.parent).keys(), out.read_bytes()) == (files, before)
    assert ask.questions == ["What is worn?"]  # it shows the fingerprints; nothing else is asked
    assert (len(found.lines), found.summary.questions, found.resumed, found.beyond) == (3, 3, 3, 1)
    assert [score.qid for score in load_run(out).scores] == ["q0", "q1", "q2", "q3"]
    assert load_run(out).summary == whole.summary
    assert all(held_answer(out, line) is not None for line in read_lines(out))


def test_lines_under_other_fingerprints_are_set_aside_aloud_when_a_limit_is_given(dataset, out, caplog):
    evaluate(dataset, ask=Asked(), out=out)
    before = out.read_bytes()
    assert not caplog.records
    other = Asked(fingerprints=FINGERPRINTS.model_copy(update={"gate": "g2"}))
    found = evaluate(dataset, ask=other, out=out, limit=2)
    assert (found.resumed, found.beyond) == (0, 0)
    assert [line.qid for line in read_lines(out)] == ["q0", "q1"]
    assert out.with_name("run.jsonl.previous").read_bytes() == before
    assert f"Of the 4 lines in {out} not all are taken over: as it was, it is kept as {out}.previous." in caplog.text


def another_set(dataset, out):
    return {"dataset": made(out.parent / "other")}


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (another_set, "holds a run over 'set', and this one is over 'other'"),
        (lambda dataset, out: run_path(out).unlink(), "run.run.json' is not there"),
        (lambda dataset, out: run_path(out).write_text("{"), "run.run.json' is damaged: EOF"),
        (lambda dataset, out: run_path(out).write_text("{}"), "run.run.json' is of another version.*: dataset is not"),
    ],
)
def test_a_run_that_cannot_be_gone_on_with_says_why_and_is_kept_beside_when_all_is_asked_again(
    dataset, out, spoil, why
):
    evaluate(dataset, ask=Asked(), out=out)
    before, changed = out.read_bytes(), spoil(dataset, out)
    other = changed["dataset"] if isinstance(changed, dict) else dataset
    with pytest.raises(ConfigurationError, match=f"{why}.*--fresh"):
        evaluate(other, ask=Asked(), out=out)
    assert out.read_bytes() == before
    evaluate(other, ask=Asked(), out=out, resume=False, limit=3)
    assert load_run(out).summary.questions == 3
    assert out.with_name("run.jsonl.previous").read_bytes() == before


@pytest.mark.parametrize("resume", [True, False])
def test_what_is_no_run_is_left_as_it_is_and_nothing_is_asked(dataset, tmp_path, resume):
    (tmp_path / "notes.txt").write_text("do not lose this\n")
    for link, target in (
        ("link", "notes.txt"),
        ("nowhere", "missing"),
        ("circle", "circle"),
        ("own", "set/questions.jsonl"),
    ):
        (tmp_path / link).symlink_to(tmp_path / target)
    os.mkfifo(tmp_path / "pipe")
    flat = shutil.copytree(dataset.folder, tmp_path / "flat")
    (flat / "documents" / "manual.md").rename(flat / "manual.md")
    (flat / "documents").rmdir()
    for name in ("base", "v1.1.jsonl"):
        evaluate(dataset, ask=Asked(), out=tmp_path / name)
    names, before, asking = sorted(tmp_path.rglob("*")), {}, Asked()
    before = {path: path.read_bytes() for path in names if path.is_file()}
    for name, said in (
        ("notes.txt", "is not an evaluation run"),
        ("link", "is not an evaluation run"),
        ("nowhere", "is no regular file"),
        ("circle", "cannot be written"),
        ("pipe", "is no regular file"),
        ("set", "is a folder"),
        ("x" * 300, "cannot be written"),
        ("set/questions.jsonl", "is a file of the data set 'set' itself. Name another file"),
        ("set/documents/manual.md", "is a file of the data set"),
        ("set/documents/../questions.jsonl", "is a file of the data set"),
        ("own", "is a file of the data set"),
        ("set/documents/a/run.jsonl", "would be taken for documents"),
        ("flat/run.jsonl", "would be taken for documents"),
        ("base.jsonl", r"would share .*\.run\.json' with the run"),
        ("v1.1", r"would share .*\.run\.json' with the run"),
    ):
        one = load_dataset(flat) if name.startswith("flat") else dataset
        with pytest.raises(ConfigurationError, match=said):
            evaluate(one, ask=asking, out=tmp_path / name, resume=resume)
    assert not asking.questions
    assert sorted(tmp_path.rglob("*")) == names
    assert {path: path.read_bytes() for path in before} == before
    evaluate(dataset, ask=Asked(), out=dataset.folder / "run.jsonl")  # beside documents/ nothing is taken for one
    assert load_dataset(dataset.folder).documents == dataset.documents


def test_runs_whose_names_differ_behind_a_dot_share_no_file(dataset, tmp_path):
    first, second = tmp_path / "v1.1", tmp_path / "v1.2"
    evaluate(dataset, ask=Asked(), out=first)
    kept = contents(tmp_path)
    evaluate(dataset, ask=Asked(), out=second, limit=1)
    assert contents(tmp_path).items() >= kept.items()
    assert (len(load_run(first).scores), len(load_run(second).scores)) == (4, 1)
    assert run_path(tmp_path / "v1.1.jsonl") == run_path(first)  # a name with .jsonl keeps the files it had


def test_an_unfinished_or_missing_run_cannot_be_loaded_and_is_not_listed(dataset, out):
    with pytest.raises(ConfigurationError, match="belong together"):
        load_run(out)
    interrupted(dataset, out)
    assert run_path(out).exists()
    with pytest.raises(ConfigurationError, match="not finished"):
        load_run(out)
    assert runs_in(out.parent) == []
