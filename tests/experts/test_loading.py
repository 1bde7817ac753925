"""What the reader was taught is loaded with it, or set aside with a word."""

import logging

import numpy as np
import pytest

from rag.adapters.mpnet_pairs import shipped_pairs
from rag.confidence.calibrated import load_fit
from rag.errors import ConfigurationError
from rag.reader.head import Head, save_head
from rag.settings import Settings
from rag.wiring import Wiring

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
