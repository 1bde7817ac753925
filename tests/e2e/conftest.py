"""The real server over the sample library, and a real browser that reaches nothing but it."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from library import ROOT, SAMPLES, clean_environment, free_port, quiet_settings, served
from watched import watching

from rag.candor import Candor

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip

RECALLING = "from recalled import recall; recall(); from rag.cli import main; main()"
"""`python -c RECALLING ARGUMENT...` is `candor` with a reader that recalls what other tests asked."""


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory):
    """A data folder with the samples in its index."""
    folder = tmp_path_factory.mktemp("e2e")
    with Candor.open(quiet_settings(folder)) as candor:
        candor.ingest([ROOT / "samples" / name for name in SAMPLES])
    return folder


@pytest.fixture(scope="session")
def server(data_dir):
    """The address of dashboard and API, served as people serve them, but that it recalls what was read."""
    port = free_port()
    found_in = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    env = clean_environment(data_dir, CANDOR_ESTIMATOR="max_similarity", PYTHONPATH=found_in)
    command = [sys.executable, "-c", RECALLING, "serve", "--port", str(port)]
    with served(command, port, "/api/livez", log=data_dir / "server.log", env=env) as url:
        yield url


@pytest.fixture(scope="session")
def browser():
    """The system's Chromium; the test is skipped where it, or Playwright, is absent."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(params=["1280-light", "800-dark"])
def watched(browser, server, request, tmp_path):
    """A page at two widths, in light and in dark; afterwards: nothing left the machine, nothing broke."""
    yield from _watching(browser, server, request.param, tmp_path)


@pytest.fixture
def wide(browser, server, tmp_path):
    """The same at one width, for what looks no different at another."""
    yield from _watching(browser, server, "1280-light", tmp_path)


def _watching(browser, server, kind, folder):
    width, scheme = kind.split("-")
    kept = Path(os.environ.get("CANDOR_SCREENSHOTS", folder))
    with watching(
        browser, server, folder=kept, suffix=kind, width=int(width), color_scheme=scheme, accept_downloads=True
    ) as page:
        yield page
