"""What the reader is trained on is labelled by the text; a training goes on where it was cut off; its weights ship."""

import gzip
import json
from collections.abc import Sequence
from itertools import repeat
from pathlib import Path

import numpy as np
import pytest
import torch
from tinyreader import exported, tiny_base

from rag.adapters.entailment import MpnetEntailment
from rag.adapters.packaged_model import packaged_model
from rag.adapters.reader import MpnetReader
from rag.errors import ConfigurationError
from rag.protocols import ReadingText, Span
from rag.reader.pieces import PieceReader
from training import export as exporting
from training import export_entailment
from training.batches import Encoder, Row, exchanged, grouped, steps
from training.claims import (
    CONTRADICTED,
    NOT_SUPPORTED,
    ORDINARY,
    OWN,
    PUBLIC,
    SUPPORTED,
    WRITTEN,
    Claim,
    batches,
    is_held_out,
    own_claims,
    public_claims,
    written_claims,
)
from training.claims import steps as claim_steps
from training.entail import Trainer as EntailmentTrainer
from training.entail import entailment_loss
from training.examples import Example, Text, folder_examples, kept, public_examples
from training.export import in_8_bits, parts, trained_network
from training.export_entailment import trained_entailment
from training.loop import Loop
from training.network import ENTAILMENT_HEADS, FROZEN, READER_HEADS, SHARED, EntailmentNetwork
from training.train import Trainer, load_examples

HOIST = "The hoist lifts 240 kg. It is checked in May. The winch lifts 900 kg."


