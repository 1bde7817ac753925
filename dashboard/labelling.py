"""The labelling queue: people judge answers and passages; labels become a data set and calibration data."""

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from dashboard import components, outdated, queries, resources, state
from dashboard.judging import put_labels
from dashboard.words import held_against, md, passage, score, several, where
from rag.candor import Candor
from rag.evaluation.agreement import SETTLED, that_count
from rag.models import Answer, Mode, RetrievedChunk
from rag.records.requests import RecordedRequest
from rag.text.words import fold
from rag.workspace.values import Label

ANSWERED = {
    "Correct": {"answer": "correct", "answerable": "yes"},
    "Partly": {"answer": "partly", "answerable": "yes"},
    "Wrong": {"answer": "wrong"},
    "Not in the documents": {"answer": "wrong", "answerable": "no"},
}
REFUSED = {
    "Right not to answer": {"answer": "correct", "answerable": "no"},
    "Should have answered": {"answer": "wrong", "answerable": "yes"},
}
PASSAGE_KEYS = "asdfg"  # of the passages in order: the row where the left hand lies; Streamlit keeps C and R for itself
_KINDS = ["All", "Answered", "Unsure", "Refused"]
_AHEAD = 200
_PASSED = "label_passed-"  # session key, before a person's name: what was judged or skipped, the last at the end
_SKIPPED = "label_skipped-"  # session key, before a person's name: what that person skipped in this browser session
_RENAMING = "label_renaming"  # session key: whether the field for the name is open although one is given
_AGAIN = "label_again-"  # session key, before a person's name: the case that is shown again; None: the next that waits


def labeller() -> str:
    """Return the name under which this browser session judges: the one given, else the login's; empty without both."""
    return str(state.get(state.LABELLER) or state.get(state.PERSON) or "")


def who() -> str:
    """Draw the field for a person's name, locked once one is given: keys are judgements from then on."""
    given = labeller()
    if given and not state.get(_RENAMING):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Your name", given, key=f"labeller-{given}", disabled=True, width=320)
            st.button("Change", key="rename", icon=":material/edit:", on_click=state.put, args=(_RENAMING, True))
        return given
    typed = st.text_input("Your name", given, key="labeller", max_chars=100, width=320,
                          help="Labels are kept per person, so that agreement can be measured.")  # fmt: skip
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
    mine = candor.wiring.sessions.labels.list(labeller=labeller)
    waiting = _waiting(candor, mine, labeller)
    st.button("Back", key="judge-back", shortcut="b", type="tertiary", icon=":material/undo:", on_click=_back,
              args=(labeller,), disabled=not state.get(_PASSED + labeller),
              help="Shows the previous case. A new judgement replaces yours.")  # fmt: skip
    shown = [*filter(None, [state.get(_AGAIN + labeller)]), *waiting]
    answer = next((found for one in shown if (found := candor.wiring.recorder.read_answer(one))), None)
    if answer is None:
        components.empty_state("Nothing is waiting",
                               "You judged all requests of this choice. Ask more on the page **Ask**.",
                               icon=":material/task_alt:")  # fmt: skip
        return
    _draw_case(candor, answer)
    if said := [label.verdict for label in mine if label.target == answer.request_id and label.aspect == "answer"]:
        st.caption(f":material/info: You judged this already: **{said[0]}**. A new judgement replaces it.")
    relevant: list[int] = state.get(f"relevant-{answer.request_id}", [])  # numbers, from 1, of passages that answer it
    _draw_judgement(answer, labeller, relevant)
    _draw_passages(answer, relevant)


def _waiting(candor: Candor, mine: Sequence[Label], labeller: str) -> list[str]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.segmented_control("Judge", _KINDS, default=_KINDS[0], key="label_kind", required=True)
        text = st.text_input("Question", key="label_text", type="search", width=240)
    judged, skipped = {label.target for label in mine}, set(state.get(_SKIPPED + labeller, ()))
    recorded = queries.recorded(candor)
    newest: dict[str, RecordedRequest] = {}  # the newest request of each question
    for one in recorded:
        if one.decision != "talk":
            newest.setdefault(fold(one.question), one)
    chosen = [(words, one.request_id) for words, one in newest.items()
              if wanted in ("All", one.decision.capitalize()) and fold(text or "") in words][:_AHEAD]  # fmt: skip
    done = {fold(one.question) for one in recorded if one.request_id in judged}
    waiting = [name for words, name in chosen if name not in skipped and words not in done]
    st.caption(
        f"You judged {several(len(judged), 'request')} so far. {len(waiting)} of the newest "
        f"{several(len(chosen), 'question')} of this choice wait; repeated questions count once."
    )
    return waiting


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


