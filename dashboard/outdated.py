"""Whether an answer of before still stands on the index of now: what it quotes may have been removed or replaced."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

import streamlit as st

from dashboard import components, queries, state
from dashboard.words import md
from rag.candor import Candor
from rag.models import Answer, Citation, Mode

Since = Literal["removed", "rewritten", "superseded", "replaced"]
"""What became of a source: it is not indexed any more; another version is, without the words that are quoted; it is as
it was, and a later edition of the work was indexed since; another version is, and the words still stand in it."""
_OUT_OF_DATE: Final = ("removed", "rewritten")
_BADGES: Final[dict[Since, str]] = {
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
_REFUSED = "Documents were added, changed or removed since this was asked. If you ask again, Candor may answer."


def since(candor: Candor, answer: Answer) -> dict[int, Since]:
    """Return what became of the sources of an answer, by the citation's index; nothing of those that are as they were.

    What a pasted text answered stands in no index.
    """
    if answer.query.mode is Mode.SELECTED_TEXT_ONLY or not has_changed(candor, answer):
        return {}
    hashes = {hit.chunk_id: hit.document_hash for hit in answer.retrieved}
    found = ((index, _of(candor, answer, one, hashes)) for index, one in enumerate(answer.citations))
    return {index: became for index, became in found if became is not None}


def has_changed(candor: Candor, answer: Answer) -> bool:
    """Return whether anything was added to the index, changed or removed since an answer was given."""
    return bool(answer.fingerprints.index != candor.wiring.catalogue.fingerprint())


def _of(candor: Candor, answer: Answer, citation: Citation, hashes: Mapping[str, str]) -> Since | None:
    record = candor.wiring.catalogue.get(citation.document)
    if record is None:
        return "removed"
    if record.hash == hashes.get(citation.chunk_id):
        return "superseded" if _has_later_edition(candor, citation.document, answer.timestamp) else None
    return "replaced" if queries.holds(candor, citation.document, citation.excerpt) else "rewritten"


def _has_later_edition(candor: Candor, document: str, moment: datetime) -> bool:
    """Return whether a later edition of a document was indexed after a moment."""
    catalogue = candor.wiring.catalogue
    for work in candor.pipeline.editions.of(catalogue).among([document]):
        later = () if document in work.latest else work.editions[work.editions.index(document) + 1 :]
        records = (catalogue.get(name) for name in later)
        return any(record is not None and record.ingested_at > moment for record in records)
    return False


def notes(candor: Candor, answer: Answer) -> list[str]:
    """Return a sentence for each document that is not indexed as it was, those that are gone first; plain text."""
    worst: dict[str, Since] = {}
    became = since(candor, answer)
    for kind in _TOLD:
        for index in (index for index, one in became.items() if one == kind):
            worst.setdefault(answer.citations[index].document, kind)
    return [_TOLD[kind].format(document) for document, kind in worst.items()]


def badge(became: Since | None) -> str:
    """Return what stands beside a source, as Markdown; empty where it is as it was."""
    return f" {_BADGES[became]}" if became else ""


def draw_of_answer(candor: Candor, answer: Answer, key: str, *, is_inspected: bool) -> None:
    """Say that an answer that is drawn below rests on what is not indexed any more, and draw the way to ask again."""
    told = notes(candor, answer)
    if any(became in _OUT_OF_DATE for became in since(candor, answer).values()):
        st.warning(f"{md(' '.join(told))} This answer uses the earlier text. Ask again before you rely on it.",
                   title="This answer is out of date", icon=":material/history:")  # fmt: skip
        _draw_again(answer, key, is_inspected=is_inspected)
        return
    for note in told:
        st.caption(f":material/history: {md(note)}")


def draw_of_refusal(candor: Candor, answer: Answer, key: str, *, is_inspected: bool) -> None:
    """Say that other documents are indexed than when a question was not answered, and draw the way to ask again.

    Nothing where they are the same, and of a pasted text.
    """
    is_of_index = answer.query.mode is not Mode.SELECTED_TEXT_ONLY and answer.fingerprints.index != ""
    if is_of_index and has_changed(candor, answer):
        st.caption(f":material/history: {_REFUSED}")
        _draw_again(answer, key, is_inspected=is_inspected)


def _draw_again(answer: Answer, key: str, *, is_inspected: bool) -> None:
    """Draw the way to the same question asked of what is indexed now."""
    label, icon, question = "Ask again", ":material/replay:", answer.query.question
    if is_inspected:
        components.page_link("pages/ask.py", label, icon=icon, params={state.QUESTION: question})
    else:
        st.button(label, key=f"{key}-again", icon=icon, on_click=state.put, args=(state.AGAIN, question))
