"""What the page Ask does: the settings of a question, the link that carries them, the stream of an answer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import streamlit as st

from dashboard import components, conversation, library, links, queries, resources, state
from dashboard.run_choice import note_missing
from dashboard.state import URL
from dashboard.streaming import draw_stream
from dashboard.words import ESTIMATOR_HELP, estimator, md, several
from rag.errors import InvalidQuery
from rag.models import Answer, EstimatorName, Mode, Query
from rag.validate import GREETING_LENGTH, MAX_LENGTH

if TYPE_CHECKING:
    from rag.candor import Candor
    from rag.settings import Settings

MODES = {
    Mode.BOOK_WIDE.value: "Everywhere",
    Mode.CHAPTER_AWARE.value: "Chapter first",
    Mode.SELECTED_TEXT_ONLY.value: "Pasted text only",
}
"""What the modes are called, here and in the URL."""
FILTERS = ("collection", "document", "chapter", "section")
"""What narrows a question; widgets and parameters of the URL go by these names."""
SETTINGS = (
    *("mode", "estimator", "confidence_threshold", "unsure_threshold", "similarity_threshold", "top_k"),
    *("no_llm", "max_tokens", "temperature", "model"),
)
"""The other settings of a question, by the same names."""


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Everything beside the question that decides its answer; None takes the configured default."""

    mode: str
    document: str | None
    chapter: int | None
    section: str | None
    context: str | None
    collection: str | None
    top_k: int
    similarity_threshold: float
    confidence_threshold: float | None
    unsure_threshold: float | None
    estimator: str | None
    no_llm: bool
    max_tokens: int
    temperature: float
    model: str | None

    def options(self) -> dict[str, Any]:  # keyword arguments of a query, not data
        """Return the options of `Candor.ask`."""
        filters = {"source": self.document, "collection": self.collection, "chapter": self.chapter,
                   "section": self.section}  # fmt: skip
        return {
            "mode": self.mode,
            "filters": {name: value for name, value in filters.items() if value is not None},
            "context": self.context or None,
            "top_k": self.top_k,
            "similarity_threshold": self.similarity_threshold,
            "confidence_threshold": self.confidence_threshold,
            "unsure_threshold": self.unsure_threshold,
            "estimator": self.estimator,
            "no_llm": self.no_llm,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "model": self.model,
            "as_asked": bool(state.get(state.AS_ASKED)),
        }


def settings_panel(candor: "Candor") -> AskSettings:
    """Draw the settings of a question; all of them stand in the URL but for a pasted text."""
    resources.follow_promotions(candor)
    st.subheader("Where to look", anchor=False)
    links.note_choice("mode", "Mode", [*MODES.values()], shown=lambda name: MODES[name])
    mode = st.selectbox(
        "Mode", [*MODES], format_func=lambda name: MODES[name], key="mode", bind=URL,
        help="Everywhere: all documents. Chapter first: passages of the chapter are preferred, others still count. "
        "Pasted text only: nothing but the text you paste is used, and the index is not touched.",
    )  # fmt: skip
    collection = document = chapter = section = context = None
    if mode == Mode.SELECTED_TEXT_ONLY.value:
        context = st.text_area("Text to answer from", key="context", height=180, persist_state="session",
                               placeholder="Paste the passage here.")  # fmt: skip
    elif not queries.is_empty(candor):
        kept = library.collections(candor)
        collection = library.pick(kept, "collection") if kept else None
        document, chapter, section = _filters(candor)
    where = (document, chapter, section, context, collection.name if collection else None)
    return _thresholds(candor, mode or Mode.BOOK_WIDE.value, *where)


def _filters(candor: "Candor") -> tuple[str | None, int | None, str | None]:
    documents = [record.document for record in candor.documents()]
    _note_gone("document", documents)
    note_missing("document", documents, shown="")
    document = st.selectbox("Document", documents, index=None, placeholder="All documents", key="document", bind=URL)
    chapters = queries.values(candor, "chapter", document=document)
    note_missing("chapter", chapters, shown="")
    chapter = st.selectbox("Chapter", chapters, index=None, placeholder="All chapters", key="chapter", bind=URL)
    number = int(chapter) if chapter and chapter.lstrip("-").isdigit() else None
    sections = queries.values(candor, "section", document=document, chapter=number)
    note_missing("section", sections, shown="")
    section = st.selectbox("Section", sections, index=None, placeholder="All sections", key="section", bind=URL)
    return document, number, section


def _note_gone(key: str, names: list[str]) -> None:
    """Remember what was chosen and is not here any more; before the widget is drawn, which forgets it."""
    kept = state.get(key)
    if kept is not None and kept not in names:
        state.put(state.MISSING, {**state.get(state.MISSING, {}), key: (kept, "")})


