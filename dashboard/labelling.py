"""The labelling queue: people judge answers and passages; labels become a data set and calibration data."""

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from dashboard import components, outdated, queries, resources, state
from dashboard.words import held_against, md, passage, score, several, where
from rag.candor import Candor
from rag.evaluation.agreement import SETTLED, that_count
from rag.language.text import fold
from rag.models import Answer, Mode, RetrievedChunk
from rag.recording.replay import RecordedRequest
from rag.stored.values import Label

ANSWERED = {
    "Correct": {"answer": "correct", "answerable": "yes"},
    "Partly": {"answer": "partly", "answerable": "yes"},
    "Wrong": {"answer": "wrong"},
    "Not in the documents": {"answer": "wrong", "answerable": "no"},
}
"""What a judgement of an answer says of each aspect."""
REFUSED = {
    "Right not to answer": {"answer": "correct", "answerable": "no"},
    "Should have answered": {"answer": "wrong", "answerable": "yes"},
}
"""What a judgement of a refusal, or of an unsure question, says of each aspect."""
PASSAGE_KEYS = "asdfg"
"""The key of each passage, in order: the row where the left hand lies. Streamlit keeps C and R for itself."""
_KINDS = ["All", "Answered", "Unsure", "Refused"]
_AHEAD = 200
_PASSED = "label_passed-"
"""Session key, before a person's name: what was judged or skipped in this browser session, the last at the end."""
_SKIPPED = "label_skipped-"
"""Session key, before a person's name: what that person skipped in this browser session."""
_RENAMING = "label_renaming"
"""Session key: whether the field for the name is open although one is given."""
_AGAIN = "label_again-"
"""Session key, before a person's name: the case that is shown again; None: the next that waits."""


def labeller() -> str:
    """Return the name under which this browser session judges: the one given, else the login's; empty without both."""
    return str(state.get(state.LABELLER) or state.get(state.PERSON) or "")


