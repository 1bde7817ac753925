"""The API over real HTTP: OpenAI's client, streams with a model, clients that go away, many at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import openai
import pytest
from api_samples import ANSWERED, ANSWERED_PDF, REFUSED
from interfaces import events_of
from live import live
from ollama_server.brains import ScriptedBrain
from ollama_server.server import OllamaServer
from recorded import answered, talk, unsure
from seeds import speaking

from api.completions import ChatRequest, beside, pieces
from rag.models import GroundedSentence, Grounding

TRAINING = "How often is the refresher course held?"


@pytest.fixture(scope="module")
def url(candor):
    with live(lambda: candor, candor.settings) as address:
        yield address


@pytest.fixture(scope="module")
def chat(url):
    with openai.OpenAI(base_url=f"{url}/api/openai/v1", api_key="none", max_retries=0) as client:
        yield client


def said(chat: openai.OpenAI, question: str, **more: Any) -> Any:
    messages: Any = [{"role": "user", "content": question}]
    return chat.chat.completions.create(model="candor", messages=messages, **more)


def test_openais_client_gets_models_outcomes_and_errors_as_it_expects_them_whole_and_streamed(chat):
    assert [model.id for model in chat.models.list()] == ["candor"]
    assert chat.models.retrieve("candor").id == "candor"
    for question, outcome in ((REFUSED, "refused"), ("hi", "talk"), (TRAINING, "answered")):
        completion = said(chat, question)
        content = completion.choices[0].message.content
        assert (completion.candor["outcome"], bool(content)) == (outcome, True)
    assert "every twelve months" in content
    assert "Sources:\n[1] safety_manual.pdf, page 4" in content
    assert completion.choices[0].finish_reason == "stop"
    assert completion.candor["citations"][0]["document"] == "safety_manual.pdf"
    chunks = list(said(chat, TRAINING, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == content
    assert chunks[-1].choices[0].finish_reason == "stop"
    with pytest.raises(openai.NotFoundError):
        chat.models.retrieve("gpt-x")
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        said(chat, "a")
    assert caught.value.code == "QUERY_TOO_SHORT"


def test_a_chat_that_is_no_plain_answer_says_what_must_be_known_of_it():
    noted = answered().model_copy(update={"notes": ("None of the passages names Orsk.",)})
    assert "".join(pieces(noted)) == (
        "Gloves are worn. [1] \n\nNote: None of the passages names Orsk.\n\nSources:\n[1] manual.pdf, page 1"
    )
    false = GroundedSentence(text="Hats are worn.", supported=False, support=0.0)
    dropped = noted.model_copy(update={"grounding": Grounding(is_valid=False, sentences=(false,))})
    assert [beside(one)["left_out"] for one in (noted, dropped)] == [0, 1]
    quoted = "".join(pieces(unsure(misses=5))).split("\n")
    assert quoted[0] == "I can't confirm this from your documents. Closest:"
    assert quoted[2] == "- “It is cold. Gloves of kind 1 are worn. Boots are not.” (manual.pdf, page 1)"
    assert len(quoted) == 5  # three quotations, and nothing is claimed
    assert "".join(pieces(unsure(misses=0))).endswith("The documents may answer this.")
    assert ("".join(pieces(talk())), beside(talk())["outcome"]) == ("Hello! Ask me about your documents.", "talk")


def test_a_chat_is_asked_with_the_question_before_the_last_where_that_could_be_asked():
    for before, previous in (
        *(([], None), (["Which gloves?", "Which boots?"], "Which boots?"), (["  Which gloves?\n"], "Which gloves?")),
        *((["Which gloves?", text], None) for text in ("ok", "x" * 1001, "a\x07b")),
    ):
        messages = [{"role": "user", "content": text} for text in (*before, "And why?")]
        body = ChatRequest.model_validate({"messages": messages})
        assert (body.question(), body.options()["previous"]) == ("And why?", previous)


def test_openais_client_gets_the_usage_of_a_stream_in_its_last_chunk_where_it_asks_for_it(candor):
    spoken = "The refresher course is held every twelve months. [1]"
    asked: Any = {"model": "candor", "messages": [{"role": "user", "content": TRAINING}]}
    with (
        OllamaServer(ScriptedBrain(lambda question, passages: spoken)) as ollama,
        live(lambda: speaking(candor, ollama.url), candor.settings) as url,
        openai.OpenAI(base_url=f"{url}/api/openai/v1", api_key="none", max_retries=0) as client,
    ):
        create = client.chat.completions.create
        whole, plain = create(**asked), list(create(**asked, stream=True))
        chunks = list(create(**asked, stream=True, stream_options={"include_usage": True}))
    assert whole.usage.total_tokens > 0
    assert [chunk.usage for chunk in chunks] == [None] * (len(chunks) - 1) + [whole.usage]
    assert [len(chunk.choices) for chunk in chunks] == [1] * (len(chunks) - 1) + [0]
    assert "usage" in chunks[0].model_fields_set
    assert len(plain) == len(chunks) - 1
    assert not [chunk for chunk in plain if "usage" in chunk.model_fields_set]


def test_a_model_is_streamed_and_only_what_was_checked_is_the_answer(candor):
    true, false = "The refresher course is held every twelve months.", "The boiling point is 111 degrees."
    said = f"{true} [1] {false} [1] It takes ninety minutes. [1]"
    with (
        OllamaServer(ScriptedBrain(lambda question, passages: said)) as ollama,
        live(lambda: speaking(candor, ollama.url), candor.settings) as url,
        httpx.stream("POST", f"{url}/api/v1/ask", json={"question": TRAINING, "stream": True}, timeout=60) as response,
    ):
        events = events_of("".join(response.iter_text()))
    assert "".join(data["text"] for name, data in events if name == "token") == said
    told = [data["supported"] for name, data in events if name == "sentence"]
    assert told[:2] == [True, False]
    name, answer = events[-1]
    assert (name, answer["generator"]["name"]) == ("answer", "ollama")
    assert ("every twelve months" in answer["answer"], false in answer["answer"]) == (True, False)


def test_eight_clients_at_once_get_the_answers_of_one(url):
    questions = [ANSWERED, ANSWERED_PDF, REFUSED, TRAINING]

    def ask(number: int) -> Any:
        response = httpx.post(f"{url}/api/v1/ask", json={"question": questions[number % 4]}, timeout=60)
        assert response.status_code == 200
        return response.json()["answer"]

    alone = [ask(number) for number in range(4)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(24))) == alone * 6