class Words:
    """An embedder that counts words: texts that share many are near."""

    fingerprint, dimension = "words", 64

    class pieces:  # noqa: N801 (stands in for a tokenizer)
        max_pieces = 256

        @staticmethod
        def spans(text: str) -> list[Span]:
            return [(at, at + len(word)) for word in text.split() for at in [text.find(word)]]

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                vectors[row, sum(map(ord, word.strip(".?"))) % self.dimension] += 1
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def _folder(home: Path, rows: Sequence[dict[str, object]]) -> Path:
    (home / "documents").mkdir(parents=True)
    filler = "\n\n".join(
        " ".join(f"Line {part} of paragraph {number} tells of the quay and its boats at length." for part in range(8))
        for number in range(6)
    )
    (home / "documents" / "hoist.md").write_text(f"# Hoist\n\n{HOIST}\n\n{filler}\n", encoding="utf-8")
    (home / "documents" / "other.md").write_text(f"# Other\n\n{filler.replace('quay', 'mill')}\n", encoding="utf-8")
    (home / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return home


# --- examples ---


def test_a_window_with_the_gold_sentence_is_right_and_the_sentence_is_marked(tmp_path: Path) -> None:
    row = {
        "question": "When is the hoist checked?",
        "variants": ["Checked when?"],
        "answerable": True,
        "document": "hoist.md",
        "gold": ["It is **checked** in May."],  # gold is written as the file has it
    }
    (found,) = folder_examples(_folder(tmp_path, [row]), Words(), source="s")
    (right,) = found.right
    assert [right.passage[start:end].rstrip(".") for start, end in right.spans] == ["It is checked in May"]
    assert found.questions == ("When is the hoist checked?", "Checked when?")
    assert found.group == "s/hoist.md"
    assert found.same
    assert found.other
    assert all("checked" not in one.passage for one in found.same)
    assert all("mill" in one.passage for one in found.other)


def test_near_sentences_of_an_unanswerable_question_come_as_near_texts(tmp_path: Path) -> None:
    row = {
        "question": "Who checks the hoist?",
        "answerable": False,
        "document": "hoist.md",
        "gold": [],
        "near": ["It is checked in May."],
    }
    (found,) = folder_examples(_folder(tmp_path, [row]), Words(), source="s")
    assert found.right == ()
    assert "It is checked in May." in found.near[0].passage


def test_a_question_whose_gold_text_is_nowhere_is_left_out(tmp_path: Path) -> None:
    row = {"question": "Why?", "answerable": True, "document": "hoist.md", "gold": ["It rests on Sundays only."]}
    assert folder_examples(_folder(tmp_path, [row]), Words(), source="s") == []


def _public(path: Path, **row: object) -> list[Example]:
    usual = {"source": "qamr", "group": "g", "question": "When is it checked?", "passage": HOIST, "answers": ["May"]}
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.write(json.dumps({**usual, "answerable": True, "answer_start": None, **row}) + "\n")
    return list(public_examples(path))


def test_the_sentence_around_a_public_answer_is_marked(tmp_path: Path) -> None:
    (found,) = _public(tmp_path / "qa.gz", answer_start=HOIST.index("May"))
    (right,) = found.right
    assert [right.passage[start:end].strip() for start, end in right.spans] == ["It is checked in May."]


def test_sources_of_the_weakest_licence_are_left_out(tmp_path: Path) -> None:
    assert _public(tmp_path / "qa.gz", source="squadshifts-reddit") == []


def test_what_was_made_before_is_not_made_again(tmp_path: Path) -> None:
    made = [_example("q")]
    assert kept(tmp_path / "new" / "a.pickle", lambda: made) == made
    assert kept(tmp_path / "new" / "a.pickle", lambda: pytest.fail("it was made again")) == made


# --- steps and batches ---


def _example(question: str, *, source: str = "everyday", answerable: bool = True) -> Example:
    right = (Text(f"{question} {HOIST}", ((0, len(question)),)),) if answerable else ()
    others = tuple(Text(f"{question} is not said in text {number}.") for number in range(4))
    return Example(source, question, (question,), right, near=others[:2], same=others[2:], other=others[:1])


def test_a_step_has_lists_of_every_kind_and_begins_each_with_the_right_text() -> None:
    everyday = [_example(f"everyday {number}", answerable=number % 3 > 0) for number in range(9)]
    public, own = [_example("public", source="qamr")], [_example("own")]
    rows = next(steps(everyday, public, own, seed=1))
    first = {row.list_number: row for row in reversed(rows)}
    asked = [first[number].question.split()[0] for number in sorted(first)]
    assert asked == ["everyday"] * 5 + ["public"] + ["own"] * 2
    for places in grouped(rows).values():
        assert [rows[place].right for place in places] == [True] + [False] * (len(places) - 1)


def test_every_everyday_question_comes_once_before_one_comes_again() -> None:
    everyday = [_example(f"q{number}") for number in range(20)]
    dealt = steps(everyday, [_example("public", source="qamr")], [_example("own")], seed=1)
    asked = [question for _ in range(4) for question in dict.fromkeys(row.question for row in next(dealt))]
    assert sorted(one for one in asked if one.startswith("q")) == sorted(one.questions[0] for one in everyday)


def test_a_text_that_answers_does_not_answer_with_another_name_in_the_question() -> None:
    question, passage = "Which gloves are worn for acetone?", "For acetone butyl gloves are worn."
    assert exchanged(question, passage, "When is toluene sold?") == "Which gloves are worn for toluene?"
    assert exchanged(question, passage, "Are gloves worn?") is None  # the passage has all of its words
    assert exchanged("Why?", passage, "When is toluene sold?") is None


def test_pieces_of_the_answer_are_marked_and_those_of_wrong_texts_are_not_asked_for() -> None:
    pieces = PieceReader(packaged_model() / "tokenizer.json")
    rows = [
        Row("When?", Text("In May. In June.", ((0, 7),)), True, 0),
        Row("When?", Text("In July it rained and in August it rained even more."), False, 0),
        Row("When?", Text("All of this answers."), True, 1),
    ]
    (batch,) = Encoder(pieces).batches(rows)
    marks = {index: batch.marks[line].tolist() for line, index in enumerate(batch.rows)}
    # <s> when ? </s> </s> in may . in june . </s>
    assert marks[0][:12] == [-1] * 5 + [1] * 3 + [0] * 3 + [-1]
    assert set(marks[1]) == set(marks[2]) == {-1}  # of the third nobody knows which part
    assert batch.labels.tolist() == [float(rows[index].right) for index in batch.rows]


# --- training and export ---


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "examples"
    for name in ("everyday_rules", "everyday_home", "own_farms", "public"):
        kept(folder / f"{name}.pickle", lambda name=name: [_example(name, source="qamr"), _example(f"{name} 2")])
    return folder.parent


def test_a_folder_held_out_is_not_seen(work: Path) -> None:
    everyday, public, own = load_examples(work / "examples", ["rules"])
    assert {one.group for one in everyday} == {"everyday_home", "everyday_home 2"}
    assert len(public) == len(own) == 2


def _trained(work: Path, base: Path) -> Loop:
    """Train for a second or so, all runs together."""
    trainer = Trainer(base, None)
    loop = Loop(work, trainer.network, heads=READER_HEADS, minutes=0.02)
    loop.run(steps(*load_examples(work / "examples", []), loop.step), trainer.take)
    return loop


def test_steps_lower_the_loss_and_leave_the_lower_layers_alone(work: Path, base: Path) -> None:
    trainer = Trainer(base, None)
    loop = Loop(work, trainer.network, heads=READER_HEADS, minutes=1)
    before = {name: one.clone() for name, one in trainer.network.named_parameters()}
    rows = next(steps(*load_examples(work / "examples", []), seed=2))
    loop.run(repeat(rows, 30), trainer.take)
    losses = [json.loads(line) for line in (work / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    for name in ("pairs", "lists", "marks"):
        assert losses[-1][name] < losses[0][name]
    changed = {name for name, one in trainer.network.named_parameters() if not torch.equal(one, before[name])}
    assert changed
    assert all(name.startswith(("answers", "marks", f"body.encoder.layer.{FROZEN}.")) for name in changed)


def test_a_training_goes_on_where_it_was_cut_off(work: Path, base: Path) -> None:
    first = _trained(work, base)
    again = _trained(work, base)  # its time was spent
    assert (again.step, again.spent) == (first.step, first.spent)
    assert again.step > 0
    for name, one in first.masters.items():
        assert torch.equal(again.masters[name], one)
    lines = [json.loads(line) for line in (work / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["step"] for line in lines] == list(range(1, first.step + 1))


def test_what_was_trained_is_what_the_product_reads_with(
    work: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _trained(work, base)
    arguments = ["export", "--checkpoint", str(work / "checkpoint.pt"), "--base", str(base), "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", arguments)
    exporting.main()
    described = json.loads((tmp_path / "reader.json").read_text(encoding="utf-8"))
    checkpoint = torch.load(work / "checkpoint.pt", weights_only=True)
    assert described["training"]["steps"] == checkpoint["step"]
    network = trained_network(checkpoint["masters"], base)
    pieces = PieceReader(packaged_model() / "tokenizer.json")
    rows = [Row("When is the hoist checked?", Text(text), False, 0) for text in (HOIST, "Rain fell on the quay.")]
    found = MpnetReader(tmp_path, precision="float32").reading(
        rows[0].question, [ReadingText("", row.text.passage, ()) for row in rows]
    )
    for batch in Encoder(pieces).batches(rows):
        with torch.inference_mode():
            answers, _, _ = network(batch.ids, batch.mask)
        for line, index in enumerate(batch.rows):
            assert float(found.logits[index]) == pytest.approx(float(answers[line]), abs=0.1)


def test_a_checkpoint_of_another_network_is_refused(base: Path) -> None:
    with pytest.raises(SystemExit, match=r"only one of them has 'answers.bias'"):
        trained_network({"answers.weight": torch.zeros(1, 64)}, base)


def _claims(count: int) -> list[Claim]:
    """Claims of a hoist, half of them twisted; of every fourth nobody knows how."""
    labels = (SUPPORTED, CONTRADICTED, SUPPORTED, NOT_SUPPORTED)
    return [
        Claim(f"The hoist lifts {240 if labels[n % 4] == SUPPORTED else 950} kg.", HOIST, labels[n % 4], "fm2")
        for n in range(count)
    ]


def test_entailment_learns_and_leaves_the_readers_layers_alone(tmp_path: Path) -> None:
    base = tiny_base(tmp_path / "base", layers=SHARED + 1)
    trainer = EntailmentTrainer(base, exported(base, tmp_path / "reader"))
    loop = Loop(tmp_path, trainer.network, heads=ENTAILMENT_HEADS, minutes=1)
    before = {name: one.clone() for name, one in trainer.network.named_parameters()}
    loop.run(repeat(_claims(8), 30), trainer.take)
    lines = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines[-1]["loss"] < lines[0]["loss"]
    changed = {name for name, one in trainer.network.named_parameters() if not torch.equal(one, before[name])}
    assert changed
    assert all(name.startswith(("entails", f"body.encoder.layer.{SHARED}.")) for name in changed)


def test_the_entailment_that_was_trained_is_what_the_product_judges_with(tmp_path: Path) -> None:
    base = tiny_base(tmp_path / "base", layers=SHARED + 1)
    reader = exported(base, tmp_path / "reader")
    trainer = EntailmentTrainer(base, reader)
    loop = Loop(tmp_path, trainer.network, heads=ENTAILMENT_HEADS, minutes=1)
    loop.run(repeat(_claims(8), 5), trainer.take)
    arguments = ["export", "--checkpoint", str(tmp_path / "checkpoint.pt"), "--base", str(base), "--out", str(reader)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.argv", arguments)
        export_entailment.main()
    found = MpnetEntailment(reader, precision="float32").judge([(one.claim, one.evidence) for one in _claims(2)])
    network = trained_entailment(loop.masters, base, reader)
    for one, verdict in zip(_claims(2), found, strict=True):
        ((_, ids, mask),) = batches(trainer.pieces, [one])
        with torch.inference_mode():
            supported, contradicted, _ = network(ids, mask)[0].softmax(dim=0).tolist()
        assert verdict == pytest.approx((supported, contradicted), abs=0.05)


def test_entailment_that_stands_on_another_reader_is_refused(tmp_path: Path) -> None:
    base = tiny_base(tmp_path / "base", layers=SHARED + 1)
    reader = exported(base, tmp_path / "reader")
    export_entailment.export_entailment(EntailmentNetwork(base), reader, temperature=1.0, training={})
    exported(base, reader, seed=4)
    with pytest.raises(ConfigurationError, match=r"it stands on the reader 'mpnet-reader@\w+', and this is"):
        MpnetEntailment(reader).judge([("Rain fell.", "Rain fell.")])


def test_of_a_claim_that_is_not_supported_either_label_will_do() -> None:
    """Equal logits give each label 1/3: -ln(1/3) = 1.0986 where it is known, -ln(2/3) = 0.4055 where it is not."""
    logits = torch.zeros(2, 3)
    assert float(entailment_loss(logits[:1], torch.tensor([SUPPORTED]))) == pytest.approx(1.0986, abs=1e-4)
    assert float(entailment_loss(logits[:1], torch.tensor([NOT_SUPPORTED]))) == pytest.approx(0.4055, abs=1e-4)
    both = torch.tensor([CONTRADICTED, NOT_SUPPORTED])
    assert float(entailment_loss(logits, both)) == pytest.approx(0.7520, abs=1e-4)


def test_claims_are_dealt_by_kind_and_held_out_groups_are_left_out(tmp_path: Path) -> None:
    groups = [f"document {number}" for number in range(40)]
    rows = [{"group": group, "evidence": HOIST, "claim": group, "label": "supported"} for group in groups]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "claims-a.jsonl").write_text(text, encoding="utf-8")
    with gzip.open(tmp_path / "nli.gz", "wt", encoding="utf-8") as file:
        file.write("".join(json.dumps({**row, "source": "fm2", "label": "unrelated"}) + "\n" for row in rows))
    seen, unseen = written_claims(tmp_path), written_claims(tmp_path, held_out=True)
    assert len(seen) + len(unseen) == 40
    assert {one.claim for one in unseen} == {group for group in groups if is_held_out(group)} != set()
    dealt = next(claim_steps(seen, public_claims(tmp_path / "nli.gz"), own_claims(), seed=1))
    assert [one.source for one in dealt] == [
        *["ours"] * WRITTEN,
        *["fm2"] * PUBLIC,
        *["ours"] * (sum(OWN.values()) - OWN["fragments"]),
        *["fragments"] * OWN["fragments"],
        *["ordinary"] * ORDINARY,
    ]


def test_a_matrix_is_rounded_row_by_row() -> None:
    matrix = np.array([[100.0, -50.0, 0.2], [0.001, 0.0005, -0.001], [0, 0, 0]], dtype=np.float32)
    whole, scales = in_8_bits(matrix)
    assert whole.tolist() == [[127, -64, 0], [127, 64, -127], [0, 0, 0]]  # 63.5 is rounded to the even number
    assert np.abs(whole * scales[:, None] - matrix).max(axis=1) == pytest.approx([0.4, 0.000004, 0], abs=0.01)


def test_what_training_leaves_alone_comes_into_files_of_its_own() -> None:
    names = ["embeddings.x", "encoder.layer.0.y", "encoder.layer.5.y", "encoder.layer.6.y", "answers.weight"]
    assert parts(dict.fromkeys(names)) == [
        ["embeddings.x"],
        ["encoder.layer.0.y", "encoder.layer.5.y"],
        ["answers.weight", "encoder.layer.6.y"],
    ]
