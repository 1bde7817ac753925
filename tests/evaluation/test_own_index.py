"""A data set in an index of its own, from the files to the figures, with the real parts."""

import json
import shutil

import pytest
from library import quiet_settings

from rag.confidence.calibrated import FILE_NAME, SHIPPED, GateFit
from rag.errors import ConfigurationError
from rag.evaluation.evaluating import run
from rag.evaluation.own_index import index_folder, opened, text_reader

from .made import data_set


@pytest.fixture(scope="module")
def dataset(samples, tmp_path_factory):
    """The sample documents as a data set, with six questions that they answer and three that they do not."""
    folder = tmp_path_factory.mktemp("sets") / "samples"
    shutil.copytree(samples, folder / "documents", ignore=shutil.ignore_patterns("*.jsonl"))
    asked = (samples / "questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "questions.jsonl").write_text("".join([*asked[:6], *asked[-3:]]), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def evaluated(dataset, tmp_path_factory):
    """One evaluation of the samples: its data folder, the file of lines, what it returned."""
    home = tmp_path_factory.mktemp("evaluated") / "data"
    out = home.parent / "lines.jsonl"
    return home, out, run(dataset, quiet_settings(home), out=out)


def test_a_line_of_twenty_passages_for_each_question_and_nothing_unsupported_or_not_verbatim_is_shown(
    evaluated, dataset
):
    lines = [json.loads(line) for line in evaluated[1].read_text(encoding="utf-8").splitlines()]
    asked = [json.loads(line) for line in (dataset / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["qid"] for line in lines] == [question["qid"] for question in asked]
    assert all([chunk["rank"] for chunk in line["retrieved"]] == list(range(1, 21)) for line in lines)
    answered = [line for line in lines if line["decision"] == "answered"]
    assert answered
    for line in answered:
        assert line["refusal_stage"] is None
        assert all(sentence["supported"] and sentence["citations"] for sentence in line["sentences"])
        assert all(sentence["text"] in line["answer"] for sentence in line["sentences"])
        assert all(0 <= index < len(line["citations"]) for s in line["sentences"] for index in s["citations"])
        retrieved = {chunk["chunk_id"] for chunk in line["retrieved"]}
        assert {citation["chunk_id"] for citation in line["citations"]} <= retrieved

    summary, figures = evaluated[2].summary, evaluated[2].summary.figures
    found = figures.retrieval["page hit@5"]
    assert found.numerator >= found.denominator - 1 > 0
    assert summary.claimed_unsupported == 0
    for one in (figures.unsupported_sentences, figures.excerpts_not_verbatim):
        assert (one.numerator, one.denominator > 0) == (0, True)
    assert {*summary.refusals} <= {"gate", "grounding"}


def test_the_index_is_kept_apart_from_the_users_own_and_used_again(evaluated, dataset):
    home, _, _ = evaluated
    with opened(dataset, quiet_settings(home)) as (candor, found, ingestion):
        assert candor.settings.data_dir.parent == home / "evaluation"
        assert (found.name, ingestion.documents) == ("samples", 4)
        assert ingestion.chunks == candor.wiring.catalogue.chunk_count()
        assert candor.settings.record_answers is False
    assert not (home / "index").exists()


QUESTION = '{"qid": "a", "question": "What is firn?"}\n'


@pytest.mark.parametrize(
    ("questions", "files", "why"),
    [
        ("\n", {"a.md": b"Firn."}, "bare/questions.jsonl' holds no question.*Write one JSON object"),
        (QUESTION, {}, "bare' has no document to ask: there is none.*Put its files into"),
        (QUESTION, {"a.pdf": b""}, r"bare' has no document to ask: none could be ingested \(a.pdf: .*it is empty"),
    ],
)
def test_a_data_set_without_a_question_or_a_document_that_can_be_read_is_refused(tmp_path, questions, files, why):
    bare = data_set(tmp_path / "bare", questions, documents=files)
    with pytest.raises(ConfigurationError, match=why):
        run(bare.folder, quiet_settings(tmp_path / "data"))
    assert (tmp_path / "data" / "evaluation").exists() is ("a.pdf" in files)


def test_a_run_says_whose_gate_decided_at_which_threshold(evaluated, dataset, tmp_path):
    home, _, shipped = evaluated
    data = shutil.copytree(home, tmp_path / "data")
    fit = GateFit.model_validate_json(SHIPPED.read_text(encoding="utf-8"))
    strict = run(dataset, quiet_settings(data, confidence_threshold=0.9), limit=1)
    (data / FILE_NAME).write_text(
        fit.model_copy(update={"threshold": 0.5, "unsure_threshold": 0.25}).text(), encoding="utf-8"
    )
    own = run(dataset, quiet_settings(data), limit=1)
    (data / FILE_NAME).write_text(fit.model_copy(update={"reader": "another"}).text(), encoding="utf-8")
    foreign = run(dataset, quiet_settings(data), limit=1)
    mean = run(dataset, quiet_settings(data, estimator="mean_similarity"), limit=1)

    unsure = f"unsure from {fit.unsure_threshold:.4f} on."
    assert shipped.decided == (f"Decided by the gate that came with Candor, threshold {fit.threshold:.4f}, {unsure}",)
    assert strict.decided[0].endswith(f"threshold 0.9000 (as set; its own is {fit.threshold:.4f}), {unsure}")
    assert own.decided[0] == f"Decided by the gate {data / FILE_NAME}, threshold 0.5000, unsure from 0.2500 on."
    assert foreign.decided[0] == shipped.decided[0]
    assert "is not used: it was made with the reader 'another'" in foreign.decided[1]
    assert mean.decided == ("Decided by estimator 'mean_similarity', threshold 0.5000.",)


def test_an_index_belongs_to_documents_embedding_ingestion_and_language(tmp_path):
    one = data_set(tmp_path / "my set", QUESTION)
    other = data_set(tmp_path / "other", QUESTION, documents={"a.md": "Salt."})
    plain = {"data_dir": tmp_path, "embedding": "e", "ingestion": "i", "language": "english"}
    changed = [{**plain, name: "another"} for name in plain if name != "data_dir"]
    folders = {*(index_folder(one, **each) for each in (plain, *changed)), index_folder(other, **plain)}
    assert len(folders) == 5
    assert index_folder(one, **plain) in folders
    assert all(folder.parent == tmp_path / "evaluation" and " " not in folder.name for folder in folders)


def test_of_two_files_of_one_name_the_text_is_that_of_the_folder_in_the_name_else_the_first(tmp_path):
    documents = {".old/x.md": "Hidden.", "a/x.md": "Wear goggles.", "b/x.md": "Wear boots.", "manual.md": "Salt."}
    dataset = data_set(tmp_path / "set", QUESTION, documents=documents)
    kept = tmp_path / "index" / "texts"
    kept.mkdir(parents=True)
    (kept / "x.md.txt").write_text("Wear boots.", encoding="utf-8")  # as an older version left it
    text_of = text_reader(dataset, lambda path: path.read_text(encoding="utf-8"), cache_dir=kept.parent)
    assert (text_of("x.md"), text_of("b/x.md")) == ("Wear goggles.", "Wear boots.")
    assert [path.parent.name for path in dataset.documents] == ["a", "b", "documents"]
