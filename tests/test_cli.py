"""The command line, each command in a process of its own: what it prints, where, and how it ends."""

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from contextlib import closing, suppress

import pytest
from library import NOBODY, ROOT, Ran, candor, clean_environment, quiet_settings
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from smallmodel import save_small_model
from typer.testing import CliRunner

from rag import Candor
from rag.cli import main
from rag.commands.line import app
from rag.evaluation.runlist import noted_runs
from rag.recording.logline import LOG_KEYS

GLOVES = "Which gloves are required for dichloromethane?"
SURE = ("--confidence-threshold", "0")
COMMANDS = (
    "ingest",
    "documents",
    "forget",
    "ask",
    "health",
    "serve",
    "evaluate",
    "compare",
    "calibrate",
    "ground",
    "bench",
)


@pytest.fixture(scope="module")
def home(library_home, tmp_path_factory):
    """A data folder of this module's own, with the sample library."""
    folder = tmp_path_factory.mktemp("cli") / "data"
    shutil.copytree(library_home, folder)
    return folder


@pytest.fixture
def inside(monkeypatch, capsys, tmp_path):
    """The command line in this process: the same without the time that a process of its own takes."""

    def run(*arguments, data_dir, **settings):
        for name in [name for name in os.environ if name.startswith("CANDOR_")]:
            monkeypatch.delenv(name)
        for name, value in {"CANDOR_DATA_DIR": str(data_dir), "OLLAMA_HOST": NOBODY, **settings}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capsys.readouterr()
        return Ran(int(ended.value.code or 0), out, err)

    return run


def clear(ran):
    """Whether an error is one clear line, without a traceback."""
    return "Traceback" not in ran.err and ran.err.strip().count("\n") == 0


def lines_of(data_dir):
    return [json.loads(line) for line in (data_dir / "logs" / "candor.jsonl").read_text(encoding="utf-8").splitlines()]


# --- help and mistakes ----------------------------------------------------------------------------------------------


def test_help_lists_every_command_and_is_quick(tmp_path):
    begun = time.perf_counter()
    ran = candor("--help", data_dir=tmp_path / "data")

    assert (ran.code, time.perf_counter() - begun < 10) == (0, True)
    assert all(f"\n  {command} " in ran.out for command in COMMANDS)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("module", ["rag", "rag.cli"])
def test_the_command_line_is_a_module_too(module):
    command = [sys.executable, "-m", module, "compare", "nowhere.jsonl", "nowhere.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)

    assert done.returncode == 1
    assert "'nowhere.run.json' is not there" in done.stderr


def test_help_loads_nothing_heavy():
    heavy = {"numpy", "torch", "openvino", "streamlit", "sqlalchemy"}
    code = f"import sys, rag.commands.line; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command):
    shown = CliRunner().invoke(app, [command, "--help"])

    assert shown.exit_code == 0
    assert "Options:" in shown.output


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask",),
        ("ask", GLOVES, "--top-k", "many"),
        ("ask", GLOVES, "--mode", "page-wide"),
        ("nonsense",),
        ("ask", "--x"),
    ],
)
def test_arguments_that_cannot_be_understood_are_the_persons_to_fix(inside, tmp_path, arguments):
    ran = inside(*arguments, "--json", data_dir=tmp_path / "data")

    assert ran.code == 1
    assert ran.json["error_code"] == "INVALID_INPUT"
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("ask", "hi"), "QUERY_TOO_SHORT"),
        (("ask", "x" * 1001), "INVALID_INPUT"),
        (("ask", "what\x07 now"), "INVALID_INPUT"),
        (("ask", GLOVES, "--top-k", "21"), "INVALID_INPUT"),
        (("ask", GLOVES, "--top-k", "0"), "INVALID_INPUT"),
        (("ask", GLOVES, "--page", "0"), "INVALID_INPUT"),
        (("ask", GLOVES, "--mode", "chapter-aware"), "INVALID_INPUT"),
        (("ask", GLOVES, "--mode", "selected-text-only"), "INVALID_INPUT"),
        (("ask", GLOVES, "--context-file", "nobody.txt"), "INVALID_INPUT"),
        (("ask", GLOVES), "VECTOR_DB_ERROR"),
        (("ingest", "nobody.pdf"), "INVALID_INPUT"),
        (("forget", "nobody.pdf"), "INVALID_INPUT"),
        (("evaluate", "nobody"), "INVALID_INPUT"),
        (("calibrate", "nobody"), "INVALID_INPUT"),
    ],
)
def test_an_error_is_one_json_object_on_stdout_one_line_on_stderr_and_code_1(inside, tmp_path, arguments, code):
    ran = inside(*arguments, "--json", data_dir=tmp_path / "data")

    assert ran.code == 1
    assert ran.out.count("\n") == 1
    assert list(ran.json) == ["error_code", "message", "details", "timestamp"]
    assert ran.json["error_code"] == code
    assert clear(ran)


