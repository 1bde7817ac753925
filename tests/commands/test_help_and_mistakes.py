"""Help, and what cannot be understood or used: one line that says what is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import begun, clear
from library import ROOT, Ran, candor, quiet_settings
from questions import GLOVES
from typer.testing import CliRunner

from rag.commands.line import app
from rag.errors import FolderUnwritable, InvalidDocument
from rag.record import Recorder
from rag.records.ingest_log import ingest_log
from rag.settings import load_settings
from rag.wiring import Wiring

COMMANDS = "ingest documents forget ask health serve evaluate compare calibrate train ground bench"


def test_help_lists_every_command_and_each_explains_itself(tmp_path):
    ran = candor("--help", data_dir=tmp_path / "data")
    assert (ran.code, (tmp_path / "data").exists()) == (0, False)
    for command in COMMANDS.split():
        assert f"\n  {command} " in ran.out
        shown = [CliRunner().invoke(app, [command, option]) for option in ("--help", "-h")]
        assert [(one.exit_code, "Options:" in one.output) for one in shown] == [(0, True)] * 2, command


def test_the_command_line_is_a_module_too_prints_its_version_and_without_a_command_lists_the_commands(inside):
    command = [sys.executable, "-m", "rag", "compare", "nowhere.jsonl", "nowhere.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, "'nowhere.run.json' is not there" in done.stderr) == (1, True)
    assert inside("--version").out.startswith("candor 0.")
    for arguments in ((), ("keys",)):
        ran = inside(*arguments)
        assert (ran.code, ran.out, "\n  " in ran.err) == (1, "", True)
        assert ran.err.startswith("Usage: candor")


UNREADABLE = (
    ("ask",), ("nonsense",), ("ask", GLOVES, "--top-k", "many"), ("ask", GLOVES, "--mode", "page"), ("ask", "--x"),
)  # fmt: skip
"""What cannot be understood: the message names the help."""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        *((arguments, "INVALID_INPUT") for arguments in UNREADABLE),
        (("ask", "x"), "QUERY_TOO_SHORT"),
        (("ask", "x" * 1001), "INVALID_INPUT"),
        (("ask", "what\x07 now"), "INVALID_INPUT"),
        (("ask", GLOVES, "--top-k", "21"), "INVALID_INPUT"),
        (("ask", GLOVES, "--mode", "selected-text-only"), "INVALID_INPUT"),
        (("ask", GLOVES, "--context-file", "nobody.txt"), "INVALID_INPUT"),
        (("ask", GLOVES), "VECTOR_DB_ERROR"),
        (("ingest",), "INVALID_INPUT"),
        *(
            ((command, "nobody.pdf"), "INVALID_INPUT")
            for command in ("ingest", "forget", "evaluate", "calibrate", "train")
        ),
    ],
)
def test_an_error_is_one_json_object_on_stdout_one_line_on_stderr_and_code_1(inside, tmp_path, arguments, code):
    ran, plain = (inside(*arguments, *more, data_dir=tmp_path / "data") for more in (["--json"], []))
    assert (ran.code, ran.out.count("\n"), ran.json["error_code"]) == (1, 1, code)
    assert list(ran.json) == ["error_code", "message", "details", "timestamp"]
    assert clear(ran)
    assert (plain.code, plain.out, plain.err) == (1, "", f"{code}: {ran.json['message']}\n")
    assert ("--help` explains the arguments" in plain.err) is (arguments in UNREADABLE)


def test_an_argument_that_is_not_utf8_and_a_setting_that_is_malformed_or_names_nothing_are_told_by_value(inside):
    for arguments in (("ask", "what \udcff is"), ("ingest", "\udcff.md")):
        ran = inside(*arguments)
        assert (ran.code, clear(ran), "\\xff" in ran.err) == (1, True, True)
        assert ran.err.startswith("INVALID_INPUT: Argument 2, '")
    for setting, value, told in (
        ("CANDOR_EMBEDDING_MODEL", "./nope", "The embedding model './nope' does not exist"),
        ("CANDOR_TOP_K", "99", "CANDOR_TOP_K='99'"),
        ("CANDOR_DATA_DIR", "~nobody-of-this-name/candor", "CANDOR_DATA_DIR='~nobody-of-this-name/candor'"),
    ):
        ran = inside("ask", GLOVES, **{setting: value})
        assert (ran.code, clear(ran), told in ran.err) == (1, True, True), setting


SAMPLES = str(ROOT / "samples")


@pytest.mark.parametrize("arguments", [("documents",), ("ask", GLOVES), ("keys", "list"), ("evaluate", SAMPLES)])
def test_a_data_folder_that_cannot_be_is_told_in_one_line_that_names_it(inside, tmp_path, arguments):
    (tmp_path / "file").write_text("a file", encoding="utf-8")
    for folder, told in (("x" * 300, "File name too long"), ("file", "/file"), ("file/data", "/file/data")):
        ran = inside(*arguments, CANDOR_DATA_DIR=str(tmp_path / folder))
        assert (clear(ran), told in ran.err) == (True, True), ran.err
        assert "CANDOR_DATA_DIR" in ran.err or "--out" in ran.err


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
    named = settings.data_dir, settings.cache_dir, settings.gate_dir
    assert named == (Path(".candor"), None, tmp_path / "home" / "gate")
    assert load_settings(data_dir="a ~ b").data_dir == Path("a ~ b")


BY_NOTHING = "is not the name of a file or folder; the current folder is '.'"
ODD = [
    *((arguments, BY_NOTHING) for arguments in (
        ("ingest", ""), ("evaluate", SAMPLES, "--out", " "), ("compare", "", "b"),
        ("ask", GLOVES, "--context-file", ""), ("bench", "--samples="),
    )),
    (("compare", ".", "."), "'.' is a folder"),
    (("compare", "run.jsonl", "run.md"), "run.md' does not exist. Name the lines of a run"),
    (("bench", "--samples", "samples"), "'samples' was not ingested: there is no such file or folder"),
    (("serve", "--port", "70000"), "'70000'"),
    (("serve", "--host", " "), "' '"),
    (("evaluate", SAMPLES, "--limit", "0"), "limit is 0: at least one"),
    (("calibrate", SAMPLES, "--horizon", "-3"), "'-3'"),
    (("calibrate", SAMPLES, "--max-false-answer-rate", "5"), "--max-false-answer-rate is 5"),
    (("calibrate", SAMPLES, "--long-run", "--horizon", "50"), "--horizon 50 and --long-run exclude each other"),
    (("ask", GLOVES, "--estimator", "best"), "'best'"),
    (("ask", GLOVES, "--context-file", "empty.txt"), "'empty.txt' contains no text"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "told"), ODD)
def test_an_argument_that_is_none_or_out_of_range_is_one_line_with_its_value(inside, tmp_path, arguments, told):
    (tmp_path / "empty.txt").write_text(" \n", encoding="utf-8")
    ran = inside(*arguments)
    assert (clear(ran), told in ran.err, "Value error" in ran.err) == (True, True, False), ran.err
    assert not (tmp_path / "data" / "index").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is missing")
def test_a_full_disk_behind_the_output_is_one_line(tmp_path):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        process = begun("keys", "list", "--json", data_dir=tmp_path / "data", stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=90)
    assert clear(Ran(process.returncode, "", err)), err
    assert "The output cannot be written: No space left on device" in err
