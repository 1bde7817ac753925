"""A model server that fails in every way it can, behind the whole pipeline, with the real `ollama` client.

Each time the answer is the documents' own and says why the model's is not shown, or the failure is LLM_ERROR.
"""

import shutil
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest
from library import NOBODY, candor, quiet_settings
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from questions import GLOVES, SURE, TRUTH, ask

from rag.wiring import Wiring

INVENTED = "Gloves of dragon leather are required since 1871. [1] They cost 4711 euros in Ulan Bator. [2]"
BREAKS = tuple(fault for fault in Fault if fault not in (Fault.NONE, Fault.SLOW_TOKENS))
QUICK = {"connect_timeout_s": 1.0, "token_timeout_s": 0.6, "generation_timeout_s": 1.5}
LONGEST_S = 30.0
"""Far more than the quick timeouts add up to, and less than any of the patient ones: the machine may be busy."""


@pytest.fixture
def speaking(pipeline, tmp_path):
    """Return the pipeline with a model server at an address, as settings wire it."""

    def wired(url, **changes):
        settings = quiet_settings(tmp_path / "data", ollama_host=url, **{**QUICK, **changes})
        return replace(pipeline, generator=Wiring(settings).generator, on_model_failure=settings.on_model_failure)

    return wired


def server(text=INVENTED, *, fault=Fault.NONE, piece_pause_s=0.05, **options):
    brain = ScriptedBrain(lambda question, passages: text)
    return OllamaServer(brain, fault=fault, piece_pause_s=piece_pause_s, **options)


def assert_quoted_in_time(pipeline):
    begun = perf_counter()
    answer = ask(pipeline, GLOVES, **SURE)
    assert perf_counter() - begun < LONGEST_S
    assert answer.generator.name == "extractive"
    assert answer.notes[-1] == f"The answer is quoted from the documents: {answer.generator.fallback_reason}"
    assert "laminate gloves are required" in answer.answer
    everything_shown = answer.model_dump_json(exclude={"prompt", "draft"})
    assert "dragon" not in everything_shown
    assert "4711 euros" not in everything_shown  # an id may hold the figures
    return answer.generator.fallback_reason


@pytest.mark.parametrize(("fault", "everywhere"), [*((fault, False) for fault in BREAKS), (Fault.GARBAGE, True)])
def test_whatever_breaks_the_documents_are_quoted_in_time_and_the_answer_says_why(speaking, fault, everywhere):
    with server(f"{TRUTH} {INVENTED}", fault=fault, everywhere=everywhere) as failing:
        assert assert_quoted_in_time(speaking(failing.url))


@pytest.mark.parametrize("is_there", [True, False])
def test_the_command_ends_with_code_2_where_nothing_may_stand_in(library_home, tmp_path, is_there):
    home = Path(shutil.copytree(library_home, tmp_path / "data"))
    with server(fault=Fault.SERVER_ERROR) as failing:
        asked_with = {"OLLAMA_HOST": failing.url if is_there else NOBODY, "CANDOR_ON_MODEL_FAILURE": "error"}
        ran = candor("ask", GLOVES, "--confidence-threshold", "0", "--json", data_dir=home, **asked_with)
    assert (ran.code, ran.json["error_code"]) == (2, "LLM_ERROR")
    assert is_there or NOBODY in ran.json["message"]
    assert "Traceback" not in ran.err
