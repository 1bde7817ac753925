"""What is told from a question to the documents, measured with the real embedding model."""

import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from rag.adapters.embedders import packaged_encoder
from rag.adapters.embedding import OpenVinoEmbedder
from rag.errors import ConfigurationError
from rag.opening import classifier
from rag.opening.classifier import opening_of
from rag.opening.kinds import KINDS

FRESH = Path(__file__).with_name("fresh.tsv")
UNSEEN = Path(__file__).with_name("unseen.tsv")
"""Kind, language and text of lines whose author had seen neither the classifier nor its examples."""


@cache
def embedder() -> OpenVinoEmbedder:
    return OpenVinoEmbedder(packaged_encoder(precision="float32", threads=None, cache=None))


def kinds_of(texts: list[str]) -> list[str]:
    vectors, name = embedder().embed(texts), embedder().fingerprint
    return [opening_of(text, vector, embedding=name).kind for text, vector in zip(texts, vectors, strict=True)]


def trained_on() -> set[str]:
    paths = (Path(__file__).parents[2] / "training" / "openings").glob("*.txt")
    lines = (line for path in paths for line in path.read_text(encoding="utf-8").splitlines())
    return {line.casefold().strip(" .!?") for line in lines}


def test_of_100_openings_in_other_words_than_those_trained_on_at_least_95_are_told_rightly():
    rows = [line.split("\t") for line in FRESH.read_text(encoding="utf-8").splitlines()]
    trained = trained_on()
    found = kinds_of([text for _, text in rows])
    wrong = [(kind, got, text) for (kind, text), got in zip(rows, found, strict=True) if kind != got]

    assert len(rows) == 100
    assert {kind for kind, _ in rows} == set(KINDS) - {"question"}
    assert sum(text.casefold().strip(" .!?") in trained for _, text in rows) <= 20  # `section 8.2` has one wording
    assert len(wrong) <= 5, wrong


@pytest.mark.data
@pytest.mark.parametrize("name", ["everyday_dev", "squad2"])
def test_at_most_one_of_200_ordinary_questions_is_taken_for_something_else(shared_data, name):
    lines = (shared_data / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["question"] for line in lines[:600]]
    other = [(text, kind) for text, kind in zip(texts, kinds_of(texts), strict=True) if kind != "question"]

    assert len(other) <= max(1, len(texts) // 200), other


def test_weights_of_another_digest_are_refused(tmp_path, monkeypatch):
    data = save({"bias": np.zeros(7, np.float32)})
    path = tmp_path / "openings.safetensors"
    path.write_bytes(data)
    monkeypatch.setattr(classifier, "WEIGHTS", path)
    classifier.load_weights.cache_clear()

    with pytest.raises(ConfigurationError, match=hashlib.sha256(data).hexdigest()):
        classifier.load_weights()
    path.unlink()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        classifier.load_weights()
    classifier.load_weights.cache_clear()


def test_of_89_unseen_lines_each_question_is_one_and_nine_of_ten_english_openings_are_told():
    rows = [line.split("\t") for line in UNSEEN.read_text(encoding="utf-8").splitlines()]
    found = kinds_of([text for *_, text in rows])
    judged = [(kind, language, got, text) for (kind, language, text), got in zip(rows, found, strict=True)]
    openings = [(kind, got, text) for kind, language, got, text in judged if kind != "question" and language == "en"]
    wrong = [one for one in openings if one[0] != one[1]]

    assert len(rows) == 89
    assert not {text.casefold().strip(" .!?") for *_, text in rows} & trained_on()
    assert [text for kind, _, got, text in judged if kind == "question" != got] == []
    assert len(wrong) <= len(openings) // 10, wrong
