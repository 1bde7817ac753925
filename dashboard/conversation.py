"""The conversation of the page Ask: read from the store and kept there, and gone on with only by whoever began it."""

from functools import partial

import streamlit as st

from dashboard import components, resources, sources, state
from dashboard.readable import conversation_markdown
from rag.candor import Candor
from rag.models import Answer
from rag.workspace import conversation
from rag.workspace.retention import delete_conversation
from rag.workspace.values import is_session_id, new_session_id

_GONE = "The conversation of this link does not exist: it was deleted or never started. Your next question starts one."


def turns(candor: Candor) -> list[Answer]:
    """Return the answers of the conversation in the URL, oldest first; read from the store after a reload."""
    session, left = state.url(state.SESSION), state.get(state.TURNS_OF)
    if session is None and left is not None and state.url(state.QUESTION) is None:
        session = str(left)  # the menu led here, which empties the URL: the conversation of the last visit
        state.put_url(state.SESSION, session)
    if session is None:
        return []
    if state.get(state.TURNS_OF) == session and is_session_id(session):
        return [*state.get(state.TURNS, [])]
    sessions, owner = candor.wiring.sessions, state.get(state.OWNER)
    kept = sessions.get(session) if is_session_id(session) else None
    if kept is None:
        st.info(_GONE, icon=":material/search_off:")
        if not is_session_id(session):
            return []
    elif owner is not None and kept.owner != owner:
        forget_conversation(question=state.url(state.QUESTION))
        st.info("The conversation of this link belongs to somebody else. Your next question starts a new one.",
                icon=":material/lock:")  # fmt: skip
        return []
    state.put(state.DROPPED, None)  # what was dropped belongs to the conversation that is left
    found = _answers(candor, session)
    _enter(session, found, kept.owner if kept else owner)
    return found


def _answers(candor: Candor, session: str) -> list[Answer]:
    found = (candor.wiring.recorder.read_answer(turn.request_id) for turn in candor.wiring.sessions.history(session))
    return [one for one in found if one is not None]


def _enter(session: str | None, answers: list[Answer], owner: str | None) -> None:
    st.session_state.update({state.TURNS: answers, state.TURNS_OF: session, state.TURNS_OWNER: owner})
    st.session_state.update({state.BORROWED: False, state.OPENED: None})


def previous() -> str | None:
    """Return the question that the next one is read with: the last of this conversation, as it was read."""
    session = state.url(state.SESSION)
    if session is None or state.get(state.TURNS_OF) != session or state.get(state.BORROWED):
        return None
    answers: list[Answer] = state.get(state.TURNS, [])
    return (conversation.read_of(answers[-1]) or None) if answers else None


def draw_whose(asked: list[Answer]) -> None:
    """Draw that a conversation is another's, where it is: it is read, and what is asked begins one of one's own."""
    session, account = state.url(state.SESSION), state.get(state.TURNS_OWNER)
    if session is None or not asked:
        return
    if account is not None:
        is_borrowed = account != state.get(state.OWNER)
    else:
        with st.sidebar:  # where its empty place moves nothing
            is_borrowed = components.is_foreign(session, begun=state.get(state.BEGUN) == session)
    state.put(state.BORROWED, is_borrowed)
    if not is_borrowed:
        return
    begun = "was started in another browser" if account is None else "belongs to somebody else"
    with st.container(border=True):
        st.markdown(f":material/visibility: This conversation {begun}. You can read it here. Your next question starts "
                    "one of your own.")  # fmt: skip
        with st.container(horizontal=True):
            st.button("Start my own", type="primary", icon=":material/add_comment:", on_click=forget_conversation,
                      kwargs={"question": state.url(state.QUESTION)})  # fmt: skip
            if account is None:
                st.button("Continue this one", on_click=state.put, args=(state.BEGUN, session),
                          help="If it is yours, started in another browser or a private window.")  # fmt: skip


def session_id(question: str = "") -> str:
    """Return the conversation in the URL; begin one where there is none, or where it is another's.

    Its first question stands in the URL, too, so that a reload before its answer does not lose it.
    """
    session = state.url(state.SESSION)
    if session is None or not is_session_id(session) or state.get(state.BORROWED):
        session = new_session_id()
        _enter(session, [], state.get(state.OWNER))
        state.put(state.BEGUN, session)
        st.query_params.update({state.SESSION: session, **({state.QUESTION: question} if question else {})})
    state.put(state.IS_KEPT, resources.get_candor().wiring.sessions.get(session) is not None)
    return session


def forget_conversation(question: str | None = None) -> None:
    """Begin anew, with the question that a link asks where there is one; the old one stays under its own address."""
    state.put_url(state.SESSION, None)
    state.put_url(state.QUESTION, question)
    leave()


def leave() -> None:
    """Begin anew once the page Ask is opened without parameters; the conversation is found again in the menu."""
    st.session_state.update({state.TRIED: None, state.DROPPED: None})
    _enter(None, [], None)


@st.dialog("Delete this conversation?", icon=":material/delete:")
def confirm_deletion(candor: Candor) -> None:
    """Ask before the conversation is deleted for good."""
    st.markdown("Its questions and answers, their records and the feedback on them are removed for good.")

    def delete() -> None:
        session = state.url(state.SESSION)
        if session is not None and not state.get(state.BORROWED):
            with components.telling("The conversation is deleted."):
                delete_conversation(candor, session, also={answer.request_id for answer in state.get(state.TURNS, [])})
                forget_conversation()

    components.draw_confirmation("Delete it", "Keep it", "delete", delete)


def export(candor: Candor, session: str) -> str:
    """Return a conversation as Markdown."""
    return conversation_markdown(_answers(candor, session), partial(sources.notes, candor))


def keep_turn(answer: Answer) -> None:
    """Add an answer to the conversation, here and in the store; the answer says where the store did not take it."""
    answer = conversation.keep_turn(
        resources.get_candor(), answer.session_id or session_id(answer.query.question), answer,
        asked=answer.query.question, read_as=conversation.read_of(answer), owner=state.get(state.OWNER),
        is_begun=state.get(state.IS_KEPT, False),
    )  # fmt: skip
    state.put(state.TURNS, [*state.get(state.TURNS, []), answer])
    state.put_url(state.REQUEST, None)  # a link's answer is no longer what is looked at
    st.session_state.update({state.ARRIVED: answer.request_id, state.OPENED: None, state.TRIED: None})
