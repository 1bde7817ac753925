"""What a model file says of itself, and files that are none."""

from pathlib import Path

import pytest
from gguf_files import LLAMA, gguf, number, scores, words
from speakers import model_file

from rag.adapters.gguf_header import read_gguf
from rag.errors import ConfigurationError


def test_name_and_window_are_read_from_the_first_bytes(tmp_path: Path) -> None:
    found = read_gguf(gguf(tmp_path / "Small-1B.Q4_K_M.gguf", LLAMA, number("llama.context_length", 4096)))
    assert (found.name, found.context_length) == ("Small-1B.Q4_K_M", 4096)


def test_a_vocabulary_before_the_window_is_passed_over(tmp_path: Path) -> None:
    vocabulary = (words("tokenizer.ggml.tokens", "a", "été", ""), scores("tokenizer.ggml.scores", 0.5, 1.5))
    path = gguf(tmp_path / "m.gguf", number("llama.context_length", 512), *vocabulary, LLAMA)
    assert read_gguf(path).context_length == 512


def test_the_window_of_another_part_does_not_count(tmp_path: Path) -> None:
    assert read_gguf(gguf(tmp_path / "m.gguf", LLAMA, number("clip.context_length", 77))).context_length is None
    assert read_gguf(gguf(tmp_path / "n.gguf")).context_length is None


def test_a_real_file_says_its_window() -> None:
    found = read_gguf(model_file())
    assert (found.name, found.context_length) == ("SmolLM2-135M-Instruct.Q4_1", 8192)


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
def test_what_is_no_model_file_is_a_configuration_error_with_its_path(
    content: bytes | None, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=rf"CANDOR_GGUF='{path}' cannot be used.*{why}.*ends in .gguf"):
        read_gguf(path)


def test_a_folder_is_no_model_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Is a directory"):
        read_gguf(tmp_path)
