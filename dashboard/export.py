"""Answers as Markdown with IEEE references, for copying and for export. Imports no streamlit."""

from collections.abc import Callable, Sequence

from rag.models import Answer


def answer_markdown(answer: Answer, notes: Sequence[str] = ()) -> str:
    """Return an answer, or a refusal, as Markdown with its references.

    Args:
        answer: What was said.
        notes: What has to be known of its sources since, a sentence each.
    """
    since = "".join(f"Note: {note}\n\n" for note in notes)
    if answer.answer is None:
        return f"**{answer.query.question}**\n\n{since}No answer. {answer.message}\n\n_{answer.request_id}_\n"
    text = " ".join(
        sentence.text + " " + "".join(f"[{index + 1}]" for index in sentence.citations) for sentence in answer.sentences
    )
    references = "\n".join(f"- {citation.ieee or citation.label}" for citation in answer.citations)
    return f"**{answer.query.question}**\n\n{since}{text}\n\n{references}\n\n_{answer.request_id}_\n"


def conversation_markdown(answers: Sequence[Answer], notes: Callable[[Answer], Sequence[str]] = lambda _: ()) -> str:
    """Return a conversation as Markdown, oldest first.

    Args:
        answers: What was said.
        notes: Says what has to be known of an answer's sources since.
    """
    told = (answer_markdown(answer, notes(answer)) for answer in answers)
    return "\n---\n\n".join(["# Conversation with Candor\n", *told])
