"""Services that are missing, slow or in use, and an interrupt: the exit code and the line that says so."""

import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from command_line import begun, clear, lines_of
from library import NOBODY, ROOT, candor, quiet_settings
from ollama_server.brains import ScriptedBrain
from ollama_server.openai import OpenAIServer
from ollama_server.server import OllamaServer
from questions import GLOVES
from recorded import LOG_KEYS

from rag import Candor


@pytest.mark.parametrize(
    ("server", "setting", "told"),
    [
        (OllamaServer, "OLLAMA_HOST", "connected (ollama)  Ollama at {}, model 'scripted:latest', 8192 tokens"),
        (OpenAIServer, "CANDOR_OPENAI_BASE_URL", "connected (openai)  The model server at {}, model 'scripted:latest'"),
    ],
)
def test_health_names_the_model_of_a_server_and_is_degraded_without_one(inside, home, server, setting, told):
    with server(ScriptedBrain(lambda question, passages: "Yes. [1]")) as running:
        ran = inside("health", data_dir=home, **{setting: running.url})
    without = inside("health", "--json", data_dir=home)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "healthy")
    assert told.format(running.url) in re.sub(r" \d+ ms", "", ran.out)
    assert (without.code, without.json["status"]) == (1, "degraded")
    assert set(without.json["services"]) == {"qdrant", "embedding", "llm", "sessions"}


def test_a_model_that_may_not_be_used_or_is_not_there_refuses_the_start_with_what_to_set(inside, home):
    for settings, told in (
        ({"OLLAMA_HOST": "http://box.example:1"}, "box.example:1' (OLLAMA_HOST) is not on this machine"),
        ({"CANDOR_OPENAI_BASE_URL": "https://llm.example"}, "' (CANDOR_OPENAI_BASE_URL) is not on this machine"),
        ({"CANDOR_GGUF": "/nosuch/model.gguf"}, "CANDOR_GGUF='/nosuch/model.gguf' cannot be used"),
    ):
        ran = inside("ask", GLOVES, data_dir=home, **settings)
        served = inside("serve", "--port", "1", data_dir=home, **settings)
        for refused in (ran, served):
            assert (refused.code, told in refused.err, clear(refused)) == (1, True, True), settings
        assert "CANDOR_ALLOW_REMOTE_MODEL=true" in ran.err or "unset CANDOR_GGUF" in ran.err


def test_without_the_store_health_is_unavailable_and_asking_ends_with_code_2_and_an_error_line(inside, tmp_path):
    health = inside("health", "--json", QDRANT_URL=NOBODY)
    asked = candor("ask", GLOVES, "--json", data_dir=tmp_path / "data", QDRANT_URL=NOBODY)
    assert (health.code, health.json["status"]) == (2, "unavailable")
    assert (asked.code, asked.json["error_code"]) == (2, "VECTOR_DB_ERROR")
    assert clear(asked)
    (line,) = [line for line in lines_of(tmp_path / "data") if line["level"] == "ERROR"]
    assert tuple(line) == LOG_KEYS
    assert line["error"]["details"]["url"] == NOBODY


def test_a_second_process_is_told_that_the_index_is_in_use_and_can_still_list(home, tmp_path):
    locked = shutil.copytree(home, tmp_path / "data")
    with Candor.open(quiet_settings(locked)) as holder:
        holder.wiring.store.check()
        for command in (("ingest", str(ROOT / "samples" / "textbook.md")), ("ask", GLOVES), ("serve", "--port", "1")):
            ran = candor(*command, data_dir=locked)
            assert ran.code in (1, 2), command
            assert "in use by another process" in ran.err
            assert clear(ran), ran.err
        listed = candor("documents", "--json", data_dir=locked)
    assert (listed.code, len(listed.json)) == (0, 4)


def test_an_interrupt_while_the_command_line_is_imported_is_one_line():
    code = """
import sys
class Interrupted:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from rag.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Interrupted; what was done is kept.\n"


def embeds(data_dir):
    """Return whether an ingest has come as far as embedding: just before, it notes with which model."""
    try:
        with closing(sqlite3.connect(f"file:{data_dir / 'catalogue.db'}?mode=ro", uri=True)) as catalogue:
            return catalogue.execute("SELECT 1 FROM catalogue_meta WHERE name = 'embedding'").fetchone() is not None
    except sqlite3.OperationalError:  # it is still being made
        return False


def test_an_interrupted_ingest_ends_with_130_and_says_that_nothing_is_lost(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(400):
        text = "\n\n".join(f"Glacier {number} moved {number * 7 + each} metres in year {each}." for each in range(40))
        (folder / f"g{number}.txt").write_text(text, encoding="utf-8")
    with begun("ingest", folder, data_dir=tmp_path / "data", stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 120
        while not embeds(tmp_path / "data") and process.poll() is None:
            assert time.monotonic() < deadline, "nothing was embedded"
            time.sleep(0.02)
        assert process.poll() is None, "it was over before it could be interrupted"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Interrupted; what was done is kept." in err
    assert "Traceback" not in err
    assert candor("documents", data_dir=tmp_path / "data").code == 0
