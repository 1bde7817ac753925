"""What the reader is trained on is labelled by the text: an answer that stands in a window of the gold passage."""

import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest
from library import ROOT

from rag.evaluation.datasets import Gold, Question
from rag.models import Chunk, DocumentMetadata
from rag.windows import Window

TEXT = "The hoist lifts 240 kg. It is checked in May. The winch lifts 900 kg."


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("torch")
    spec = spec_from_file_location("train_reader", ROOT / "scripts" / "train_reader.py")
    module = module_from_spec(spec)
    sys.modules["train_reader"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["train_reader"]


def _question(answerable: bool = True, gold: str | None = "It is checked in May.") -> Question:
    return Question(
        qid="q",
        question="When is the hoist checked?",
        answerable=answerable,
        answers=("May",) if answerable else (),
        gold=(Gold(document="d.md", text=gold),),
    )


def _chunk(**more: object) -> Chunk:
    spans = ((0, 23), (24, 45), (46, 69))
    return Chunk(
        chunk_id="c", document="d.md", document_hash="h", content=TEXT, chunk_index=0, start=0, end=len(TEXT),
        sentences=spans, **more,
    )  # fmt: skip


def _window(text: str) -> Window:
    start = TEXT.index(text) if text in TEXT else 0
    return Window(0, start, start + len(text), text, 1.0)


def test_a_window_with_the_answer_is_a_hit_and_the_answers_place_counts_what_stands_before_it(script) -> None:
    (pair,) = script.label(3, _question(), [("The hoist.\n", _window(TEXT[24:45]))], [_chunk()], placed=True)
    assert (pair.question, pair.rank, pair.label) == (3, 0, 1)
    assert pair.text[pair.start : pair.end] == "May"


def test_an_unanswerable_question_has_misses_only(script) -> None:
    read = [("", _window(TEXT[24:45])), ("", _window(TEXT[46:]))]
    assert [pair.label for pair in script.label(0, _question(answerable=False), read, [_chunk()], placed=False)] == [
        0,
        0,
    ]


def test_where_retrieval_brings_no_answer_a_window_is_cut_around_it(script) -> None:
    miss, gold = script.label(0, _question(), [("", _window("Rain fell."))], [_chunk()], placed=False)
    assert (miss.label, gold.label, gold.rank) == (0, 1, script.GOLD)
    assert gold.text[gold.start : gold.end] == "May"


def test_the_answers_word_elsewhere_is_neither_hit_nor_miss(script) -> None:
    elsewhere = Window(0, 0, 17, "May was wet there", 1.0)
    assert script.label(0, _question(), [("", elsewhere)], [], placed=False)[0].label == -1


def test_a_table_row_is_where_all_its_cells_are(script) -> None:
    assert script.overlap("| Head |\n| A | 12 kg |", "| A | 12 kg |")
    assert not script.overlap("| B | 12 kg |", "| A | 12 kg |")


def test_a_place_is_title_and_heading_and_said_once(script) -> None:
    titled = _chunk(metadata=DocumentMetadata(title="Hoists"), section_path=("Care", "Checks"))
    assert script.place(titled) == "Hoists. Checks.\n"
    assert script.place(_chunk(metadata=DocumentMetadata(title="Hoists"), section_path=("hoists",))) == "Hoists.\n"
    assert script.place(_chunk()) == ""
