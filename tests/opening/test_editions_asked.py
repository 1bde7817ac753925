"""Which editions a question asks for, measured with the real embedding model on questions that were not trained on."""

from functools import cache
from pathlib import Path

import pytest

from rag.adapters.embedders import packaged_encoder
from rag.adapters.embedding import OpenVinoEmbedder
from rag.opening.editions import editions_asked
from rag.ranking.superseded import EDITION_KINDS, EditionsAsked

FRESH = Path(__file__).with_name("editions_asked.tsv")
"""Kind and question; of one for the latest also how it reads without what says so."""
RIGHT = {"plain": 57, "latest": 18, "several": 20}
"""How many of 60, 25 and 35 are told rightly, at least."""
READ = 14
"""How many of the 25 for the latest are read as they should be, at least."""


@cache
def embedder() -> OpenVinoEmbedder:
    return OpenVinoEmbedder(packaged_encoder(precision="float32", threads=None, cache=None))


def asked(questions: list[str]) -> list[EditionsAsked]:
    vectors, name = embedder().embed(questions), embedder().fingerprint
    return [editions_asked(one, vector, embedding=name) for one, vector in zip(questions, vectors, strict=True)]


def fresh(kind: str) -> list[list[str]]:
    rows = [line.split("\t") for line in FRESH.read_text(encoding="utf-8").splitlines()]
    return [row for of, *row in rows if of == kind]


@pytest.mark.parametrize("kind", EDITION_KINDS)
def test_which_editions_120_new_questions_ask_for_is_told_at_these_rates(kind):
    questions = [question for question, *_ in fresh(kind)]
    found = asked(questions)
    wrong = [(one.kind, question) for one, question in zip(found, questions, strict=True) if one.kind != kind]

    assert len(questions) - len(wrong) >= RIGHT[kind], wrong


def test_new_questions_for_the_latest_are_read_without_what_says_so_at_this_rate():
    rows = fresh("latest")
    found = [one.question for one in asked([question for question, _ in rows])]

    assert sum(one == wanted for one, (_, wanted) in zip(found, rows, strict=True)) >= READ, found


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which current flows through the coil?", "plain"),
        ("When did the last train leave?", "plain"),
        ("By when must the roof be mended at the latest?", "plain"),
        ("What is the fee according to the latest edition?", "latest"),
        ("How has the fee changed?", "several"),
        ("What was the previous fee?", "several"),
    ],
)
def test_a_question_for_an_edition_is_told_from_one_that_has_its_words(question, kind):
    assert asked([question])[0].kind == kind


def test_with_another_embedding_model_no_edition_is_asked_for():
    question = "What is the latest fee?"

    found = editions_asked(question, embedder().embed([question])[0], embedding="other-model@000000000000/512")
    assert found == EditionsAsked("plain", question)
