"""The dashboard as `candor serve` serves it: its headers are there, and under them every page still works."""

import sys
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from library import ROOT, SAMPLES, clean_environment, free_port, quiet_settings
from processes import CANDOR, served
from watched import Watched

from rag import Candor

pytestmark = pytest.mark.e2e
KNOWN = "Between which values must the face velocity of a fume hood in use lie?"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard with the API beside it, over an index of its own: others have the shared one open."""
    data_dir = tmp_path_factory.mktemp("headers")
    with Candor.open(quiet_settings(data_dir)) as candor:
        candor.ingest([ROOT / "samples" / name for name in SAMPLES])
        candor.ask(KNOWN)
    port, env = free_port(), clean_environment(data_dir, CANDOR_ESTIMATOR="max_similarity")
    command = [sys.executable, "-c", CANDOR, "serve", "--port", str(port)]
    with served(command, port, "/api/livez", log=tmp_path_factory.mktemp("serve") / "log", env=env) as url:
        yield url


def headers_of(address: str) -> dict[str, str]:
    with urlopen(address, timeout=60) as response:
        return {name.lower(): value for name, value in response.headers.items()}


def test_pages_files_and_api_have_their_headers(server: str) -> None:
    for path in ("/", "/monitor", "/favicon.png", "/_stcore/health"):
        found = headers_of(f"{server}{path}")
        assert found["x-content-type-options"] == "nosniff", path
        assert found["x-frame-options"] == "SAMEORIGIN"
        assert found["referrer-policy"] == "same-origin"
        assert "microphone=()" in found["permissions-policy"]
        assert "frame-ancestors 'self'" in found["content-security-policy"]
    assert headers_of(f"{server}/api/livez")["content-security-policy"].startswith("default-src 'none'")


def test_a_page_that_a_link_opens_finds_its_server_at_once(wide: Watched) -> None:
    asked: list[str] = []
    wide.page.on("request", lambda request: asked.append(request.url))
    wide.open("monitor")
    assert not [url for url in asked if "/monitor/_stcore" in url]
    wide.page.get_by_role("button", name="New question").click()
    wide.page.get_by_label("Ask a question").wait_for()
    assert wide.page.url.rstrip("/") == wide.server


def test_every_page_its_charts_and_the_viewer_of_pdfs_are_drawn_under_the_policy(wide: Watched) -> None:
    """What the policy forbids is an error on the browser's console, and `wide` fails over any."""
    page = wide.page
    wide.open()
    wide.ask(KNOWN)
    wide.sees("between 0.4 and 0.6 metres per second")
    page.frame_locator("iframe").first.locator("canvas").first.wait_for(timeout=30_000)
    for name in ("documents", "inspector", "evaluate", "tune", "monitor"):
        wide.open(name)
    page.locator(".js-plotly-plot").first.wait_for(timeout=30_000)
    assert [line for line in wide.console if "Content Security Policy" in line] == []


def test_a_script_that_somebody_has_written_into_a_page_is_not_run(wide: Watched) -> None:
    wide.open()
    wide.page.evaluate(
        "() => { const one = document.createElement('script'); one.textContent = 'window.taken = 1';"
        " document.body.append(one); }"
    )
    assert wide.page.evaluate("() => window.taken") is None
    assert any("Content Security Policy" in line for line in wide.console)
    wide.console.clear()
