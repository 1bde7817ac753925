"""`server.py`, as `candor serve` and `uvicorn server:app` load it."""

import subprocess
import sys
from pathlib import Path

from library import ROOT, clean_environment

MADE = "import server, streamlit; assert isinstance(server.app, streamlit.App); assert server.app is server.app"
BROKEN = "import server; server.create_api = lambda *_: object().nothing; server.app"


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment, command = {**clean_environment(folder), **variables}, [sys.executable, "-c", script]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


def test_importing_the_server_reads_no_setting_and_opens_nothing(tmp_path: Path) -> None:
    done = run("import server; assert 'app' not in vars(server)", tmp_path / "data", CANDOR_CONCURRENCY="many")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "data").exists()


def test_what_fails_while_it_is_made_is_told_and_not_that_there_is_no_application(tmp_path: Path) -> None:
    assert "RuntimeError: The application could not be made" in run(BROKEN, tmp_path / "data").stderr


def test_the_application_is_made_once_when_a_server_asks_for_it(tmp_path: Path) -> None:
    done = run(MADE, tmp_path / "data")
    assert done.returncode == 0, done.stderr
    refused = run(MADE, tmp_path / "data", CANDOR_CONCURRENCY="many")
    assert refused.returncode != 0
    assert "CANDOR_CONCURRENCY" in refused.stderr
