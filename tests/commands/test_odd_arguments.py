"""Odd arguments, settings and outputs of the command line: one line that says what is wrong, never a traceback."""

import errno
import os
import subprocess
from pathlib import Path

import pytest
from command_line import begun, clear
from library import ROOT, Ran, quiet_settings

from rag.cli import main
from rag.commands import line
from rag.errors import FolderUnwritable, InvalidDocument
from rag.record import Recorder
from rag.records.ingest_log import ingest_log
from rag.settings import load_settings
from rag.wiring import Wiring

TOO_LONG = "x" * 300
"""A name that is longer than any file system takes."""
SAMPLES = str(ROOT / "samples")


@pytest.mark.parametrize("arguments", [("documents",), ("ask", "Which gloves?"), ("ingest", SAMPLES), ("keys", "list")])
def test_a_data_folder_of_an_impossible_name_is_told_in_one_line(inside, tmp_path, arguments):
    for folder in (TOO_LONG, "/".join(["deep"] * 1000)):
        ran = inside(*arguments, CANDOR_DATA_DIR=str(tmp_path / folder))

        assert clear(ran), ran.err
        assert "File name too long" in ran.err
        assert "CANDOR_DATA_DIR" in ran.err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can become somebody who may not enter")
def test_a_data_folder_below_one_that_may_not_be_entered_is_refused_by_its_name(tmp_path):
    (tmp_path / "closed" / "data" / "index").mkdir(parents=True)
    (tmp_path / "closed").chmod(0o700)
    wiring = Wiring(quiet_settings(tmp_path / "closed" / "data"))
    os.seteuid(65534)
    try:
        assert wiring.has_sessions is False
        with pytest.raises(FolderUnwritable, match="user 65534 may not write to it"):
            _ = wiring.catalogue
        with pytest.raises(InvalidDocument), ingest_log(Recorder(wiring.settings.data_dir)):
            raise InvalidDocument("'a.md' was not ingested: it is empty.")
    finally:
        os.seteuid(0)


def test_a_folder_that_is_named_by_nothing_is_the_default_and_a_tilde_is_home(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name, value in {"CANDOR_DATA_DIR": "", "CANDOR_CACHE_DIR": " ", "CANDOR_GATE_DIR": "~/gate"}.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()

    assert settings.data_dir == Path(".candor")
    assert settings.cache_dir is None
    assert settings.gate_dir == tmp_path / "home" / "gate"
    assert load_settings(data_dir="a ~ b").data_dir == Path("a ~ b")


NOTHING = (
    ("ingest", ""), ("ingest", SAMPLES, " "), ("evaluate", ""), ("evaluate", SAMPLES, "--out", ""), ("calibrate", ""),
    ("train", ""), ("compare", "", "b"), ("ground", "--claims", "", "--out", "b"),
    ("ask", "Which gloves?", "--context-file", ""), ("bench", "--samples="),
)  # fmt: skip


@pytest.mark.parametrize("arguments", NOTHING)
def test_no_path_is_not_the_current_folder(inside, tmp_path, arguments):
    (tmp_path / "a.md").write_text("The lamp in the hall is green.", encoding="utf-8")
    ran = inside(*arguments)

    assert clear(ran)
    assert "is not the name of a file or folder; the current folder is '.'" in ran.err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("compare", ".", "."), "'.' is a folder"),
        (("compare", "run.jsonl", "run.md"), "run.md' does not exist. Name the lines of a run"),
        (("bench", "--samples", "samples"), "'samples' was not ingested: there is no such file or folder"),
    ],
)
def test_what_is_no_run_or_not_there_is_told_by_its_name(inside, arguments, told):
    ran = inside(*arguments)

    assert clear(ran)
    assert told in ran.err


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (("serve", "--port", "70000"), "'70000'"),
        (("serve", "--port", "0"), "'0'"),
        (("serve", "--port=-1"), "'-1'"),
        (("serve", "--host", " "), "' '"),
        (("evaluate", SAMPLES, "--limit", "0"), "limit is 0: at least one"),
        (("calibrate", SAMPLES, "--horizon", "-3"), "'-3'"),
        (("bench", "--chunks", "0"), "'0'"),
        (("ask", "Which gloves?", "--estimator", "best"), "'best'"),
    ],
)
def test_a_number_or_name_outside_its_range_is_told_with_its_value(inside, arguments, value):
    ran = inside(*arguments)

    assert clear(ran), ran.err
    assert value in ran.err
    assert "Value error" not in ran.err


def test_a_fault_of_our_own_still_looks_like_one(inside, monkeypatch):
    def fail(**_):
        raise OSError(errno.ENOENT, "No such file", "lost")

    monkeypatch.setattr(line, "app", fail)
    with pytest.raises(OSError, match="No such file"):
        main(["documents"])


def test_the_version_is_printed_and_an_empty_text_file_is_told_as_such(inside, tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n", encoding="utf-8")
    asked = inside("ask", "Which gloves are worn?", "--context-file", str(empty))

    assert inside("--version").out.startswith("candor 0.")
    assert clear(asked)
    assert f"{str(empty)!r} contains no text" in asked.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is missing")
def test_a_full_disk_behind_the_output_is_one_line(tmp_path):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        process = begun("keys", "list", "--json", data_dir=tmp_path / "data", stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=90)

    assert clear(Ran(process.returncode, "", err)), err
    assert "The output cannot be written: No space left on device" in err


@pytest.mark.parametrize("arguments", [(), ("keys",)])
def test_without_a_command_the_commands_are_listed(inside, arguments):
    ran = inside(*arguments)

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Usage: candor")
    assert "\n  " in ran.err
