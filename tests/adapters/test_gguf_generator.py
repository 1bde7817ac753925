"""A model file in this process: loaded once and late, one draft at a time, left at any moment."""

import subprocess
import sys
from threading import Event
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from asking import model_file
from gguf_files import LLAMA, gguf, number, scores, words
from passages import hit

from rag.adapters import gguf_generator
from rag.adapters.gguf_generator import GgufGenerator
from rag.adapters.gguf_header import read_gguf
from rag.errors import ConfigurationError, GeneratorUnavailable
from rag.models import Query
from rag.prompt import build_prompt
from rag.protocols import ModelInfo, SignOfLife


@pytest.fixture
def small(tmp_path):
    """A file with a head and no model."""
    return gguf(tmp_path / "headed.gguf", LLAMA, number("llama.context_length", 1024))


@pytest.fixture(scope="module")
def generator():
    made = GgufGenerator(model_file(), max_context=2048, total_timeout_s=300, threads=2)
    yield made
    made.close()


@pytest.fixture(scope="module")
def long_prompt():
    """A prompt of four batches, so that there are moments at which to stop reading it."""
    hits = [hit("Nitrile gloves are worn. " * 120)]
    return build_prompt(Query(question="Which gloves?", max_tokens=20), hits, model=None, max_context=2048)