def draw_wrong_link() -> None:
    """Say which settings of a link are not valid, and which filters name what is not indexed; after the settings."""
    links.draw_invalid(*SETTINGS, where="in the sidebar (on a narrow screen » opens it)")
    _draw_missing_filters()


def draw_recipient(candor: "Candor", settings: AskSettings) -> None:
    """Say before anything is asked where questions and passages are sent, where that is not this machine."""
    generator = candor.wiring.generators.named(settings.model) if settings.model else candor.wiring.generator
    if (away := generator.away) and not settings.no_llm:
        st.caption(
            f"Answers are written by a model at {md(away)}: the question and the passages found are sent there. "
            "**Quote only**, under Generation, sends nothing."
        )


def _draw_missing_filters() -> None:
    """Say which filters name what is not indexed, until others are chosen: without them more is searched."""
    missing = state.get(state.MISSING, {})
    gone = [f"{key} {missing[key][0]}" for key in FILTERS if key in missing and state.get(key) is None]
    if gone:
        st.warning(
            f"Not indexed here: {md(', '.join(gone))}. What you ask now is searched for without that filter. Choose "
            "another under **Where to look**; where a link led here, ask whoever sent it.",
            title="A filter is not set",
            icon=":material/filter_alt_off:",
        )


def _thresholds(
    candor: "Candor",
    mode: str,
    document: str | None,
    chapter: int | None,
    section: str | None,
    context: str | None,
    collection: str | None,
) -> AskSettings:
    chosen = resources.settings_in_force()
    st.subheader("How sure to be", anchor=False)
    names = [*candor.wiring.estimators]
    links.note_choice("estimator", "Estimator of confidence", [*map(estimator, names)], shown=estimator)
    links.note_number("confidence_threshold", "Confidence threshold", 0, 1)
    links.note_number("unsure_threshold", "Unsure threshold", 0, 1)
    links.note_number("similarity_threshold", "Similarity threshold", 0, 1)
    links.note_number("top_k", "Passages", 1, 20, whole=True)
    name = st.selectbox(
        "Estimator of confidence", names, index=names.index(chosen.estimator) if chosen.estimator in names else 0,
        format_func=estimator, key="estimator", bind=URL, help=ESTIMATOR_HELP,
    )  # fmt: skip
    confidence = st.number_input(
        "Confidence threshold", 0.0, 1.0, None, 0.05, key="confidence_threshold", bind=URL,
        placeholder=_threshold_meant(candor, name),
        help="Candor answers from this confidence on. Empty: the threshold in force, which stands here in grey.",
    )  # fmt: skip
    unsure = st.number_input(
        "Unsure threshold", 0.0, 1.0, None, 0.05, key="unsure_threshold", bind=URL,
        placeholder=_unsure_meant(candor, name), disabled=candor.wiring.estimators[name].unsure_threshold is None,
        help="From here up to the confidence threshold the closest sentences are shown and nothing is claimed; below "
        "it Candor refuses. Empty: the threshold in force.",
    )  # fmt: skip
    similarity = st.slider(
        "Similarity threshold", 0.0, 1.0, chosen.similarity_threshold, 0.05, key="similarity_threshold", bind=URL,
        help="Single passages less similar than this are dropped. It does not decide whether to answer.",
    )  # fmt: skip
    top_k = st.slider(
        "Passages", 1, 20, chosen.top_k, key="top_k", bind=URL, help="How many passages the answer may rest on."
    )
    no_llm, max_tokens, temperature, model = _generation(candor, chosen)
    return AskSettings(
        mode,
        document,
        chapter,
        section,
        context,
        collection,
        top_k,
        similarity,
        confidence,
        unsure,
        name,
        no_llm,
        max_tokens,
        temperature,
        model,
    )


def _threshold_meant(candor: "Candor", name: EstimatorName) -> str:
    """Return which threshold decides where none is given: the one in force, or the estimator's own."""
    chosen = resources.settings_in_force()
    if name == chosen.estimator and chosen.confidence_threshold is not None:
        return f"{chosen.confidence_threshold:g} (in force)"
    return f"{candor.wiring.estimators[name].threshold:g} (its own)"


def _unsure_meant(candor: "Candor", name: EstimatorName) -> str:
    """Return from where on a question is unsure where nothing is given, or that the estimator knows no unsure."""
    chosen, own = resources.settings_in_force(), candor.wiring.estimators[name].unsure_threshold
    if own is None:
        return "this estimator knows no unsure"
    if name == chosen.estimator and chosen.unsure_threshold is not None:
        return f"{chosen.unsure_threshold:g} (in force)"
    return f"{own:g} (its own)"


