"""The real server over the sample library, and a real browser that reaches nothing but it."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from library import ROOT, SAMPLES, clean_environment, quiet_settings
from watched import Watched

from rag.candor import Candor

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the samples in its index and a short run."""
    folder = tmp_path_factory.mktemp("e2e")
    with Candor.open(quiet_settings(folder)) as candor:
        candor.ingest([ROOT / "samples" / name for name in SAMPLES])
    return folder


@pytest.fixture(scope="session")
def server(data_dir: Path) -> Iterator[str]:
    """The address of a dashboard, started as people start it."""
    port = free_port()
    environment = clean_environment(data_dir, CANDOR_ESTIMATOR="max_similarity")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with (data_dir / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--server.fileWatcherType", "none"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers; the test fails where it does not."""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(address, timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.3)
    pytest.fail(f"the dashboard did not start: exit code {process.poll()}")


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
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
def watched(browser: object, server: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watched]:
    """A page at two widths, in light and in dark; afterwards: nothing left the machine, nothing broke."""
    width, scheme = request.param.split("-")
    context = browser.new_context(  # type: ignore[attr-defined]
        viewport={"width": int(width), "height": 900}, color_scheme=scheme, accept_downloads=True
    )
    kept = Path(os.environ.get("CANDOR_SCREENSHOTS", tmp_path))
    page = Watched(context.new_page(), server, folder=kept, suffix=request.param)
    yield page
    context.close()
    assert page.outside == []
    assert page.console == []
