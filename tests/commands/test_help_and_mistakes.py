"""Help, and what cannot be understood or used: one line that says what is wrong."""

import subprocess
import sys

import pytest
from command_line import clear
from library import ROOT, candor
from questions import GLOVES
from typer.testing import CliRunner

from rag.commands.line import app

COMMANDS = (
    "ingest", "documents", "forget", "ask", "health", "serve", "evaluate", "compare", "calibrate", "train", "ground",
    "bench",
)  # fmt: skip


def test_help_lists_every_command_and_each_explains_itself(tmp_path):
    ran = candor("--help", data_dir=tmp_path / "data")

    assert ran.code == 0
    assert all(f"\n  {command} " in ran.out for command in COMMANDS)
    assert not (tmp_path / "data").exists()
    for command in COMMANDS:
        for option in ("--help", "-h"):
            shown = CliRunner().invoke(app, [command, option])
            assert (shown.exit_code, "Options:" in shown.output) == (0, True), command


@pytest.mark.parametrize("module", ["rag", "rag.cli"])
def test_the_command_line_is_a_module_too(module):
    command = [sys.executable, "-m", module, "compare", "nowhere.jsonl", "nowhere.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)

    assert done.returncode == 1
    assert "'nowhere.run.json' is not there" in done.stderr


def test_help_is_quick_because_nothing_heavy_is_loaded_for_it():
    heavy = {"numpy", "torch", "openvino", "streamlit", "sqlalchemy"}
    code = f"import atexit, sys; atexit.register(lambda: sys.stderr.write(str(sorted({heavy} & set(sys.modules)))))"
    code += "; from rag.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, cwd=ROOT, check=True)

    assert "evaluate" in done.stdout
    assert done.stderr == "[]"


ODD = (("ask",), ("ask", GLOVES, "--top-k", "many"), ("ask", GLOVES, "--mode", "page"), ("nonsense",), ("ask", "--x"))


@pytest.mark.parametrize("arguments", ODD)
def test_arguments_that_cannot_be_understood_are_one_line_that_names_the_help(inside, arguments):
    ran, as_json = inside(*arguments), inside(*arguments, "--json")

    assert (ran.code, ran.out, as_json.code) == (1, "", 1)
    assert clear(ran)
    assert ran.err.startswith("INVALID_INPUT: ")
    assert "--help` explains the arguments" in ran.err
    assert as_json.json["error_code"] == "INVALID_INPUT"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("ask", "x"), "QUERY_TOO_SHORT"),
        (("ask", "x" * 1001), "INVALID_INPUT"),
        (("ask", "what\x07 now"), "INVALID_INPUT"),
        (("ask", GLOVES, "--top-k", "21"), "INVALID_INPUT"),
        (("ask", GLOVES, "--mode", "selected-text-only"), "INVALID_INPUT"),
        (("ask", GLOVES, "--context-file", "nobody.txt"), "INVALID_INPUT"),
        (("ask", GLOVES), "VECTOR_DB_ERROR"),
        (("ingest",), "INVALID_INPUT"),
        (("ingest", "nobody.pdf"), "INVALID_INPUT"),
        (("forget", "nobody.pdf"), "INVALID_INPUT"),
        (("evaluate", "nobody"), "INVALID_INPUT"),
        (("calibrate", "nobody"), "INVALID_INPUT"),
        (("train", "nobody"), "INVALID_INPUT"),
    ],
)
def test_an_error_is_one_json_object_on_stdout_one_line_on_stderr_and_code_1(inside, tmp_path, arguments, code):
    ran, plain = (inside(*arguments, *more, data_dir=tmp_path / "data") for more in (["--json"], []))

    assert (ran.code, ran.out.count("\n"), ran.json["error_code"]) == (1, 1, code)
    assert list(ran.json) == ["error_code", "message", "details", "timestamp"]
    assert clear(ran)
    assert (plain.code, plain.out, plain.err) == (1, "", f"{code}: {ran.json['message']}\n")


@pytest.mark.parametrize("arguments", [("ask", "what \udcff is"), ("forget", "\udcff.md"), ("ingest", "\udcff.md")])
def test_an_argument_that_is_not_utf8_is_named_with_its_bytes(inside, tmp_path, arguments):
    ran = inside(*arguments, data_dir=tmp_path / "data")

    assert ran.code == 1
    assert ran.err.startswith("INVALID_INPUT: Argument 2, '")
    assert "\\xff" in ran.err
    assert clear(ran)


def test_a_setting_that_is_malformed_or_names_what_is_not_there_is_one_line_with_its_value(inside):
    model = inside("ask", GLOVES, CANDOR_EMBEDDING_MODEL="./nope")
    number = inside("documents", CANDOR_TOP_K="99")
    home = inside("documents", CANDOR_DATA_DIR="~nobody-of-this-name/candor")

    assert (model.code, clear(model), number.code, clear(number), clear(home)) == (1, True, 1, True, True)
    assert "The embedding model './nope' does not exist" in model.err
    assert "CANDOR_TOP_K='99'" in number.err
    assert "CANDOR_DATA_DIR='~nobody-of-this-name/candor'" in home.err


def test_a_data_folder_that_cannot_be_used_is_an_error_in_one_line_that_names_it(inside, tmp_path):
    (tmp_path / "file").write_text("a file", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "data"):
        for command in (("documents",), ("ask", GLOVES), ("evaluate", str(ROOT / "samples"))):
            ran = inside(*command, data_dir=folder)

            assert (ran.code, clear(ran)) == (1, True), ran.err
            assert str(folder) in ran.err
