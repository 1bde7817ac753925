"""Data sets over the same documents: what is about one document stays in one fold."""

import json

from library import quiet_settings

from rag.confidence.signals import SIGNALS
from rag.evaluation.fitting import _collected
from rag.evaluation.labelled import Labelled, Part, corpus_of, groups_of, of_corpora


def part(dataset, **documents):
    """A data set with a question about each document; the documents' contents by their names."""
    rows = [Labelled(dataset=dataset, group=name, answerable=True, signals=(0.0,) * len(SIGNALS)) for name in documents]
    return Part(rows, list(documents.items()))


def test_data_sets_that_share_a_document_also_by_way_of_a_third_are_one_corpus_and_by_its_name_alone_are_not():
    parts = [part("a", x="1", y="2"), part("alone", x="9"), part("b", z="3"), part("c", y="2", z="3")]
    found = of_corpora(parts)
    assert [corpus_of(row) for row in found] == ["a", "a", "alone", "a", "a", "a"]
    assert [row.dataset for row in found] == ["a", "a", "alone", "b", "c", "c"]  # in order, and each keeps its own name
    assert found[2] == parts[1].rows[0]


def test_calibrate_groups_two_files_of_questions_over_one_document_as_one_corpus(tmp_path):
    text = "# Gloves\n\nNitrile gloves are worn with acids.\n"
    folders = []
    for name, document, more in (("one", "a.md", "Kilns cool overnight."), ("two", "b.md", "Pumps are oiled.")):
        folder = tmp_path / name
        (folder / "documents").mkdir(parents=True)
        (folder / "documents" / document).write_text(text, encoding="utf-8")
        (folder / "documents" / f"{name}.md").write_text(more, encoding="utf-8")
        asked = {"qid": name, "question": f"Which gloves are worn with {name} acids?", "answerable": True}
        asked["gold"] = [{"document": document}]
        (folder / "questions.jsonl").write_text(json.dumps(asked), encoding="utf-8")
        folders.append(folder)
    rows = _collected(folders, quiet_settings(tmp_path / "data"), None).rows
    assert [(row.dataset, corpus_of(row), row.group) for row in rows] == [
        ("one", "one", "a.md"),
        ("two", "one", "a.md"),
    ]
    assert len({*groups_of(rows)}) == 1
