"""The package as `pip install .` makes it, used far from the source: everything that it needs is in it."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from library import ROOT, clean_environment

SOURCES = ("rag", "api", "dashboard")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the package, unpacked as an installation lays it out."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*wheel, "-w", str(folder), str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("candor_rag-*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder)
    built.unlink()
    return folder


def run(installed: Path, elsewhere: Path, *arguments: str, code: str = "from rag.cli import main; main()") -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**clean_environment(elsewhere / "data"), "PYTHONPATH": str(installed)},
        cwd=elsewhere,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_file_that_is_no_module_is_in_the_package(installed: Path) -> None:
    found = [
        path.relative_to(ROOT)
        for name in SOURCES
        for path in (ROOT / name).rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    ]
    assert {"gate.json", "reader.json", "ieee.csl", "icon.svg"} <= {path.name for path in found}
    assert [path for path in found if not (installed / path).is_file()] == []


def test_every_module_is_in_the_package(installed: Path) -> None:
    found = [path.relative_to(ROOT) for name in SOURCES for path in (ROOT / name).rglob("*.py")]
    assert [path for path in found if not (installed / path).is_file()] == []


def test_the_command_is_declared_and_runs_from_another_folder(installed: Path, tmp_path: Path) -> None:
    (declared,) = installed.glob("*.dist-info/entry_points.txt")
    assert "candor = rag.cli:main" in declared.read_text()
    where = run(installed, tmp_path, code="import rag; print(rag.__file__)").strip()
    assert os.path.commonpath([where, str(installed)]) == str(installed)
    assert "ingest" in run(installed, tmp_path, "--help")


def test_a_question_is_answered_with_its_reference_and_the_shipped_gate(
    installed: Path, samples: Path, tmp_path: Path
) -> None:
    run(installed, tmp_path, "ingest", str(samples / "safety_manual.pdf"))
    answer = json.loads(run(installed, tmp_path, "ask", "Which gloves are required for dichloromethane?", "--json"))
    assert "laminate gloves" in answer["answer"]
    assert answer["citations"][0]["ieee"].startswith("[1]")
    assert answer["gate"]["estimator"] == "calibrated"


def test_the_database_is_made_by_the_migrations_in_the_package(installed: Path, tmp_path: Path) -> None:
    assert "candor keys revoke" in run(installed, tmp_path, "keys", "create", "desk")
    assert "desk" in run(installed, tmp_path, "keys", "list")
