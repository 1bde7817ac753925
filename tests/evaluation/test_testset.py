"""Data sets as they are read, and test sets of one's own: checked, kept, changed, added to and asked."""

import errno
from pathlib import Path
from unittest.mock import Mock

import pytest
from library import quiet_settings
from readers import ScriptedReader

from rag.candor import Candor
from rag.errors import ConfigurationError, ServiceUnavailable
from rag.evaluation import testset
from rag.evaluation.datasets import Gold, Question, load_dataset, misnamed_gold
from rag.evaluation.lines import read_lines
from rag.evaluation.own_index import run
from rag.evaluation.testset import Entry, checked, keep_dataset, read_entries
from rag.models import Chunk

from .made import data_set

LIT = "The lantern is lit by Marta."
FIRST = Question(qid="1", question="Who lights the lantern?", answerable=True, kind="fact", answers=("Marta",),
                 gold=(Gold(document="a.md", text=LIT), Gold(document="b.md")))  # fmt: skip
LINE = testset.as_lines([FIRST])


def test_a_data_set_is_kept_and_a_taken_name_lines_that_are_none_or_a_full_disk_leave_nothing(tmp_path, monkeypatch):
    kept = keep_dataset(tmp_path, " mine! ", LINE, [("../folder/a.md", b"# A\n"), ("c:\\b.md", b"# B\n")])
    assert (kept.name, [path.name for path in kept.documents]) == ("mine", ["a.md", "b.md"])
    for name, lines, why in (("mine", LINE, "is empty or taken"), ("other", "no json\n", "line 1: not JSON")):
        with pytest.raises(ConfigurationError, match=why):
            keep_dataset(tmp_path, name, lines)
    monkeypatch.setattr(Path, "write_bytes", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(ServiceUnavailable, match="No space left on device"):
        keep_dataset(tmp_path, "other", LINE, [("first.md", b"# Old")])
    assert [*(tmp_path / "datasets").iterdir()] == testset.datasets_in(tmp_path) == [kept.folder]
    assert load_dataset(kept.folder).questions == (FIRST,)


def test_a_question_whose_words_stay_keeps_what_its_line_held_and_one_that_is_added_replaces_one_of_its_words(tmp_path):
    folder, place = keep_dataset(tmp_path, "mine", LINE).folder, Gold(document="a.md", quote=LIT)
    same, other = FIRST.model_copy(update={"gold": (place,), "kind": None}), Question(qid="2", question="And who else?")
    assert testset.change_dataset(folder, [same, other]).questions == (FIRST, other)
    (changed,) = testset.change_dataset(folder, [same.model_copy(update={"question": "Who lights it?"})]).questions
    assert (changed.question, changed.kind, len(changed.gold)) == ("Who lights it?", "fact", 1)
    for qid, asked in (("a", "Who pays?"), ("b", "Who sleeps?"), ("c", "who  PAYS?")):
        kept = testset.add_question(tmp_path, "from people", Question(qid=qid, question=asked))
    assert [one.qid for one in kept.questions] == ["b", "c"]


def test_questions_without_documents_are_asked_of_what_is_indexed(tmp_path):
    settings, out = quiet_settings(tmp_path / "data"), tmp_path / "data" / "runs" / "mine.jsonl"
    with Candor.open(settings) as candor:
        candor.wiring.reader = ScriptedReader(lambda *_: 0.9, lambda *_: True)
        candor.ingest_bytes("lamps.md", b"# Lamps\n\nThe lantern of Orsk is lit by Marta Lind at dusk.\n")
    found = run(keep_dataset(tmp_path / "data", "mine", LINE).folder, settings, out=out)
    (line,) = read_lines(out)
    assert [one.document for one in line.retrieved] == ["lamps.md"]
    assert (found.summary.questions, bool(found.decided)) == (1, True)


CSV = f"""question,answerable,sentence,document,page,answers
Who lights the lantern?,yes,{LIT},lamps.md,,Marta | M. Lind
Who pays for it?,no,,,,
"""
TEXT = "At dusk.\nThe lantern is lit\nby Marta. Nobody else may."
LAMPS = [Chunk(chunk_id="1", document="lamps.md", document_hash="0", chunk_index=0, content=TEXT, page=3, start=0,
               end=len(TEXT))]  # fmt: skip


def test_a_csv_file_is_read_whatever_separates_its_columns_and_one_that_cannot_be_says_which_line():
    said = {"answerable": True, "document": "lamps.md", "sentence": LIT, "answers": ("Marta", "M. Lind")}
    for separator in (",", ";", "\t"):
        first, second = read_entries(CSV.replace(",", separator).encode("utf-8-sig"), called="mine.CSV")
        assert first == Entry(line=2, question="Who lights the lantern?", **said)
        assert (second.line, second.answerable) == (3, False)
    for text, message in (
        ("frage,antwort\nWas?,ja\n", "line 1: there is no column 'question'"),
        ("question,answerable\nWhat?,yes\nWho?,perhaps\n", "line 3: answerable is 'perhaps'. Write yes or"),
        ("question,page\nWhat?,last\n", "line 2: page is 'last'. Write a number from 1"),
    ):
        with pytest.raises(ConfigurationError, match=rf"^mine\.csv, {message}"):
            read_entries(text.encode(), called="mine.csv")


def test_a_sentence_is_found_word_for_word_whatever_breaks_its_lines_and_what_is_exported_is_read_again_the_same():
    said = {"sentence": "The lantern is  lit by Marta.", "answerable": True}
    entries = [Entry(line=1, question="Who lights it?", **said)]
    entries.append(Entry(line=2, question="What does Marta do?", document="lamps.md", **said))
    questions = checked(entries, called="the table", documents=["lamps.md"], chunks=LAMPS)
    (place,) = questions[0].gold
    assert (place.document, place.page, place.sentence) == ("lamps.md", 3, LIT)
    assert (questions[0].qid, questions[1].gold) == ("q1", questions[0].gold)
    for called, text in (("mine.csv", testset.as_csv(questions)), ("mine.jsonl", testset.as_lines(questions))):
        again = read_entries(text.encode(), called=called)
        assert [one.model_copy(update={"line": 0}) for one in again] == [testset.entry_of(one, 0) for one in questions]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sentence": "It is lit by Bo.", "document": "lamps.md"},
         "'lamps.md' does not hold the sentence 'It is lit by Bo.' word for word. Copy it"),
        ({"sentence": "It is lit by Bo."}, "no document holds the sentence 'It is lit by Bo.' word for word."),
        ({"document": "lamp.md"}, "there is no document 'lamp.md'. Write a name as the page Documents shows it."),
        ({"sentence": LIT, "answerable": False}, "it has a sentence that answers and is said not to be answerable."),
        ({"question": ""}, "the question has 0 characters. Write 3 to 1000, or take the line out."),
        ({"question": "who  lights the LANTERN?"}, "it repeats the question of line 1. Take one of them out."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_its_line(given, message):
    lantern = Entry(line=1, question="Who lights the lantern?")
    entries = [lantern, Entry(**{"line": 2, "question": "Who pays for it?", **given})]
    with pytest.raises(ConfigurationError) as caught:
        checked(entries, called="mine.csv", documents=["lamps.md", "sea.md"], chunks=LAMPS)
    assert caught.value.message.startswith(f"mine.csv, line 2: {message}")


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


def test_what_is_no_data_set_and_a_value_nested_nearly_too_deeply_to_be_shown_are_one_clear_line_each(tmp_path):
    with pytest.raises(ConfigurationError, match=r"nowhere.questions.jsonl' does not exist\. Name a folder with"):
        load_dataset(tmp_path / "nowhere")
    (tmp_path / "questions.jsonl").write_bytes(b'{"qid": "a", "question": "\xff"}')
    with pytest.raises(ConfigurationError, match="Save it as UTF-8"):
        load_dataset(tmp_path)
    for depth in range(100, 1000, 150):
        with pytest.raises(ConfigurationError, match=r"line 1: (field 'qid' is|.*nested too deeply)"):
            data_set(tmp_path, '{"qid": ' + "[" * depth + "]" * depth + ', "question": "Why?"}')


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