def test_without_json_nothing_of_an_error_is_on_stdout(tmp_path):
    ran = candor("ask", "hi", data_dir=tmp_path / "data")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "QUERY_TOO_SHORT: The question 'hi' has 2 characters; ask with at least 3.\n"


def test_a_mistaken_option_is_one_line_that_names_the_help(inside, tmp_path):
    for arguments in (("ask", GLOVES, "--top-k", "many"), ("ask",), ("ask", GLOVES, "--x")):
        ran = inside(*arguments, data_dir=tmp_path / "data")

        assert (ran.code, ran.out) == (1, "")
        assert clear(ran)
        assert ran.err.startswith("INVALID_INPUT: ")
        assert "`candor ask --help`" in ran.err


@pytest.mark.parametrize("arguments", [("ask", "what \udcff is"), ("forget", "\udcff.md"), ("ingest", "\udcff.md")])
def test_an_argument_that_is_not_utf8_is_named_with_its_bytes(inside, tmp_path, arguments):
    ran = inside(*arguments, data_dir=tmp_path / "data")

    assert ran.code == 1
    assert ran.err.startswith("INVALID_INPUT: Argument 2, '")
    assert "\\xff" in ran.err
    assert clear(ran)


def test_a_data_folder_that_cannot_be_made_is_named(inside, tmp_path):
    (tmp_path / "file").write_text("a file", encoding="utf-8")
    ran = inside("documents", data_dir=tmp_path / "file" / "data")

    assert (ran.code, clear(ran)) == (1, True)
    assert str(tmp_path / "file" / "data") in ran.err
    assert "CANDOR_DATA_DIR" in ran.err


def test_an_embedding_model_that_is_not_there_is_one_line(inside, tmp_path):
    for missing in ("/nope", "./nope", str(tmp_path / "nope")):
        ran = inside("ask", GLOVES, data_dir=tmp_path / "data", CANDOR_EMBEDDING_MODEL=missing)

        assert (ran.code, clear(ran)) == (1, True)
        assert f"The embedding model {missing!r} is not there" in ran.err


def test_a_malformed_setting_is_named_with_its_value(inside, tmp_path):
    ran = inside("documents", data_dir=tmp_path / "data", CANDOR_TOP_K="99")

    assert ran.code == 1
    assert "CANDOR_TOP_K='99'" in ran.err
    assert clear(ran)


def test_a_data_folder_that_cannot_be_used_is_an_error_in_one_line(inside, tmp_path):
    (tmp_path / "data").write_text("a file", encoding="utf-8")
    for command in (("documents",), ("ask", GLOVES), ("evaluate", str(ROOT / "samples"))):
        ran = inside(*command, data_dir=tmp_path / "data")

        assert ran.code == 1
        assert clear(ran), ran.err


# --- answers --------------------------------------------------------------------------------------------------------


def test_ask_prints_the_answer_with_its_sources(inside, home):
    ran = inside("ask", GLOVES, *SURE, data_dir=home)

    assert ran.code == 0
    assert "laminate gloves are required" in " ".join(ran.out.split())
    assert "[1] safety_manual.pdf, page 10" in ran.out
    assert ran.err == ""


