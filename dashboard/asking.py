"""What the page Ask does with a question: it is typed, sent by a link, or asked again; its answer is streamed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import streamlit as st

from dashboard import conversation, state
from dashboard.ask_settings import FILTERS, MODES, AskSettings
from dashboard.streaming import draw_stream, so_far
from dashboard.words import estimator, md
from rag.errors import InvalidQuery
from rag.models import Answer, Mode, Query
from rag.validate import GREETING_LENGTH, MAX_LENGTH

if TYPE_CHECKING:
    from rag.candor import Candor


def link_to(query: Query, page: str) -> str:
    """Return the address that asks a question with its settings, in a conversation of whoever opens it.

    A pasted text is no part of it: it would stand in every log that the address passes.

    Args:
        query: The question.
        page: The address of the page Ask, without parameters.
    """
    filters = query.filters
    named = {
        state.QUESTION: query.question,
        "mode": MODES[query.mode.value] if query.mode is not Mode.BOOK_WIDE else None,
        "collection": filters.collection,
        "document": filters.source,
        "chapter": filters.chapter,
        "section": filters.section,
        "estimator": estimator(query.estimator) if query.estimator else None,
        "confidence_threshold": query.confidence_threshold,
        "unsure_threshold": query.unsure_threshold,
        "similarity_threshold": query.similarity_threshold,
        "top_k": query.top_k,
        "no_llm": "true" if query.no_llm else None,
        "max_tokens": query.max_tokens,
        "temperature": query.temperature,
        "model": query.model,
    }
    return f"{page}?{urlencode({name: one for name, one in named.items() if one is not None}, quote_via=quote)}"


def stream_answer(candor: "Candor", question: str, settings: AskSettings) -> Answer:
    """Ask, and draw sentences as soon as they are checked; what is not checked is never shown.

    Leaving the function in any way, the stop button included, cancels the model. The question is kept before anything
    of it is checked, so that it can be asked again where a setting has to be corrected first.

    Raises:
        InvalidQuery: The question or a setting is outside its limits, or the mode needs a text or a chapter.
    """
    state.put(state.TRIED, question)
    state.put(state.STOPPED, None)
    if settings.lacks:
        raise InvalidQuery(f"{settings.lacks}, in the line above the input.")
    query = candor.pipeline.query(
        question, previous=conversation.previous(), shortest=GREETING_LENGTH, **settings.options
    )
    state.put(state.AS_ASKED, None)
    begun = state.url(state.SESSION)
    session = conversation.session_id(question)  # only what is asked begins one
    query = query.model_copy(update={"session_id": session})
    try:
        return draw_stream(candor.pipeline.stream(query), query)  # type: ignore[arg-type]
    except InvalidQuery:  # too short, and no greeting either: that is known only now
        if begun is None:
            conversation.forget_conversation()
            state.put(state.TRIED, question)
        raise


def waiting_question(asked: Sequence[Answer]) -> str | None:
    """Draw the question that somebody sent in the URL, or that was stopped, and return it when it is to be asked."""
    if (again := state.get(state.AGAIN)) is not None:
        state.put(state.AGAIN, None)
        return str(again)
    tried, sent = state.get(state.TRIED), state.url(state.QUESTION)
    answered = {answer.query.question for answer in asked}
    waiting = [one for one in (tried, sent) if one and len(one) <= MAX_LENGTH]
    question: str | None = next((one for one in waiting if " ".join(one.split()) not in answered), None)
    if question is None:
        return None
    is_stopped = state.get(state.STOPPED) == " ".join(question.split())
    told = "Not answered yet" if tried == question else "This link asks"
    with st.container(border=True):
        st.markdown(f"{'This question was stopped' if is_stopped else told}: **{md(question)}**")
        if is_stopped and (checked := state.get(state.CHECKED)):
            st.markdown(so_far(*checked))
            st.caption("These sentences were checked before it was stopped; they may not be the whole answer.")
        label = "Ask it again" if is_stopped else "Ask this"
        return question if st.button(label, type="primary", icon=":material/send:") else None


def ask_everywhere(question: str) -> None:
    """Take the filters off and have a question asked; for callbacks, before the settings are drawn again."""
    state.put("mode", Mode.BOOK_WIDE.value)  # chapter first asks for a chapter
    for name in FILTERS:
        state.put(name, None)
    state.put("documents", [])
    state.put(state.MISSING, {})  # everywhere is what was asked for
    state.put(state.AGAIN, question)
