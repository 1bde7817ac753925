"""What the tests of pages share: a library, two questions asked of it, and what a page says."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from readers import ScriptedReader
from streamlit.testing.v1 import AppTest

from dashboard import login, resources
from dashboard.jobs import Job
from dashboard.login import Person
from rag.candor import Candor
from rag.confidence.calibrated import SHIPPED, GateFit
from rag.language.text import is_stopword, stems, words
from rag.stored.values import Role

ROOT = Path(__file__).parents[2]
KNOWN = "Between which values must the face velocity of a fume hood in use lie?"
UNKNOWN = "Who won the football world cup in 1998?"
Open = Callable[..., AppTest]


def text_of(test: AppTest) -> str:
    """Return everything that a page says in words, without the escapes of Markdown."""
    assert not test.exception, [error.stack_trace for error in test.exception]
    kinds = (test.markdown, test.caption, test.info, test.warning, test.error, test.success, test.title, test.subheader)
    metrics = [f"{metric.label} {metric.value}" for metric in test.metric]
    return "\n".join([*(str(element.value) for kind in kinds for element in kind), *metrics]).replace("\\", "")


def ask(open_page: Open, question: str = KNOWN, **parameters: str) -> AppTest:
    """Open Ask by a link with these parameters, and ask a question."""
    return open_page(**parameters).chat_input[0].set_value(question).run()


def session_of(test: AppTest) -> str:
    """Return the conversation that the URL names."""
    return "".join(test.query_params["session"])


def table_with(test: AppTest, column: str) -> pd.DataFrame:
    """Return the table that has this column."""
    return next(one.value for one in test.dataframe if column in one.value)


def ended(kind: str) -> Job:
    """Wait until the one job of a kind is done, and return it."""
    (job,) = resources.get_jobs().of(kind)
    assert job.thread is not None
    job.thread.join(120)
    assert job.state == "done", job.error
    return job


def logged_in(monkeypatch: pytest.MonkeyPatch, name: str, role: Role, account: str | None = None) -> None:
    """Let this person look at every page from now on."""
    monkeypatch.setattr(login, "person_here", lambda: Person(name, role, account=account))


def button(test: AppTest, label: str) -> Any:
    """Return the button with this label."""
    return next(one for one in test.button if one.label == label)


def advanced(test: AppTest) -> AppTest:
    """Open what stands under Advanced on Tune."""
    test.session_state["t_advanced"] = True
    return test.run()


def move(test: AppTest, key: str, value: float) -> AppTest:
    """Move one of the sliders under Advanced on Tune."""
    return advanced(test).select_slider(key=key).set_value(value).run()


def word_reader() -> ScriptedReader:
    """Return a reader that goes by shared words: pages show what a reader said, whatever it said it by.

    It goes by the name of the one that the shipped gate was fitted with, so that this gate can be tried.
    """
    reader = ScriptedReader(_shared, lambda question, sentence: _shared(question, sentence) >= 0.5)
    reader.name = GateFit.model_validate_json(SHIPPED.read_text(encoding="utf-8")).reader or reader.name
    return reader


def _shared(question: str, text: str) -> float:
    """The share of a question's words, 0..1, that a text has."""
    asked = {stem for word in words(question) if not is_stopword(word) for stem in stems(word)}
    return len(asked & {*stems(text)}) / len(asked) if asked else 0.0


@contextmanager
def sample_library(folder: Path) -> Iterator[Candor]:
    """Open a Candor with the samples in it, of which two questions were asked."""
    with Candor.open(data_dir=folder, ollama_host="http://127.0.0.1:9", estimator="max_similarity") as candor:
        candor.wiring.reader = word_reader()
        names = ("safety_manual.pdf", "textbook.md", "faq.html", "travel_policy.docx")
        candor.ingest([ROOT / "samples" / name for name in names])
        candor.ask(KNOWN)
        candor.ask(UNKNOWN)
        yield candor
