"""Test sets of one's own: questions read and checked, kept as data sets, changed, added to, and asked."""

import errno
import json
from pathlib import Path

import pytest
from library import quiet_settings
from readers import ScriptedReader

from rag.candor import Candor
from rag.errors import ConfigurationError, ServiceUnavailable
from rag.evaluation.datasets import Gold, Question, load_dataset
from rag.evaluation.evaluating import run
from rag.evaluation.testset import (
    Entry,
    add_question,
    as_csv,
    as_lines,
    change_dataset,
    checked,
    datasets_in,
    entry_of,
    keep_dataset,
    read_entries,
)
from rag.models import Chunk

FIRST = Question(qid="1", question="Who lights the lantern?", answerable=True, kind="fact", answers=("Marta",),
                 gold=(Gold(document="a.md", text="The lantern is lit by Marta."), Gold(document="b.md")))  # fmt: skip
LINE = as_lines([FIRST])


def test_a_test_set_is_a_data_set_folder(tmp_path: Path) -> None:
    kept = keep_dataset(tmp_path, "my set", LINE, [("folder/a.md", b"# A\n")])
    assert (kept.name, [path.name for path in kept.documents]) == ("my_set", ["a.md"])
    assert datasets_in(tmp_path) == [kept.folder]
    assert load_dataset(kept.folder).questions == (FIRST,)


def test_a_name_that_is_taken_and_lines_that_are_none_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    keep_dataset(tmp_path, "mine", LINE)
    with pytest.raises(ConfigurationError, match="is empty or taken"):
        keep_dataset(tmp_path, "mine", LINE)
    with pytest.raises(ConfigurationError, match="line 1: not JSON"):
        keep_dataset(tmp_path, "other", "no json\n")
    assert [path.name for path in (tmp_path / "datasets").iterdir()] == ["mine"]


def test_what_the_disk_has_no_room_for_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == "second.md":
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ServiceUnavailable, match="No space left on device"):
        keep_dataset(tmp_path, "mine", LINE, [("first.md", b"# Old"), ("second.md", b"# More")])
    assert [*(tmp_path / "datasets").iterdir()] == []


def test_a_question_whose_words_stay_keeps_all_that_its_line_held(tmp_path: Path) -> None:
    folder = keep_dataset(tmp_path, "mine", LINE).folder
    place = Gold(document="a.md", quote="The lantern is lit by Marta.")
    same, other = FIRST.model_copy(update={"gold": (place,), "kind": None}), Question(qid="2", question="And who else?")
    assert change_dataset(folder, [same, other]).questions == (FIRST, other)
    reworded = same.model_copy(update={"question": "Who lights it?"})
    (changed,) = change_dataset(folder, [reworded]).questions
    assert (changed.question, changed.kind, len(changed.gold)) == ("Who lights it?", "fact", 1)


def test_a_question_is_added_to_a_set_that_is_made_for_it_and_replaced_where_its_words_are_there(
    tmp_path: Path,
) -> None:
    add_question(tmp_path, "from people", Question(qid="a", question="Who pays?"))
    add_question(tmp_path, "from people", Question(qid="b", question="Who sleeps?"))
    kept = add_question(tmp_path, "from people", Question(qid="c", question="who  PAYS?", answerable=False))
    assert [(one.qid, one.answerable) for one in kept.questions] == [("b", None), ("c", False)]


def test_questions_without_documents_are_asked_of_what_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = quiet_settings(tmp_path / "data")
    with Candor.open(settings) as candor:
        candor.wiring.reader = ScriptedReader(lambda *_: 0.9, lambda *_: True)
        candor.ingest_bytes("lamps.md", b"# Lamps\n\nThe lantern of Orsk is lit by Marta Lind at dusk.\n")
    folder = keep_dataset(tmp_path / "data", "mine", LINE).folder
    out = tmp_path / "data" / "runs" / "mine.jsonl"
    found = run(folder, settings, out=out)
    (line,) = [json.loads(one) for one in out.read_text(encoding="utf-8").splitlines()]
    assert [one["document"] for one in line["retrieved"]] == ["lamps.md"]
    assert found.summary.questions == 1
    assert found.decided


