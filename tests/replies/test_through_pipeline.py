"""Replies in odd forms are answers, through the whole pipeline and a model server."""

import json
from pathlib import Path

import pytest
from questions import SHOWN_TRUTH as SHOWN
from questions import SURE, ask_model

ROWS = Path(__file__).with_name("said.jsonl")
"""Questions over the samples, each with a true and a false reply in other words than the documents'."""
SHOWN_TRUE, SHOWN_FALSE = 6, 2  # 8 and 1 with the weights of 2026-11-29; wanted are 9 and 0
SAID = "For dichloromethane, laminate gloves are required."


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        (f"<think>Passage 1, surely.</think>Certainly! Here it is: {SAID} [^1]\n\nAnything else?", SHOWN),
        ("```\n**For dichloromethane**, laminate gloves are required¹.\n```\n\nSources:\n[1] safety_manual.pdf", SHOWN),
        ("For dichloromethane, laminate gloves are\nrequired [1] and [2].<|im_end|>", SHOWN),
        (f"Here you are:\n- {SAID} [[1]]\n- They cost 4711 euros [1]", f"- {SHOWN}"),
    ],
    ids=["thoughts and a preface", "a fence, bold type and sources", "hard wrapped", "a list"],
)
def test_the_true_sentence_is_shown_as_plain_text_and_cited(pipeline, reply: str, shown: str) -> None:
    answer = ask_model(pipeline, reply, **SURE)
    assert (answer.answer, answer.generator.name) == (shown, "ollama")
    assert [citation.document for citation in answer.citations] == ["safety_manual.pdf"]


@pytest.mark.parametrize(
    ("reply", "tokens", "reason"),
    [
        ("<think>The user asks which gloves", 4, "The model used all 4 tokens of its answer for thinking. Raise"),
        ("<think>Laminate, I think.</think>", 500, "The model wrote only its thoughts and no answer."),
        (
            "<think>Nothing there.</think>The passages do not answer this question.", 500,
            "The model wrote that the passages do not answer the question, but the reader is sure that they do.",
        ),
    ],
)  # fmt: skip
def test_a_model_that_only_thinks_or_wrongly_abstains_is_stood_in_for_and_it_says_why(pipeline, reply, tokens, reason):
    answer = ask_model(pipeline, reply, max_tokens=tokens, **SURE)
    assert answer.generator.name == "extractive"
    assert answer.generator.fallback_reason.startswith(reason)


@pytest.mark.slow
def test_of_ten_true_replies_in_other_words_most_are_shown_and_of_ten_false_ones_few(pipeline) -> None:
    shown = {"true": 0, "false": 0}
    for row in map(json.loads, ROWS.read_text(encoding="utf-8").splitlines()):
        for kind in shown:
            answer = ask_model(pipeline, row[kind], row["question"], **SURE)
            shown[kind] += answer.answer is not None and row[kind].removesuffix(" [1].") in answer.answer
    assert shown["true"] >= SHOWN_TRUE
    assert shown["false"] <= SHOWN_FALSE
