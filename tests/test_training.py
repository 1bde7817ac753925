"""Public examples are marked; a training goes on where it was cut off; what was trained is what ships."""

import gzip
import json
from itertools import cycle, islice
from pathlib import Path

import pytest
import torch
from tinyreader import tiny_base

from rag.adapters.mpnet_pairs import MpnetPairs
from rag.adapters.packaged_model import packaged_model
from rag.adapters.reader import MpnetEntailment, MpnetReader
from rag.protocols import ReadingText
from rag.reader.pieces import PieceReader
from training import export as exporting
from training.answer import Answering
from training.batches import Row, steps
from training.claims import CONTRADICTED, NOT_SUPPORTED, SUPPORTED, Claim
from training.entail import Entailing, entailment_loss
from training.examples import Example, Text, kept, public_examples
from training.export import trained_network
from training.loop import Loop, Step
from training.network import FROZEN, HEADS, PairReader
from training.train import load_examples

HOIST = "The hoist lifts 240 kg. It is checked in May. The winch lifts 900 kg."


def _public(path: Path, **row: object) -> list[Example]:
    usual = {"source": "qamr", "group": "g", "question": "When is it checked?", "passage": HOIST, "answers": ["May"]}
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.write(json.dumps({**usual, "answerable": True, "answer_start": None, **row}) + "\n")
    return list(public_examples(path))


def test_the_sentence_around_a_public_answer_is_marked_and_sources_of_the_weakest_licence_are_left_out(tmp_path):
    (found,) = _public(tmp_path / "qa.gz", answer_start=HOIST.index("May"))
    (right,) = found.right
    assert [right.passage[start:end].strip() for start, end in right.spans] == ["It is checked in May."]
    assert _public(tmp_path / "qa.gz", source="squadshifts-reddit") == []


def _example(question: str, *, source: str = "everyday") -> Example:
    right = (Text(f"{question} {HOIST}", ((0, len(question)),)),)
    others = tuple(Text(f"{question} is not said in text {number}.") for number in range(4))
    return Example(source, question, (question,), right, near=others[:2], same=others[2:], other=others[:1])


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work" / "examples"
    for name in ("everyday_rules", "everyday_home", "own_farms", "public"):
        kept(folder / f"{name}.pickle", lambda name=name: [_example(name, source="qamr"), _example(f"{name} 2")])
    return folder.parent


@pytest.fixture(scope="module")
def pieces():
    return PieceReader(packaged_model() / "tokenizer.json")


def _claims(count: int) -> list[Claim]:
    """Claims of a hoist, half of them twisted; of every fourth nobody knows how."""
    labels = (SUPPORTED, CONTRADICTED, SUPPORTED, NOT_SUPPORTED)
    return [
        Claim(f"The hoist lifts {240 if labels[n % 4] == SUPPORTED else 950} kg.", HOIST, labels[n % 4], "fm2")
        for n in range(count)
    ]


def _trained(work: Path, base: Path, pieces: PieceReader, *, steps_at_most: int = 9999, minutes: float = 1) -> Loop:
    """Take the same two steps in turn, one of questions and one of claims, until the time or the steps are spent."""
    network = PairReader(base)
    loop = Loop(work, network, heads=HEADS, minutes=minutes)
    rows = next(steps(*load_examples(work / "examples", []), seed=2))
    two = Step(Answering(network, pieces).take, rows), Step(Entailing(network, pieces).take, _claims(8))
    loop.run(islice(cycle(two), steps_at_most))
    return loop


def _logged(work: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (work / "train.jsonl").read_text(encoding="utf-8").splitlines()]


def test_steps_lower_every_loss_and_leave_the_lowest_layers_alone(work, base, pieces):
    before = {name: one.detach().clone() for name, one in PairReader(base).named_parameters()}
    loop = _trained(work, base, pieces, steps_at_most=60)
    lines = _logged(work)
    for name in ("pairs", "lists", "marks", "claims"):
        losses = [line[name] for line in lines if name in line]
        assert losses[-1] < losses[0]
    lowest = tuple(f"body.encoder.layer.{layer}." for layer in range(FROZEN))
    assert not any(name.startswith(lowest) for name in loop.masters)
    changed = [name for name, one in loop.masters.items() if not torch.equal(one, before[name])]
    assert {name.split(".")[0] for name in changed} == {"answers", "marks", "entails", "body"}


def test_a_training_goes_on_where_it_was_cut_off(work, base, pieces):
    first = _trained(work, base, pieces, minutes=0.02)
    again = _trained(work, base, pieces, minutes=0.02)  # its time was spent
    assert (again.step, again.spent) == (first.step, first.spent)
    assert again.step > 0
    for name, one in first.masters.items():
        assert torch.equal(again.masters[name], one)
    assert [line["step"] for line in _logged(work)] == list(range(1, first.step + 1))


def test_what_was_trained_is_what_the_product_reads_and_judges_with(work, base, pieces, tmp_path, monkeypatch):
    _trained(work, base, pieces, steps_at_most=10, minutes=60)
    arguments = ["export", "--checkpoint", str(work / "checkpoint.pt"), "--base", str(base), "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", [*arguments, "--temperature", "2"])
    exporting.main()
    described = json.loads((tmp_path / "reader.json").read_text(encoding="utf-8"))
    checkpoint = torch.load(work / "checkpoint.pt", weights_only=True)
    assert described["training"]["steps"] == checkpoint["step"] == 10
    network = trained_network(checkpoint["masters"], base)
    shipped = MpnetPairs(tmp_path, precision="float32")
    texts = (HOIST, "Rain fell on the quay.")
    found = MpnetReader(shipped).reading("When is the hoist checked?", [ReadingText("", one, ()) for one in texts])
    verdicts = MpnetEntailment(shipped).judge([(one.claim, one.evidence) for one in _claims(2)])
    rows = [Row("When is the hoist checked?", Text(one), False, 0) for one in texts]
    with torch.inference_mode():
        answers, *_ = Answering(network, pieces).judge(rows)
        entails = Entailing(network, pieces).judge(_claims(2))
    assert found.logits == pytest.approx(answers.numpy(), abs=0.1)
    for verdict, logits in zip(verdicts, entails, strict=True):
        assert verdict == pytest.approx((logits / 2).softmax(dim=0)[:2].tolist(), abs=0.05)


def test_of_a_claim_that_is_not_supported_either_label_will_do_and_another_networks_checkpoint_is_refused(base):
    """Equal logits give each label 1/3: -ln(1/3) = 1.0986 where it is known, -ln(2/3) = 0.4055 where it is not."""
    logits = torch.zeros(2, 3)
    assert float(entailment_loss(logits[:1], torch.tensor([SUPPORTED]))) == pytest.approx(1.0986, abs=1e-4)
    assert float(entailment_loss(logits[:1], torch.tensor([NOT_SUPPORTED]))) == pytest.approx(0.4055, abs=1e-4)
    both = torch.tensor([CONTRADICTED, NOT_SUPPORTED])
    assert float(entailment_loss(logits, both)) == pytest.approx(0.7520, abs=1e-4)
    with pytest.raises(SystemExit, match=r"only one of them has 'answers.bias'"):
        trained_network({"answers.weight": torch.zeros(1, 64)}, base)
