"""A data set in an index of its own, from the files to the figures, with the real parts."""

import json
import shutil

import pytest
from library import quiet_settings

from rag.confidence.calibrated import FILE_NAME, SHIPPED, GateFit
from rag.errors import ConfigurationError
from rag.evaluation.own_index import index_folder, run, text_reader

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


def test_each_question_has_twenty_passages_and_nothing_unsupported_or_not_verbatim_is_shown(evaluated, dataset):
    lines, asked = (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in (evaluated[1], dataset / "questions.jsonl")
    )
    assert [line["qid"] for line in lines] == [question["qid"] for question in asked]
    assert all([chunk["rank"] for chunk in line["retrieved"]] == list(range(1, 21)) for line in lines)
    answered = [line for line in lines if line["decision"] == "answered"]
    assert answered
    for line in answered:
        for said in line["sentences"]:
            assert (said["supported"], said["text"] in line["answer"], bool(said["citations"])) == (True, True, True)
            assert all(0 <= index < len(line["citations"]) for index in said["citations"])
        retrieved = {chunk["chunk_id"] for chunk in line["retrieved"]}
        assert {citation["chunk_id"] for citation in line["citations"]} <= retrieved
    summary, figures = evaluated[2].summary, evaluated[2].summary.figures
    found = figures.retrieval["page hit@5"]
    assert found.numerator >= found.denominator - 1 > 0
    assert summary.claimed_unsupported == 0
    for one in (figures.unsupported_sentences, figures.excerpts_not_verbatim):
        assert (one.numerator, one.denominator > 0) == (0, True)
    assert {*summary.refusals} <= {"gate", "grounding"}
    assert summary.ingestion.documents == 4
    assert {path.name for path in evaluated[0].iterdir()}.isdisjoint({"index", "catalogue.db"})  # not the user's own


QUESTION = '{"qid": "a", "question": "What is firn?"}\n'


@pytest.mark.parametrize(
    ("questions", "files", "why"),
    [
        ("\n", {"a.md": b"Firn."}, "bare/questions.jsonl' holds no question.*Write one JSON object"),
        (QUESTION, {}, "has no document to ask: there is none.*Put its files into"),
        (QUESTION, {"a.pdf": b""}, r"has no document to ask: none could be ingested \(a.pdf: .*it is empty"),
    ],
)
def test_a_data_set_without_a_question_or_a_document_that_can_be_read_is_refused(tmp_path, questions, files, why):
    bare = data_set(tmp_path / "bare", questions, documents=files)
    with pytest.raises(ConfigurationError, match=why):
        run(bare.folder, quiet_settings(tmp_path / "data"), out=tmp_path / "out.jsonl")
    assert (tmp_path / "data" / "evaluation").exists() is ("a.pdf" in files)


def test_a_run_says_whose_gate_decided_at_which_threshold(evaluated, dataset, tmp_path):
    home, _, shipped = evaluated
    data, fit = shutil.copytree(home, tmp_path / "data"), GateFit.model_validate_json(SHIPPED.read_bytes())

    def decided(gate=None, **settings):
        if gate is not None:
            (data / FILE_NAME).write_text(fit.model_copy(update=gate).text(), encoding="utf-8")
        return run(dataset, quiet_settings(data, **settings), limit=1, out=tmp_path / "out.jsonl", resume=False).decided

    came, unsure = "Decided by the gate that came with Candor, threshold", f"unsure from {fit.unsure_threshold:.4f} on."
    assert shipped.decided == (f"{came} {fit.threshold:.4f}, {unsure}",)
    strict = decided(confidence_threshold=0.9)
    assert strict == (f"{came} 0.9000 (as set; its own is {fit.threshold:.4f}), {unsure}",)
    own = decided({"threshold": 0.5, "unsure_threshold": 0.25})
    assert own == (f"Decided by the gate {data / FILE_NAME}, threshold 0.5000, unsure from 0.2500 on.",)
    foreign = decided({"reader": "another"})
    assert (foreign[0], "made with the reader 'another'" in foreign[1]) == (shipped.decided[0], True)
    assert decided(estimator="mean_similarity") == ("Decided by estimator 'mean_similarity', threshold 0.5000.",)


def test_an_index_belongs_to_documents_embedding_ingestion_and_language(tmp_path):
    one = data_set(tmp_path / "my set", QUESTION)
    other = data_set(tmp_path / "other", QUESTION, documents={"a.md": "Salt."})
    plain = {"data_dir": tmp_path, "embedding": "e", "ingestion": "i", "language": "english"}
    changed = [plain, *({**plain, name: "another"} for name in plain if name != "data_dir")]
    folders = {*(index_folder(one, **each) for each in changed), index_folder(other, **plain)}
    assert len(folders) == 5
    assert all(folder.parent == tmp_path / "evaluation" and " " not in folder.name for folder in folders)


def test_of_two_files_of_one_name_the_text_is_that_of_the_folder_in_the_name_else_the_first(tmp_path):
    documents = {".old/x.md": "Hidden.", "a/x.md": "Wear goggles.", "b/x.md": "Wear boots.", "manual.md": "Salt."}
    dataset = data_set(tmp_path / "set", QUESTION, documents=documents)
    text_of = text_reader(dataset, lambda path: path.read_text(encoding="utf-8"), cache_dir=tmp_path)
    assert (text_of("x.md"), text_of("b/x.md"), text_of("y.md")) == ("Wear goggles.", "Wear boots.", None)
    assert [path.parent.name for path in dataset.documents] == ["a", "b", "documents"]
