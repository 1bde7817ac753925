"""A model server that fails in every way it can, behind the whole pipeline, with the real `ollama` client.

Each time the answer is the documents' own and says why the model's is not shown, or the failure is LLM_ERROR.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Timer
from time import perf_counter

import pytest
from library import NOBODY, candor, free_port, quiet_settings
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from questions import GLOVES, KNOWN, log
from questions import SHOWN_TRUTH as SHOWN
from readers import knowing

from rag import Candor
from rag.errors import ErrorCode, GeneratorUnavailable
from rag.events import Waiting
from rag.models import Answer
from rag.pipeline import Pipeline
from rag.record import Recorder
from rag.wiring import Wiring

INVENTED = "Gloves of dragon leather are required since 1871. [1] They cost 4711 euros in Ulan Bator. [2]"
TRUE = "For dichloromethane, laminate gloves are required. [1]"
BREAKS = tuple(fault for fault in Fault if fault not in (Fault.NONE, Fault.SLOW_TOKENS))
QUICK = {"connect_timeout_s": 1.0, "token_timeout_s": 0.6, "generation_timeout_s": 1.5}
PATIENT = {"connect_timeout_s": 60.0, "token_timeout_s": 60.0, "generation_timeout_s": 300.0}
LONGEST_S = 30.0
"""Far more than the quick timeouts add up to, and less than any of the patient ones: the machine may be busy."""


@pytest.fixture
def speaking(library: Candor, tmp_path: Path) -> Iterator[Callable[..., Pipeline]]:
    """Return the pipeline with a model server at an address, as settings wire it."""
    recorder = Recorder(tmp_path / "record")

    def wired(url: str, **changes: object) -> Pipeline:
        settings = quiet_settings(tmp_path / "data", ollama_host=url, **{**QUICK, **changes})
        generator = Wiring(settings).generator
        failing = settings.on_model_failure
        return replace(
            library.pipeline,
            reader=knowing(KNOWN),
            generator=generator,
            recorder=recorder,
            on_model_failure=failing,
        )

    yield wired
    recorder.close()


def server(text: str = INVENTED, *, fault: Fault = Fault.NONE, **options: object) -> OllamaServer:
    options = {"piece_pause_s": 0.05, **options}
    return OllamaServer(ScriptedBrain(lambda question, passages: text), fault=fault, **options)


def asked(pipeline: Pipeline) -> tuple[Answer, float]:
    begun = perf_counter()
    answer = pipeline.ask(pipeline.query(GLOVES, confidence_threshold=0.0))
    return answer, perf_counter() - begun


def assert_quoted_instead(answer: Answer) -> None:
    assert answer.generator.name == "extractive"
    assert answer.generator.fallback_reason
    assert answer.notes[-1] == f"The answer is quoted from the documents: {answer.generator.fallback_reason}"
    assert "laminate gloves are required" in (answer.answer or "")
    everything_shown = answer.model_dump_json(exclude={"prompt", "draft"})
    assert "dragon" not in everything_shown
    assert "4711 euros" not in everything_shown  # an id may hold the figures


@pytest.mark.parametrize("fault", BREAKS)
def test_whatever_breaks_the_documents_are_quoted_in_time_and_the_answer_says_why(
    speaking: Callable[..., Pipeline], fault: Fault
) -> None:
    with server(f"{TRUE} {INVENTED}", fault=fault) as failing:
        answer, seconds = asked(speaking(failing.url))

    assert seconds < LONGEST_S
    assert_quoted_instead(answer)


@pytest.mark.parametrize("fault", [Fault.SERVER_ERROR, Fault.GARBAGE, Fault.HANG_MID_STREAM, Fault.MISSING_MODEL])
def test_whatever_breaks_is_an_llm_error_where_nothing_may_stand_in(
    speaking: Callable[..., Pipeline], fault: Fault
) -> None:
    with server(fault=fault) as failing:
        pipeline = speaking(failing.url, on_model_failure="error")
        with pytest.raises(GeneratorUnavailable) as caught:
            asked(pipeline)

    assert caught.value.error_code is ErrorCode.LLM_ERROR
    assert "dragon" not in caught.value.message
    assert log(pipeline)[-1]["level"] == "ERROR"


@pytest.mark.parametrize("fault", [Fault.HANG_BEFORE_HEADERS, Fault.GARBAGE, Fault.SERVER_ERROR])
def test_a_server_that_fails_at_every_call_is_stood_in_for_too(speaking: Callable[..., Pipeline], fault: Fault) -> None:
    with server(fault=fault, everywhere=True) as failing:
        answer, seconds = asked(speaking(failing.url))

    assert seconds < LONGEST_S
    assert_quoted_instead(answer)


def test_a_missing_model_is_named_with_the_command_that_fetches_it(speaking: Callable[..., Pipeline]) -> None:
    with server() as one:
        answer, _ = asked(speaking(one.url, ollama_model="qwen3:4b", **PATIENT))

    assert_quoted_instead(answer)
    assert "ollama pull qwen3:4b" in (answer.generator.fallback_reason or "")


def test_a_server_that_comes_back_between_two_tries_speaks_and_is_named(
    speaking: Callable[..., Pipeline], monkeypatch: pytest.MonkeyPatch
) -> None:
    restarting = server(TRUE, port=free_port())
    again = Timer(0, restarting.__enter__)

    def pause(seconds: float) -> None:
        again.start()
        again.join()

    monkeypatch.setattr("rag.adapters.server_generator.sleep", pause)
    try:
        answer, _ = asked(speaking(restarting.url, on_model_failure="error", **PATIENT))
    finally:
        restarting.__exit__(None, None, None)

    assert answer.answer == SHOWN
    assert (answer.generator.name, answer.generator.model) == ("ollama", "scripted:latest")


def test_slow_tokens_are_waited_for_while_they_come(speaking: Callable[..., Pipeline]) -> None:
    with server(TRUE, fault=Fault.SLOW_TOKENS) as slow:
        answer, _ = asked(speaking(slow.url, **PATIENT))

    assert answer.generator.name == "ollama"
    assert answer.answer == SHOWN


def test_slow_tokens_end_with_the_whole_time_though_each_comes_in_time(speaking: Callable[..., Pipeline]) -> None:
    with server(f"{INVENTED} " * 20, fault=Fault.SLOW_TOKENS, piece_pause_s=0.2) as slow:  # a minute of it
        answer, seconds = asked(speaking(slow.url, token_timeout_s=60.0))

    assert seconds < LONGEST_S
    assert_quoted_instead(answer)
    assert "within 1.5 s" in (answer.generator.fallback_reason or "")


@pytest.mark.parametrize("fault", [Fault.HANG_BEFORE_HEADERS, Fault.HANG_MID_STREAM])
def test_leaving_the_stream_hangs_up_on_a_model_that_is_silent(speaking: Callable[..., Pipeline], fault: Fault) -> None:
    with server(fault=fault) as silent:
        pipeline = speaking(silent.url, token_timeout_s=300.0, generation_timeout_s=300.0)
        stream = pipeline.stream(pipeline.query(GLOVES, confidence_threshold=0.0))
        next(event for event in stream if isinstance(event, Waiting) and silent.calls("/api/chat"))
        stream.close()

        assert silent.disconnect_seen.wait(60)
        assert silent.calls("/api/chat")[0].disconnected
    assert all(line["event"] != "answer_returned" for line in log(pipeline))


# --- the command --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_there", [True, False])
def test_the_command_ends_with_code_2_where_nothing_may_stand_in(
    library_home: Path, tmp_path: Path, is_there: bool
) -> None:
    home = Path(shutil.copytree(library_home, tmp_path / "data"))
    with server(fault=Fault.SERVER_ERROR) as failing:
        asked_with = {"OLLAMA_HOST": failing.url if is_there else NOBODY, "CANDOR_ON_MODEL_FAILURE": "error"}
        ran = candor("ask", GLOVES, "--confidence-threshold", "0", "--json", data_dir=home, **asked_with)

    assert ran.code == 2
    assert ran.json["error_code"] == "LLM_ERROR"
    assert is_there or NOBODY in ran.json["message"]
    assert "Traceback" not in ran.err
