"""Answers as Markdown with IEEE references, for copying and for export. Imports no streamlit."""

import re
from collections.abc import Callable, Sequence

from dashboard.words import where
from rag.models import Answer

_MEANS_SOMETHING = re.compile(r"[\\`*<>|]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])|^[#+=-]|&(?=[#A-Za-z])")
"""What Markdown would draw otherwise than it stands there: `]` where it ends a link, `_` at the edge of a word."""


def plain(text: str) -> str:
    r"""Return a document's or a person's text so that Markdown shows it as it is: no image, no link, no HTML.

    >>> print(plain("![x](http://a) *b* & <i>c</i>, snake_case"))
    ![x\](http://a) \*b\* & \<i\>c\</i\>, snake_case
    >>> print(plain("[1] A. Author, Rules [Online]."))
    [1] A. Author, Rules [Online].
    """
    return _MEANS_SOMETHING.sub(r"\\\g<0>", " ".join(text.split()))


def answer_markdown(answer: Answer, notes: Sequence[str] = ()) -> str:
    """Return an answer as Markdown with its references, or what was said in its place.

    Args:
        answer: What was said.
        notes: What has to be known of its sources since, a sentence each.
    """
    since = "".join(f"Note: {plain(note)}\n\n" for note in notes)
    question = plain(answer.query.question)
    if answer.answer is None:
        ended = {"unsure": "Unsure. ", "refused": "No answer. "}.get(answer.outcome, "")
        told = f"{ended}{plain(answer.message or '')}\n\n{_closest(answer)}"
        return f"**{question}**\n\n{since}{told}_{answer.request_id}_\n"
    text = " ".join(
        plain(sentence.text) + " " + "".join(f"[{index + 1}]" for index in sentence.citations)
        for sentence in answer.sentences
    )
    references = "\n".join(f"- {plain(citation.ieee or citation.label)}" for citation in answer.citations)
    return f"**{question}**\n\n{since}{text}\n\n{references}\n\n_{answer.request_id}_\n"


def _closest(answer: Answer) -> str:
    """Return the sentences that come closest to an unsure question, each with where it stands; empty for others."""
    misses = answer.gate.nearest_misses if answer.gate and answer.outcome == "unsure" else ()
    return "".join(f"- “{plain(one.sentence or one.excerpt)}” ({plain(where(one))})\n" for one in misses) + (
        "\n" if misses else ""
    )


def conversation_markdown(answers: Sequence[Answer], notes: Callable[[Answer], Sequence[str]] = lambda _: ()) -> str:
    """Return a conversation as Markdown, oldest first.

    Args:
        answers: What was said.
        notes: Says what has to be known of an answer's sources since.
    """
    told = (answer_markdown(answer, notes(answer)) for answer in answers)
    return "\n---\n\n".join(["# Conversation with Candor\n", *told])