def test_nothing_is_loaded_until_a_draft_is_asked_for(small):
    code = (
        "import sys; from pathlib import Path; from rag.adapters.gguf_generator import GgufGenerator; "
        f"made = GgufGenerator(Path({str(small)!r})); "
        "assert made.model().context_length == 1024; assert not list(made.find_model(pulse=None)); "
        "assert 'not loaded yet' in made.check().detail; assert 'xllamacpp' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_window_is_the_files_and_no_larger_than_is_allowed_and_a_file_that_has_gone_is_told(small, tmp_path):
    generator = GgufGenerator(small)
    assert generator.model() == ModelInfo("headed", 1024)
    assert GgufGenerator(small, max_context=600).model() == ModelInfo("headed", 600)
    assert GgufGenerator(gguf(tmp_path / "m.gguf")).model() == ModelInfo("m", 2048)  # the file does not say it
    small.unlink()
    status = generator.check()
    assert (status.state, "there is no such file" in status.detail) == ("disconnected", True)


def test_without_what_runs_it_the_start_is_refused_with_the_command_that_installs_it(small, monkeypatch):
    monkeypatch.setattr(gguf_generator, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"xllamacpp, which is not installed.*pip install .candor-rag\[gguf\]"):
        GgufGenerator(small)


@pytest.mark.model
def test_a_file_that_cannot_be_loaded_is_told_once_loaded_and_not_tried_again(small, prompt, monkeypatch):
    model_file()
    generator = GgufGenerator(small)
    with pytest.raises(GeneratorUnavailable, match=r"headed.gguf' could not be loaded.*Restart Candor"):
        list(generator.stream(prompt, max_tokens=5, temperature=0))
    monkeypatch.setattr(gguf_generator, "load", None)
    with pytest.raises(GeneratorUnavailable, match="could not be loaded"):
        list(generator.stream(prompt, max_tokens=5, temperature=0))
    status = generator.check()
    assert (status.state, "could not be loaded" in status.detail) == ("disconnected", True)
    generator.close()


@pytest.mark.model
def test_a_prompt_is_read_with_signs_of_life_and_closing_ends_it(generator, long_prompt, prompt, monkeypatch):
    heard: list[dict[str, object]] = []
    stopped = Event()
    write = gguf_generator.write

    def watched(engine: object, request: object, on_event: gguf_generator.OnEvent) -> None:
        write(engine, request, lambda event: bool(heard.append(event)) or on_event(event))  # type: ignore[arg-type]
        stopped.set()

    monkeypatch.setattr(gguf_generator, "write", watched)
    stream = generator.stream(long_prompt, max_tokens=20, temperature=0)
    assert next(piece for piece in stream if heard) == ""
    stream.close()
    assert stopped.wait(120)
    read = [event["prompt_progress"] for event in heard if "prompt_progress" in event]
    assert read
    assert read[-1]["processed"] < read[-1]["total"], "it was left before the prompt was read"  # type: ignore[index]
    assert "".join(generator.stream(prompt, max_tokens=3, temperature=0)).strip()


@pytest.mark.model
def test_who_waits_for_a_turn_may_leave_and_is_never_worked_for(generator, prompt, monkeypatch):
    asked: list[object] = []
    goes_on = Event()
    write = gguf_generator.write

    def slow(engine: object, request: object, on_event: gguf_generator.OnEvent) -> None:
        asked.append(request)
        goes_on.wait(120)
        write(engine, request, on_event)  # type: ignore[arg-type]

    monkeypatch.setattr(gguf_generator, "write", slow)
    first, second = (generator.stream(prompt, max_tokens=3, temperature=0) for _ in range(2))
    assert [next(first), next(second)] == ["", ""]
    second.close()
    goes_on.set()
    assert "".join(first).strip()
    assert len(asked) == 1


@pytest.mark.model
def test_a_generation_that_takes_too_long_or_a_prompt_longer_than_the_window_says_which_setting_to_raise(
    generator, long_prompt, prompt, monkeypatch
):
    long = prompt.model_copy(update={"user_prompt": "gloves " * 2500})
    with pytest.raises(GeneratorUnavailable, match=r"exceeds the available context size.*CANDOR_MAX_CONTEXT"):
        list(generator.stream(long, max_tokens=2, temperature=0))
    monkeypatch.setattr(generator, "_total_timeout_s", 0.0)
    with pytest.raises(GeneratorUnavailable, match=r"within 0 s.*CANDOR_GENERATION_TIMEOUT_S") as caught:
        list(generator.stream(long_prompt.model_copy(update={"user_prompt": "x " * 900}), max_tokens=20, temperature=0))
    last = generator.check().last_error
    assert last is not None
    assert last.message == caught.value.message


@pytest.mark.model
def test_the_engines_own_port_is_closed_to_everybody_and_closing_ends_what_is_written_and_gives_the_memory_back(prompt):
    generator = GgufGenerator(model_file(), max_context=2048, total_timeout_s=300, threads=2)
    stream = generator.stream(prompt, max_tokens=100, temperature=1, seed=5)
    next(piece for piece in stream if piece)
    assert generator._engine is not None
    for path in ("/v1/models", "/props", "/slots"):
        with pytest.raises(HTTPError) as caught:
            urlopen(f"{generator._engine.listening_address}{path}", timeout=60)
        assert caught.value.code == 401, path
        caught.value.close()
    generator.close()
    assert generator._engine is None
    stream.close()


def test_name_and_window_are_read_past_a_vocabulary_and_not_from_another_part(tmp_path):
    vocabulary = (words("tokenizer.ggml.tokens", "a", "été", ""), scores("tokenizer.ggml.scores", 0.5, 1.5))
    path = gguf(tmp_path / "Small.Q4.gguf", number("llama.context_length", 512), *vocabulary, LLAMA)
    found = read_gguf(path)
    assert (found.name, found.context_length) == ("Small.Q4", 512)
    assert read_gguf(gguf(tmp_path / "m.gguf", LLAMA, number("clip.context_length", 77))).context_length is None
    real = read_gguf(model_file())
    assert (real.name, real.context_length) == ("SmolLM2-135M-Instruct.Q4_1", 8192)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "there is no such file"),
        (b"", "not a GGUF file"),
        (b"PK\x03\x04", "not a GGUF file"),
        (b"GGUF", "cut off or broken"),
        (b"GGUF\x03\x00\x00\x00", "cut off or broken"),
        (b"GGUF" + b"\xff" * 64, "cut off or broken"),
    ],
)
def test_what_is_no_model_file_is_a_configuration_error_with_its_path(content, why, tmp_path):
    path = tmp_path / "m.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=rf"CANDOR_GGUF='{path}' cannot be used.*{why}.*ends in .gguf"):
        read_gguf(path)


def test_while_a_file_is_loaded_it_is_told_how_much_of_it_has_been_read(small, prompt, monkeypatch):
    with small.open("r+b") as file:
        file.truncate(3 << 24)  # three pieces
    said = {"choices": [{"delta": {"content": "Nitrile."}}]}
    monkeypatch.setattr(gguf_generator, "load", lambda path, **options: object())
    monkeypatch.setattr(gguf_generator, "write", lambda engine, request, on_event: on_event(said))
    made = GgufGenerator(small)
    pieces = list(made.stream(prompt, max_tokens=3, temperature=0))
    made.close()
    told = [(round(one.share, 2), one.is_loading) for one in pieces if isinstance(one, SignOfLife)]
    assert told == [(0.33, True), (0.67, True), (1.0, True)]
    assert "".join(pieces) == "Nitrile."
