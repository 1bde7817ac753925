"""The NLI adapter against a real cross-encoder: a tiny one with random weights, built here."""

from pathlib import Path

import pytest

from rag.adapters.published import NliEntailment
from rag.errors import ConfigurationError
from rag.settings import load_settings
from rag.wiring import Wiring


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    transformers = pytest.importorskip("transformers")
    path = tmp_path_factory.mktemp("nli")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "limit", "is", "15", "50", "minutes", "."]
    (path / "vocab.txt").write_text("\n".join(words))
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        id2label={0: "contradiction", 1: "entailment", 2: "neutral"},
        label2id={"contradiction": 0, "entailment": 1, "neutral": 2},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(path)
    transformers.BertTokenizerFast(vocab_file=str(path / "vocab.txt")).save_pretrained(path)
    return path


def test_probabilities_are_those_of_the_labels_by_name(folder: Path) -> None:
    model = NliEntailment(str(folder), local_files_only=True)
    one, other = model.judge([("the limit is 15 .", "the limit is 50 ."), ("the limit is 15 .", "the limit")])
    for verdict in (one, other):
        assert 0 < verdict.supported < 1
        assert 0 < verdict.contradicted < 1
        assert verdict.supported + verdict.contradicted < 1
    assert one != other


def test_the_configured_model_and_threshold_are_wired(tmp_path: Path) -> None:
    wiring = Wiring(load_settings(data_dir=tmp_path, grounding_model="some/model", grounding_threshold=0.7))
    assert (wiring.check.name, wiring.check.threshold) == ("some/model", 0.7)


def test_a_model_that_cannot_be_loaded_is_named_with_the_next_step(tmp_path: Path) -> None:
    model = NliEntailment(str(tmp_path), local_files_only=True)
    with pytest.raises(ConfigurationError, match=r"[^.]\. Set CANDOR_GROUNDING_MODEL") as caught:
        model.judge([("Gloves are red.", "Coats are white.")])
    assert "\n" not in caught.value.message
