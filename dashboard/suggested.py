"""Questions to begin and to go on with: well answered before, or made of headings; shown only where answered now.

Tried once for each state of the index and its settings, in the background, and kept in the data folder.
"""

import json
import re
from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from threading import Thread, main_thread
from typing import Final

import streamlit as st

from dashboard import queries, state
from dashboard.words import md
from rag.candor import Candor
from rag.errors import IndexNotReady
from rag.models import Answer, Chunk
from rag.records.replacing import replace as replace_file
from rag.text.words import is_stopword, stems, words

MOST: Final = 6  # so many questions are shown before the first one
NEXT: Final = 3  # so many are shown below an answer
KEPT: Final = 12  # so many are kept
TRIED: Final = 18  # so many are tried at most
FRAME: Final = "What should I know about {}?"  # of those tried on handbooks it fits around most headings
_OF_A_DOCUMENT: Final = 6
_LONGEST: Final = 90
_NO_TOPIC: Final = re.compile(r"[\d:;?!|–—]")  # as in "Appendix 2 – Forms": more than the name of one thing


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
    chosen = candor.settings
    decided_by = (chosen.estimator, chosen.confidence_threshold, chosen.top_k, chosen.similarity_threshold, FRAME)
    is_open = state.get(state.ACCOUNT) is None  # where people log in, what they ask is theirs
    return _suggested(candor, f"{candor.wiring.catalogue.fingerprint()} {decided_by} {is_open}", is_open=is_open)


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
            try_all(_candor, found, asked=well_answered(_candor) if is_open else ())
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
    return [question for question in good if len(question) <= _LONGEST][:MOST]


def try_all(candor: Candor, found: Suggested, *, asked: Sequence[str] = ()) -> None:
    """Ask what was asked and what the documents suggest, unrecorded; keep what is answered, from its own section first.

    Raises:
        CandorError: It cannot be asked, as when the program ends.
    """
    from dashboard.whynot import Unrecorded

    pipeline = replace(candor.pipeline, recorder=Unrecorded(candor.settings.data_dir))
    documents = [queries.chunks(candor, one.document) for one in candor.documents()[:TRIED]]
    of_documents = [candidates(one, most=max(_OF_A_DOCUMENT, TRIED // len(documents))) for one in documents]
    in_turn = [pair for pairs in zip_longest(*of_documents) for pair in pairs if pair is not None]
    for question, own in [*((one, frozenset[str]()) for one in asked), *in_turn][:TRIED]:
        if not main_thread().is_alive():
            raise IndexNotReady("The program ends.")
        answer = pipeline.ask(pipeline.query(question, no_llm=True, talks=False))
        first = answer.citations[0] if answer.outcome == "answered" and answer.citations else None
        if first is not None and (not own or first.chunk_id in own):
            found.questions[question] = first.document
            if len(found.questions) == KEPT:
                return


def candidates(chunks: Sequence[Chunk], *, most: int = TRIED) -> list[tuple[str, frozenset[str]]]:
    """Return questions made of headings all over a document, those that ask first, with the ids of their passages."""
    said = {*stems(" ".join(word for chunk in chunks for word in chunk.content.split() if word.islower()))}
    asked: dict[str, set[str]] = {}
    for chunk in chunks:
        head, number = chunk.section_path[-1] if chunk.section_path else "", (chunk.section_number or "").rstrip(".")
        question = _asked_by(head.removeprefix(number).strip(" .:"), chunk.content, said)
        if question and len(question) <= _LONGEST:
            asked.setdefault(question, set()).add(chunk.chunk_id)
    spread = [(question, frozenset(own)) for question, own in asked.items()][:: -(-len(asked) // most) or 1]
    return sorted(spread, key=lambda pair: pair[0].startswith(FRAME.partition("{")[0]))


def _asked_by(heading: str, text: str, said: Set[str]) -> str:
    """Return the question of a heading; empty where it neither asks nor names a thing that its section speaks of."""
    if heading.endswith("?"):
        return heading
    own = {*stems(heading)}
    if not own or is_stopword(words(heading)[0]) or not own.issubset(stems(text)) or _NO_TOPIC.search(heading):
        return ""  # one that begins as "Before you start" fits into no frame
    # Words are written small where the document writes them so anywhere: `Iceland` stays a name.
    return FRAME.format(" ".join(one.lower() if said >= {*stems(one)} else one for one in heading.split()))
