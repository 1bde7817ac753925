"""What the reader reads, piece by piece; and a head that learns what experts say, no more than they do say."""

import json
from pathlib import Path

import numpy as np
import pytest
import transformers

from rag.adapters.packaged_model import packaged_model
from rag.errors import ConfigurationError
from rag.reader.head import Head, fit, load_head, save_head
from rag.reader.pieces import MAX_PIECES, QUESTION_PIECES, SHIFT, PieceReader, Pieces, pad, pair


@pytest.fixture(scope="module")
def pieces() -> PieceReader:
    return PieceReader(packaged_model() / "tokenizer.json")


def _pieces(count: int, first: int = 1000) -> Pieces:
    return Pieces(tuple(range(first, first + count)), tuple((place, place + 1) for place in range(count)))


def test_question_and_text_stand_between_special_pieces_cut_and_padded_to_a_multiple_of_sixteen() -> None:
    found = pair(_pieces(2), _pieces(3, first=2000))
    assert found.ids == (0, 1000, 1001, 2, 2, 2000, 2001, 2002, 2)
    assert (found.ids[found.first], found.spans) == (2000, ((0, 1), (1, 2), (2, 3)))
    long = pair(_pieces(300), _pieces(300, first=2000))
    assert len(long.ids) == MAX_PIECES == 176
    assert (long.first, long.ids[long.first - 2 : long.first], long.ids[-1]) == (QUESTION_PIECES + 3, (2, 2), 2)
    assert len(long.spans) == 176 - 64 - 4
    ids, mask = pad([found, pair(_pieces(2), _pieces(11))])  # 9 and 17 pieces
    assert (ids.shape, mask.sum(axis=1).tolist()) == ((2, 32), [9, 17])
    assert (ids[0, 9:] == 1).all()
    assert ids.dtype == mask.dtype == np.int64


def test_a_text_is_cut_as_mpnets_own_tokenizer_cuts_it(pieces: PieceReader, tmp_path: Path) -> None:
    own = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
    words = (packaged_model() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    vocabulary = own | {word: place for place, word in enumerate(words, start=len(own))} | {"<mask>": 30526}
    mpnet = transformers.MPNetTokenizer(vocab=vocabulary)
    texts = ["Naïve café: 3.5 mg/day, at most 2×!", "UNBREAKABLE glasses\tcost €12", "\u4e2d\u6587 zzzxq 🙂", ""]
    for text, found in zip(texts, pieces.read(texts), strict=True):
        assert list(found.ids) == mpnet(text, add_special_tokens=False)["input_ids"]


def test_special_pieces_written_in_a_text_are_plain_text(pieces: PieceReader) -> None:
    (found,) = pieces.read(["end [SEP] of </s> line"])
    assert not {0, 1, 2} & set(found.ids)
    assert 102 + SHIFT not in found.ids  # BERT's [SEP]
    assert [found.spans[0], found.spans[-1]] == [(0, 3), (18, 22)]


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
