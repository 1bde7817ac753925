"""What the page Ask does: the settings of a question, the stream of an answer, the conversation."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import components, queries, resources, state
from dashboard.export import conversation_markdown
from dashboard.streaming import draw_stream
from dashboard.words import ESTIMATOR_HELP, estimator, md
from rag.errors import InvalidQuery
from rag.models import Answer, Mode
from rag.stored import is_session_id, new_session_id

if TYPE_CHECKING:
    from rag.candor import Candor
    from rag.settings import Settings

_MODES = {
    Mode.BOOK_WIDE.value: "Everywhere",
    Mode.CHAPTER_AWARE.value: "Chapter first",
    Mode.SELECTED_TEXT_ONLY.value: "Pasted text only",
}
URL: Any = "query-params"


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Everything beside the question that decides its answer; None takes the configured default."""

    mode: str
    document: str | None
    chapter: int | None
    section: str | None
    context: str | None
    top_k: int
    similarity_threshold: float
    confidence_threshold: float | None
    estimator: str | None
    no_llm: bool
    max_tokens: int
    temperature: float

    def options(self) -> dict[str, Any]:  # keyword arguments of a query, not data
        """Return the options of `Candor.ask`."""
        filters = {"source": self.document, "chapter": self.chapter, "section": self.section}
        return {
            "mode": self.mode,
            "filters": {name: value for name, value in filters.items() if value is not None},
            "context": self.context or None,
            "top_k": self.top_k,
            "similarity_threshold": self.similarity_threshold,
            "confidence_threshold": self.confidence_threshold,
            "estimator": self.estimator,
            "no_llm": self.no_llm,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
        }


def settings_panel(candor: "Candor") -> AskSettings:
    """Draw the settings of a question; all of them stand in the URL but for a pasted text."""
    st.subheader("Where to look", anchor=False)
    mode = st.selectbox(
        "Mode", [*_MODES], format_func=lambda name: _MODES[name], key="mode", bind=URL,
        help="Everywhere: all documents. Chapter first: passages of the chapter are preferred, others still count. "
        "Pasted text only: nothing but the text you paste is used, and the index is not touched.",
    )  # fmt: skip
    document = chapter = section = context = None
    if mode == Mode.SELECTED_TEXT_ONLY.value:
        context = st.text_area("Text to answer from", key="context", height=180, persist_state="session",
                               placeholder="Paste the passage here.")  # fmt: skip
    elif not queries.is_empty(candor):
        document, chapter, section = _filters(candor)
    return _thresholds(candor, mode or Mode.BOOK_WIDE.value, document, chapter, section, context)


def _filters(candor: "Candor") -> tuple[str | None, int | None, str | None]:
    documents = [record.document for record in candor.documents()]
    document = st.selectbox("Document", documents, index=None, placeholder="All documents", key="document", bind=URL)
    chapters = queries.values(candor, "chapter", document=document)
    chapter = st.selectbox("Chapter", chapters, index=None, placeholder="All chapters", key="chapter", bind=URL)
    number = int(chapter) if chapter and chapter.lstrip("-").isdigit() else None
    sections = queries.values(candor, "section", document=document, chapter=number)
    section = st.selectbox("Section", sections, index=None, placeholder="All sections", key="section", bind=URL)
    return document, number, section


def _thresholds(
    candor: "Candor", mode: str, document: str | None, chapter: int | None, section: str | None, context: str | None
) -> AskSettings:
    chosen = resources.settings_in_force()
    st.subheader("How sure to be", anchor=False)
    names = [*candor.wiring.estimators]
    name = st.selectbox(
        "Estimator of confidence", names, index=names.index(chosen.estimator) if chosen.estimator in names else 0,
        format_func=estimator, key="estimator", bind=URL, help=ESTIMATOR_HELP,
    )  # fmt: skip
    confidence = st.number_input(
        "Confidence threshold", 0.0, 1.0, None, 0.05, key="confidence_threshold", bind=URL,
        placeholder="the estimator's own",
        help="Candor refuses where confidence is below this. Empty: the threshold that belongs to the estimator.",
    )  # fmt: skip
    similarity = st.slider(
        "Similarity threshold", 0.0, 1.0, chosen.similarity_threshold, 0.05, key="similarity_threshold", bind=URL,
        help="Single passages less similar than this are dropped. It does not decide whether to answer.",
    )  # fmt: skip
    top_k = st.slider(
        "Passages", 1, 20, chosen.top_k, key="top_k", bind=URL, help="How many passages the answer may rest on."
    )
    no_llm, max_tokens, temperature = _generation(chosen)
    return AskSettings(
        mode, document, chapter, section, context, top_k, similarity, confidence, name, no_llm, max_tokens, temperature
    )


def _generation(chosen: "Settings") -> tuple[bool, int, float]:
    """Draw how an answer is written: whether only quoted, at most how many tokens, the temperature."""
    with st.expander("Generation", icon=":material/edit:"):
        no_llm = st.toggle("Quote only", key="no_llm", bind=URL,
                           help="Answer by quoting whole sentences, even where a model answers.")  # fmt: skip
        max_tokens = st.slider("Longest answer, tokens", 1, 2000, chosen.max_tokens, key="max_tokens", bind=URL)
        temperature = st.slider(
            "Temperature", 0.0, 1.0, chosen.temperature, 0.1, key="temperature", bind=URL,
            help="0: the model always says what is most probable.",
        )  # fmt: skip
    return no_llm, max_tokens, temperature


