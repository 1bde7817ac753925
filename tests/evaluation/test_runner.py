import os

import pytest

from rag.errors import ConfigurationError, GeneratorUnavailable, IndexNotReady, InvalidQuery, StoreUnavailable
from rag.evaluation.datasets import load_dataset
from rag.evaluation.held import held_answer, held_path, held_requests
from rag.evaluation.lines import read_lines
from rag.evaluation.runlist import runs_in
from rag.evaluation.runner import evaluate
from rag.evaluation.runs import load_run, run_path

from .made import FINGERPRINTS, answer, question, refusal


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
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "manual.md").write_text("Wear gloves.", encoding="utf-8")
    asked = ["What is worn?", "What is missing?", "Why?", "Who?"]
    lines = [question(f"q{number}", answerable="missing" not in text) for number, text in enumerate(asked)]
    rows = [one.model_copy(update={"question": text}) for one, text in zip(lines, asked, strict=True)]
    (folder / "questions.jsonl").write_text("\n".join(one.model_dump_json() for one in rows), encoding="utf-8")
    return load_dataset(folder)


@pytest.fixture
def dataset(tmp_path):
    return made(tmp_path / "set")


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


def test_an_interrupted_run_goes_on_where_it_stopped_and_holds_the_whole_answers_beside_its_lines(dataset, tmp_path):
    out = tmp_path / "run.jsonl"
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


def test_a_single_failure_is_a_line_without_an_answer_and_an_error_is_tried_again_on_resuming(dataset, tmp_path):
    out = tmp_path / "run.jsonl"
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
def test_an_outage_at_the_start_is_an_error(dataset, tmp_path, outage):
    with pytest.raises(type(outage)):
        evaluate(dataset, ask=Asked({"What is worn?": outage}), out=tmp_path / "run.jsonl")
    assert not (tmp_path / "run.jsonl").exists()


def test_a_limit_takes_no_line_from_a_finished_run(dataset, tmp_path):
    out = tmp_path / "run.jsonl"
    whole = evaluate(dataset, ask=Asked(), out=out)
    before = contents(tmp_path)
    ask = Asked()
    found = evaluate(dataset, ask=ask, out=out, limit=3)
    assert contents(tmp_path).keys() == before.keys()
    assert out.read_bytes() == before[out]
    assert ask.questions == ["What is worn?"]  # it shows the fingerprints; nothing else is asked
    assert (len(found.lines), found.summary.questions, found.resumed, found.beyond) == (3, 3, 3, 1)
    assert [score.qid for score in load_run(out).scores] == ["q0", "q1", "q2", "q3"]
    assert load_run(out).summary == whole.summary
    assert all(held_answer(out, line) is not None for line in read_lines(out))


def test_lines_under_other_fingerprints_are_set_aside_aloud_when_a_limit_is_given(dataset, tmp_path, caplog):
    out = tmp_path / "run.jsonl"
    evaluate(dataset, ask=Asked(), out=out)
    before = out.read_bytes()
    assert not caplog.records
    other = Asked(fingerprints=FINGERPRINTS.model_copy(update={"gate": "g2"}))
    found = evaluate(dataset, ask=other, out=out, limit=2)
    assert (found.resumed, found.beyond) == (0, 0)
    assert [line.qid for line in read_lines(out)] == ["q0", "q1"]
    assert (tmp_path / "run.jsonl.previous").read_bytes() == before
    assert f"Of the 4 lines in {out} not all are taken over: as it was, it is kept as {out}.previous." in caplog.text


def test_the_run_of_another_data_set_is_not_overwritten_unless_told_and_then_kept_beside(dataset, tmp_path):
    out = tmp_path / "run.jsonl"
    evaluate(dataset, ask=Asked(), out=out)
    before = out.read_text()
    other = made(tmp_path / "other")
    with pytest.raises(ConfigurationError, match=r"holds a run over 'set', and this one is over 'other'.*--fresh"):
        evaluate(other, ask=Asked(), out=out)
    assert out.read_text() == before
    evaluate(other, ask=Asked(), out=out, resume=False)
    assert (tmp_path / "run.jsonl.previous").read_text() == before


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize("name", ["questions.jsonl", "documents/manual.md", "documents/../questions.jsonl", "link"])
def test_no_file_of_the_data_set_is_taken_for_the_target_also_when_all_is_asked_again(dataset, name, resume):
    (dataset.folder / "link").symlink_to(dataset.folder / "questions.jsonl")
    before, asking = contents(dataset.folder), Asked()
    with pytest.raises(ConfigurationError, match=r"is a file of the data set 'set' itself. Name another file"):
        evaluate(dataset, ask=asking, out=dataset.folder / name, resume=resume)
    assert not asking.questions
    assert contents(dataset.folder) == before


