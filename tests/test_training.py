"""What the reader is trained on is labelled by the text: an answer that stands in a window of the gold passage."""

from pathlib import Path

import numpy as np
import pytest
import torch

from rag.adapters.reader_features import FEATURES
from rag.adapters.reader_judge import Judge
from rag.confidence.windows import Window
from rag.evaluation.datasets import Gold, Question
from rag.models import Chunk
from training.__main__ import other_work
from training.network import Networks
from training.pairs import GOLD, Found, Pair, label, overlap
from training.states import Matches, States, features
from training.trainer import Trainer

TEXT = "The hoist lifts 240 kg. It is checked in May. The winch lifts 900 kg."


def _question(answerable: bool = True, gold: str | None = "It is checked in May.") -> Question:
    return Question(
        qid="q",
        question="When is the hoist checked?",
        answerable=answerable,
        answers=("May",) if answerable else (),
        gold=(Gold(document="d.md", text=gold),),
    )


def _chunk() -> Chunk:
    spans = ((0, 23), (24, 45), (46, 69))
    return Chunk(
        chunk_id="c", document="d.md", document_hash="h", content=TEXT, chunk_index=0, start=0, end=len(TEXT),
        sentences=spans,
    )  # fmt: skip


def _window(text: str, place: str = "") -> Window:
    start = TEXT.index(text) if text in TEXT else 0
    return Window(0, start, start + len(text), text, 1.0, place)


def test_a_window_with_the_answer_is_a_hit_and_the_answers_place_counts_what_stands_before_it() -> None:
    (pair,) = label(3, _question(), [_window(TEXT[24:45], place="The hoist.\n")], [_chunk()])
    assert (pair.question, pair.rank, pair.label) == (3, 0, 1)
    assert pair.text == "The hoist.\nIt is checked in May."
    assert pair.text[pair.start : pair.end] == "May"


def test_an_unanswerable_question_has_misses_only() -> None:
    found = label(0, _question(answerable=False), [_window(TEXT[24:45]), _window(TEXT[46:])], [_chunk()])
    assert [pair.label for pair in found] == [0, 0]


def test_where_retrieval_brings_no_answer_a_window_is_cut_around_it() -> None:
    miss, gold = label(0, _question(), [_window("Rain fell.")], [_chunk()])
    assert (miss.label, gold.label, gold.rank) == (0, 1, GOLD)
    assert gold.text[gold.start : gold.end] == "May"


def test_the_answers_word_elsewhere_is_neither_hit_nor_miss() -> None:
    elsewhere = Window(0, 0, 17, "May was wet there", 1.0)
    assert label(0, _question(), [elsewhere], [])[0].label == -1


def test_a_table_row_is_where_all_its_cells_are() -> None:
    assert overlap("| Head |\n| A | 12 kg |", "| A | 12 kg |")
    assert not overlap("| B | 12 kg |", "| A | 12 kg |")


def test_a_working_folder_goes_on_with_what_it_was_begun_for_and_nothing_else(tmp_path: Path) -> None:
    wanted: dict[str, object] = {"datasets": {"a": "1"}, "epochs": 4}
    assert other_work(tmp_path / "work", wanted) == ""
    assert other_work(tmp_path / "work", wanted) == ""
    assert "holds a training with other epochs" in other_work(tmp_path / "work", wanted | {"epochs": 5})


def test_the_shipped_judge_computes_what_the_trained_network_does_all_passages_at_once(tmp_path: Path) -> None:
    question = _question()
    texts = [TEXT[:45], TEXT[46:], "Rain fell on the quay. Nobody had a coat.", "Rain", "It rains"]
    found = Found("small", [question], ["small/d.md"], [Pair(0, 0, text, 0) for text in texts])
    states = States(found, tmp_path)
    trainer = Trainer(found, states, Matches(found, states, tmp_path), features(found, states, tmp_path))
    networks, base = Networks(range(3)), _base()
    # zero at first, so that nothing but the regression would count
    torch.nn.init.normal_(networks.weights["head.3.weight"], generator=torch.Generator().manual_seed(1))
    each = trainer.predict(networks, base, range(len(texts)))
    expected = each.mean(axis=1)
    own = {name: value.detach().numpy() for name, value in networks.weights.items()}
    judge = Judge(base | own | {"calibration": np.array([0.5, 0.1, -0.2], dtype=np.float32)})
    asked, read = states.read(question.question), [states.read(text) for text in texts]
    judged = judge.judge(asked, read)
    assert judged.answers.tolist() == pytest.approx(expected[:, 0].tolist(), abs=1e-3)
    assert judged.span.tolist() == pytest.approx(expected[:, 1].tolist(), abs=1e-3)
    odds = expected @ np.array([0.5, 0.1]) - 0.2
    assert judge.probabilities(asked, read) == pytest.approx((1 / (1 + np.exp(-odds))).tolist(), abs=1e-4)
    assert [judge.probabilities(asked, [one])[0] for one in read] == pytest.approx(judge.probabilities(asked, read))
    assert len({round(float(value), 3) for value in each[:, :, 0].ravel()}) == 3 * len(texts)


def test_a_single_network_is_the_same_with_and_without_the_axis_of_networks(tmp_path: Path) -> None:
    question = _question()
    found = Found("small", [question], ["small/d.md"], [Pair(0, 0, TEXT, 0)])
    states = States(found, tmp_path)
    own = {name: value.detach().numpy() for name, value in Networks(range(1)).weights.items()}
    shared = _base() | {"calibration": np.array([1.0, 0.2, 0.0], dtype=np.float32)}
    asked, read = states.read(question.question), [states.read(TEXT)]
    bare = Judge(shared | {name: value[0] for name, value in own.items()})
    assert Judge(shared | own).probabilities(asked, read) == pytest.approx(bare.probabilities(asked, read))


def test_an_empty_passage_says_nothing_for_an_answer_and_takes_nothing_from_its_neighbours(tmp_path: Path) -> None:
    question = _question()
    found = Found("small", [question], ["small/d.md"], [Pair(0, 0, text, 0) for text in (TEXT, "")])
    states = States(found, tmp_path)
    own = {name: value.detach().numpy() for name, value in Networks(range(2)).weights.items()}
    judge = Judge(_base() | own | {"calibration": np.array([1.0, 0.0, 0.0], dtype=np.float32)})
    asked, full, empty = states.read(question.question), states.read(TEXT), states.read("")
    alone = judge.probabilities(asked, [full])
    assert judge.probabilities(asked, [empty, full]) == pytest.approx([1 / (1 + np.exp(4)), *alone])
    assert judge.probabilities(empty, [full]) == pytest.approx([1 / (1 + np.exp(4))])
    assert judge.probabilities(asked, []) == []


def _base() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(0)
    numbers = {"mean": 0.1, "scale": 1.0, "base.weight": 0.05}
    base = {name: value + generator.random(len(FEATURES), dtype=np.float32) / 100 for name, value in numbers.items()}
    return base | {"base.bias": np.float32(-0.3)}