def who() -> str:
    """Draw the field for a person's name, locked once one is given: keys are judgements from then on."""
    given = labeller()
    if given and not st.session_state.get(_RENAMING, False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Your name", given, key=f"labeller-{given}", disabled=True, width=320)
            st.button("Change", key="rename", icon=":material/edit:", on_click=st.session_state.update,
                      kwargs={_RENAMING: True})  # fmt: skip
        return given
    typed = st.text_input(
        "Your name", given, key="labeller", max_chars=100, width=320,
        help="Labels are kept per person, so that agreement can be measured.",
    )  # fmt: skip
    name = str(typed or "").strip()
    if name == SETTLED:
        st.error(f"{md(SETTLED)} is reserved for settled disagreements. Enter your own name.", icon=":material/error:")
        return ""
    if name and name != given:
        st.session_state.update({state.LABELLER: name, _RENAMING: False})
        st.rerun()
    return name


def draw_queue(candor: Candor) -> None:
    """Draw the next question that this person has not judged, with one key for each judgement."""
    labeller = who()
    if not labeller:
        components.empty_state("Who is judging?", "Give your name, then judge with keys: 1 to 4, 0 skips, B goes back.",
                               icon=":material/how_to_reg:")  # fmt: skip
        return
    mine = resources.get_sessions().labels.list(labeller=labeller)
    waiting = _waiting(candor, mine, labeller)
    st.button("Back", key="judge-back", shortcut="b", type="tertiary", icon=":material/undo:", on_click=_back,
              args=(labeller,), disabled=not st.session_state.get(_PASSED + labeller),
              help="Shows the previous case. A new judgement replaces yours.")  # fmt: skip
    again: str | None = st.session_state.get(_AGAIN + labeller)
    shown = [*([again] if again else []), *waiting]
    answer = next((found for one in shown if (found := queries.answer(candor, one))), None)
    if answer is None:
        components.empty_state("Nothing is waiting",
                               "You judged all requests of this choice. Ask more on the page **Ask**.",
                               icon=":material/task_alt:")  # fmt: skip
        return
    _draw_case(candor, answer)
    if said := [label.verdict for label in mine if label.target == answer.request_id and label.aspect == "answer"]:
        st.caption(f":material/info: You judged this already: **{said[0]}**. A new judgement replaces it.")
    _draw_judgement(answer, labeller)
    _draw_passages(answer)


def _waiting(candor: Candor, mine: Sequence[Label], labeller: str) -> list[str]:
    """Draw the choice of what is judged and how much of it waits; return the requests that do, newest first."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.segmented_control("Judge", _KINDS, default=_KINDS[0], key="label_kind", required=True)
        text = st.text_input("Question", key="label_text", type="search", width=240)
    newest = _once([one for one in queries.recorded(candor) if one.decision != "talk"])
    of_kind = [one for one in newest if wanted in ("All", one.decision.capitalize())]
    chosen = [one for one in of_kind if fold(text or "") in fold(one.question)][:_AHEAD]
    judged, skipped = {label.target for label in mine}, set(st.session_state.get(_SKIPPED + labeller, ()))
    words = {fold(one.question) for one in queries.recorded(candor) if one.request_id in judged}
    waiting = [one.request_id for one in chosen if one.request_id not in skipped and fold(one.question) not in words]
    st.caption(
        f"You judged {several(len(judged), 'request')} so far. {len(waiting)} of the newest "
        f"{several(len(chosen), 'question')} of this choice wait; repeated questions count once."
    )
    return waiting


def _once(requests: Sequence[RecordedRequest]) -> list[RecordedRequest]:
    """Return the newest request of each question."""
    newest: dict[str, RecordedRequest] = {}
    for one in requests:
        newest.setdefault(fold(one.question), one)
    return [*newest.values()]


def _draw_case(candor: Candor, answer: Answer) -> None:
    st.subheader(md(answer.query.question), anchor=False)
    for note in outdated.notes(candor, answer):
        st.caption(f":material/history: {md(note)} Judge by the passages below, which Candor read then.")
    if answer.answer is None:
        title = "Unsure" if answer.outcome == "unsure" else "No answer"
        st.warning(md(answer.message or ""), title=title, icon=":material/do_not_disturb_on:")
    else:
        st.markdown(md(answer.answer))
    held = held_against(answer.gate) if answer.gate is not None else None
    told = f"Confidence {held[0]}, threshold {held[1]}" if held else f"Confidence {score(answer.confidence)}"
    st.caption(f"{told} · `{answer.request_id}`")


def _draw_judgement(answer: Answer, labeller: str) -> None:
    relevant = _relevant(answer)
    choices = ANSWERED if answer.answer is not None else REFUSED
    with st.container(horizontal=True):
        for number, (name, verdicts) in enumerate(choices.items(), start=1):
            st.button(name, key=f"judge-{number}", shortcut=str(number), on_click=_judge,
                      args=(answer, labeller, verdicts, tuple(relevant)))  # fmt: skip
        st.button("Skip", key="judge-skip", shortcut="0", type="tertiary", on_click=_skip,
                  args=(answer.request_id, labeller))  # fmt: skip


def _relevant(answer: Answer) -> list[int]:
    """Return the numbers, from 1, of the passages that are said to answer the question."""
    chosen: list[int] = st.session_state.get(f"relevant-{answer.request_id}", [])
    return chosen


def _draw_passages(answer: Answer) -> None:
    """Draw the passages to read, each with its key."""
    shown, chosen = answer.retrieved[: len(PASSAGE_KEYS)], _relevant(answer)
    if shown:
        st.markdown(f"**Passages that answer it** :small[keys {' '.join(PASSAGE_KEYS[: len(shown)]).upper()}, "
                    "before the judgement]")  # fmt: skip
    for number, (key, chunk) in enumerate(zip(PASSAGE_KEYS, shown, strict=False), start=1):
        with st.container(border=True, gap="small"):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(f"Passage {number}", key=f"passage-{number}", shortcut=key, on_click=_toggle,
                          args=(answer.request_id, number), type="primary" if number in chosen else "secondary",
                          icon=":material/check:" if number in chosen else None)  # fmt: skip
                st.markdown(f"**{md(where(chunk))}** :small[similarity {score(chunk.similarity_score)}]")
            st.markdown(passage(chunk.content))


def _toggle(request_id: str, number: int) -> None:
    chosen = set(st.session_state.get(f"relevant-{request_id}", ()))
    st.session_state[f"relevant-{request_id}"] = sorted(chosen ^ {number})


def _judge(answer: Answer, labeller: str, verdicts: dict[str, str], relevant: Sequence[int]) -> None:
    judge(answer, labeller, verdicts, relevant)
    _pass(answer.request_id, labeller)


def judge(
    answer: Answer, labeller: str, verdicts: Mapping[str, str], relevant: Sequence[int], *, sentence: str = ""
) -> None:
    """Keep a judgement in place of what the same person said of the case before.

    The passages are judged where some were chosen, or where the documents do not answer at all.

    Args:
        answer: What is judged.
        labeller: Who judges.
        verdicts: What is said of each aspect.
        relevant: Ranks of the passages that answer the question.
        sentence: The sentence of them that does; empty: none was marked.
    """
    judged = relevant or verdicts.get("answerable") == "no"
    labels = resources.get_sessions().labels
    kept = [{"aspect": aspect, "verdict": verdict} for aspect, verdict in verdicts.items()]
    kept += [
        {"aspect": "chunk", "item": chunk.chunk_id, "verdict": "relevant", "note": sentence}
        if number in relevant
        else {"aspect": "chunk", "item": chunk.chunk_id, "verdict": "irrelevant"}
        for number, chunk in enumerate(answer.retrieved, start=1)
        if judged and (number in relevant or number <= len(PASSAGE_KEYS))
    ]
    new = [Label.model_validate({"target": answer.request_id, "labeller": labeller, **one}) for one in kept]
    for label in new:
        labels.put(label)
    said = {(label.aspect, label.item) for label in new}
    for old in labels.list(target=answer.request_id, labeller=labeller):
        if (old.aspect, old.item) not in said:
            labels.remove(old)


def _skip(request_id: str, labeller: str) -> None:
    st.session_state[_SKIPPED + labeller] = [*st.session_state.get(_SKIPPED + labeller, ()), request_id]
    _pass(request_id, labeller)


def _pass(request_id: str, labeller: str) -> None:
    """Go on to the next case, and remember this one for the way back."""
    before = [one for one in st.session_state.get(_PASSED + labeller, ()) if one != request_id]
    st.session_state[_PASSED + labeller] = [*before, request_id]
    st.session_state[_AGAIN + labeller] = None


def _back(labeller: str) -> None:
    """Show the case again that was judged or skipped last."""
    if passed := st.session_state.get(_PASSED + labeller):
        st.session_state[_PASSED + labeller] = passed[:-1]
        st.session_state[_AGAIN + labeller] = passed[-1]


def labelled_questions(candor: Candor, *, only: Collection[str] = ()) -> list[dict[str, object]]:
    """Return a line of `questions.jsonl` for each recorded question that people labelled, or of those alone."""
    labels = that_count(resources.get_sessions().labels.list())
    answerable = queries.answerable_labels(labels)
    relevant = {(label.target, label.item): label.note for label in labels if label.verdict == "relevant"}
    lines = []
    for request in queries.recorded(candor):
        if request.request_id not in answerable or (only and request.request_id not in only):
            continue
        if request.mode == Mode.SELECTED_TEXT_ONLY:
            continue  # what a pasted text answers says nothing of the index
        answer = queries.answer(candor, request.request_id)
        gold = [_gold(chunk, relevant[request.request_id, chunk.chunk_id])
                for chunk in (answer.retrieved if answer else ())
                if (request.request_id, chunk.chunk_id) in relevant]  # fmt: skip
        lines.append(
            {"qid": request.request_id, "question": request.question, "answerable": answerable[request.request_id],
             "kind": "labelled", "answers": [], "gold": gold}
        )  # fmt: skip
    return lines


def _gold(chunk: RetrievedChunk, note: str) -> dict[str, object]:
    """Return where an answer stands: a passage, and the sentence of it that was marked."""
    marked = {"quote": note} if note and note in chunk.content else {}
    return {
        "document": chunk.document, "page": chunk.page, "section": chunk.section_number, "text": chunk.content, **marked
    }  # fmt: skip