def test_ask_json_is_one_object_with_the_fields_of_an_answer(home):
    ran = candor("ask", GLOVES, *SURE, "--top-k", "5", "--json", data_dir=home)
    answer = ran.json

    assert (ran.code, ran.out.count("\n"), ran.err) == (0, 1, "")
    assert {
        "answer",
        "sentences",
        "citations",
        "retrieved",
        "confidence",
        "gate",
        "grounding",
        "refusal",
        "message",
    } <= set(answer)
    assert len(answer["retrieved"]) == 10
    assert answer["citations"][0]["page"] == 10
    assert answer["message"] is None


def test_a_refusal_is_an_answer_of_its_own_and_no_failure(inside, home):
    ran = inside("ask", "What is the capital of Mongolia?", "--json", data_dir=home)

    assert ran.code == 0
    assert ran.json["answer"] is None
    assert ran.json["message"]
    assert ran.json["refusal"]["code"] == "NO_RELEVANT_CONTENT"


def test_options_reach_the_query(inside, home, tmp_path):
    ran = inside(
        "ask", "What is measured?", "--top-k", "7", "--source", "textbook.md", "--chapter", "2", "--section", "2.2",
        "--module", "EARTH-110", "--similarity-threshold", "0.01", "--confidence-threshold", "0.02", "--estimator",
        "mean_similarity", "--max-tokens", "50", "--temperature", "0.5", "--no-llm", "--json", data_dir=home,
    )  # fmt: skip
    query = ran.json["query"]

    assert query["filters"] == {
        "source": "textbook.md", "chapter": 2, "section": "2.2", "module": "EARTH-110", "page": None
    }  # fmt: skip
    assert (query["top_k"], query["similarity_threshold"], query["confidence_threshold"]) == (7, 0.01, 0.02)
    assert (query["estimator"], query["max_tokens"], query["temperature"]) == ("mean_similarity", 50, 0.5)
    assert query["no_llm"] is True
    assert {hit["section"].split()[0] for hit in ran.json["retrieved"]} == {"2.2"}


def test_an_unknown_chapter_lists_those_there_are(inside, home):
    ran = inside("ask", GLOVES, "--chapter", "77", data_dir=home)

    assert ran.code == 1
    assert "chapters there: 1, 2, 3, 4, 5, 6, 7" in ran.err


@pytest.mark.parametrize(
    ("option", "value", "there"),
    [
        ("source", "safety_manul.pdf", "documents there, the nearest names first: safety_manual.pdf, "),
        ("section", "9.9", "sections there: "),
        ("module", "EARTH-999", "modules there: EARTH-110"),
        ("page", "999", "pages there: 1 to "),
    ],
)
def test_a_filter_value_that_is_not_indexed_is_an_error_that_lists_those_there_are(inside, home, option, value, there):
    ran = inside("ask", GLOVES, f"--{option}", value, "--json", data_dir=home)

    assert (ran.code, ran.json["details"]["field"]) == (1, f"filters.{option}")
    assert there in ran.json["message"]
    assert clear(ran)


