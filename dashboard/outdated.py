"""Whether an answer of before still stands on the index of now: what it quotes may have been removed or replaced."""

from collections.abc import Mapping
from functools import partial
from typing import Final, Literal

import streamlit as st

from dashboard import components, queries, state
from dashboard.words import md
from rag.candor import Candor
from rag.models import Answer, Citation, Mode

Since = Literal["removed", "rewritten", "superseded", "replaced"]  # what became of a source, the worst first
BADGES: Final[dict[Since, str]] = {
    "removed": ":red-badge[:material/block: removed since]",
    "rewritten": ":red-badge[:material/history: changed since]",
    "superseded": ":gray-badge[:material/history: a later edition is indexed since]",
    "replaced": ":gray-badge[:material/history: changed since, these words are unchanged]",
}
_TOLD: Final[dict[Since, str]] = {
    "removed": "{} is not indexed any more.",
    "rewritten": "{} was replaced by another version that does not contain all words quoted here.",
    "superseded": "A later edition of {} was indexed since.",
    "replaced": "{} was replaced by another version; the words quoted here are still in it.",
}


def since(candor: Candor, answer: Answer) -> dict[int, Since]:
    """Return what became of the sources of an answer, by the citation's index; nothing of those that are unchanged."""
    if answer.query.mode is Mode.SELECTED_TEXT_ONLY or not has_changed(candor, answer):
        return {}
    hashes = {hit.chunk_id: hit.document_hash for hit in answer.retrieved}
    found = ((index, _of(candor, answer, one, hashes)) for index, one in enumerate(answer.citations))
    return {index: became for index, became in found if became is not None}


def has_changed(candor: Candor, answer: Answer) -> bool:
    """Return whether anything was added to the index, changed or removed since an answer was given."""
    return bool(answer.fingerprints.index != candor.wiring.catalogue.fingerprint())


def _of(candor: Candor, answer: Answer, citation: Citation, hashes: Mapping[str, str]) -> Since | None:
    document, catalogue = citation.document, candor.wiring.catalogue
    record = catalogue.get(document)
    if record is None:
        return "removed"
    if record.hash != hashes.get(citation.chunk_id):
        return "replaced" if queries.holds(candor, document, citation.excerpt) else "rewritten"
    works = candor.pipeline.editions.of(catalogue).among([document])
    later = [catalogue.get(name) for work in works[:1] if document not in work.latest
             for name in work.editions[work.editions.index(document) + 1 :]]  # fmt: skip
    is_superseded = any(one is not None and one.ingested_at > answer.timestamp for one in later)
    return "superseded" if is_superseded else None


def notes(candor: Candor, answer: Answer) -> list[str]:
    """Return a sentence for each document that is not indexed as it was, those that are gone first; plain text."""
    worst: dict[str, Since] = {}
    for index, kind in sorted(since(candor, answer).items(), key=lambda pair: [*_TOLD].index(pair[1])):
        worst.setdefault(answer.citations[index].document, kind)
    return [_TOLD[kind].format(document) for document, kind in worst.items()]


def draw_of_answer(candor: Candor, answer: Answer, key: str, *, is_inspected: bool) -> None:
    """Say that an answer that is drawn below rests on what is not indexed any more, and draw the way to ask again."""
    told = notes(candor, answer)
    if {"removed", "rewritten"} & {*since(candor, answer).values()}:
        st.warning(f"{md(' '.join(told))} This answer uses the earlier text. Ask again before you rely on it.",
                   title="This answer is out of date", icon=":material/history:")  # fmt: skip
        _draw_again(answer, key, is_inspected)
        return
    for note in told:
        st.caption(f":material/history: {md(note)}")


def draw_of_refusal(candor: Candor, answer: Answer, key: str, *, is_inspected: bool) -> None:
    """Say that other documents are indexed than when a question was not answered, and draw the way to ask again."""
    is_of_index = answer.query.mode is not Mode.SELECTED_TEXT_ONLY and answer.fingerprints.index != ""
    if is_of_index and has_changed(candor, answer):
        st.caption(":material/history: Documents were added, changed or removed since this was asked. If you ask "
                   "again, Candor may answer.")  # fmt: skip
        _draw_again(answer, key, is_inspected)


def _draw_again(answer: Answer, key: str, is_inspected: bool) -> None:
    anew = None if is_inspected else partial(state.put, state.AGAIN)
    components.ask_again(answer.query.question, key=f"{key}-again", on_click=anew)
