"""Lessons put in force and taken back."""

import numpy as np
import pytest

from rag.errors import ConfigurationError
from rag.experts.lessons import put_in_force, undo
from rag.reader.head import Head, load_head
from rag.settings import Settings


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=tmp_path / "data")


def head(bias):
    return Head(np.array([1.0, 2.0]), bias, "reader@1")


def test_lessons_are_taken_back_one_by_one_down_to_the_reader_as_it_came(settings):
    assert [put_in_force(settings, head(bias)) for bias in (1.0, 2.0)] == [1, 2]
    assert load_head(settings.head_file).bias == 2.0
    assert undo(settings) == 2
    assert load_head(settings.head_file).bias == 1.0
    assert undo(settings) == 1
    assert not settings.head_file.exists()
    with pytest.raises(ConfigurationError, match="There is no lesson to take back"):
        undo(settings)
    assert put_in_force(settings, head(3.0)) == 1


def test_a_file_that_is_named_in_the_settings_is_the_one_that_is_written(tmp_path):
    settings = Settings(data_dir=tmp_path / "data", reader_head=tmp_path / "own" / "taught.json")
    (tmp_path / "own").mkdir()
    put_in_force(settings, head(1.0))

    assert load_head(tmp_path / "own" / "taught.json").bias == 1.0
    assert not (tmp_path / "data" / "reader-head.json").exists()


def test_what_was_kept_and_cannot_be_read_is_told_with_what_to_do(settings):
    put_in_force(settings, head(1.0))
    (settings.data_dir / "reader-heads" / "0001.json").write_text("{", encoding="utf-8")

    with pytest.raises(ConfigurationError, match=r"Remove '.*reader-head\.json' to let the reader judge as it came"):
        undo(settings)
    assert settings.head_file.exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "data").write_text("a file", encoding="utf-8")

    with pytest.raises(ConfigurationError):
        put_in_force(Settings(data_dir=tmp_path / "data"), head(1.0))