# --- the conversation --------------------------------------------------------------------------------------------


def turns(candor: "Candor") -> list[Answer]:
    """Return the answers of the conversation in the URL, oldest first; read from the store after a reload."""
    session = state.url(state.SESSION)
    if session is None or not is_session_id(session):
        return []
    if state.get(state.TURNS_OF) != session:
        if not _is_ours(session):
            forget_conversation(question=state.url(state.QUESTION))
            st.info("The conversation of this link is somebody else's: a new one begins here.", icon=":material/lock:")
            return []
        history = resources.get_sessions().history(session)
        found = [queries.answer(candor, turn.request_id) for turn in history]
        state.put(state.TURNS, [answer for answer in found if answer is not None])
        state.put(state.TURNS_OF, session)
    answers: list[Answer] = state.get(state.TURNS, [])
    return answers


def _is_ours(session: str) -> bool:
    """Whether who looks may see a conversation: it is new, theirs, or people are not told apart."""
    owner = state.get(state.OWNER)
    kept = resources.get_sessions().get(session) if owner is not None else None
    return kept is None or kept.owner == owner


def session_id() -> str:
    """Return the conversation in the URL; begin one where there is none."""
    session = state.url(state.SESSION)
    if session is None or not is_session_id(session):
        session = new_session_id()
        state.put(state.TURNS, [])
        state.put(state.TURNS_OF, session)
        state.put_url(state.SESSION, session)
    return session


def forget_conversation(question: str | None = None) -> None:
    """Begin anew, with the question that a link asks where there is one; the old one stays under its own address."""
    state.put_url(state.SESSION, None)
    state.put_url(state.QUESTION, question)
    state.put(state.TURNS, [])
    state.put(state.TURNS_OF, None)


@st.dialog("Delete this conversation?", icon=":material/delete:")
def confirm_deletion(candor: "Candor") -> None:
    """Ask before the conversation is deleted for good."""
    st.markdown("Its questions and answers, their records and the feedback on them are removed for good.")
    with st.container(horizontal=True):
        deleted = st.button("Delete it", type="primary", icon=":material/delete:", key="delete-confirmed",
                            on_click=_delete_conversation, args=(candor,))  # fmt: skip
        if st.button("Keep it", key="delete-refused") or deleted:
            st.rerun()


def _delete_conversation(candor: "Candor") -> None:
    session = state.url(state.SESSION)
    if session is None:
        return
    with components.guarded():
        removed = resources.get_sessions().delete(session)
        candor.wiring.recorder.forget({*removed, *(answer.request_id for answer in state.get(state.TURNS, []))})
        forget_conversation()
        st.toast("The conversation is deleted.", icon=":material/delete:")


def draw_conversation_actions(candor: "Candor", asked: list[Answer]) -> None:
    """Draw the ways on from a conversation: a new one, its export, its deletion."""
    with st.container(horizontal=True):
        st.button("New conversation", icon=":material/add_comment:", on_click=forget_conversation)
        st.download_button("Export conversation", lambda: conversation_markdown(asked), "conversation.md",
                           "text/markdown", icon=":material/download:", on_click="ignore")  # fmt: skip
        if st.button("Delete conversation", icon=":material/delete:", type="tertiary"):
            confirm_deletion(candor)


def keep_turn(answer: Answer) -> None:
    """Add an answer to the conversation, here and in the store."""
    state.put(state.TURNS, [*state.get(state.TURNS, []), answer])
    shown = answer.model_dump(mode="json", include={"answer", "message", "confidence", "request_id"})
    resources.get_sessions().append(
        answer.session_id or session_id(),
        question=answer.query.question,
        answer=shown,
        request_id=answer.request_id,
        owner=state.get(state.OWNER),
    )


# --- one answer --------------------------------------------------------------------------------------------------


def stream_answer(candor: "Candor", question: str, settings: AskSettings) -> Answer:
    """Ask, and draw sentences as soon as they are checked; what is not checked is never shown.

    Leaving the function in any way, the stop button included, cancels the model.
    """
    if settings.mode == Mode.SELECTED_TEXT_ONLY.value and not (settings.context or "").strip():
        raise InvalidQuery("There is no text to answer from. Paste it into the field in the sidebar.")
    query = candor.pipeline.query(question, session_id=session_id(), **settings.options())
    state.put_url(state.QUESTION, question)
    state.put(state.STOPPED, None)
    return draw_stream(candor.pipeline.stream(query), question)  # type: ignore[arg-type]


def shared_question(asked: list[Answer]) -> str | None:
    """Draw the question that somebody sent in the URL, or stopped, and return it when it is to be asked."""
    question = state.url(state.QUESTION)
    if question is None or any(answer.query.question == question for answer in asked):
        return None
    is_stopped = state.get(state.STOPPED) == question
    with st.container(border=True):
        st.markdown(f"{'This question was stopped' if is_stopped else 'This link asks'}: **{md(question)}**")
        label = "Ask it again" if is_stopped else "Ask this"
        return question if st.button(label, type="primary", icon=":material/send:") else None


def draw_welcome(candor: "Candor") -> None:
    """Draw what stands before the first question."""
    documents = candor.documents()
    components.empty_state(
        "Ask your documents",
        f"{len(documents)} documents with {sum(record.chunks for record in documents)} passages are indexed. "
        "Every sentence of an answer names its source; where the documents do not carry an answer, "
        "Candor says so and explains why.",
        icon=":material/forum:",
    )
