"""Answers as Markdown with IEEE references, for copying and for export. Imports no streamlit."""

from collections.abc import Sequence

from rag.models import Answer


def answer_markdown(answer: Answer) -> str:
    """Return an answer, or a refusal, as Markdown with its references."""
    if answer.answer is None:
        return f"**{answer.query.question}**\n\nNo answer. {answer.message}\n\n_{answer.request_id}_\n"
    text = " ".join(
        sentence.text + " " + "".join(f"[{index + 1}]" for index in sentence.citations) for sentence in answer.sentences
    )
    references = "\n".join(f"- {citation.ieee or citation.label}" for citation in answer.citations)
    return f"**{answer.query.question}**\n\n{text}\n\n{references}\n\n_{answer.request_id}_\n"


def conversation_markdown(answers: Sequence[Answer]) -> str:
    """Return a conversation as Markdown, oldest first."""
    return "\n---\n\n".join(["# Conversation with Candor\n", *(answer_markdown(answer) for answer in answers)])
