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
from training.network import Network
from training.pairs import GOLD, Found, Pair, label, overlap
from training.states import States, features
from training.together import joined, mean_scores
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


def test_the_shipped_judge_computes_what_the_trained_networks_do(tmp_path: Path) -> None:
    question = _question()
    texts = [TEXT[:45], TEXT[46:], "Rain fell on the quay. Nobody had a coat.", "Rain", "It rains"]
    found = Found("small", [question], ["small/d.md"], [Pair(0, 0, text, 0) for text in texts])
    states = States(found, tmp_path)
    trainer = Trainer(found, states, features(found, states, tmp_path))
    expected, networks = [], []
    for seed in (0, 1):
        base = _base(seed)
        torch.manual_seed(seed)
        network = Network()
        torch.nn.init.normal_(network.head[3].weight)  # zero at first, so that nothing but the regression would count
        expected.append(trainer.predict(network, base, range(len(texts))))
        own = {name: value.detach().numpy() for name, value in network.state_dict().items()}
        networks.append(base | own | {"calibration": np.array([0.5, 0.1, -0.2 * seed], dtype=np.float32)})
    judge, asked = Judge(joined(networks)), states.read(question.question)
    for number, text in enumerate(texts):
        judged = judge.judge(asked, states.read(text))
        assert judged.answers.tolist() == pytest.approx([one[number, 0] for one in expected], abs=1e-3)
        assert judged.span.tolist() == pytest.approx([one[number, 1] for one in expected], abs=1e-3)
        odds = judged.answers * 0.5 + judged.span * 0.1 - np.array([0.0, 0.2])
        assert judge.probability(asked, states.read(text)) == pytest.approx((1 / (1 + np.exp(-odds))).mean(), abs=1e-4)
    assert len({round(float(value), 3) for one in expected for value in one[:, 0]}) == 2 * len(texts)


def _base(seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    numbers = {"mean": 0.1, "scale": 1.0, "base.weight": 0.05}
    base = {name: value + generator.random(len(FEATURES), dtype=np.float32) / 100 for name, value in numbers.items()}
    return base | {"base.bias": np.float32(-0.3)}


def test_scores_are_the_mean_of_the_networks_for_each_window_and_the_best_of_these() -> None:
    one = {"a": {"qid": "a", "score": 0.8, "scores": [0.2, 0.8]}, "b": {"qid": "b", "score": 0.5, "scores": [0.5]}}
    other = {"a": {"qid": "a", "score": 0.6, "scores": [0.6, 0.1]}}
    (line,) = mean_scores([one, other])  # b was judged by one network only
    assert line == {"qid": "a", "score": pytest.approx(0.45), "scores": pytest.approx([0.4, 0.45])}
