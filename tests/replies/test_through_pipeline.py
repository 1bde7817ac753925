"""Replies in odd forms are answers, through the whole pipeline and a model server."""

import pytest
from ollama_server.brains import ScriptedBrain
from ollama_server.server import OllamaServer
from questions import GLOVES, SURE, ask, spoken

from rag.events import Finished, SentenceChecked

SAID = "For dichloromethane, laminate gloves are required."
SHOWN = "For dichloromethane, laminate gloves are required, because it passes through nitrile in less than two minutes."
"""What the document says: a sentence that quotes a part of it is shown as the document has it."""


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        (f"<think>Passage 1, surely.</think>Certainly! Here it is: {SAID} [^1]\n\nAnything else?", SHOWN),
        (
            "```\n**For dichloromethane**, laminate gloves are required¹.\n```\n\nSources:\n[1] safety_manual.pdf",
            SHOWN,
        ),
        ("For dichloromethane, laminate gloves are\nrequired [1] and [2].<|im_end|>", SHOWN),
        (f"Here you are:\n- {SAID} [[1]]\n- They cost 4711 euros [1]", f"- {SHOWN}"),
    ],
    ids=["thoughts and a preface", "a fence, bold type and sources", "hard wrapped", "a list"],
)
def test_the_true_sentence_is_shown_as_plain_text_and_cited(pipeline, reply: str, shown: str) -> None:
    with OllamaServer(ScriptedBrain(lambda question, passages: reply)) as server:
        answer = ask(spoken(pipeline, server.url), GLOVES, **SURE)

    assert (answer.answer, answer.generator.name) == (shown, "ollama")
    assert [citation.document for citation in answer.citations] == ["safety_manual.pdf"]


def test_the_last_sentence_is_told_too_when_it_is_whole(pipeline) -> None:
    with OllamaServer(ScriptedBrain(lambda question, passages: f"{SAID} [1] Gloves of silk will do. [1]")) as server:
        asking = spoken(pipeline, server.url)
        events = list(asking.stream(asking.query(GLOVES, **SURE)))

    told = [event.sentence for event in events if isinstance(event, SentenceChecked)]
    assert [(one.text, one.supported) for one in told] == [(SHOWN, True), ("Gloves of silk will do.", False)]
    assert isinstance(events[-1], Finished)


@pytest.mark.parametrize(
    ("reply", "tokens", "reason"),
    [
        ("<think>The user asks which gloves", 4, "The model used all 4 tokens of its answer for thinking."),
        ("<think>Laminate, I think.</think>", 500, "The model wrote down its thoughts and no answer."),
    ],
)
def test_a_model_that_only_thinks_is_stood_in_for_and_the_answer_says_why(
    pipeline, reply: str, tokens: int, reason: str
) -> None:
    with OllamaServer(ScriptedBrain(lambda question, passages: reply)) as server:
        answer = ask(spoken(pipeline, server.url), GLOVES, max_tokens=tokens, **SURE)

    assert answer.generator.name == "extractive"
    assert answer.generator.fallback_reason is not None
    assert answer.generator.fallback_reason.startswith(reason)
    assert ("CANDOR_MAX_TOKENS" in answer.generator.fallback_reason) == (tokens == 4)


def test_an_abstention_is_not_believed_where_the_reader_is_sure(pipeline) -> None:
    text = "<think>Nothing there.</think>The passages do not answer this question."
    with OllamaServer(ScriptedBrain(lambda question, passages: text)) as server:
        answer = ask(spoken(pipeline, server.url), GLOVES, **SURE)

    assert answer.generator.name == "extractive"
    assert answer.generator.fallback_reason == (
        "The model wrote that the passages do not answer; the reader is sure that they do."
    )
