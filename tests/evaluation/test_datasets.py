import json

import pytest

from rag.errors import ConfigurationError
from rag.evaluation.datasets import load_dataset, misnamed_gold, unlabelled


def write(folder, *lines, documents=()):
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for name, text in documents:
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    return folder


def test_optional_fields_may_be_missing_or_null(tmp_path):
    bare = '{"qid": "a", "question": "Why?"}'
    nulls = '{"qid": 7, "question": "How?", "answerable": null, "kind": null, "answers": null, "gold": null, "x": 1}'
    first, second = load_dataset(write(tmp_path, bare, "", nulls, "")).questions
    assert (first.answerable, first.answers, first.gold, first.kind) == (None, (), (), None)
    assert (second.qid, second.answerable, second.gold) == ("7", None, ())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ('{"qid": "b", "question": "Why?", "x": ' + "1" * 5000 + "}", "a number has more than 4300 digits"),
        ('{"qid": "b", "question": "Why?", "x": ' + "[" * 5000 + "]" * 5000 + "}", "brackets are nested too deeply"),
        ("[1]", "object was expected"),
        ('{"question": "Why?"}', "'qid'"),
        ('{"qid": "b", "question": null}', "'question'"),
        ('{"qid": "b", "question": "Why?", "gold": [{"page": 1}]}', "gold.0.document"),
        ('{"qid": "b", "question": "Why?", "gold": [{"document": "a", "page": 0}]}', "gold.0.page"),
        ('{"qid": "a", "question": "Again?"}', "'a' occurs twice"),
        ('{"qid": "b", "question": "Why?", "answers": "Thursdays"}', "'answers' is 'Thursdays': it must be a list"),
        ('{"qid": "b", "question": "Why?", "answerable": "yes"}', "it must be true or false"),
        ('{"qid": "b", "question": "Why?", "answerable": 1}', "it must be true or false"),
        ('{"qid": "b", "question": "Why?", "is_answerable": true}', "there is 'is_answerable' and no 'answerable'"),
        ('{"qid": "b", "question": "Why?", "Gold": null}', "there is 'Gold' and no 'gold'"),
        ('{"qid": "b", "question": "Why?", "gold": {"document": "a"}}', "it must be a list, in square brackets"),
        ('{"qid": "b", "question": "Why?", "gold": ["a.md"]}', "'gold.0' is 'a.md': it must be an object"),
    ],
)
def test_a_malformed_line_is_named_with_file_and_line(tmp_path, line, said):
    folder = write(tmp_path, '{"qid": "a", "question": "Why?"}', line)
    with pytest.raises(ConfigurationError, match="line 2") as caught:
        load_dataset(folder)
    assert said in caught.value.message
    assert "questions.jsonl" in caught.value.message


@pytest.mark.parametrize("depth", range(100, 1000, 150))
def test_a_value_nested_nearly_too_deeply_to_be_shown_is_one_clear_line_too(tmp_path, depth):
    folder = write(tmp_path, '{"qid": ' + "[" * depth + "]" * depth + ', "question": "Why?"}')
    with pytest.raises(ConfigurationError, match=r"line 1: (field 'qid' is|.*nested too deeply)"):
        load_dataset(folder)


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        (".", None, "is not a data set: .*questions.jsonl' does not exist"),
        ("nowhere", None, "nowhere' does not exist. Name the folder of a data set"),
        ("questions.jsonl", b"", "Name the folder that holds it: '.*'."),
        (".", b'{"qid": "a", "question": "\xff"}', "UTF-8"),
    ],
)
def test_what_is_no_data_set_is_told_with_what_one_is(tmp_path, path, content, said):
    if content is not None:
        (tmp_path / "questions.jsonl").write_bytes(content)
    with pytest.raises(ConfigurationError, match=said):
        load_dataset(tmp_path / path)


def test_fingerprints_follow_documents_and_questions(tmp_path):
    one = load_dataset(write(tmp_path / "one", '{"qid": "a", "question": "Why?"}', documents=[("m.md", "Text.")]))
    same = load_dataset(write(tmp_path / "two", '{"qid": "a", "question": "Why?"}', documents=[("m.md", "Text.")]))
    other = load_dataset(write(tmp_path / "three", '{"qid": "a", "question": "Why?"}', documents=[("m.md", "Tex.")]))
    asked = load_dataset(write(tmp_path / "four", '{"qid": "a", "question": "Who?"}', documents=[("m.md", "Text.")]))
    assert one.fingerprint == same.fingerprint
    assert one.documents_fingerprint == asked.documents_fingerprint
    assert len({one.fingerprint, other.fingerprint, asked.fingerprint}) == 3


def test_without_a_folder_of_documents_they_lie_beside_the_questions(tmp_path):
    for name in ("b.md", "a.md", "questions.jsonl", "labels.jsonl", ".keep"):
        (tmp_path / name).write_text('{"qid": "a", "question": "Why?"}\n', encoding="utf-8")
    dataset = load_dataset(tmp_path)
    assert [path.name for path in dataset.documents] == ["a.md", "b.md"]
    assert dataset.sources == dataset.documents


def labelled(folder, *places, documents=("m.md",), answerable=True):
    """A data set with a question for each list of gold documents."""
    rows = [
        {"qid": f"q{n}", "question": "Why?", "answerable": answerable, "gold": [{"document": name} for name in names]}
        for n, names in enumerate(places)
    ]
    return load_dataset(write(folder, *map(json.dumps, rows), documents=[(name, "Text.") for name in documents]))


def test_labels_that_name_a_document_which_is_not_there_are_told_with_what_they_do(tmp_path):
    dataset = labelled(tmp_path, ["m.md"], ["documents/m.md"], ["old.md", "old.md"], ["m.md", "old.md"])
    told = misnamed_gold(dataset, dataset.questions)
    assert told.startswith("The labels name 2 documents that the data set does not have: 'documents/m.md', 'old.md'. ")
    assert "Every place of 2 answerable questions is in such a document" in told
    assert "Some places of 1 answerable question are" in told
    assert "Correct `document` in the labels" in told


def test_labels_that_name_what_is_there_are_not_complained_of(tmp_path):
    inside = labelled(tmp_path / "a", ["m.md"], ["m.md", "n.md"], [], documents=("m.md", "n.md"))
    assert misnamed_gold(inside, inside.questions) == ""
    (tmp_path / "a" / "documents" / "deep").mkdir()
    (tmp_path / "a" / "documents" / "m.md").rename(tmp_path / "a" / "documents" / "deep" / "m.md")
    assert misnamed_gold(load_dataset(tmp_path / "a"), inside.questions) == ""
    unanswerable = labelled(tmp_path / "b", ["near.md"], answerable=False)
    assert misnamed_gold(unanswerable, unanswerable.questions) == ""
    indexed_elsewhere = labelled(tmp_path / "c", ["m.md"], documents=())
    assert misnamed_gold(indexed_elsewhere, indexed_elsewhere.questions) == ""


def test_where_no_question_says_whether_it_is_answerable_the_fields_that_nothing_reads_are_told(tmp_path):
    rows = ['{"qid": "a", "question": "Why?", "label": true}', '{"qid": "b", "question": "How?", "Title": "c"}']
    found = load_dataset(write(tmp_path, *rows))
    assert found.unread == ("Title", "label")
    assert unlabelled(found).startswith("No question has 'answerable'; fields that nothing reads: 'Title', 'label'. ")
    bare = load_dataset(write(tmp_path, '{"qid": "a", "question": "Why?"}'))
    assert unlabelled(bare).startswith("No question has 'answerable'. Coverage, false answers")
