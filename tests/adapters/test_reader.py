"""The shipped reader: its network computes what torch does, its weights are checked, marks are those of sentences."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from at_once import at_once
from safetensors.numpy import load_file
from tinyreader import exported, tiny_base

from rag.adapters import mpnet_pairs as pairs_module
from rag.adapters.mpnet_pairs import MpnetPairs
from rag.adapters.openvino_graphs import plain
from rag.adapters.packaged_model import packaged_model
from rag.adapters.reader import MpnetReader
from rag.errors import ConfigurationError, EmbedderUnavailable
from rag.protocols import Judgement, ReadingText
from rag.reader.head import Head
from rag.reader.pieces import MAX_PIECES, PieceReader, pad, pair
from training.network import PairReader

QUESTION = "Who designed the lighthouse on Skerry Point?"
ANSWERS = "The lighthouse on Skerry Point was designed by Ada Lorne. It was lit in 1873."
OTHER = "The harbour office opens at nine. Boats are rented by the hour."
LONG = " ".join(f"Keeper number {number} lit the lamp at dusk." for number in range(60))


def text(content: str, place: str = "") -> ReadingText:
    """Return a text to read; its sentences end with full stops."""
    ends = [index + 1 for index, ch in enumerate(content) if ch == "."]
    starts = [0, *(end + 1 for end in ends)]
    return ReadingText(place, content, tuple(zip(starts, ends, strict=False)))


TEXTS = [text(ANSWERS), text(OTHER, place="The harbour > Hours"), text(LONG), text("Lit."), text(f"{OTHER} {ANSWERS}")]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def weights(base, tmp_path_factory):
    return exported(base, tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def reader(weights):
    return MpnetReader(MpnetPairs(weights, precision="float32"))


@pytest.fixture(scope="module")
def network(base, weights):
    """The same network in torch, with the numbers that the shipped integers stand for."""
    tensors = {name: one for path in weights.glob("*.safetensors") for name, one in load_file(path).items()}
    made = PairReader(base).eval()
    with torch.no_grad():
        for name, one in made.named_parameters():
            one.copy_(torch.from_numpy(plain(tensors, name.removeprefix("body."))))
    return made


def chance(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


def test_logits_marks_and_pooled_vectors_are_those_of_torch(reader, network):
    found = reader.reading(QUESTION, TEXTS)
    pieces = PieceReader(packaged_model() / "tokenizer.json")
    asked, *said = pieces.read([QUESTION, *(one.passage for one in TEXTS)])
    pairs = [pair(asked, one) for one in said]
    assert max(len(one.ids) for one in pairs) == MAX_PIECES  # the long one was cut
    ids, mask = pad(pairs)
    with torch.inference_mode():
        answers, marks, _, pooled = network(torch.from_numpy(ids), torch.from_numpy(mask))
    assert found.logits == pytest.approx(answers.numpy(), abs=2e-3)
    assert found.pooled == pytest.approx(pooled.numpy(), abs=2e-3)
    for row, one in enumerate(pairs):
        expected = marks[row, one.first : one.first + len(one.spans)].numpy()
        assert found.marks[row] == pytest.approx(expected, abs=2e-3)
    assert np.ptp(found.logits) > 0.5  # texts differ by far more than what is allowed


@pytest.mark.parametrize("precision", ["int8", "bfloat16"])
def test_fewer_bits_change_a_probability_little(weights, reader, precision):
    exact = [one.probability for one in reader.read(QUESTION, TEXTS)]
    found = [one.probability for one in MpnetReader(MpnetPairs(weights, precision=precision)).read(QUESTION, TEXTS)]
    assert found == pytest.approx(exact, abs=0.1)


def test_a_judgement_does_not_depend_on_the_company_of_other_texts_or_the_thread(reader):
    alone = [found for one in TEXTS for found in reader.read(QUESTION, [one])]
    together: list[list[Judgement]] = []
    at_once(*[lambda: together.append(reader.read(QUESTION, TEXTS * 4))] * 4)
    for found in together:
        assert [one.probability for one in found] == pytest.approx([one.probability for one in alone] * 4, abs=1e-3)
        marks = [mark for one in alone * 4 for mark in one.marks]
        assert [mark for one in found for mark in one.marks] == pytest.approx(marks, abs=1e-3)


def test_nothing_to_read_is_no_error(reader):
    assert reader.read(QUESTION, []) == []
    assert reader.reading(QUESTION, []).pooled.shape == (0, 64)
    odd = reader.read("?", [text(""), text("   "), ReadingText("", "of the", ())])
    assert all(0 <= one.probability <= 1 and one.marks == () for one in odd)


def test_a_sentence_is_marked_by_the_mean_of_its_own_pieces_and_one_that_was_cut_off_by_0(reader):
    one = text("Lit. Rented by hour.", place="Boats")
    (found,) = reader.read(QUESTION, [one])
    logits = reader.reading(QUESTION, [one]).marks[0]
    # boats | lit . | rented by hour .
    assert len(logits) == 7
    chances = [chance(value) for value in logits]
    assert found.marks == pytest.approx([sum(chances[1:3]) / 2, sum(chances[3:]) / 4], abs=1e-5)
    (found,) = reader.read(QUESTION, [text(LONG)])
    assert (len(found.marks), found.marks[-1]) == (60, 0.0)
    assert 0 < found.marks[0] < 1


def test_a_trained_head_is_added_to_the_shipped_logit_and_one_of_another_reader_refused(weights, reader):
    plain_one = reader.reading(QUESTION, TEXTS)
    head = Head(np.linspace(-0.1, 0.1, 64), 0.3, reader.name)
    corrected = MpnetReader(MpnetPairs(weights, precision="float32"), head=head)
    expected = plain_one.logits + plain_one.pooled @ np.linspace(-0.1, 0.1, 64) + 0.3
    found = corrected.reading(QUESTION, TEXTS)
    assert found.logits == pytest.approx(expected, abs=1e-3)
    assert found.pooled == pytest.approx(plain_one.pooled, abs=1e-5)
    assert [one.probability for one in corrected.read(QUESTION, TEXTS)] == pytest.approx(
        [chance(value) for value in expected], abs=1e-3
    )
    with pytest.raises(ConfigurationError, match=r"fitted on the reader 'other@1'.*Run 'candor train' again"):
        MpnetReader(MpnetPairs(weights), head=Head(np.zeros(64), 0.0, "other@1"))


def copied(weights: Path, folder: Path) -> Path:
    return Path(shutil.copytree(weights, folder / "weights"))


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("reader.json", None, "No such file"),
        ("reader-1.safetensors", None, "No such file"),
        ("reader-2.safetensors", b"changed", "SHA-256"),
        *(("reader.json", content, "") for content in (b"not json", b"[]", b'{"version": 99}', b'{"version": 2}')),
    ],
)
def test_weights_that_are_missing_changed_or_badly_described_are_named(weights, tmp_path, file, content, told):
    folder = copied(weights, tmp_path)
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_bytes(content)
    with pytest.raises(ConfigurationError, match=rf"{file}.*{told}.*Reinstall Candor"):
        MpnetReader(MpnetPairs(folder)).read(QUESTION, TEXTS)


def test_a_processor_that_computes_something_else_is_found_out(weights, tmp_path):
    folder = copied(weights, tmp_path)
    described = json.loads((folder / "reader.json").read_text(encoding="utf-8"))
    probe = described["probes"][0]
    (found,) = MpnetReader(MpnetPairs(weights)).read(probe["asked"], [ReadingText("", probe["text"], ())])
    probe["logit"] = -5.0 if found.probability > 0.5 else 5.0  # as if torch had computed that
    (folder / "reader.json").write_text(json.dumps(described), encoding="utf-8")
    with pytest.raises(EmbedderUnavailable, match=r"wrong probabilities in float32.*CANDOR_READER_MODEL"):
        MpnetReader(MpnetPairs(folder)).read(QUESTION, TEXTS)


@pytest.mark.parametrize("trouble", ["wrong", "failing"])
def test_where_8_bits_cannot_be_used_float32_is_taken(weights, monkeypatch, trouble):
    build, infer, broken = pairs_module.build_reader, pairs_module.infer, []

    def built(*args: object, eight_bits: bool, **options: object) -> object:
        broken[:] = [eight_bits]
        return build(*args, eight_bits=eight_bits, **options)

    def inferred(request: object, given: object) -> object:
        if not broken[0]:
            return infer(request, given)
        if trouble == "failing":
            raise RuntimeError("no primitive for these integers")
        return [np.full(shape, np.nan) for shape in ((1, 1), (1, 8, 1), (1, 3), (1, 64))]

    monkeypatch.setattr(pairs_module, "build_reader", built)
    monkeypatch.setattr(pairs_module, "infer", inferred)
    monkeypatch.setattr(pairs_module, "reading_precision", lambda *_: "int8")
    one = MpnetReader(MpnetPairs(weights))
    assert len(one.read(QUESTION, TEXTS)) == len(TEXTS)
    assert one.precision == "float32"


def test_a_network_that_fails_in_a_precision_or_on_texts_says_what_to_set(weights, reader, monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("bad allocation")

    reader.read(QUESTION, TEXTS)
    monkeypatch.setattr(pairs_module, "infer", fail)
    for one, told in (
        (MpnetReader(MpnetPairs(weights, precision="int8")), "fails in int8: bad allocation"),
        (reader, r"on 1 texts: bad allocation\."),
    ):
        with pytest.raises(EmbedderUnavailable, match=f"{told}.*CANDOR_EMBEDDING_PRECISION=float32"):
            one.read(QUESTION, TEXTS[:1])


@pytest.fixture(scope="module")
def shipped():
    return MpnetReader(MpnetPairs())  # computes each time, see `recalled`


def test_the_shipped_network_finds_an_answering_text_likelier_and_judges_the_same_in_every_precision(shipped):
    found = shipped.read(QUESTION, TEXTS)
    assert found[1].probability < 0.2 < found[0].probability
    assert [len(one.marks) for one in found[:2]] == [2, 2]
    exact = MpnetReader(MpnetPairs(precision="float32")).read(QUESTION, TEXTS)
    assert [one.probability for one in found] == pytest.approx([one.probability for one in exact], abs=0.1)
