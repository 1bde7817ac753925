"""Whether a question asks for a whole list, measured with the real embedding model on questions not trained on."""

import json

from library import ROOT

from rag.adapters.embedders import packaged_encoder
from rag.opening.lists import KINDS, asks_for_list

FRESH = ROOT / "training" / "held_out" / "lists" / "questions.jsonl"
RIGHT = 104
"""How many of 120 questions by another writer are told rightly, at least."""


def test_whether_120_new_questions_ask_for_a_whole_list_is_told_at_this_rate():
    asked = map(json.loads, FRESH.read_text(encoding="utf-8").splitlines())
    rows = [(one["wants"], one["question"]) for one in asked]
    embedder = packaged_encoder(precision="float32", threads=None, cache=None)
    vectors = embedder.embed([question for _, question in rows])
    found = [
        KINDS[asks_for_list(question, vector, embedding=embedder.fingerprint)]
        for (_, question), vector in zip(rows, vectors, strict=True)
    ]
    wrong = [(kind, question) for one, (kind, question) in zip(found, rows, strict=True) if one != kind]
    assert len(rows) == 120
    assert len(rows) - len(wrong) >= RIGHT, wrong
    is_asked = asks_for_list("How do I clean it?", vectors[0], embedding="other-model@000000000000/512")
    assert not is_asked  # the weights are those of one embedding model
