"""`server.py`, as `candor serve` and `uvicorn server:app` load it."""

import subprocess
import sys
from pathlib import Path

from library import ROOT, clean_environment

ASKED = """
import server
assert "app" not in vars(server)
try:
    server.nothing
except AttributeError as error:
    assert "nothing" in str(error)
else:
    raise SystemExit("what is not there was made")
if MAKE:
    import streamlit
    assert isinstance(server.app, streamlit.App)
    assert server.app is server.app
"""


def run(folder: Path, *, make: bool, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**clean_environment(folder), **variables}
    command = [sys.executable, "-c", f"MAKE = {make}\n{ASKED}"]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


def test_importing_the_server_reads_no_setting_and_opens_nothing(tmp_path: Path) -> None:
    done = run(tmp_path / "data", make=False, CANDOR_CONCURRENCY="many")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "data").exists()


def test_what_fails_while_it_is_made_is_told_and_not_that_there_is_no_application(tmp_path: Path) -> None:
    script = "import server\nserver.create_api = lambda *_: object().nothing\nserver.app"
    environment = clean_environment(tmp_path / "data")
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "RuntimeError: The application could not be made" in done.stderr


def test_the_application_is_made_once_when_a_server_asks_for_it(tmp_path: Path) -> None:
    done = run(tmp_path / "data", make=True)
    assert done.returncode == 0, done.stderr
    refused = run(tmp_path / "data", make=True, CANDOR_CONCURRENCY="many")
    assert refused.returncode != 0
    assert "CANDOR_CONCURRENCY" in refused.stderr