def test_a_text_file_together_with_another_mode_is_refused(inside, tmp_path):
    (tmp_path / "selected.txt").write_text("Firn is old snow.", encoding="utf-8")
    asked = ("ask", "What is firn?", "--context-file", "selected.txt", "--mode", "book-wide", "--json")
    ran = inside(*asked, data_dir=tmp_path / "data")

    assert (ran.code, ran.json["details"]) == (1, {"field": "mode"})
    assert "Leave out --mode" in ran.json["message"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_of_a_text_file_is_found_as_ingestion_finds_it(inside, tmp_path, encoding):
    (tmp_path / "selected.txt").write_bytes("Firn is old snow, in Zürich too.".encode(encoding))
    asked = ("ask", "What is firn?", "--context-file", "selected.txt", *SURE, "--json")
    ran = inside(*asked, data_dir=tmp_path / "data")

    assert (ran.code, "Zürich" in ran.json["retrieved"][0]["content"]) == (0, True)


def test_a_file_that_is_no_text_is_refused_as_selected_text(inside, samples, tmp_path):
    ran = inside("ask", "What is firn?", "--context-file", str(samples / "safety_manual.pdf"), "--json",
                 data_dir=tmp_path / "data")  # fmt: skip

    assert (ran.code, "is no text file" in ran.json["message"]) == (1, True)


def test_a_selected_text_is_answered_from_with_nothing_indexed(inside, tmp_path):
    text = tmp_path / "selected.txt"
    text.write_text("Firn is old snow. The gloves of Utopia are knitted from glass wool.", encoding="utf-8")
    ran = inside("ask", "What are the gloves of Utopia knitted from?", "--mode", "selected-text-only", "--context-file",
                 str(text), *SURE, "--json", data_dir=tmp_path / "data")  # fmt: skip

    assert ran.code == 0
    assert "glass wool" in ran.json["answer"]
    assert not (tmp_path / "data" / "index").exists()


def test_a_selected_text_is_answered_from_while_another_process_holds_the_index(home, tmp_path):
    locked, text = tmp_path / "data", tmp_path / "selected.txt"
    shutil.copytree(home, locked)
    text.write_text("Firn is old snow. The gloves of Utopia are knitted from glass wool.", encoding="utf-8")
    asked = ("ask", "What are the gloves of Utopia knitted from?", "--mode", "selected-text-only", "--context-file")
    with Candor.open(quiet_settings(locked)) as holder:
        holder.wiring.store.check()
        ran = candor(*asked, str(text), *SURE, "--json", data_dir=locked)

    assert ran.code == 0, ran.err
    assert "glass wool" in ran.json["answer"]


def test_the_seed_is_fixed_by_the_settings_and_can_be_chosen(inside, tmp_path):
    (tmp_path / "selected.txt").write_text("Firn is old snow.", encoding="utf-8")
    asked = ("ask", "What is firn?", "--context-file", "selected.txt", "--json")
    home = tmp_path / "data"

    assert inside(*asked, data_dir=home).json["query"]["seed"] == 0
    assert inside(*asked, data_dir=home, CANDOR_SEED="7").json["query"]["seed"] == 7
    assert inside(*asked, "--seed", "11", data_dir=home, CANDOR_SEED="7").json["query"]["seed"] == 11
    refused = inside(*asked, "--seed", "-1", data_dir=home)
    assert (refused.code, refused.json["details"]["field"]) == (1, "seed")


def test_promoted_settings_hold_for_ask_and_the_answer_says_so(inside, home, tmp_path):
    mine = tmp_path / "data"
    shutil.copytree(home, mine)
    before = inside("ask", GLOVES, "--json", data_dir=mine).json
    with Candor.open(quiet_settings(mine)) as opened:
        promoted = {"confidence_threshold": 1.0, "top_k": 3, "estimator": "max_similarity"}
        opened.wiring.sessions.promotions.promote(promoted, note="very strict")
    after = inside("ask", GLOVES, "--json", data_dir=mine).json
    shown = inside("ask", GLOVES, data_dir=mine).out
    own = inside("ask", GLOVES, "--json", "--top-k", "4", *SURE, data_dir=mine).json

    assert (before["query"]["top_k"], before["notes"]) == (5, [])
    assert (after["answer"], after["gate"]["threshold"], after["gate"]["estimator"]) == (None, 1.0, "max_similarity")
    assert after["query"]["top_k"] == 3
    assert after["fingerprints"]["settings"] != before["fingerprints"]["settings"]
    note = "Promotion 1 is in force: confidence_threshold 1.0, top_k 3, estimator max_similarity."
    assert after["notes"] == [note]
    assert f"Note: {note}" in shown
    assert (own["query"]["top_k"], own["gate"]["threshold"]) == (4, 0.0)


def test_an_index_of_an_older_version_is_answered_from_with_a_warning_that_names_the_command(inside, home, tmp_path):
    mine = tmp_path / "data"
    shutil.copytree(home, mine)
    with Candor.open(quiet_settings(mine)) as opened:
        opened.wiring.catalogue.set_meta("ingestion", "older")
    asked = inside("ask", GLOVES, *SURE, data_dir=mine)

    assert (asked.code, asked.err.count("\n")) == (0, 1)
    assert "`candor ingest --rebuild`" in asked.err
    assert "laminate gloves" in " ".join(asked.out.split())


def test_another_embedding_model_is_refused_until_the_index_is_rebuilt_with_it(inside, tmp_path):
    home, file = tmp_path / "data", tmp_path / "snow.md"
    model = {"CANDOR_EMBEDDING_MODEL": str(save_small_model(tmp_path)), "CANDOR_READER_MODEL": "none"}
    file.write_text("# Snow\n\nSnow is frozen water that falls from clouds in winter.\n", encoding="utf-8")
    inside("ingest", str(file), data_dir=home)
    refused = inside("ask", "What is snow?", "--json", data_dir=home, **model)
    rebuilt = inside("ingest", "--rebuild", "--json", data_dir=home, **model)
    answered = inside("ask", "What is snow?", *SURE, "--json", data_dir=home, **model)
    former = inside("ask", "What is snow?", "--json", data_dir=home)

    assert (refused.code, "`candor ingest --rebuild`" in refused.json["message"]) == (1, True)
    assert [file["outcome"] for file in rebuilt.json["files"]] == ["replaced"]
    assert "frozen water" in answered.json["answer"]
    assert answered.json["fingerprints"]["embedding"].startswith("model@")
    assert former.json["error_code"] == "VECTOR_DB_ERROR"


def test_a_context_file_alone_means_that_only_it_may_answer(inside, tmp_path):
    (tmp_path / "selected.txt").write_text("Firn is old snow.", encoding="utf-8")
    ran = inside("ask", "What is firn?", "--context-file", "selected.txt", "--json", data_dir=tmp_path / "data")

    assert ran.json["query"]["mode"] == "selected-text-only"


def test_a_unicode_question_goes_through_in_any_locale(home):
    ran = candor("ask", "Was ist Gletschereis – 氷河?", "--json", data_dir=home, LC_ALL="C", PYTHONIOENCODING="utf-8")

    assert ran.code == 0
    assert ran.json["query"]["question"] == "Was ist Gletschereis – 氷河?"


# --- documents ------------------------------------------------------------------------------------------------------


def test_documents_are_ingested_listed_skipped_and_forgotten(inside, tmp_path):
    home, file = tmp_path / "data", tmp_path / "snow.md"
    file.write_text("# Snow\n\nSnow is frozen water that falls from clouds in winter.\n", encoding="utf-8")

    first = inside("ingest", str(file), "--json", data_dir=home)
    listed = inside("documents", "--json", data_dir=home)
    again = inside("ingest", str(file), data_dir=home)
    gone = inside("forget", "snow.md", data_dir=home)

    assert (first.code, [each["outcome"] for each in first.json["files"]]) == (0, ["added"])
    (record,) = listed.json
    assert {"document", "pages", "chunks", "chunk_ids", "hash", "ingested_at"} <= set(record)
    assert (record["document"], record["chunks"], len(record["chunk_ids"])) == ("snow.md", 1, 1)
    assert again.out.startswith("1 unchanged")
    assert (gone.code, gone.out) == (0, "Removed snow.md.\n")
    assert inside("documents", "--json", data_dir=home).json == []


def test_ingest_without_a_path_says_what_to_name(inside, tmp_path):
    ran = inside("ingest", "--json", data_dir=tmp_path / "data")

    assert (ran.code, ran.json["error_code"]) == (1, "INVALID_INPUT")
    assert "--rebuild" in ran.json["message"]


def test_a_file_of_the_same_name_in_another_folder_is_refused_until_replacing_is_asked_for(inside, tmp_path):
    home, files = tmp_path / "data", [tmp_path / folder / "notes.md" for folder in ("a", "b")]
    for file, fact in zip(files, ("Snow is frozen water.", "Rain is liquid water."), strict=True):
        file.parent.mkdir()
        file.write_text(f"# Notes\n\n{fact}\n", encoding="utf-8")
    inside("ingest", str(files[0]), data_dir=home)
    refused = inside("ingest", str(files[1]), data_dir=home)
    kept = inside("documents", "--json", data_dir=home).json
    replaced = inside("ingest", "--replace", str(files[1]), data_dir=home)

    assert (refused.code, refused.out.splitlines()[0]) == (1, "1 failed")
    assert "`candor ingest --replace`" in refused.out
    assert kept[0]["path"] == str(files[0].resolve())
    assert (replaced.code, f"replaced notes.md: it replaces the file of the same name that was read from "
            f"{str(files[0].resolve())!r}" in replaced.out) == (0, True)  # fmt: skip


def test_pruning_names_what_it_removed(inside, tmp_path):
    home, folder = tmp_path / "data", tmp_path / "in"
    folder.mkdir()
    for name in ("kept.md", "gone.md"):
        (folder / name).write_text(f"# {name}\n\nSnow is frozen water.\n", encoding="utf-8")
    inside("ingest", str(folder), data_dir=home)
    (folder / "gone.md").unlink()

    assert "\n  removed gone.md: its file is gone" in inside("ingest", "--prune", str(folder), data_dir=home).out


def test_a_folder_without_documents_is_an_error_that_lists_what_is_read(inside, tmp_path):
    (tmp_path / "empty").mkdir()
    for more in ((), ("--if-empty",)):
        ran = inside("ingest", "empty", *more, "--json", data_dir=tmp_path / "data")

        assert (ran.code, ran.json["error_code"]) == (1, "INVALID_INPUT")
        assert ".pdf .docx .html" in ran.json["message"]
        assert clear(ran)


def test_a_link_that_leads_nowhere_is_named_and_the_code_is_1(inside, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "lost.pdf").symlink_to("nowhere.pdf")
    ran = inside("ingest", str(folder), data_dir=tmp_path / "data")

    assert (ran.code, "lost.pdf" in ran.out, "nowhere.pdf" in ran.out) == (1, True, True)


def on_terminal(*arguments, data_dir):
    """Run the command line with a terminal for standard error; return code, output, and what the terminal showed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", "from rag.cli import main; main()", *arguments],
        env={**clean_environment(data_dir), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # a terminal ends with an error when its last writer is gone
        while part := os.read(ours, 4096):
            shown += part
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    return Ran(process.returncode, out, shown.decode())


def test_progress_with_its_rate_is_drawn_on_the_terminal_and_never_on_standard_output(samples, tmp_path):
    ran = on_terminal("ingest", str(samples / "textbook.md"), str(samples / "faq.html"), data_dir=tmp_path / "data")

    assert ran.code == 0
    assert re.search(r"2/2 \|.*\d+ chunks, \d+/s", ran.err)
    assert "left" in ran.err
    assert ran.out.startswith("2 added; ")
    assert "/s" not in ran.out


def test_no_progress_is_drawn_where_a_program_reads_the_output(samples, tmp_path):
    ran = on_terminal("ingest", str(samples / "faq.html"), "--json", data_dir=tmp_path / "data")

    assert (ran.code, ran.err) == (0, "")
    assert ran.json["files"][0]["outcome"] == "added"


def test_a_file_that_cannot_be_read_is_named_the_others_are_ingested_and_the_code_is_1(inside, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "good.txt").write_text("Gloves are worn with acids, always.", encoding="utf-8")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 broken")
    ran = inside("ingest", str(folder), "--json", data_dir=tmp_path / "data")

    assert ran.code == 1
    assert {each["document"]: each["outcome"] for each in ran.json["files"]} == {
        "good.txt": "added",
        "bad.pdf": "failed",
    }


# --- services that are missing --------------------------------------------------------------------------------------


def test_health_is_degraded_without_a_model_server(inside, home):
    ran = inside("health", "--json", data_dir=home)

    assert (ran.code, ran.json["status"]) == (1, "degraded")
    assert set(ran.json["services"]) == {"qdrant", "embedding", "llm", "sessions"}


def test_health_is_healthy_with_one(inside, home):
    with OllamaServer(ScriptedBrain(lambda question, passages: "Yes. [1]")) as server:
        ran = inside("health", data_dir=home, OLLAMA_HOST=server.url)

    assert (ran.code, ran.out.splitlines()[0]) == (0, "healthy")


def test_without_the_store_health_is_unavailable_and_asking_ends_with_code_2_and_an_error_line(tmp_path):
    health = candor("health", "--json", data_dir=tmp_path / "data", QDRANT_URL=NOBODY)
    asked = candor("ask", GLOVES, "--json", data_dir=tmp_path / "data", QDRANT_URL=NOBODY)

    assert (health.code, health.json["status"]) == (2, "unavailable")
    assert (asked.code, asked.json["error_code"]) == (2, "VECTOR_DB_ERROR")
    assert clear(asked)
    (line,) = [line for line in lines_of(tmp_path / "data") if line["level"] == "ERROR"]
    assert tuple(line) == LOG_KEYS
    assert line["error"]["details"]["url"] == NOBODY


def test_a_hanging_model_server_is_stood_in_for_well_within_a_minute(home):
    brain = ScriptedBrain(lambda question, passages: "Yes. [1]")
    with OllamaServer(brain, fault=Fault.HANG_BEFORE_HEADERS) as server:
        begun = time.perf_counter()
        ran = candor("ask", GLOVES, *SURE, "--json", data_dir=home, OLLAMA_HOST=server.url, CANDOR_TOKEN_TIMEOUT_S="2")

    assert time.perf_counter() - begun < 45
    assert (ran.code, ran.json["generator"]["name"]) == (0, "extractive")
    assert ran.json["generator"]["fallback_reason"]


def test_a_failing_model_server_is_an_llm_error_with_code_2_where_nothing_may_stand_in(inside, home):
    with OllamaServer(ScriptedBrain(lambda question, passages: "Yes."), fault=Fault.SERVER_ERROR) as server:
        ran = inside(
            "ask", GLOVES, *SURE, "--json", data_dir=home, OLLAMA_HOST=server.url, CANDOR_ON_MODEL_FAILURE="error"
        )

    assert (ran.code, ran.json["error_code"]) == (2, "LLM_ERROR")


def test_a_second_process_is_told_that_the_index_is_in_use_and_can_still_list(home, tmp_path):
    locked = tmp_path / "data"
    shutil.copytree(home, locked)
    with Candor.open(quiet_settings(locked)) as holder:
        holder.wiring.store.check()
        for command in (("ingest", str(ROOT / "samples" / "textbook.md")), ("ask", GLOVES), ("serve", "--port", "1")):
            ran = candor(*command, data_dir=locked)

            assert ran.code in (1, 2), command
            assert "in use by another process" in ran.err
            assert clear(ran), ran.err
        listed = candor("documents", "--json", data_dir=locked)

    assert (listed.code, len(listed.json)) == (0, 4)


@pytest.mark.parametrize("module", ["rag.commands.line", "typer", "rag.errors"])
def test_an_interrupt_while_the_command_line_is_imported_is_one_line(module):
    code = f"""
import sys
class Interrupted:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from rag.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, cwd=ROOT, check=False)

    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Interrupted; what was done is kept.\n"


