"""The settings of a question, above the input and in the panel; all but a pasted text stand in the URL."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import library, links, queries, state
from dashboard.links import note_missing
from dashboard.state import URL
from dashboard.words import ESTIMATOR_HELP, estimator, md
from rag.candor import Candor
from rag.models import Mode
from rag.workspace.in_force import follow

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

MODES = {Mode.BOOK_WIDE.value: "Everywhere", Mode.CHAPTER_AWARE.value: "Chapter first",
         Mode.SELECTED_TEXT_ONLY.value: "Pasted text only"}  # fmt: skip
FILTERS = ("collection", "document", "chapter", "section")  # also the names of widgets and parameters of the URL
SETTINGS = ("mode", "estimator", "confidence_threshold", "unsure_threshold", "similarity_threshold", "top_k", "no_llm",
            "max_tokens", "temperature", "model")  # fmt: skip
Options = dict[str, Any]  # all beside the question that decides its answer: keyword arguments of `Candor.ask`


def lacking(options: Options) -> str:
    """Return what has to be given before anything can be asked, in words; empty: nothing."""
    if options["mode"] == Mode.SELECTED_TEXT_ONLY and not (options["context"] or "").strip():
        return "Paste the text to answer from, under “Pasted text”"
    if options["mode"] == Mode.CHAPTER_AWARE and "chapter" not in options["filters"]:
        return "Choose a chapter under “Chapter first”, or look everywhere"
    return ""


def draw(candor: Candor, panel: "DeltaGenerator") -> Options:
    """Draw the line of settings, and the others into the panel; return what was chosen."""
    follow(candor)
    with st.container(horizontal=True, gap="small"):
        as_asked = {"as_asked": bool(state.get(state.AS_ASKED))}
        return {**_scope(candor), **_speaker(candor), **_advanced(candor, panel), **as_asked}


def _now(key: str) -> Any:
    return state.get(key) if key in st.session_state else state.url(key)


def _scope(candor: Candor) -> dict[str, Any]:
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
    first, *others = _chosen_documents() or [""]
    named = MODES.get(str(mode), str(mode or ""))
    if named == MODES[Mode.SELECTED_TEXT_ONLY]:
        return "Pasted text"
    more = f"{len(others)} more" if others else None
    parts = (collection, first, more, f"chapter {chapter}" if chapter else None)
    prefix = f"{named}: " if named == MODES[Mode.CHAPTER_AWARE] else ""
    return prefix + (" · ".join(md(str(one)) for one in parts if one) or "All documents")


def _filters(candor: Candor) -> dict[str, Any]:
    kept = library.collections(candor)
    collection = library.pick(kept, "collection") if kept else None
    indexed = [record.document for record in candor.documents()]
    offered = [name for name in indexed if collection is None or name in collection.documents]
    chosen = [name for name in _chosen_documents() if name]
    outside = f" (not in {collection.name})" if collection is not None else ""
    staying = [name for name in chosen if name in offered]
    if gone := [name + outside * (name in indexed) for name in chosen if name not in offered]:
        links.remember_missing("document", ", ".join(gone), "\n".join(staying))  # the widget will forget them
    if "document" in st.session_state:
        state.put("document", staying)
    documents = tuple(st.multiselect("Documents", offered, placeholder="All documents", key="document", bind=URL))

    def one_of(key: str, **within: Any) -> str | None:
        names = queries.values(candor, key, documents=documents, **within)
        note_missing(key, names, shown="")
        return st.selectbox(key.capitalize(), names, index=None, placeholder=f"All {key}s", key=key, bind=URL)

    chapter = one_of("chapter")
    number = int(chapter) if chapter and chapter.lstrip("-").isdigit() else None
    section = one_of("section", chapter=number)
    alone, several = (None, documents) if len(documents) > 1 else (documents[0] if documents else None, None)
    named = collection.name if collection and several is None else None  # the documents are its own
    return {"source": alone, "sources": several, "collection": named, "chapter": number, "section": section}


def _chosen_documents() -> list[str]:
    return [*(state.get("document") or ())] if "document" in st.session_state else st.query_params.get_all("document")


def draw_wrong_link() -> None:
    """Say which settings of a link are not valid, and which filters name what is not indexed; after the settings."""
    links.draw_invalid(*SETTINGS, where="in the line above the input, or under **Advanced**")
    missing = state.get(state.MISSING, {})
    now = {key: state.get(key) or "" for key in FILTERS}
    now["document"] = "\n".join(now["document"])
    if gone := [f"{key} {missing[key][0]}" for key in FILTERS if key in missing and now[key] == missing[key][1]]:
        st.warning(
            f"Not indexed here: {md(', '.join(gone))}. Questions are searched without that filter. Choose another in "
            "the line above the input. If a link brought you here, ask the person who sent it.",
            title="A filter was not applied", icon=":material/filter_alt_off:",
        )  # fmt: skip


def _speaker(candor: Candor) -> dict[str, Any]:
    models = queries.models(candor)
    is_quoting = str(_now("no_llm")).lower() == "true" or not models
    silent = "" if models else _wanted(candor)
    quoting = f"Quoting: {md(silent)} does not answer" if silent else "Quoting"
    configured = [one for one in models if one.endswith(f"/{_wanted(candor) or '/'}")] or models
    label = quoting if is_quoting else md(str(_now("model") or configured[0]).partition("/")[2])
    icon = ":material/format_quote:" if is_quoting else ":material/smart_toy:"
    with st.popover(label, key="speaker", icon=icon, type="tertiary"):
        told = "Answers are quoted word for word until it does." if silent else (
            "No model is connected: answers are quoted word for word.")  # fmt: skip
        written = "A model writes the answer, and every sentence is checked against the passages before it is shown."
        st.caption(written if models else told)
        links.note_switch("no_llm", "Quote only")
        no_llm = st.toggle("Quote only", key="no_llm", bind=URL,
                           help="Answer by quoting whole sentences, even if a model is connected.")  # fmt: skip
        links.note_choice("model", "Model", models)
        model = st.selectbox(
            "Model", models, index=None, placeholder="As configured", key="model", bind=URL,
            help="The model that writes the answer. The list shows the models of the configured servers.",
        ) if len(models) > 1 else None  # fmt: skip
    return {"no_llm": no_llm, "model": model}


def _wanted(candor: Candor) -> str:
    chosen = candor.wiring.settings
    return (chosen.openai_model or "the model server") if chosen.openai_base_url else chosen.ollama_model or ""


def draw_recipient(candor: Candor, options: Options) -> None:
    """Say before anything is asked where questions and passages are sent, where that is not this machine."""
    model = options["model"]
    generator = candor.wiring.generators.named(model) if model else candor.wiring.generator
    if (away := generator.away) and not options["no_llm"]:
        st.caption(f"Answers are written by a model at {md(away)}: the question and the passages found are sent there. "
                   "**Quote only** sends nothing.")  # fmt: skip


def _advanced(candor: Candor, panel: "DeltaGenerator") -> dict[str, Any]:
    chosen, names = candor.settings, [*candor.wiring.estimators]
    links.note_choice("estimator", "Estimator of confidence", [*map(estimator, names)], shown=estimator)
    st.button("Advanced", key="advanced", icon=":material/tune:", type="tertiary", on_click=state.put,
              args=(state.OPENED, state.ADVANCED))  # fmt: skip
    with panel:
        name = st.selectbox(
            "Estimator of confidence", names, index=names.index(chosen.estimator) if chosen.estimator in names else 0,
            format_func=estimator, key="estimator", bind=URL, help=ESTIMATOR_HELP,
        )  # fmt: skip
        own, is_in_force = candor.wiring.estimators[name], name == chosen.estimator
        drawn = {
            "confidence_threshold": links.number(
                st.number_input, "Confidence threshold", 0.0, 1.0, None, 0.05, key="confidence_threshold",
                placeholder=_meant(own.threshold, chosen.confidence_threshold if is_in_force else None),
                help="Candor answers at this confidence or above. Empty: the threshold in force, shown in grey."),
            "unsure_threshold": links.number(
                st.number_input, "Unsure threshold", 0.0, 1.0, None, 0.05, key="unsure_threshold",
                placeholder=_meant(own.unsure_threshold, chosen.unsure_threshold if is_in_force else None),
                disabled=own.unsure_threshold is None,
                help="Between this and the confidence threshold, Candor shows the closest sentences and claims "
                     "nothing. Below it, Candor refuses. Empty: the threshold in force."),
            "similarity_threshold": links.number(
                st.slider, "Similarity threshold", 0.0, 1.0, chosen.similarity_threshold, 0.05,
                key="similarity_threshold",
                help="Passages less similar than this are dropped. This does not decide if Candor answers."),
            "top_k": links.number(st.slider, "Passages", 1, 20, chosen.top_k, key="top_k",
                                  help="The number of passages that the answer may use."),
            "max_tokens": links.number(st.slider, "Longest answer, tokens", 1, 2000, chosen.max_tokens,
                                       key="max_tokens"),
            "temperature": links.number(st.slider, "Temperature", 0.0, 1.0, chosen.temperature, 0.1,
                                        key="temperature", help="0: the model always picks the most probable word."),
        }  # fmt: skip
    return {"estimator": name, **drawn}


def _meant(own: float | None, now: float | None) -> str:
    """Return which threshold decides where none is given: the one in force now, or the estimator's own."""
    if own is None:
        return "this estimator has no unsure"
    return f"{own:g} (its own)" if now is None else f"{now:g} (in force)"
