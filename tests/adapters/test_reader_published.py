"""Published models, by name or folder: readers of passages, and an NLI model with random weights, built here."""

import json
from pathlib import Path
from typing import Any

import pytest
import transformers

from rag.adapters.packaged_model import packaged_model
from rag.adapters.published import CrossEncoderReader, NliEntailment
from rag.errors import ConfigurationError, EmbedderUnavailable
from rag.protocols import ReadingText

QUESTION = "Who designed the lighthouse on Skerry Point?"
ANSWERS = ReadingText("Lights", "The lighthouse was designed by Ada Lorne. It was lit in 1873.", ((0, 41), (42, 61)))
OTHER = ReadingText("", "The harbour office opens at nine.", ((0, 33),))


def _tiny_model(folder: Path, labels: int = 1, **more: Any) -> str:
    """Save a model of random weights with the packaged tokenizer, as a published one would be."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(packaged_model())
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    more |= {"vocab_size": len(tokenizer), "max_position_embeddings": 512, "num_labels": labels}
    config = transformers.BertConfig(initializer_range=0.5, **sizes, **more)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("labels", [1, 2])
def test_a_published_model_is_read_from_a_folder(tmp_path, labels):
    reader = CrossEncoderReader(_tiny_model(tmp_path / "tiny", labels))
    found = reader.read(QUESTION, [ANSWERS, OTHER])
    assert [len(one.marks) for one in found] == [2, 1]
    assert all(0 < one.probability < 1 for one in found)
    assert reader.read(QUESTION, []) == []
    assert reader.name == "cross-encoder:tiny"


def test_a_reader_of_another_kind_or_that_is_not_there_is_named_with_what_to_set(tmp_path):
    missing = tmp_path / "nowhere"
    missing.mkdir()
    (missing / "config.json").write_text(json.dumps({}), encoding="utf-8")
    other = _tiny_model(tmp_path / "nli", labels=3)
    for model, kind, told in (
        (other, ConfigurationError, "3 outputs"),
        (str(missing), EmbedderUnavailable, r"nowhere.*[^.]\. Name a local folder"),
    ):
        with pytest.raises(kind, match=told) as caught:
            CrossEncoderReader(model).read(QUESTION, [ANSWERS])
        assert "\n" not in caught.value.message


def test_verdicts_are_those_of_the_labels_by_name_and_a_model_that_cannot_be_loaded_is_named(tmp_path):
    names = {0: "contradiction", 1: "entailment", 2: "neutral"}
    path = _tiny_model(tmp_path / "nli", labels=3, id2label=names)
    judged = NliEntailment(path).judge([("the limit is 15 .", "the limit is 50 ."), ("the limit is 15 .", "the limit")])
    for verdict in judged:
        assert min(verdict.supported, verdict.contradicted) > 0
        assert verdict.supported + verdict.contradicted < 1
    assert judged[0] != judged[1]
    with pytest.raises(ConfigurationError, match=r"[^.]\. Set CANDOR_GROUNDING_MODEL") as caught:
        NliEntailment(str(tmp_path)).judge([("Gloves are red.", "Coats are white.")])
    assert "\n" not in caught.value.message
