"""Which editions a question asks for, measured with the real embedding model on questions that were not trained on."""

from functools import cache
from pathlib import Path

import pytest

from rag.adapters.embedders import packaged_encoder
from rag.opening.editions import editions_asked
from rag.ranking.superseded import EDITION_KINDS, EditionsAsked

FRESH = Path(__file__).with_name("editions_asked.tsv")
"""Kind and question; of one for the latest also how it reads without what says so."""
RIGHT = {"plain": 57, "latest": 18, "several": 20}
"""How many of 60, 25 and 35 are told rightly, at least."""
READ = 14
"""How many of the 25 for the latest are read as they should be, at least."""


@cache
def embedder():
    return packaged_encoder(precision="float32", threads=None, cache=None)


def asked(*questions, embedding=None):
    vectors, name = embedder().embed(list(questions)), embedding or embedder().fingerprint
    return [editions_asked(one, vector, embedding=name) for one, vector in zip(questions, vectors, strict=True)]


@pytest.mark.parametrize("kind", EDITION_KINDS)
def test_which_editions_120_new_questions_ask_for_is_told_at_these_rates(kind):
    rows = [line.split("\t") for line in FRESH.read_text(encoding="utf-8").splitlines()]
    rows = [row for of, *row in rows if of == kind]
    found = asked(*(question for question, *_ in rows))
    wrong = [(one.kind, row) for one, row in zip(found, rows, strict=True) if one.kind != kind]
    read = [one.question for one, (_, *wanted) in zip(found, rows, strict=True) if [one.question] == wanted]

    assert len(rows) - len(wrong) >= RIGHT[kind], wrong
    assert kind != "latest" or len(read) >= READ, found  # without what says so


def test_with_another_embedding_model_no_edition_is_asked_for():
    question = "What is the latest fee?"
    assert asked(question, embedding="other-model@000000000000/512") == [EditionsAsked("plain", question)]
