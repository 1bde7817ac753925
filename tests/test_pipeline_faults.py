"""A model server that fails in every way it can, behind the whole pipeline, with the real `ollama` client.

Each time the answer is the documents' own and says why the model's is not shown, or the failure is LLM_ERROR.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
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
from rag.events import Finished, StageDone, Token, Waiting
from rag.models import Answer
from rag.pipeline import Pipeline
from rag.process.following import followed
from rag.record import Recorder
from rag.settings import load_settings
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
    with server(fault=fault) as failing:
        answer, seconds = asked(speaking(failing.url))

    assert seconds < LONGEST_S
    assert_quoted_instead(answer)


@pytest.mark.parametrize("fault", BREAKS)
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


def test_nobody_at_the_address_is_an_llm_error_at_once_where_nothing_may_stand_in(
    speaking: Callable[..., Pipeline],
) -> None:
    begun = perf_counter()
    with pytest.raises(GeneratorUnavailable, match=rf"{NOBODY}.*refused.*ollama serve") as caught:
        asked(speaking(NOBODY, on_model_failure="error", **PATIENT))

    assert perf_counter() - begun < LONGEST_S
    assert caught.value.error_code is ErrorCode.LLM_ERROR


def test_nobody_at_the_address_is_told_where_a_model_was_named(speaking: Callable[..., Pipeline]) -> None:
    answer, seconds = asked(speaking(NOBODY, ollama_model="qwen3:4b", **PATIENT))

    assert seconds < LONGEST_S
    assert_quoted_instead(answer)
    assert answer.generator.model == "qwen3:4b"
    assert f"{NOBODY} does not answer" in (answer.generator.fallback_reason or "")


def test_nobody_is_needed_for_quotes_that_were_asked_for(speaking: Callable[..., Pipeline]) -> None:
    pipeline = speaking(NOBODY, on_model_failure="error", ollama_model="qwen3:4b")
    answer = pipeline.ask(pipeline.query(GLOVES, confidence_threshold=0.0, no_llm=True))

    assert (answer.generator.name, answer.generator.fallback_reason) == ("extractive", None)


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


def test_a_true_sentence_before_the_stream_died_is_not_shown_as_the_model_s(speaking: Callable[..., Pipeline]) -> None:
    with server(f"{TRUE} {INVENTED}", fault=Fault.DIES_MID_STREAM) as dying:
        answer, _ = asked(speaking(dying.url))

    assert_quoted_instead(answer)


def test_closing_the_stream_hangs_up_on_the_model(speaking: Callable[..., Pipeline]) -> None:
    with server(f"{INVENTED} " * 200, fault=Fault.SLOW_TOKENS, piece_pause_s=0.2) as slow:
        pipeline = speaking(slow.url, **PATIENT)
        stream = pipeline.stream(pipeline.query(GLOVES, confidence_threshold=0.0))
        next(event for event in stream if isinstance(event, Token))
        stream.close()

        assert slow.disconnect_seen.wait(60)
        assert slow.calls("/api/chat")[0].disconnected
    assert not any(isinstance(event, Finished) for event in stream)
    assert all(line["event"] != "answer_returned" for line in log(pipeline))


@pytest.mark.parametrize("fault", [Fault.HANG_BEFORE_HEADERS, Fault.HANG_MID_STREAM])
def test_leaving_the_stream_hangs_up_on_a_model_that_is_silent(speaking: Callable[..., Pipeline], fault: Fault) -> None:
    with server(fault=fault) as silent:
        pipeline = speaking(silent.url, token_timeout_s=300.0, generation_timeout_s=300.0)
        stream = pipeline.stream(pipeline.query(GLOVES, confidence_threshold=0.0))
        next(event for event in stream if isinstance(event, Waiting) and silent.calls("/api/chat"))
        stream.close()

        assert silent.disconnect_seen.wait(60)
        assert silent.calls("/api/chat")[0].disconnected


def test_stop_on_the_page_hangs_up_on_a_model_that_is_silent(speaking: Callable[..., Pipeline]) -> None:
    with server(fault=Fault.HANG_BEFORE_HEADERS) as silent:
        pipeline = speaking(silent.url, token_timeout_s=300.0, generation_timeout_s=300.0)
        stream = pipeline.stream(pipeline.query(GLOVES, confidence_threshold=0.0))
        with closing(followed(stream, pulse=None)) as drawn:  # as dashboard/asking.py does; Stop closes it
            next(event for event in drawn if event is None and silent.calls("/api/chat"))

        assert silent.disconnect_seen.wait(60)


def test_a_server_that_does_not_say_which_model_it_has_can_be_left(speaking: Callable[..., Pipeline]) -> None:
    with server(fault=Fault.HANG_BEFORE_HEADERS, everywhere=True) as mute:
        pipeline = speaking(mute.url)
        stream = pipeline.stream(pipeline.query(GLOVES, confidence_threshold=0.0))
        assert next(event for event in stream if not isinstance(event, StageDone)) == Waiting()
        stream.close()
        assert not mute.calls("/api/chat")


def test_the_shipped_time_limits_end_well_within_a_minute(tmp_path: Path) -> None:
    shipped = load_settings(data_dir=tmp_path)
    assert shipped.on_model_failure == "extractive"
    assert shipped.connect_timeout_s + shipped.generation_timeout_s <= 45
    assert shipped.token_timeout_s <= shipped.generation_timeout_s


# --- the command --------------------------------------------------------------------------------------------------


def test_the_command_answers_from_the_documents_when_the_model_hangs_and_says_so(
    library_home: Path, tmp_path: Path
) -> None:
    home = Path(shutil.copytree(library_home, tmp_path / "data"))
    with server(fault=Fault.HANG_MID_STREAM) as hanging:
        ran = candor(
            "ask", GLOVES, "--confidence-threshold", "0", "--json", data_dir=home, OLLAMA_HOST=hanging.url,
            CANDOR_TOKEN_TIMEOUT_S="0.5",
        )  # fmt: skip

    assert ran.code == 0
    assert ran.json["generator"]["name"] == "extractive"
    assert ran.json["notes"][-1].startswith("The answer is quoted from the documents: ")
    assert "dragon" not in ran.out + ran.err


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