def _generation(candor: "Candor", chosen: "Settings") -> tuple[bool, int, float, str | None]:
    """Draw how an answer is written: by which model or only quoted, at most how many tokens, the temperature."""
    models = queries.models(candor)
    links.note_choice("model", "Model", models)
    links.note_switch("no_llm", "Quote only")
    links.note_number("max_tokens", "Longest answer, tokens", 1, 2000, whole=True)
    links.note_number("temperature", "Temperature", 0, 1)
    with st.expander("Generation", icon=":material/edit:"):
        no_llm = st.toggle("Quote only", key="no_llm", bind=URL,
                           help="Answer by quoting whole sentences, even where a model answers.")  # fmt: skip
        model = st.selectbox(
            "Model", models, index=None, placeholder="As configured", key="model", bind=URL,
            help="Who writes the answer, of the models that the configured servers list.",
        ) if len(models) > 1 else None  # fmt: skip
        max_tokens = st.slider("Longest answer, tokens", 1, 2000, chosen.max_tokens, key="max_tokens", bind=URL)
        temperature = st.slider(
            "Temperature", 0.0, 1.0, chosen.temperature, 0.1, key="temperature", bind=URL,
            help="0: the model always says what is most probable.",
        )  # fmt: skip
    return no_llm, max_tokens, temperature, model


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


# --- one answer --------------------------------------------------------------------------------------------------


def stream_answer(candor: "Candor", question: str, settings: AskSettings) -> Answer:
    """Ask, and draw sentences as soon as they are checked; what is not checked is never shown.

    Leaving the function in any way, the stop button included, cancels the model. The question stands in the URL before
    anything of it is checked, so that it can be asked again where a setting has to be corrected first; one that is too
    long does not: servers refuse such addresses.

    Raises:
        InvalidQuery: The question or a setting is outside its limits, or the mode needs a text or a chapter.
    """
    state.put_url(state.QUESTION, question if len(question) <= MAX_LENGTH else None)
    state.put(state.TRIED, question)
    state.put(state.STOPPED, None)
    _check_mode(settings)
    query = candor.pipeline.query(
        question, previous=conversation.previous(), shortest=GREETING_LENGTH, **settings.options()
    )
    state.put(state.AS_ASKED, None)
    begun = state.url(state.SESSION)
    query = query.model_copy(update={"session_id": conversation.session_id()})  # only what is asked begins one
    try:
        return draw_stream(candor.pipeline.stream(query), query)  # type: ignore[arg-type]
    except InvalidQuery:  # too short, and no greeting either: that is known only now
        if begun is None:
            conversation.forget_conversation(question)
            state.put(state.TRIED, question)
        raise


def _check_mode(settings: AskSettings) -> None:
    """Say what a mode needs in the words of the page, before the pipeline says it in those of the API."""
    if settings.mode == Mode.SELECTED_TEXT_ONLY.value and not (settings.context or "").strip():
        raise InvalidQuery("There is no text to answer from. Paste it into the field in the sidebar.")
    if settings.mode == Mode.CHAPTER_AWARE.value and settings.chapter is None:
        raise InvalidQuery("No chapter is chosen. Choose a chapter in the sidebar, or the mode Everywhere.")


def shared_question(asked: list[Answer]) -> str | None:
    """Draw the question that somebody sent in the URL, or stopped, and return it when it is to be asked."""
    if (again := state.get(state.AGAIN)) is not None:
        state.put(state.AGAIN, None)
        return str(again)
    question = state.url(state.QUESTION) or _left_unanswered()
    if question is None or any(answer.query.question == " ".join(question.split()) for answer in asked):
        return None
    is_stopped = state.get(state.STOPPED) == " ".join(question.split())
    told = "Not answered yet" if state.get(state.TRIED) == question else "This link asks"
    with st.container(border=True):
        st.markdown(f"{'This question was stopped' if is_stopped else told}: **{md(question)}**")
        label = "Ask it again" if is_stopped else "Ask this"
        return question if st.button(label, type="primary", icon=":material/send:") else None


def _left_unanswered() -> str | None:
    """Return the question that was asked and left while it was answered; the menu empties the URL."""
    tried: str | None = state.get(state.TRIED)
    return tried if tried is not None and len(tried) <= MAX_LENGTH else None


def ask_everywhere(question: str) -> None:
    """Take the filters off and have a question asked; for callbacks, before the settings are drawn again."""
    state.put("mode", Mode.BOOK_WIDE.value)  # chapter first asks for a chapter
    for name in FILTERS:
        state.put(name, None)
    state.put(state.MISSING, {})  # everywhere is what was asked for
    state.put(state.AGAIN, question)


def draw_welcome(candor: "Candor") -> None:
    """Draw what stands before the first question."""
    documents = candor.documents()
    passages = several(sum(record.chunks for record in documents), "passage")
    indexed = f"{several(len(documents), 'document')} with {passages}"
    components.empty_state(
        "Ask your documents",
        f"{indexed} {'is' if len(documents) == 1 else 'are'} indexed. "
        "Every sentence of an answer names its source; where the documents do not carry an answer, "
        "Candor says so and explains why.",
        icon=":material/forum:",
    )
