"""Questions that people write down: read from files, held against the documents, and written again."""

import pytest

from rag.errors import ConfigurationError
from rag.evaluation.entries import Entry, as_csv, as_lines, checked, entry_of, read_entries
from rag.models import Chunk

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


def test_a_line_of_jsonl_that_is_no_question_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"^mine\.jsonl, line 2: field 'question' is missing"):
        read_entries(b'{"qid": "1", "question": "Who?"}\n{"qid": "2"}\n', called="mine.jsonl")


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


def test_of_many_wrong_lines_five_are_named_and_the_others_counted() -> None:
    message = told(*(Entry(line=number, question="?") for number in range(1, 9)))
    assert message.count("the question has 1 characters") == 5
    assert message.endswith("And 3 more.")


def test_ids_that_are_given_stay_and_the_others_get_free_ones() -> None:
    entries = [Entry(line=1, question="First?"), Entry(line=2, question="Second?", qid="q1")]
    assert [one.qid for one in checked(entries, called="t", documents=[], chunks=[])] == ["q2", "q1"]


def test_what_is_exported_is_read_again_the_same() -> None:
    questions = checked(read_entries(CSV.encode(), called="mine.csv"), called="m", documents=["lamps.md"], chunks=LAMPS)
    for called, text in (("mine.csv", as_csv(questions)), ("mine.jsonl", as_lines(questions))):
        again = read_entries(text.encode(), called=called)
        assert [one.model_copy(update={"line": 0}) for one in again] == [entry_of(one, 0) for one in questions]
