"""The NLI adapter against a real cross-encoder: a tiny one with random weights, built here."""

from pathlib import Path

import pytest

from rag.adapters.nli import NliCheck
from rag.errors import ConfigurationError
from rag.grounding.evidence import EvidenceCheck
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
    entails, contradicts = NliCheck(str(folder), local_files_only=True).read("the limit is 15 .", "the limit is 50 .")
    assert 0 < entails < 1
    assert 0 < contradicts < 1
    assert entails + contradicts < 1


def test_a_quotation_is_supported_whatever_the_model_says(folder: Path) -> None:
    check = NliCheck(str(folder), local_files_only=True)
    assert check.support("The limit is 15 minutes.", "The limit is 15 minutes. Wear gloves.") == 1.0


def test_a_changed_number_stays_unsupported_whatever_the_model_says(folder: Path) -> None:
    check = NliCheck(str(folder), local_files_only=True)
    assert check.support("The limit is 50 minutes.", "The limit is 15 minutes.") < 0.5


def test_both_must_agree(folder: Path) -> None:
    """The model's weights are random: they confirm nothing that the built-in check carries."""
    claim, evidence = "The limit of the room is 15 minutes.", "In the room, the limit is 15 minutes."
    check = NliCheck(str(folder), local_files_only=True)
    assert check.read(claim, evidence)[0] < 0.5 <= EvidenceCheck().support(claim, evidence)
    assert check.support(claim, evidence) < 0.5


def test_the_configured_model_is_wired_into_answers_and_claims_alike(tmp_path: Path) -> None:
    wiring = Wiring(load_settings(data_dir=tmp_path, grounding_model="some/model"))
    assert wiring.check.name == wiring.claim_check.name == f"{EvidenceCheck.name}+some/model"


def test_claims_are_ordered_by_likeness_of_meaning_where_words_do_not_tell(tmp_path: Path) -> None:
    wiring = Wiring(load_settings(data_dir=tmp_path))
    text = "The physician examined a boy."
    near, far = (wiring.claim_check.support(claim, text) for claim in ("A doctor saw a child.", "Copper is a metal."))
    assert far < near < 0.5


def test_the_name_tells_model_and_check(folder: Path) -> None:
    assert NliCheck("some/model").name.endswith("+some/model")


def test_a_model_that_cannot_be_loaded_is_named_with_the_next_step(tmp_path: Path) -> None:
    check = NliCheck(str(tmp_path), local_files_only=True)
    with pytest.raises(ConfigurationError, match=r"[^.]\. Set CANDOR_GROUNDING_MODEL") as caught:
        check.support("Gloves are red.", "Coats are white.")
    assert "\n" not in caught.value.message
