import pytest

from rag.errors import ConfigurationError
from rag.evaluation.datasets import load_dataset, misnamed_gold, unlabelled

from .made import data_set

ASKED = '{"qid": "a", "question": "Why?"}'


def test_optional_fields_may_be_missing_or_null(tmp_path):
    nulls = '{"qid": 7, "question": "How?", "answerable": null, "kind": null, "answers": null, "gold": null, "x": 1}'
    first, second = data_set(tmp_path, ASKED, "", nulls, "").questions
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
        ('{"qid": "b", "question": "Why?", "answerable": 1}', "it must be true or false"),
        ('{"qid": "b", "question": "Why?", "Is_answerable": true}', "there is 'Is_answerable' and no 'answerable'"),
        ('{"qid": "b", "question": "Why?", "gold": ["a.md"]}', "'gold.0' is 'a.md': it must be an object"),
    ],
)
def test_a_malformed_line_is_named_with_file_and_line(tmp_path, line, said):
    with pytest.raises(ConfigurationError, match=r"questions.jsonl.*line 2") as caught:
        data_set(tmp_path, ASKED, line)
    assert said in caught.value.message


@pytest.mark.parametrize("depth", range(100, 1000, 150))
def test_a_value_nested_nearly_too_deeply_to_be_shown_is_one_clear_line_too(tmp_path, depth):
    with pytest.raises(ConfigurationError, match=r"line 1: (field 'qid' is|.*nested too deeply)"):
        data_set(tmp_path, '{"qid": ' + "[" * depth + "]" * depth + ', "question": "Why?"}')


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
    one, same = (data_set(tmp_path / name, ASKED) for name in ("one", "two"))
    other = data_set(tmp_path / "three", ASKED, documents={"manual.md": "Wear boots."})
    asked = data_set(tmp_path / "four", ASKED.replace("Why", "Who"))
    assert one.fingerprint == same.fingerprint
    assert one.documents_fingerprint == asked.documents_fingerprint
    assert len({one.fingerprint, other.fingerprint, asked.fingerprint}) == 3


def test_without_a_folder_of_documents_they_lie_beside_the_questions(tmp_path):
    for name in ("b.md", "a.md", "questions.jsonl", "labels.jsonl", ".keep"):
        (tmp_path / name).write_text(ASKED, encoding="utf-8")
    dataset = load_dataset(tmp_path)
    assert [path.name for path in dataset.documents] == ["a.md", "b.md"]
    assert dataset.sources == dataset.documents


@pytest.mark.parametrize(
    ("places", "answerable", "documents", "told"),
    [
        (
            (["m.md"], ["documents/m.md"], ["old.md", "old.md"], ["m.md", "old.md"]), True, ["m.md"],
            ("The labels name 2 documents that the data set does not have: 'documents/m.md', 'old.md'. ",
             "Every place of 2 answerable questions is in such a document", "Correct `document` in the labels",
             "Some places of 1 answerable question are"),
        ),
        ((["m.md"], ["m.md", "n.md"], []), True, ["m.md", "deep/n.md"], ()),
        ((["near.md"],), False, ["m.md"], ()),
        ((["m.md"],), True, [], ()),  # asked of another index
    ],
)  # fmt: skip
def test_labels_that_name_a_document_which_is_not_there_are_told_with_what_they_do(
    tmp_path, places, answerable, documents, told
):
    rows = [
        {"qid": f"q{n}", "question": "Why?", "answerable": answerable, "gold": [{"document": name} for name in names]}
        for n, names in enumerate(places)
    ]
    dataset = data_set(tmp_path, *rows, documents=dict.fromkeys(documents, "Text."))
    found = misnamed_gold(dataset, dataset.questions)
    assert bool(found) is bool(told)
    assert all(part in found for part in told)


def test_where_no_question_says_whether_it_is_answerable_the_fields_that_nothing_reads_are_told(tmp_path):
    rows = {"qid": "a", "question": "Why?", "label": True}, {"qid": "b", "question": "How?", "Title": "c"}
    found = data_set(tmp_path, *rows)
    assert found.unread == ("Title", "label")
    assert unlabelled(found).startswith("No question has 'answerable'; fields that nothing reads: 'Title', 'label'. ")
    assert unlabelled(data_set(tmp_path, ASKED)).startswith("No question has 'answerable'. Coverage, false answers")
