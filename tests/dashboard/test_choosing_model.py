"""Ask offers the models that the servers list, says where questions go, and the model that is chosen answers."""

from library import NOBODY
from ollama_server.brains import ScriptedBrain
from ollama_server.openai import OpenAIServer
from questions import GLOVES, SHOWN_TRUTH, TRUTH
from seen import says, text_of

from rag.adapters.generators import Generators, made_generator
from rag.adapters.openai_generator import OpenAIGenerator

LARGE = "openai/large"


def models(test):
    return [one for one in test.selectbox if one.label == "Model"]


def test_the_chosen_model_stands_in_the_url_answers_and_is_named(open_page, library, monkeypatch):
    monkeypatch.setattr("rag.adapters.server_generator.PROBE_TIMEOUT_S", 60.0)  # of a machine that others keep busy
    with OpenAIServer(ScriptedBrain(lambda question, passages: TRUTH, name="small")) as server:
        server.names = ("small", "large")
        patient = dict.fromkeys(("connect_timeout_s", "token_timeout_s", "generation_timeout_s"), 60.0)
        changes = {**patient, "openai_base_url": server.url, "openai_model": "small", "ollama_host": NOBODY}
        settings = library.settings.model_copy(update=changes)
        monkeypatch.setitem(vars(library.wiring), "generators", Generators(settings, made_generator(settings)))
        (model,) = models(open_page())
        assert (model.options, model.value) == (["openai/small", LARGE], None)
        test = open_page(model=LARGE)
        assert [one.value for one in models(test)] == [LARGE]
        test.chat_input[0].set_value(GLOVES).run()
        says(text_of(test), SHOWN_TRUTH, "large")
        assert [one.request["model"] for one in server.exchanges if one.method == "POST"] == ["large"]


def test_where_questions_are_sent_and_that_the_model_server_does_not_answer_are_told_before_the_first(
    open_page, library, monkeypatch
):
    test = open_page()
    assert "are sent there" not in text_of(test)
    assert not models(test)  # without several there is nothing to choose
    settings = library.settings.model_copy(update={"ollama_host": NOBODY, "ollama_model": "llama3.2:3b"})
    monkeypatch.setitem(vars(library.wiring), "settings", settings)
    monkeypatch.setitem(vars(library.wiring), "generator", OpenAIGenerator("https://llm.example/v1"))
    test = open_page()
    (speaker,) = [str(one.proto) for one in test.get("popover") if "Quoting" in str(one.proto)]
    says(speaker, "Quoting: llama3.2", "3b does not answer")
    told = "a model at https://llm.example/v1: the question and the passages found are sent there"
    assert told in text_of(test)