def _draw_judgement(answer: Answer, labeller: str, relevant: Sequence[int]) -> None:
    def keep(verdicts: Mapping[str, str]) -> None:
        judge(answer, labeller, verdicts, relevant)
        _pass(answer.request_id, labeller)

    choices = ANSWERED if answer.answer is not None else REFUSED
    with st.container(horizontal=True):
        for number, (name, verdicts) in enumerate(choices.items(), start=1):
            st.button(name, key=f"judge-{number}", shortcut=str(number), on_click=keep, args=(verdicts,))
        st.button("Skip", key="judge-skip", shortcut="0", type="tertiary", on_click=_skip,
                  args=(answer.request_id, labeller))  # fmt: skip


def _draw_passages(answer: Answer, chosen: Sequence[int]) -> None:
    shown = answer.retrieved[: len(PASSAGE_KEYS)]
    if shown:
        st.markdown(f"**Passages that answer it** :small[keys {' '.join(PASSAGE_KEYS[: len(shown)]).upper()}, "
                    "before the judgement]")  # fmt: skip
    for number, (key, chunk) in enumerate(zip(PASSAGE_KEYS, shown, strict=False), start=1):
        with st.container(border=True, gap="small"):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(f"Passage {number}", key=f"passage-{number}", shortcut=key, on_click=_toggle,
                          args=(answer.request_id, number),
                          type="primary" if number in chosen else "secondary",
                          icon=":material/check:" if number in chosen else None)  # fmt: skip
                st.markdown(f"**{md(where(chunk))}** :small[similarity {score(chunk.similarity_score)}]")
            st.markdown(passage(chunk.content))


def _toggle(request_id: str, number: int) -> None:
    key = f"relevant-{request_id}"  # as it is when clicked: two keys may be pressed before the page is drawn again
    state.put(key, sorted({*state.get(key, [])} ^ {number}))


def judge(
    answer: Answer, labeller: str, verdicts: Mapping[str, str], relevant: Sequence[int], *, sentence: str = ""
) -> None:
    """Keep a judgement in place of what the same person said of the case before.

    Passages are judged where some were chosen, by their rank in `relevant`, or where the documents do not answer at
    all; `sentence` is the one of them that answers, empty where none was marked.
    """
    judged = relevant or verdicts.get("answerable") == "no"
    kept = [{"aspect": aspect, "verdict": verdict} for aspect, verdict in verdicts.items()]
    kept += [
        {"aspect": "chunk", "item": chunk.chunk_id, "verdict": "relevant", "note": sentence}
        if number in relevant
        else {"aspect": "chunk", "item": chunk.chunk_id, "verdict": "irrelevant"}
        for number, chunk in enumerate(answer.retrieved, start=1)
        if judged and (number in relevant or number <= len(PASSAGE_KEYS))
    ]
    said = {(label.aspect, label.item) for label in put_labels(answer.request_id, labeller, kept)}
    labels = resources.get_candor().wiring.sessions.labels
    for old in labels.list(target=answer.request_id, labeller=labeller):
        if (old.aspect, old.item) not in said:
            labels.remove(old)


def _skip(request_id: str, labeller: str) -> None:
    state.put(_SKIPPED + labeller, [*state.get(_SKIPPED + labeller, ()), request_id])
    _pass(request_id, labeller)


def _pass(request_id: str, labeller: str) -> None:
    before = [one for one in state.get(_PASSED + labeller, ()) if one != request_id]
    st.session_state.update({_PASSED + labeller: [*before, request_id], _AGAIN + labeller: None})


def _back(labeller: str) -> None:
    if passed := state.get(_PASSED + labeller):
        st.session_state.update({_PASSED + labeller: passed[:-1], _AGAIN + labeller: passed[-1]})


def labelled_questions(candor: Candor, *, only: Collection[str] = ()) -> list[dict[str, object]]:
    """Return a line of `questions.jsonl` for each recorded question that people labelled, or of those alone."""
    labels = that_count(candor.wiring.sessions.labels.list())
    answerable = queries.judged(labels, "answerable")
    relevant = {(label.target, label.item): label.note for label in labels if label.verdict == "relevant"}
    lines: list[dict[str, object]] = []
    for request in queries.recorded(candor):
        name = request.request_id
        if name not in answerable or (only and name not in only) or request.mode == Mode.SELECTED_TEXT_ONLY:
            continue  # what a pasted text answers says nothing of the index
        answer = candor.wiring.recorder.read_answer(name)
        gold = [_gold(chunk, relevant[name, chunk.chunk_id]) for chunk in (answer.retrieved if answer else ())
                if (name, chunk.chunk_id) in relevant]  # fmt: skip
        lines.append({"qid": name, "question": request.question, "answerable": answerable[name], "kind": "labelled",
                      "answers": [], "gold": gold})  # fmt: skip
    return lines


def _gold(chunk: RetrievedChunk, note: str) -> dict[str, object]:
    place = {"document": chunk.document, "page": chunk.page, "section": chunk.section_number, "text": chunk.content}
    marked = {"quote": note} if note and note in chunk.content else {}
    return {**place, **marked}
