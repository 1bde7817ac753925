"""What the tests of pages share: a library, two questions asked of it, and what a page says."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from rag.candor import Candor

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


def button(test: AppTest, label: str) -> Any:
    """Return the button with this label."""
    return next(one for one in test.button if one.label == label)


@contextmanager
def sample_library(folder: Path) -> Iterator[Candor]:
    """Open a Candor with the samples in it, of which two questions were asked."""
    with Candor.open(data_dir=folder, ollama_host="http://127.0.0.1:9", estimator="max_similarity") as candor:
        names = ("safety_manual.pdf", "textbook.md", "faq.html", "travel_policy.docx")
        candor.ingest([ROOT / "samples" / name for name in names])
        candor.ask(KNOWN)
        candor.ask(UNKNOWN)
        yield candor
