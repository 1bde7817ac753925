"""What the tests of pages share: two questions, and what a page says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

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
