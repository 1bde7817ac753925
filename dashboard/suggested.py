"""Questions to begin and to go on with: well answered before, or of the documents; shown only where answered now.

Tried once for each state of the index, of its settings and of the code, in the background, and kept in the data folder.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Thread, main_thread
from typing import Final

import streamlit as st

from dashboard import queries, state
from dashboard.words import md
from rag.asking.suggesting import LONGEST, TRIED, code_version, try_all
from rag.candor import Candor
from rag.errors import IndexNotReady
from rag.models import Answer
from rag.record import Unrecorded
from rag.records.replacing import replace as replace_file
from rag.settings import settings_fingerprint

MOST: Final = 6  # so many questions are shown before the first one
NEXT: Final = 3  # so many are shown below an answer


@dataclass(slots=True)
class Suggested:
    """The questions that passed so far, each with the document that answers it, and whether all were tried."""

    questions: dict[str, str] = field(default_factory=dict)
    is_done: bool = False


def draw(candor: Candor) -> None:
    """Draw the questions, each of which is asked with a click; as long as they are tried, those that passed."""
    found = _suggested_now(candor)
    was_done = found.is_done

    @st.fragment(run_every=None if was_done else 3.0)
    def draw_passed() -> None:
        if found.is_done and not was_done:
            st.rerun()
        _draw_buttons("Try one of these", list(found.questions)[:MOST])

    draw_passed()


def draw_next(candor: Candor, asked: Sequence[Answer]) -> None:
    """Draw up to three questions below the last answer that a document which it cites answers, too."""
    if not asked or asked[-1].outcome != "answered":
        return
    cited, known = {one.document for one in asked[-1].citations}, {one.query.question for one in asked}
    found = _suggested_now(candor).questions
    fitting = [question for question, document in found.items() if document in cited and question not in known]
    _draw_buttons("Ask next", fitting[:NEXT])


def _draw_buttons(title: str, questions: Sequence[str]) -> None:
    if not questions:
        return
    st.markdown(f"**{title}**")
    with st.container(gap="xxsmall"):
        for number, question in enumerate(questions):
            if st.button(md(question), key=f"suggested-{number}", icon=":material/arrow_forward:", type="tertiary"):
                state.put(state.AGAIN, question)
                st.rerun()


def _suggested_now(candor: Candor) -> Suggested:
    chosen, is_open = candor.settings, state.get(state.ACCOUNT) is None  # where people log in, what they ask is theirs
    gate = candor.wiring.estimators[chosen.estimator].fingerprint
    decided_by = (settings_fingerprint(chosen), candor.wiring.reader_name, gate, code_version(), is_open)
    return _suggested(candor, f"{candor.wiring.catalogue.fingerprint()} {decided_by}", is_open=is_open)


@st.cache_resource(show_spinner=False, max_entries=2)
def _suggested(_candor: Candor, fingerprint: str, *, is_open: bool) -> Suggested:
    path = _candor.settings.data_dir / "suggested.json"
    with suppress(OSError, ValueError, AttributeError, KeyError):  # what cannot be read is made again
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["fingerprint"] == fingerprint:
            return Suggested({str(one): str(document) for one, document in kept["questions"].items()}, is_done=True)
    found = Suggested()

    def work() -> None:
        with suppress(Exception):  # what cannot be tried, as while the server ends, suggests nothing
            try_questions(_candor, found.questions, asked=well_answered(_candor) if is_open else ())
            with suppress(OSError):
                replace_file(path, json.dumps({"fingerprint": fingerprint, "questions": found.questions}).encode())
        found.is_done = True

    Thread(target=work, name="candor-suggest", daemon=False).start()  # a daemon cut off while it reads aborts
    return found


def well_answered(candor: Candor) -> list[str]:
    """Return recorded questions whose answer somebody called good, the latest first."""
    recorder = candor.wiring.recorder
    found = (one for one in recorder.requests(limit=200) if one.decision == "answered")
    good = dict.fromkeys(one.question for one in found if recorder.verdict(one.request_id) == "good")
    return [question for question in good if len(question) <= LONGEST][:MOST]


def try_questions(candor: Candor, found: dict[str, str], *, asked: Sequence[str] = ()) -> None:
    """Try, unrecorded, what was asked and what the documents suggest; `found` takes what passes, with its document.

    Raises:
        CandorError: It cannot be asked, as when the program ends.
    """

    def check() -> None:
        if not main_thread().is_alive():
            raise IndexNotReady("The program ends.")

    pipeline = replace(candor.pipeline, recorder=Unrecorded(candor.settings.data_dir))
    documents = [queries.chunks(candor, one.document) for one in candor.documents()[:TRIED]]
    try_all(pipeline, documents, found, asked=asked, check=check)
