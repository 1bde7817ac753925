"""A small index is read before anybody asks; a large one is not."""

from typing import Any

import pytest

from rag import Candor, readahead
from rag.readahead import read_small_index


def test_after_a_small_index_was_read_a_question_reads_nothing_from_it(
    library: Candor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiring = library.wiring
    read = read_small_index(wiring.store, wiring.catalogue)
    assert read == wiring.catalogue.chunk_count() > 0

    store: Any = wiring.store
    monkeypatch.setattr(store, "_records", lambda *_: pytest.fail("the index was read"))
    assert library.retrieve("Which gloves are required for dichloromethane?").retrieval.hits


def test_an_index_of_more_chunks_is_left_to_the_questions(library: Candor, monkeypatch: pytest.MonkeyPatch) -> None:
    wiring = library.wiring
    monkeypatch.setattr(readahead, "SMALL", wiring.catalogue.chunk_count() - 1)
    monkeypatch.setattr(wiring.store, "fetch", lambda *_: pytest.fail("the index was read"))
    assert read_small_index(wiring.store, wiring.catalogue) == 0


def test_an_index_is_read_ahead_once_however_many_ask(library: Candor, monkeypatch: pytest.MonkeyPatch) -> None:
    library.wiring.__dict__.pop("read_ahead", None)
    assert library.read_ahead() == library.wiring.catalogue.chunk_count()
    monkeypatch.setattr(library.wiring.store, "fetch", lambda *_: pytest.fail("the index was read again"))
    assert library.read_ahead() == library.wiring.catalogue.chunk_count()
