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


def test_relevance_is_the_sigmoid_of_one_output_or_of_the_difference_of_two():
    assert relevance(np.array([[0.0], [np.log(3)]])) == pytest.approx([0.5, 0.75])
    assert relevance(np.array([[1.0, 1.0], [0.0, -np.log(3)]])) == pytest.approx([0.5, 0.25])


def test_the_best_span_is_held_against_no_answer():
    start, end = np.array([1.0, 9.0, 2.0, 0.0]), np.array([1.0, 9.0, 0.0, 1.0])
    allowed = np.array([False, False, True, True])  # the second piece is the question's
    # best span: from piece 2 to 3, 2 + 1 = 3; no answer: 1 + 1 = 2; sigmoid(1) = 0.731
    assert span_chance(start, end, allowed) == pytest.approx(0.7311, abs=1e-4)
    assert span_chance(start, end, np.zeros(4, dtype=bool)) == 0.0


def _tiny_model(folder: Path, architecture: str, labels: int = 1, *, positions: int = 512, **more: Any) -> str:
    """Save a model of random weights with the packaged tokenizer, as a published one would be."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(packaged_model())
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    more |= {"vocab_size": len(tokenizer), "max_position_embeddings": positions, "num_labels": labels}
    config = transformers.BertConfig(initializer_range=0.5, **sizes, **more)
    getattr(transformers, architecture)(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("architecture", ["BertForSequenceClassification", "BertForQuestionAnswering"])
def test_a_published_model_is_read_from_a_folder(tmp_path, architecture):
    labels = 1 + architecture.endswith("Answering")
    reader = CrossEncoderReader(_tiny_model(tmp_path / "tiny", architecture, labels))
    found = reader.read(QUESTION, [ANSWERS, OTHER])
    assert [len(one.marks) for one in found] == [2, 1]
    assert all(0 < one.probability < 1 for one in found)
    assert reader.read(QUESTION, []) == []
    assert reader.name == "cross-encoder:tiny"


def test_a_sentence_is_marked_by_how_likely_it_answers_alone_with_its_place(tmp_path):
    model = _tiny_model(tmp_path / "tiny", "BertForSequenceClassification")
    reader = CrossEncoderReader(model)
    (found,) = reader.read(QUESTION, [ANSWERS])
    alone = [ReadingText("Lights", ANSWERS.text[start:end], ()) for start, end in ANSWERS.sentences]
    expected = [one.probability for one in reader.read(QUESTION, alone)]
    assert found.marks == pytest.approx(expected, abs=1e-5)
    assert expected[0] != pytest.approx(expected[1], abs=1e-5)


def test_a_reader_of_another_kind_that_fails_on_texts_or_is_not_there_is_named_with_what_to_set(tmp_path):
    missing = tmp_path / "nowhere"
    missing.mkdir()
    (missing / "config.json").write_text(json.dumps({}), encoding="utf-8")
    other = _tiny_model(tmp_path / "nli", "BertForSequenceClassification", labels=3)
    short = _tiny_model(tmp_path / "short", "BertForSequenceClassification", positions=8)
    for model, kind, told in (
        (other, ConfigurationError, "3 outputs"),
        (short, EmbedderUnavailable, r"failed on 1 texts: .*Name another in CANDOR_READER_MODEL"),
        (str(missing), EmbedderUnavailable, r"nowhere.*[^.]\. Name a local folder"),
    ):
        with pytest.raises(kind, match=told) as caught:
            CrossEncoderReader(model).read(QUESTION, [ANSWERS])
        assert "\n" not in caught.value.message


def test_verdicts_are_those_of_the_labels_by_name_and_a_model_that_cannot_be_loaded_is_named(tmp_path):
    names = {0: "contradiction", 1: "entailment", 2: "neutral"}
    path = _tiny_model(tmp_path / "nli", "BertForSequenceClassification", labels=3, id2label=names)
    judged = NliEntailment(path).judge([("the limit is 15 .", "the limit is 50 ."), ("the limit is 15 .", "the limit")])
    for verdict in judged:
        assert min(verdict.supported, verdict.contradicted) > 0
        assert verdict.supported + verdict.contradicted < 1
    assert judged[0] != judged[1]
    with pytest.raises(ConfigurationError, match=r"[^.]\. Set CANDOR_GROUNDING_MODEL") as caught:
        NliEntailment(str(tmp_path)).judge([("Gloves are red.", "Coats are white.")])
    assert "\n" not in caught.value.message