CSV = """question,answerable,sentence,document,page,answers
Who lights the lantern?,yes,The lantern is lit by Marta.,lamps.md,,Marta | M. Lind
Who pays for it?,no,,,,
"""


def chunk(document: str, content: str, page: int | None = None) -> Chunk:
    return Chunk(
        chunk_id=document, document=document, document_hash="0", chunk_index=0, content=content, page=page, start=0,
        end=len(content),
    )  # fmt: skip


LAMPS = [
    chunk("lamps.md", "At dusk.\nThe lantern is lit\nby Marta. Nobody else may.", page=3),
    chunk("sea.md", "Salt."),
]


def told(*entries: Entry, documents: tuple[str, ...] = ("lamps.md", "sea.md")) -> str:
    with pytest.raises(ConfigurationError) as caught:
        checked(entries, called="mine.csv", documents=documents, chunks=LAMPS)
    return caught.value.message


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_csv_file_is_read_whatever_separates_its_columns(separator: str) -> None:
    first, second = read_entries(CSV.replace(",", separator).encode("utf-8-sig"), called="mine.CSV")
    assert (first.question, first.answerable, first.sentence) == (
        "Who lights the lantern?", True, "The lantern is lit by Marta."
    )  # fmt: skip
    assert (first.line, first.answers, second.line, second.answerable) == (2, ("Marta", "M. Lind"), 3, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("frage,antwort\nWas?,ja\n", r"^mine\.csv, line 1: there is no column 'question'"),
        (
            "question,answerable\nWhat?,yes\nWho?,perhaps\n",
            r"^mine\.csv, line 3: answerable is 'perhaps'. Write yes or",
        ),
        ("question,page\nWhat?,last\n", r"^mine\.csv, line 2: page is 'last'. Write a number from 1"),
    ],
)
def test_a_csv_file_that_cannot_be_read_says_which_line(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_entries(text.encode(), called="mine.csv")


def test_a_sentence_is_found_word_for_word_whatever_breaks_its_lines_and_gets_its_place() -> None:
    (found,) = checked(
        [Entry(line=1, question="Who lights it?", answerable=True, sentence="The lantern is  lit by Marta.")],
        called="the table", documents=["lamps.md"], chunks=LAMPS,
    )  # fmt: skip
    (place,) = found.gold
    assert (place.document, place.page, place.sentence) == ("lamps.md", 3, "The lantern is lit by Marta.")
    assert found.qid == "q1"


def test_what_is_wrong_is_told_line_by_line() -> None:
    lantern = Entry(line=2, question="Who lights the lantern?")
    assert told(lantern, Entry(line=3, question="who  lights the LANTERN?")) == (
        "mine.csv, line 3: it repeats the question of line 2. Take one of them out."
    )
    assert "line 2: 'lamps.md' does not hold the sentence 'It is lit by Bo.' word for word. Copy it" in told(
        lantern.model_copy(update={"sentence": "It is lit by Bo.", "document": "lamps.md"})
    )
    assert "line 2: no document holds the sentence 'It is lit by Bo.' word for word." in told(
        lantern.model_copy(update={"sentence": "It is lit by Bo."})
    )
    assert "line 2: there is no document 'lamp.md'. Write a name as the page Documents shows it." in told(
        lantern.model_copy(update={"document": "lamp.md"})
    )
    assert "line 2: it has a sentence that answers and is said not to be answerable." in told(
        lantern.model_copy(update={"sentence": "The lantern is lit by Marta.", "answerable": False})
    )
    assert "line 4: the question has 0 characters. Write 3 to 1000, or take the line out." in told(Entry(line=4))
    assert told() == "mine.csv, there is no question. Write one."


def test_what_is_exported_is_read_again_the_same() -> None:
    questions = checked(read_entries(CSV.encode(), called="mine.csv"), called="m", documents=["lamps.md"], chunks=LAMPS)
    for called, text in (("mine.csv", as_csv(questions)), ("mine.jsonl", as_lines(questions))):
        again = read_entries(text.encode(), called=called)
        assert [one.model_copy(update={"line": 0}) for one in again] == [entry_of(one, 0) for one in questions]
