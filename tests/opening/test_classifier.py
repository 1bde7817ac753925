"""What is told from a question to the documents, measured with the real embedding model."""

import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from rag.adapters.embedders import packaged_encoder
from rag.errors import ConfigurationError
from rag.opening import classifier
from rag.opening.classifier import opening_of
from rag.opening.kinds import KINDS

FRESH = Path(__file__).with_name("fresh.tsv")
UNSEEN = Path(__file__).with_name("unseen.tsv")
"""Kind, language and text of lines whose author had seen neither the classifier nor its examples."""


@cache
def embedder():
    return packaged_encoder(precision="float32", threads=None, cache=None)


def kinds_of(texts: list[str]) -> list[str]:
    vectors, name = embedder().embed(texts), embedder().fingerprint
    return [opening_of(text, vector, embedding=name) for text, vector in zip(texts, vectors, strict=True)]


def trained_on() -> set[str]:
    paths = (Path(__file__).parents[2] / "training" / "openings").glob("*.txt")
    lines = (line for path in paths for line in path.read_text(encoding="utf-8").splitlines())
    return {line.casefold().strip(" .!?") for line in lines}


def judged(path: Path) -> list[tuple[str, str, str]]:
    """Return kind, what was told and text of each line of a file in English, and of each question."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    found = kinds_of([text for *_, text in rows])
    return [
        (kind, got, text)
        for (kind, *rest, text), got in zip(rows, found, strict=True)
        if rest in ([], ["en"]) or kind == "question"
    ]


def test_openings_in_other_words_than_those_trained_on_are_told_and_ordinary_questions_are_questions():
    """Of 100 at least 95; of 89 lines whose author knew nothing of the classifier nine of ten, and each question."""
    fresh, unseen, trained = judged(FRESH), judged(UNSEEN), trained_on()
    wrong = [one for one in fresh if one[0] != one[1]]
    openings = [one for one in unseen if one[0] != "question"]
    unseen_wrong = [one for one in openings if one[0] != one[1]]

    assert len(fresh) == 100
    assert {kind for kind, *_ in fresh} == set(KINDS) - {"question"}
    assert sum(text.casefold().strip(" .!?") in trained for *_, text in fresh) <= 20  # `section 8.2` has one wording
    assert len(wrong) <= 5, wrong
    assert not {text.casefold().strip(" .!?") for *_, text in unseen} & trained
    assert [text for kind, got, text in unseen if kind == "question" != got] == []
    assert len(unseen_wrong) <= len(openings) // 10, unseen_wrong


@pytest.mark.data
@pytest.mark.parametrize("name", ["everyday_dev", "squad2"])
def test_at_most_one_of_200_ordinary_questions_is_taken_for_something_else(shared_data, name):
    lines = (shared_data / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["question"] for line in lines[:600]]
    other = [(text, kind) for text, kind in zip(texts, kinds_of(texts), strict=True) if kind != "question"]

    assert len(other) <= max(1, len(texts) // 200), other


def test_weights_of_another_digest_or_none_are_refused(tmp_path, monkeypatch):
    path, data = tmp_path / "openings.safetensors", save({"bias": np.zeros(7, np.float32)})
    path.write_bytes(data)
    monkeypatch.setattr(classifier, "WEIGHTS", path)
    load = classifier.load_weights.__wrapped__
    with pytest.raises(ConfigurationError, match=hashlib.sha256(data).hexdigest()):
        load()
    path.unlink()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load()
