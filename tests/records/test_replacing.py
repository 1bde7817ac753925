"""A file is whole at any moment: the old one or the new one, also where many write it or one cannot."""

import errno
import os
import stat
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest
from at_once import at_once

from rag.evaluation.runs import replace_text
from rag.records.replacing import place, replace


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_usual_rights_and_a_replaced_one_keeps_its_own(tmp_path: Path) -> None:
    usual, path = tmp_path / "usual", tmp_path / "file"
    usual.touch()
    replace(path, b"one")
    assert rights(path) == rights(usual)
    path.chmod(0o640)
    for mode, kept in ((None, 0o640), (0o600, 0o600)):
        replace(path, b"two", mode=mode)
        assert (path.read_bytes(), rights(path)) == (b"two", kept)


def test_what_stood_there_stays_where_the_new_file_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fails(_: int) -> None:
        assert path.read_bytes() == b"old"  # the new file is on disk before it takes its place
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    for write in (replace, place):
        with pytest.raises(OSError, match="No space left"):
            write(path, b"new")
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def test_threads_that_replace_one_file_leave_one_of_the_whole_contents(tmp_path: Path) -> None:
    path, contents = tmp_path / "run.json", [f"{number}" * 50_000 for number in range(4)]

    def write(text: str) -> None:
        for _ in range(20):
            replace_text(path, text)
            assert path.read_text() in contents, "half a file"

    at_once(*(partial(write, text) for text in contents))
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("has_links", [True, False])
def test_of_several_that_place_a_file_one_does_and_the_others_find_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    if not has_links:
        monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EPERM, "Operation not permitted")))
    path = tmp_path / "secret"
    assert [place(path, text, mode=0o600) for text in (b"first", b"second")] == [True, False]
    assert (path.read_bytes(), rights(path)) == (b"first", 0o600)
    assert [*tmp_path.iterdir()] == [path]
