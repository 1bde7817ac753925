"""A head learns what experts say, no more than they do say, and is the same after it was kept."""

import json
from pathlib import Path

import numpy as np
import pytest

from rag.errors import ConfigurationError
from rag.reader.head import Head, fit, load_head, save_head

WIDTH = 40


def _judged(count: int = 400, *, slope: float, seed: int = 1) -> tuple[np.ndarray, np.ndarray, list[bool], list[str]]:
    """Return vectors, logits, labels and groups; the label follows logit + slope * first dimension."""
    chance = np.random.default_rng(seed)
    pooled = chance.normal(size=(count, WIDTH))
    logits = chance.normal(size=count)
    truth = 1 / (1 + np.exp(-(logits + slope * pooled[:, 0])))
    return pooled, logits, (chance.random(count) < truth).tolist(), [f"q{number // 4}" for number in range(count)]


def test_what_the_shipped_logit_does_not_say_is_learned_and_a_kept_head_is_the_same(tmp_path) -> None:
    found = fit(*_judged(slope=2.0), reader="mpnet-reader@1")
    assert found.loss_after < found.loss_before - 0.1
    assert int(np.argmax(np.abs(found.head.weights))) == 0
    assert found.head.weights[0] > 0
    pooled, logits, labels, _ = _judged(slope=2.0, seed=2)  # others than it was fitted on
    before = np.mean((logits > 0) == labels)
    after = np.mean((logits + found.head.logits(pooled) > 0) == labels)
    assert after > before + 0.05
    save_head(tmp_path / "head.json", found.head)
    kept = load_head(tmp_path / "head.json")
    assert (kept.digest, kept.reader) == (found.head.digest, "mpnet-reader@1")
    assert kept.weights == pytest.approx(found.head.weights, abs=1e-6)
    assert kept.bias == pytest.approx(found.head.bias, abs=1e-6)


def test_where_there_is_nothing_to_learn_the_strongest_penalty_leaves_the_reader_nearly_as_it_was() -> None:
    pooled, logits, labels, groups = _judged(slope=0.0)
    found = fit(pooled, logits, labels, groups, reader="r")
    assert found.penalty >= 300
    assert np.abs(found.head.logits(pooled)).max() < 0.5


def test_the_loss_after_is_that_of_groups_held_out() -> None:
    # labels are noise, the same within a group, and groups can be told by their vectors: only a fit that saw a group
    # could know its label
    chance = np.random.default_rng(5)
    centres = chance.normal(size=(30, WIDTH)) * 3
    groups = [f"q{number // 6}" for number in range(180)]
    pooled = np.repeat(centres, 6, axis=0) + chance.normal(size=(180, WIDTH)) / 10
    labels = np.repeat(chance.random(30) < 0.5, 6).tolist()
    found = fit(pooled, np.zeros(180), labels, groups, reader="r")
    assert found.loss_before == pytest.approx(np.log(2))
    assert found.loss_after > 0.6


def test_labels_of_one_kind_or_one_group_teach_nothing() -> None:
    pooled, logits, labels, groups = _judged(count=20, slope=1.0)
    with pytest.raises(ValueError, match="at least two groups"):
        fit(pooled, logits, [True] * 20, groups, reader="r")
    with pytest.raises(ValueError, match="at least two groups"):
        fit(pooled, logits, labels, ["q"] * 20, reader="r")


def test_heads_that_differ_have_different_digests() -> None:
    weights = np.linspace(0, 1, WIDTH)
    heads = [Head(weights, 0.0, "r"), Head(weights, 0.1, "r"), Head(weights + 1, 0.0, "r"), Head(weights, 0.0, "s")]
    assert len({head.digest for head in heads}) == 4


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"version": 0, "reader": "r", "bias": 0, "weights": [1]}']
    + [json.dumps({"version": 1, "reader": "r", "bias": 0, "weights": value}) for value in ("x", [[1]], [None])],
)
def test_a_damaged_head_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "head.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"head\.json.*candor train"):
        load_head(path)
    with pytest.raises(ConfigurationError, match="missing"):
        load_head(tmp_path / "missing.json")
