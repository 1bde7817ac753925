"""Published models, by name or folder: readers of passages, and an NLI model with random weights, built here."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers

from rag.adapters.packaged_model import packaged_model
from rag.adapters.published import CrossEncoderReader, NliEntailment, relevance, span_chance
from rag.errors import ConfigurationError, EmbedderUnavailable
from rag.protocols import ReadingText

QUESTION = "Who designed the lighthouse on Skerry Point?"
ANSWERS = ReadingText("Lights", "The lighthouse was designed by Ada Lorne. It was lit in 1873.", ((0, 41), (42, 61)))
OTHER = ReadingText("", "The harbour office opens at nine.", ((0, 33),))


def test_relevance_is_the_sigmoid_of_one_output_or_of_the_difference_of_two() -> None:
    assert relevance(np.array([[0.0], [np.log(3)]])) == pytest.approx([0.5, 0.75])
    assert relevance(np.array([[1.0, 1.0], [0.0, -np.log(3)]])) == pytest.approx([0.5, 0.25])


def test_the_best_span_is_held_against_no_answer() -> None:
    start, end = np.array([1.0, 9.0, 2.0, 0.0]), np.array([1.0, 9.0, 0.0, 1.0])
    allowed = np.array([False, False, True, True])  # the second piece is the question's
    # best span: from piece 2 to 3, 2 + 1 = 3; no answer: 1 + 1 = 2; sigmoid(1) = 0.731
    assert span_chance(start, end, allowed) == pytest.approx(0.7311, abs=1e-4)
    assert span_chance(start, end, np.zeros(4, dtype=bool)) == 0.0


def _tiny_model(folder: Path, architecture: str, labels: int = 1, *, positions: int = 512, **more: Any) -> str:
    """Save a model of random weights with the packaged tokenizer, as a published one would be."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(packaged_model())
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=positions,
        num_labels=labels,
        initializer_range=0.5,
        **more,
    )
    getattr(transformers, architecture)(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("architecture", ["BertForSequenceClassification", "BertForQuestionAnswering"])
def test_a_published_model_is_read_from_a_folder(tmp_path: Path, architecture: str) -> None:
    labels = 1 + architecture.endswith("Answering")
    reader = CrossEncoderReader(_tiny_model(tmp_path / "tiny", architecture, labels))
    found = reader.read(QUESTION, [ANSWERS, OTHER])
    assert [len(one.marks) for one in found] == [2, 1]
    assert all(0 < one.probability < 1 for one in found)
    assert reader.read(QUESTION, []) == []
    assert reader.name == "cross-encoder:tiny"


def test_a_sentence_is_marked_by_how_likely_it_answers_alone_with_its_place(tmp_path: Path) -> None:
    model = _tiny_model(tmp_path / "tiny", "BertForSequenceClassification")
    reader = CrossEncoderReader(model)
    (found,) = reader.read(QUESTION, [ANSWERS])
    alone = [ReadingText("Lights", ANSWERS.text[start:end], ()) for start, end in ANSWERS.sentences]
    expected = [one.probability for one in reader.read(QUESTION, alone)]
    assert found.marks == pytest.approx(expected, abs=1e-5)
    assert expected[0] != pytest.approx(expected[1], abs=1e-5)


def test_a_model_of_another_kind_is_refused_by_name(tmp_path: Path) -> None:
    model = _tiny_model(tmp_path / "nli", "BertForSequenceClassification", labels=3)
    with pytest.raises(ConfigurationError, match="3 outputs"):
        CrossEncoderReader(model).read(QUESTION, [ANSWERS])


def test_a_published_model_that_fails_on_texts_says_what_to_set(tmp_path: Path) -> None:
    model = _tiny_model(tmp_path / "short", "BertForSequenceClassification", positions=8)
    with pytest.raises(EmbedderUnavailable, match=r"failed on 1 texts: .*Name another in CANDOR_READER_MODEL"):
        CrossEncoderReader(model).read(QUESTION, [ANSWERS])


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    missing.mkdir()
    (missing / "config.json").write_text(json.dumps({}), encoding="utf-8")
    with pytest.raises(EmbedderUnavailable, match=r"nowhere.*[^.]\. Name a local folder") as caught:
        CrossEncoderReader(str(missing)).read(QUESTION, [ANSWERS])
    assert "\n" not in caught.value.message


def test_probabilities_are_those_of_the_labels_by_name(tmp_path: Path) -> None:
    names = {0: "contradiction", 1: "entailment", 2: "neutral"}
    path = _tiny_model(tmp_path / "nli", "BertForSequenceClassification", labels=3, id2label=names)
    model = NliEntailment(path)
    one, other = model.judge([("the limit is 15 .", "the limit is 50 ."), ("the limit is 15 .", "the limit")])
    for verdict in (one, other):
        assert 0 < verdict.supported < 1
        assert 0 < verdict.contradicted < 1
        assert verdict.supported + verdict.contradicted < 1
    assert one != other


def test_a_model_that_cannot_be_loaded_is_named_with_the_next_step(tmp_path: Path) -> None:
    model = NliEntailment(str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"[^.]\. Set CANDOR_GROUNDING_MODEL") as caught:
        model.judge([("Gloves are red.", "Coats are white.")])
    assert "\n" not in caught.value.message