def test_a_run_is_not_written_where_its_files_would_be_documents_of_the_data_set(dataset, tmp_path):
    flat = tmp_path / "flat"
    flat.mkdir()
    (flat / "questions.jsonl").write_bytes((dataset.folder / "questions.jsonl").read_bytes())
    (flat / "manual.md").write_text("Wear gloves.", encoding="utf-8")
    for one, out in (
        (dataset, dataset.folder / "documents" / "a" / "run.jsonl"),
        (load_dataset(flat), flat / "r.jsonl"),
    ):
        with pytest.raises(ConfigurationError, match="would be taken for documents"):
            evaluate(one, ask=Asked(), out=out)
    evaluate(dataset, ask=Asked(), out=dataset.folder / "run.jsonl")  # beside documents/ nothing is taken for one
    assert load_dataset(dataset.folder).documents == dataset.documents


def test_runs_whose_names_differ_behind_a_dot_share_no_file(dataset, tmp_path):
    first, second = tmp_path / "v1.1", tmp_path / "v1.2"
    evaluate(dataset, ask=Asked(), out=first)
    kept = {path: path.read_bytes() for path in (first, run_path(first), held_path(first))}
    evaluate(dataset, ask=Asked(), out=second, limit=1)
    assert {path: path.read_bytes() for path in kept} == kept
    assert (len(load_run(first).scores), len(load_run(second).scores)) == (4, 1)
    assert run_path(tmp_path / "v1.1.jsonl") == run_path(first)  # a name with .jsonl keeps the files it had


@pytest.mark.parametrize(("one", "other"), [("base", "base.jsonl"), ("v1.1.jsonl", "v1.1")])
def test_a_run_that_would_share_the_second_file_of_another_is_refused(dataset, tmp_path, one, other):
    evaluate(dataset, ask=Asked(), out=tmp_path / one)
    before = contents(tmp_path)
    for resume in (True, False):
        with pytest.raises(ConfigurationError, match=r"would share .*\.run\.json' with the run"):
            evaluate(dataset, ask=Asked(), out=tmp_path / other, resume=resume)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("resume", [True, False])
def test_a_file_that_is_no_run_or_no_regular_file_is_left_as_it_is(dataset, tmp_path, resume):
    (tmp_path / "notes.txt").write_text("do not lose this\n")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "notes.txt")
    (tmp_path / "nowhere.jsonl").symlink_to(tmp_path / "missing")
    (tmp_path / "circle.jsonl").symlink_to(tmp_path / "circle.jsonl")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    before, asking = sorted(tmp_path.iterdir()), Asked()
    for name, said in [
        ("notes.txt", "is not an evaluation run"),
        ("link.jsonl", "is not an evaluation run"),
        ("nowhere.jsonl", "is no regular file"),
        ("circle.jsonl", "cannot be written"),
        ("pipe", "is no regular file"),
        ("folder", "is a folder"),
        ("x" * 300, "cannot be written"),
    ]:
        with pytest.raises(ConfigurationError, match=said):
            evaluate(dataset, ask=asking, out=tmp_path / name, resume=resume)
    assert not asking.questions
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "notes.txt").read_text() == "do not lose this\n"
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize(
    ("second", "why"),
    [(None, "is not there"), ("{", "is damaged: EOF"), ("{}", "is of another version.*: dataset is not")],
)
def test_a_run_whose_second_file_cannot_be_read_says_why_and_what_to_do(dataset, tmp_path, second, why):
    out = tmp_path / "run.jsonl"
    evaluate(dataset, ask=Asked(), out=out)
    before = out.read_bytes()
    run_path(out).unlink() if second is None else run_path(out).write_text(second, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=f"run.run.json' {why}.*with --fresh"):
        evaluate(dataset, ask=Asked(), out=out)
    evaluate(dataset, ask=Asked(), out=out, resume=False, limit=3)
    assert load_run(out).summary.questions == 3
    assert (tmp_path / "run.jsonl.previous").read_bytes() == before


def test_an_unfinished_or_missing_run_cannot_be_loaded_and_is_not_listed(dataset, tmp_path):
    out = tmp_path / "run.jsonl"
    with pytest.raises(ConfigurationError, match="belong together"):
        load_run(out)
    interrupted(dataset, out)
    assert run_path(out).exists()
    with pytest.raises(ConfigurationError, match="not finished"):
        load_run(out)
    assert runs_in(tmp_path) == []