def test_an_interrupted_ingest_ends_with_130_and_says_that_nothing_is_lost(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(400):
        text = "\n\n".join(f"Glacier {number} moved {number * 7 + each} metres in year {each}." for each in range(40))
        (folder / f"g{number}.txt").write_text(text, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", "from rag.cli import main; main()", "ingest", str(folder)],
        env={**clean_environment(tmp_path / "data"), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with closing(process.stdout), closing(process.stderr):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not list((tmp_path / "data").glob("index/*")):
            time.sleep(0.05)
        time.sleep(0.5)
        assert process.poll() is None, "it was over before it could be interrupted"
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        err = process.stderr.read()

    assert process.returncode == 130, err
    assert "Interrupted; what was done is kept." in err
    assert "Traceback" not in err
    assert candor("documents", data_dir=tmp_path / "data").code == 0


# --- keys -----------------------------------------------------------------------------------------------------------


def test_every_command_for_keys_takes_json(inside, tmp_path):
    made = inside("keys", "create", "desk", "--json", data_dir=tmp_path / "data")
    key_id = made.json["key_id"]
    revoked = inside("keys", "revoke", key_id, "--json", data_dir=tmp_path / "data")
    listed = inside("keys", "list", "--json", data_dir=tmp_path / "data")
    again = inside("keys", "revoke", key_id, "--json", data_dir=tmp_path / "data")

    assert (revoked.code, revoked.json) == (0, {"key_id": key_id, "revoked": True})
    assert [key["key_id"] for key in listed.json if key["revoked_at"]] == [key_id]
    assert again.code == 1
    assert key_id in again.err


# --- serving --------------------------------------------------------------------------------------------------------


def test_others_are_not_served_without_keys(inside, tmp_path):
    ran = inside("serve", "--host", "0.0.0.0", data_dir=tmp_path / "data")

    assert ran.code == 1
    assert "candor keys create" in ran.err


# --- grounding, evaluation ------------------------------------------------------------------------------------------


def test_ground_writes_a_verdict_for_each_claim_in_order(inside, tmp_path):
    rows = [
        {"id": "b", "claim": "Nitrile gloves are worn.", "evidence": "Nitrile gloves are worn with acids."},
        {"id": "a", "claim": "Nitrile gloves are never worn.", "evidence": "Nitrile gloves are worn with acids."},
    ]
    (tmp_path / "claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ran = inside("ground", "--claims", "claims.jsonl", "--out", "out.jsonl", data_dir=tmp_path / "data")

    assert (ran.code, ran.out) == (0, "")
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(verdict["id"], verdict["supported"]) for verdict in found] == [("b", True), ("a", False)]
    assert all(0 <= verdict["support"] <= 1 for verdict in found)


def test_questions_without_labels_are_asked_and_every_rate_is_null(inside, tmp_path):
    dataset = tmp_path / "plain"
    (dataset / "documents").mkdir(parents=True)
    shutil.copy(ROOT / "samples" / "textbook.md", dataset / "documents")
    rows = [{"qid": f"q{n}", "question": text, "answerable": None} for n, text in enumerate(("What is firn?", "hi"))]
    (dataset / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ran = inside("evaluate", str(dataset), "--json", "--out", str(tmp_path / "out.jsonl"), data_dir=tmp_path / "data")

    assert ran.code == 0, ran.err
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["qid"] for line in lines] == ["q0", "q1"]
    assert lines[1]["refusal_stage"] == "validation"
    assert rates(ran.json) == []
    assert noted_runs(tmp_path / "data" / "runs") == [tmp_path / "out.jsonl"]


def rates(summary):
    """Return every rate, however deep, that is a number although nothing was labelled."""
    found = []
    for name, value in summary.items():
        if isinstance(value, dict):
            if "denominator" in value and not value["denominator"] and value.get("value") is not None:
                found.append(name)
            found += rates(value)
    return found


def test_too_few_labels_to_calibrate_are_counted_at_once(inside, tmp_path):
    shutil.copytree(ROOT / "samples", tmp_path / "samples" / "documents", ignore=shutil.ignore_patterns("*.jsonl"))
    shutil.copy(ROOT / "samples" / "questions.jsonl", tmp_path / "samples")
    begun = time.perf_counter()
    ran = inside("calibrate", str(tmp_path / "samples"), data_dir=tmp_path / "data")

    assert ran.code == 1
    assert "Too few labels to fit the gate: 29 answerable and 12 unanswerable" in ran.err
    assert "Label 8 more unanswerable ones: a fit takes 20 of each kind." in ran.err
    assert "A guarantee of at most 5% false answers takes at least 80 unanswerable ones" in ran.err
    assert clear(ran)
    assert time.perf_counter() - begun < 20


def test_a_rate_outside_its_range_is_refused_before_anything_is_asked(inside, tmp_path):
    ran = inside("calibrate", str(tmp_path), "--max-false-answer-rate", "5", data_dir=tmp_path / "data")

    assert ran.code == 1
    assert "--max-false-answer-rate is 5" in ran.err


def test_a_promise_is_about_so_many_questions_or_about_all_to_come(inside, tmp_path):
    ran = inside("calibrate", str(tmp_path), "--long-run", "--horizon", "50", data_dir=tmp_path / "data")

    assert ran.code == 1
    assert "--horizon 50 and --long-run cannot both hold" in ran.err


def test_a_port_that_is_no_port_is_named(inside, tmp_path):
    with closing(socket.socket()):
        ran = inside("serve", data_dir=tmp_path / "data", PORT="eighty")

    assert ran.code == 1
    assert "PORT='eighty'" in ran.err
