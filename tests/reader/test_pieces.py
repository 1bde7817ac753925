"""A question and a text become one input: the order of pieces, what is cut, and the ids that MPNet knows."""

from pathlib import Path

import numpy as np
import pytest
import transformers

from rag.adapters.packaged_model import packaged_model
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
