"""Ask offers the models that the servers list, and the one that is chosen answers."""

from library import NOBODY
from ollama_server.brains import ScriptedBrain
from ollama_server.openai import OpenAIServer
from questions import GLOVES, SHOWN_TRUTH, TRUTH
from seen import says, text_of

from rag.adapters.generators import Generators, made_generator

LARGE = "openai/large"


def test_the_chosen_model_stands_in_the_url_answers_and_is_named(open_page, library, monkeypatch):
    with OpenAIServer(ScriptedBrain(lambda question, passages: TRUTH, name="small")) as server:
        server.names = ("small", "large")
        changes = {"openai_base_url": server.url, "openai_model": "small", "ollama_host": NOBODY}
        settings = library.settings.model_copy(update=changes)
        monkeypatch.setitem(vars(library.wiring), "generators", Generators(settings, made_generator(settings)))
        test = open_page()
        (model,) = [one for one in test.selectbox if one.label == "Model"]
        assert (model.options, model.value) == (["openai/small", LARGE], None)
        test = open_page(model=LARGE)
        assert [one.value for one in test.selectbox if one.label == "Model"] == [LARGE]
        test.chat_input[0].set_value(GLOVES).run()
        says(text_of(test), SHOWN_TRUTH, "large")
        assert [one.request["model"] for one in server.exchanges if one.method == "POST"] == ["large"]


def test_without_several_models_there_is_nothing_to_choose(open_page):
    assert "Model" not in [one.label for one in open_page().selectbox]


def test_where_the_model_server_does_not_answer_the_label_says_so(open_page, library, monkeypatch):
    settings = library.settings.model_copy(update={"ollama_host": NOBODY, "ollama_model": "llama3.2:3b"})
    monkeypatch.setitem(vars(library.wiring), "settings", settings)
    (speaker,) = [str(one.proto) for one in open_page().get("popover") if "Quoting" in str(one.proto)]
    assert "Quoting: llama3.2" in speaker
    assert "3b does not answer" in speaker
