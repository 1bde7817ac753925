"""The Makefile's targets, without installing anything: what `make run` does on the first start and on the next."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from library import ROOT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the Makefile and an environment whose programs write down how they were called."""
    binaries = tmp_path / ".venv" / "bin"
    binaries.mkdir(parents=True)
    for name in ("pyproject.toml", "constraints.txt", "Makefile"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("python", "pip", "candor"):
        program = binaries / name
        program.write_text(f'#!/bin/sh\necho "{name} $*|PORT=$PORT|HUB=$HF_HUB_OFFLINE" >> {tmp_path}/asked\n')
        program.chmod(0o755)
    return tmp_path


def make(project: Path, *arguments: str, **environment: str) -> tuple[int, str, list[list[str]]]:
    """Run make; return its exit code, what it complained of, and the calls of programs since."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PORT", "HF_HUB_OFFLINE", "MAKEFLAGS")}
    asked = project / "asked"
    asked.unlink(missing_ok=True)
    done = subprocess.run(
        ["make", *arguments], cwd=project, env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    calls = asked.read_text().splitlines() if asked.exists() else []
    return done.returncode, done.stderr, [call.split("|") for call in calls]


def test_run_installs_ingests_and_serves_and_the_next_time_installs_nothing(project: Path) -> None:
    code, _, (install, ingest, serve) = make(project, "run", PORT="9123")
    assert code == 0
    assert install[0].endswith("--constraint constraints.txt torch --editable .[ocr]")
    assert ingest == ["candor ingest --if-empty samples", "PORT=9123", "HUB="]
    assert serve == ["candor serve", "PORT=9123", "HUB="]
    _, _, again = make(project, "run", "PORT=9124")
    assert [call[:2] for call in again] == [
        ["candor ingest --if-empty samples", "PORT=9124"],
        ["candor serve", "PORT=9124"],
    ]


def test_an_installation_that_was_cut_off_is_done_again(project: Path) -> None:
    (project / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 130\n")
    assert make(project, "run")[0] != 0
    (project / ".venv" / "bin" / "python").write_text(f'#!/bin/sh\necho "python $*" >> {project}/asked\n')
    assert "--editable ." in make(project, "run")[2][0][0]
