"""What tests recall of the reader's network is what the network said, and each pair is computed once."""

from pathlib import Path

import numpy as np
import pytest
from recalled import FOLDER, RecallingPairs
from tinyreader import exported, tiny_base

from rag.adapters.mpnet_pairs import MpnetPairs
from rag.reader.pieces import Pair

ASKED = ["Who lit the lamp?", "When?", "Who lit the lamp?"]
TEXTS = ["Ada Lorne lit the lamp.", "It was lit in 1873, when the tower was a year old.", "The office opens at nine."]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(tiny_base(tmp_path_factory.mktemp("base")), tmp_path_factory.mktemp("weights"))


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Pair]:
    """Every pair that a network computes from now on; nothing is known yet."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    pairs: list[Pair] = []
    real = MpnetPairs.run
    monkeypatch.setattr(MpnetPairs, "run", lambda self, asked: pairs.extend(asked) or real(self, asked))
    return pairs


def said(network: MpnetPairs, asked: list[str], texts: list[str]) -> list[list[np.ndarray]]:
    """Return what a network says of each pair, the marks of its own pieces only."""
    pairs = network.cut(asked, texts)
    rows = {}
    for found in network.run(pairs):
        for row, place in enumerate(found.places):
            marks = found.marks[row, : len(pairs[place].ids)]
            one = found.answers[row], found.entails[row], marks, found.pooled[row]
            rows[place] = [np.array(values) for values in one]  # valid until the next are computed
    return [rows[place] for place in range(len(pairs))]


def test_each_pair_is_computed_once_for_these_weights_in_this_precision_and_recalled_as_it_was_said(
    weights: Path, computed: list[Pair], tmp_path: Path
) -> None:
    exact = said(MpnetPairs(weights, precision="float32"), ASKED, TEXTS)
    computed.clear()
    for count in (2, 3, 3):
        recalled = said(RecallingPairs(weights, precision="float32"), ASKED[:count], TEXTS[:count])
        for one, other in zip(recalled, exact, strict=False):
            for mine, networks in zip(one, other, strict=True):
                np.testing.assert_allclose(mine, networks, atol=1e-5)
    assert len(computed) == 3
    others = exported(tiny_base(tmp_path / "base"), tmp_path / "others", seed=4)
    said(RecallingPairs(others, precision="float32"), ASKED[:1], TEXTS[:1])
    said(RecallingPairs(weights, precision="bfloat16"), ASKED[:1], TEXTS[:1])
    assert len(computed) == 5
