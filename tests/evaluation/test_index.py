from rag.evaluation.datasets import load_dataset
from rag.evaluation.index import index_folder, ingest_once, text_reader
from rag.evaluation.summary import Ingestion


def made(folder, text="Wear gloves.", name="my set"):
    documents = folder / name / "documents"
    documents.mkdir(parents=True)
    (documents / "manual.md").write_text(text, encoding="utf-8")
    (folder / name / "questions.jsonl").write_text('{"qid": "a", "question": "Why?"}', encoding="utf-8")
    return load_dataset(folder / name)


def test_an_index_belongs_to_documents_embedding_ingestion_and_language(tmp_path):
    one, other = made(tmp_path), made(tmp_path, "Wear goggles.", name="other")
    plain = {"data_dir": tmp_path, "embedding": "e1", "ingestion": "i1", "language": "english"}
    folders = {
        index_folder(one, **plain),
        index_folder(one, **{**plain, "embedding": "e2"}),
        index_folder(one, **{**plain, "ingestion": "i2"}),
        index_folder(one, **{**plain, "language": "german"}),
        index_folder(other, **plain),
    }
    assert len(folders) == 5
    assert index_folder(one, **plain) in folders
    assert all(folder.parent == tmp_path / "evaluation" and " " not in folder.name for folder in folders)


def test_documents_are_ingested_once_and_the_time_it_took_is_kept(tmp_path):
    calls = []

    def ingest():
        calls.append(1)
        return Ingestion(documents=1, chunks=40, seconds=0)

    first, second = ingest_once(tmp_path / "index", ingest), ingest_once(tmp_path / "index", ingest)
    assert len(calls) == 1
    assert first == second
    assert first.seconds > 0


def test_an_ingestion_that_fails_is_tried_again(tmp_path):
    def fail():
        raise ZeroDivisionError

    for _ in range(2):
        try:
            ingest_once(tmp_path / "index", fail)
        except ZeroDivisionError:
            continue
    assert ingest_once(tmp_path / "index", lambda: Ingestion(documents=1, chunks=1, seconds=2)).seconds == 2


def test_of_two_files_of_one_name_the_text_is_that_of_the_folder_in_the_name_else_the_first(tmp_path):
    made(tmp_path)
    inside = tmp_path / "my set" / "documents"
    for folder, text in ((".old", "Hidden."), ("a", "Wear goggles."), ("b", "Wear boots.")):
        (inside / folder).mkdir()
        (inside / folder / "x.md").write_text(text, encoding="utf-8")
    dataset = load_dataset(tmp_path / "my set")
    kept = tmp_path / "index" / "texts"
    kept.mkdir(parents=True)
    (kept / "x.md.txt").write_text("Wear boots.", encoding="utf-8")  # as an older version left it
    text_of = text_reader(dataset, lambda path: path.read_text(encoding="utf-8"), cache_dir=kept.parent)
    assert (text_of("x.md"), text_of("b/x.md")) == ("Wear goggles.", "Wear boots.")
    assert [path.parent.name for path in dataset.documents] == ["a", "b", "documents"]


def test_the_text_of_a_document_is_read_once_and_kept(tmp_path):
    calls = []

    def load(path):
        calls.append(path.name)
        return path.read_text(encoding="utf-8")

    dataset = made(tmp_path)
    for _ in range(2):
        text_of = text_reader(dataset, load, cache_dir=tmp_path / "index")
        assert text_of("manual.md") == "Wear gloves."
        assert text_of("unknown.md") is None
    assert calls == ["manual.md"]
