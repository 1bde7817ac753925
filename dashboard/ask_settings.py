"""The settings of a question: where to look and who speaks, in a line above the input; the others under Advanced.

All of them stand in the URL but for a pasted text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard import library, links, queries, resources, state
from dashboard.links import note_missing
from dashboard.state import URL
from dashboard.words import ESTIMATOR_HELP, estimator, md
from rag.candor import Candor
from rag.models import Mode
from rag.stored.values import Collection

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
    """Everything beside the question that decides its answer."""

    options: dict[str, Any]  # keyword arguments of a query, not data
    """The options of `Candor.ask`; None takes the configured default."""

    @property
    def mode(self) -> str:
        """Where to look."""
        return str(self.options["mode"])

    @property
    def lacks(self) -> str:
        """What has to be given before anything can be asked, in words; empty: nothing."""
        if self.mode == Mode.SELECTED_TEXT_ONLY and not (self.options["context"] or "").strip():
            return "Paste the text to answer from, under “Pasted text”"
        if self.mode == Mode.CHAPTER_AWARE and "chapter" not in self.options["filters"]:
            return "Choose a chapter under “Chapter first”, or look everywhere"
        return ""


def draw(candor: Candor) -> AskSettings:
    """Draw the line of settings, and return what was chosen."""
    resources.follow_promotions(candor)
    with st.container(horizontal=True, gap="small"):
        as_asked = {"as_asked": bool(state.get(state.AS_ASKED))}
        return AskSettings({**_scope(candor), **_speaker(candor), **_advanced(candor), **as_asked})


def _now(key: str) -> Any:
    """Return what a widget that is drawn later in this run will have."""
    return state.get(key) if key in st.session_state else state.url(key)


# --- where to look -----------------------------------------------------------------------------------------------


def _scope(candor: Candor) -> dict[str, Any]:
    """Draw where to look: mode, document, chapter and section, or the text that is pasted."""
    with st.popover(_scope_called(), key="scope", icon=":material/folder_open:", type="tertiary"):
        links.note_choice("mode", "Mode", [*MODES.values()], shown=lambda name: MODES[name])
        mode = st.selectbox(
            "Mode", [*MODES], format_func=lambda name: MODES[name], key="mode", bind=URL,
            help="Everywhere: all documents. Chapter first: passages of the chapter are preferred, but others can be "
                 "used. Pasted text only: only the text that you paste is used, and the index is not searched.",
        )  # fmt: skip
        context: str | None = None
        filters: dict[str, Any] = {}
        if mode == Mode.SELECTED_TEXT_ONLY.value:
            context = st.text_area("Text to answer from", key="context", height=180, persist_state="session",
                                   placeholder="Paste the passage here.")  # fmt: skip
        elif not queries.is_empty(candor):
            filters = {name: value for name, value in _filters(candor).items() if value is not None}
    return {"mode": mode or Mode.BOOK_WIDE.value, "context": context or None, "filters": filters}


def _scope_called() -> str:
    mode, collection, chapter = map(_now, ("mode", "collection", "chapter"))
    chosen: list[str | None] = [*_chosen_documents()]
    first, *others = chosen or [None]
    named = MODES.get(str(mode), str(mode or ""))
    if named == MODES[Mode.SELECTED_TEXT_ONLY]:
        return "Pasted text"
    more = f"{len(others)} more" if others else None
    parts = (collection, first, more, f"chapter {chapter}" if chapter else None)
    where = " · ".join(md(str(one)) for one in parts if one)
    prefix = f"{named}: " if named == MODES[Mode.CHAPTER_AWARE] else ""
    return prefix + (where or "All documents")


def _filters(candor: Candor) -> dict[str, Any]:
    kept = library.collections(candor)
    collection = library.pick(kept, "collection") if kept else None
    documents = _documents([record.document for record in candor.documents()], collection)
    chapter = _filter("chapter", queries.values(candor, "chapter", documents=documents))
    number = int(chapter) if chapter and chapter.lstrip("-").isdigit() else None
    section = _filter("section", queries.values(candor, "section", documents=documents, chapter=number))
    alone, several = (None, documents) if len(documents) > 1 else (documents[0] if documents else None, None)
    named = collection.name if collection and several is None else None  # the documents are its own
    return {"source": alone, "sources": several, "collection": named, "chapter": number, "section": section}


def _filter(key: str, names: list[str]) -> str | None:
    note_missing(key, names, shown="")
    return st.selectbox(key.capitalize(), names, index=None, placeholder=f"All {key}s", key=key, bind=URL)


def _documents(indexed: Sequence[str], within: Collection | None) -> tuple[str, ...]:
    """Draw the choice of documents, of those of a collection where one is chosen, and return it; empty: all."""
    chosen = [name for name in _chosen_documents() if name]
    offered = [name for name in indexed if within is None or name in within.documents]
    kept = [name for name in chosen if name in offered]
    outside = f" (not in {within.name})" if within is not None else ""
    if gone := [name + outside * (name in indexed) for name in chosen if name not in offered]:
        links.remember_missing("document", ", ".join(gone), "\n".join(kept))  # the widget will forget them
    if "document" in st.session_state:
        state.put("document", kept)
    return tuple(st.multiselect("Documents", offered, placeholder="All documents", key="document", bind=URL))


def _chosen_documents() -> list[str]:
    return [*(state.get("document") or ())] if "document" in st.session_state else st.query_params.get_all("document")


def _as_shown(key: str) -> str:
    value = state.get(key)
    return "\n".join(value) if isinstance(value, list | tuple) else str(value or "")


def draw_wrong_link() -> None:
    """Say which settings of a link are not valid, and which filters name what is not indexed; after the settings."""
    links.draw_invalid(*SETTINGS, where="in the line above the input")
    missing = state.get(state.MISSING, {})
    gone = [f"{key} {missing[key][0]}" for key in FILTERS if key in missing and _as_shown(key) == missing[key][1]]
    if gone:
        st.warning(
            f"Not indexed here: {md(', '.join(gone))}. Questions are searched without that filter. Choose another in "
            "the line above the input. If a link brought you here, ask the person who sent it.",
            title="A filter was not applied", icon=":material/filter_alt_off:",
        )  # fmt: skip


# --- who speaks --------------------------------------------------------------------------------------------------


_WRITES = "A model writes the answer, and every sentence is checked against the passages before it is shown."
_QUOTES = "No model is connected: answers are quoted word for word."


def _speaker(candor: Candor) -> dict[str, Any]:
    """Draw who will speak, a model or the documents' own sentences, with the choice."""
    models = queries.models(candor)
    is_quoting = str(_now("no_llm")).lower() == "true" or not models
    silent = "" if models else _wanted(candor)
    quoting = f"Quoting: {md(silent)} does not answer" if silent else "Quoting"
    label = quoting if is_quoting else md(str(_now("model") or _configured(candor, models)).partition("/")[2])
    icon = ":material/format_quote:" if is_quoting else ":material/smart_toy:"
    with st.popover(label, key="speaker", icon=icon, type="tertiary"):
        st.caption(_WRITES if models else "Answers are quoted word for word until it does." if silent else _QUOTES)
        links.note_switch("no_llm", "Quote only")
        no_llm = st.toggle("Quote only", key="no_llm", bind=URL,
                           help="Answer by quoting whole sentences, even if a model is connected.")  # fmt: skip
        links.note_choice("model", "Model", models)
        model = st.selectbox(
            "Model", models, index=None, placeholder="As configured", key="model", bind=URL,
            help="The model that writes the answer. The list shows the models of the configured servers.",
        ) if len(models) > 1 else None  # fmt: skip
    return {"no_llm": no_llm, "model": model}


