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


@pytest.fixture
def named(settings):
    """Return what the reader is called with a head for a reader of this name in the data folder."""

    def read(reader):
        settings.data_dir.mkdir(exist_ok=True)
        save_head(settings.head_file, Head(np.ones(1536), 0.5, reader))
        return Wiring(settings).reader_name

    return read


def test_a_head_in_the_data_folder_is_loaded_and_names_the_reader_and_one_of_another_reader_is_set_aside(
    settings, named, caplog
):
    base = shipped_pairs().described.name
    name = named(base)
    assert (name.startswith(f"{base}+"), len(name)) == (True, len(base) + 9)
    load_fit(settings.data_dir, reader=name)  # the shipped gate stays usable
    with caplog.at_level(logging.WARNING):
        assert named("mpnet-reader@of-another") == base
    assert "set aside. Run `candor train`." in caplog.text
