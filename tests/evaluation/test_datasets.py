import pytest

from rag.errors import ConfigurationError
from rag.evaluation.datasets import load_dataset, misnamed_gold

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
        ('{"question": "Why?"}', "'qid'"),
        ('{"qid": "b", "question": "Why?", "gold": [{"document": "a", "page": 0}]}', "gold.0.page"),
        ('{"qid": "a", "question": "Again?"}', "'a' occurs twice"),
        ('{"qid": "b", "question": "Why?", "answers": "Thursdays"}', "'answers' is 'Thursdays': it must be a list"),
        ('{"qid": "b", "question": "Why?", "answerable": 1}', "it must be true or false"),
        ('{"qid": "b", "question": "Why?", "Is_answerable": true}', "there is 'Is_answerable' and no 'answerable'"),
    ],
)
def test_a_malformed_line_is_named_with_file_and_line(tmp_path, line, said):
    with pytest.raises(ConfigurationError, match=r"questions.jsonl.*line 2") as caught:
        data_set(tmp_path, ASKED, line)
    assert said in caught.value.message


def test_a_value_nested_nearly_too_deeply_to_be_shown_is_one_clear_line_too(tmp_path):
    for depth in range(100, 1000, 150):
        with pytest.raises(ConfigurationError, match=r"line 1: (field 'qid' is|.*nested too deeply)"):
            data_set(tmp_path, '{"qid": ' + "[" * depth + "]" * depth + ', "question": "Why?"}')


def test_what_is_no_data_set_is_told_with_what_one_is(tmp_path):
    with pytest.raises(ConfigurationError, match=r"nowhere.questions.jsonl' does not exist\. Name a folder with"):
        load_dataset(tmp_path / "nowhere")
    (tmp_path / "questions.jsonl").write_bytes(b'{"qid": "a", "question": "\xff"}')
    with pytest.raises(ConfigurationError, match="Save it as UTF-8"):
        load_dataset(tmp_path)


def test_fingerprints_follow_documents_and_questions(tmp_path):
    one, same, asked = (data_set(tmp_path / word, ASKED.replace("Why", word[:3])) for word in ("Why", "Why2", "Who"))
    other = data_set(tmp_path / "other", ASKED, documents={"manual.md": "Wear boots."})
    assert one.documents_fingerprint == asked.documents_fingerprint
    assert (one.fingerprint == same.fingerprint, len({each.fingerprint for each in (one, other, asked)})) == (True, 3)


def test_without_a_folder_of_documents_they_lie_beside_the_questions(tmp_path):
    for name in ("b.md", "a.md", "questions.jsonl", "labels.jsonl", ".keep"):
        (tmp_path / name).write_text(ASKED, encoding="utf-8")
    dataset = load_dataset(tmp_path)
    assert [path.name for path in dataset.documents] == ["a.md", "b.md"]
    assert dataset.sources == dataset.documents


@pytest.mark.parametrize(
    ("places", "answerable", "documents", "told"),
    [
        ((["m.md"], ["documents/m.md"], ["old.md", "m.md"]), True, ["m.md"],
         "name 2 documents that the data set does not have: 'documents/m.md', 'old.md'. These places of 2 answerable"),
        ((["m.md"], ["m.md", "n.md"], []), True, ["m.md", "deep/n.md"], ""),
        ((["near.md"],), False, ["m.md"], ""),
        ((["m.md"],), True, [], ""),  # asked of another index
    ],
)  # fmt: skip
def test_labels_that_name_a_document_which_is_not_there_are_told(tmp_path, places, answerable, documents, told):
    golds = [[{"document": name} for name in names] for names in places]
    rows = [
        {"qid": f"q{n}", "question": "Why?", "answerable": answerable, "gold": gold} for n, gold in enumerate(golds)
    ]
    dataset = data_set(tmp_path, *rows, documents=dict.fromkeys(documents, "Text."))
    found = misnamed_gold(dataset, dataset.questions)
    assert told in found
    assert bool(found) is bool(told)
