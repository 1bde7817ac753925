"""The conversation of the page Ask as it is drawn: what stands before it, its turns, and the answer that is written."""

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import asking, components, conversation, queries
from dashboard.answer_card import draw_answer
from dashboard.asking import AskSettings
from dashboard.words import md
from rag.models import Answer, Mode

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_beginning(candor: "Candor", settings: AskSettings, *, is_begun: bool) -> None:
    """Draw what stands where nothing can be asked, and before the first question.

    Args:
        candor: What is indexed.
        settings: Those of the next question.
        is_begun: Whether the conversation has a question.
    """
    if not _can_be_asked(candor, settings):
        components.no_documents()
    elif not is_begun:
        asking.draw_welcome(candor)


def draw_turns(candor: "Candor", asked: list[Answer]) -> None:
    """Draw the questions and answers of the conversation, and whose it is."""
    for number, one in enumerate(asked, start=1):
        _draw_question(one.query.question)
        with st.chat_message("assistant", avatar=components.AVATAR):
            draw_answer(candor, one, key=one.request_id, open_details=number == len(asked))
    conversation.draw_whose(asked)


def answer(candor: "Candor", question: str | None, settings: AskSettings) -> None:
    """Answer a question, if there is one, and draw the page again with it; an error stands where the answer would."""
    if not question or not _can_be_asked(candor, settings):
        return
    _draw_question(question)
    with st.chat_message("assistant", avatar=components.AVATAR), components.guarded():
        conversation.keep_turn(asking.stream_answer(candor, question, settings))
        st.rerun()


def _draw_question(question: str) -> None:
    st.chat_message("user", avatar=":material/person:").markdown(md(question))


def _can_be_asked(candor: "Candor", settings: AskSettings) -> bool:
    """Return whether there is anything to answer from: a pasted text is asked of itself alone."""
    return settings.mode == Mode.SELECTED_TEXT_ONLY or not queries.is_empty(candor)
