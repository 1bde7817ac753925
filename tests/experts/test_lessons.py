"""What was taught is kept, taken back and loaded."""

import logging

import numpy as np
import pytest

from rag.adapters.mpnet_pairs import shipped_pairs
from rag.confidence.calibrated import load_fit
from rag.errors import ConfigurationError
from rag.experts.teaching import put_in_force, undo
from rag.reader.head import Head, load_head, save_head
from rag.settings import Settings
from rag.wiring import Wiring


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


WIDTH = 1536


def wired(tmp_path, reader=None):
    settings = Settings(data_dir=tmp_path)
    if reader is not None:
        save_head(settings.head_file, Head(np.ones(WIDTH), 0.5, reader))
    return Wiring(settings)


def test_a_head_in_the_data_folder_is_loaded_and_names_the_reader(tmp_path):
    base = shipped_pairs().described.name
    name = wired(tmp_path, base).reader_name

    assert name.startswith(f"{base}+")
    assert len(name) == len(base) + 9
    load_fit(tmp_path, reader=name)  # the shipped gate stays usable


def test_without_one_the_reader_is_as_it_came(tmp_path):
    assert wired(tmp_path).reader_name == shipped_pairs().described.name


def test_a_head_of_another_reader_is_set_aside_with_a_warning(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        assert wired(tmp_path, "mpnet-reader@of-another").reader_name == shipped_pairs().described.name
    assert "set aside. Run `candor train`." in caplog.text


def test_a_damaged_head_says_what_to_do(tmp_path):
    (tmp_path / "reader-head.json").write_text("{}", encoding="utf-8")

    with pytest.raises(ConfigurationError, match="Run 'candor train' again, or remove the file"):
        _ = wired(tmp_path).reader_name