def _configured(candor: Candor, models: tuple[str, ...]) -> str:
    """Return the model that answers where none is chosen."""
    wanted = _wanted(candor)
    return next((one for one in models if wanted and one.endswith(f"/{wanted}")), models[0])


def _wanted(candor: Candor) -> str:
    """Return the model of a server that the settings name, or that server; empty where they name neither."""
    chosen = candor.wiring.settings
    return (chosen.openai_model or "the model server") if chosen.openai_base_url else chosen.ollama_model or ""


def draw_recipient(candor: Candor, settings: AskSettings) -> None:
    """Say before anything is asked where questions and passages are sent, where that is not this machine."""
    model = settings.options["model"]
    generator = candor.wiring.generators.named(model) if model else candor.wiring.generator
    if (away := generator.away) and not settings.options["no_llm"]:
        st.caption(
            f"Answers are written by a model at {md(away)}: the question and the passages found are sent there. "
            "**Quote only** sends nothing."
        )


# --- all others --------------------------------------------------------------------------------------------------


def _advanced(candor: Candor) -> dict[str, Any]:
    """Draw how sure to be, and how much to read and to write."""
    chosen, names = resources.settings_in_force(), [*candor.wiring.estimators]
    links.note_choice("estimator", "Estimator of confidence", [*map(estimator, names)], shown=estimator)
    for key, called in (("confidence", "Confidence"), ("unsure", "Unsure"), ("similarity", "Similarity")):
        links.note_number(f"{key}_threshold", f"{called} threshold", 0, 1)
    links.note_number("top_k", "Passages", 1, 20, whole=True)
    links.note_number("max_tokens", "Longest answer, tokens", 1, 2000, whole=True)
    links.note_number("temperature", "Temperature", 0, 1)
    with st.popover("Advanced", key="advanced", icon=":material/tune:", type="tertiary"):
        name = st.selectbox(
            "Estimator of confidence", names, index=names.index(chosen.estimator) if chosen.estimator in names else 0,
            format_func=estimator, key="estimator", bind=URL, help=ESTIMATOR_HELP,
        )  # fmt: skip
        own, is_in_force = candor.wiring.estimators[name], name == chosen.estimator
        confidence = st.number_input(
            "Confidence threshold", 0.0, 1.0, None, 0.05, key="confidence_threshold", bind=URL,
            placeholder=_meant(own.threshold, chosen.confidence_threshold if is_in_force else None),
            help="Candor answers at this confidence or above. Empty: the threshold in force, shown in grey.",
        )  # fmt: skip
        unsure = st.number_input(
            "Unsure threshold", 0.0, 1.0, None, 0.05, key="unsure_threshold", bind=URL,
            placeholder=_meant(own.unsure_threshold, chosen.unsure_threshold if is_in_force else None),
            disabled=own.unsure_threshold is None,
            help="Between this and the confidence threshold, Candor shows the closest sentences and claims nothing. "
                 "Below it, Candor refuses. Empty: the threshold in force.",
        )  # fmt: skip
        similarity = st.slider(
            "Similarity threshold", 0.0, 1.0, chosen.similarity_threshold, 0.05, key="similarity_threshold", bind=URL,
            help="Passages less similar than this are dropped. This does not decide if Candor answers.",
        )  # fmt: skip
        top_k = st.slider("Passages", 1, 20, chosen.top_k, key="top_k", bind=URL,
                          help="The number of passages that the answer may use.")  # fmt: skip
        max_tokens = st.slider("Longest answer, tokens", 1, 2000, chosen.max_tokens, key="max_tokens", bind=URL)
        temperature = st.slider("Temperature", 0.0, 1.0, chosen.temperature, 0.1, key="temperature", bind=URL,
                                help="0: the model always picks the most probable word.")  # fmt: skip
    return {"estimator": name, "confidence_threshold": confidence, "unsure_threshold": unsure,
            "similarity_threshold": similarity, "top_k": top_k, "max_tokens": max_tokens,
            "temperature": temperature}  # fmt: skip


def _meant(own: float | None, in_force: float | None) -> str:
    """Return which threshold decides where none is given: the one in force, or the estimator's own."""
    if own is None:
        return "this estimator has no unsure"
    return f"{own:g} (its own)" if in_force is None else f"{in_force:g} (in force)"
