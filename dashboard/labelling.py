"""The labelling queue, how far its people agree, who settles what they differ on, and the labels as files."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd
import streamlit as st

from dashboard import components, queries, resources, sources, state, tables
from dashboard.columns import AGREEMENT, ALPHA, DISAGREEMENTS
from dashboard.judging import put_labels
from dashboard.words import ASPECTS, held_against, md, passage, score, several, where
from rag.candor import Candor
from rag.evaluation import agreement
from rag.evaluation.agreement import SETTLED, AspectAgreement, Disagreement, that_count
from rag.models import Answer, Mode
from rag.records.requests import RecordedRequest
from rag.text.words import fold
from rag.workspace.values import Aspect, Label

ANSWERED = {"Correct": {"answer": "correct", "answerable": "yes"},
            "Partly": {"answer": "partly", "answerable": "yes"}, "Wrong": {"answer": "wrong"},
            "Not in the documents": {"answer": "wrong", "answerable": "no"}}  # fmt: skip
REFUSED = {"Right not to answer": {"answer": "correct", "answerable": "no"},
           "Should have answered": {"answer": "wrong", "answerable": "yes"}}  # fmt: skip
_VERDICTS: dict[Aspect, tuple[str, ...]] = {
    "answer": ("correct", "partly", "wrong"), "answerable": ("yes", "no"), "chunk": ("relevant", "irrelevant"),
}  # fmt: skip
PASSAGE_KEYS = "asdfg"  # of the passages in order: the row where the left hand lies; Streamlit keeps C and R for itself
_KINDS = ["All", "Answered", "Unsure", "Refused"]
_AHEAD = 200
_RENAMING = "label_renaming"  # session key: whether the field for the name is open although one is given
LISTED = 300  # how many disagreements the table draws


@dataclass(slots=True)
class _Passed:
    """What a person judged or skipped in this browser session, and what they skipped of it, the last at the end."""

    all: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    again: str | None = None  # the case that is shown again; None: the next that waits

    def go_on(self, request_id: str, *, is_skipped: bool = False) -> None:
        """Pass a case."""
        self.all = [*(one for one in self.all if one != request_id), request_id]
        self.skipped += [request_id] if is_skipped else []
        self.again = None

    def go_back(self) -> None:
        """Show the case before again."""
        if self.all:
            self.again = self.all.pop()


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
    passed: _Passed = st.session_state.setdefault(f"label_passed-{labeller}", _Passed())
    waiting = _waiting(candor, mine, passed.skipped)
    st.button("Back", key="judge-back", shortcut="b", type="tertiary", icon=":material/undo:", on_click=passed.go_back,
              disabled=not passed.all, help="Shows the previous case. A new judgement replaces yours.")  # fmt: skip
    shown = [*filter(None, [passed.again]), *waiting]
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
    _draw_judgement(answer, labeller, relevant, passed)
    _draw_passages(answer, relevant)


def _waiting(candor: Candor, mine: Sequence[Label], skipped: Sequence[str]) -> list[str]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.segmented_control("Judge", _KINDS, default=_KINDS[0], key="label_kind", required=True)
        text = st.text_input("Question", key="label_text", type="search", width=240)
    judged, recorded = {label.target for label in mine}, queries.recorded(candor)
    newest: dict[str, RecordedRequest] = {}  # the newest request of each question
    for one in recorded:
        if one.decision != "talk":
            newest.setdefault(fold(one.question), one)
    chosen = [(words, one.request_id) for words, one in newest.items()
              if wanted in ("All", one.decision.capitalize()) and fold(text or "") in words][:_AHEAD]  # fmt: skip
    done = {fold(one.question) for one in recorded if one.request_id in judged}
    waiting = [name for words, name in chosen if name not in skipped and words not in done]
    st.caption(f"You judged {several(len(judged), 'request')} so far. {len(waiting)} of the newest "
               f"{several(len(chosen), 'question')} of this choice wait; repeated questions count once.")  # fmt: skip
    return waiting


def _draw_case(candor: Candor, answer: Answer) -> None:
    st.subheader(md(answer.query.question), anchor=False)
    for note in sources.notes(candor, answer):
        st.caption(f":material/history: {md(note)} Judge by the passages below, which Candor read then.")
    if answer.answer is None:
        title = "Unsure" if answer.outcome == "unsure" else "No answer"
        st.warning(md(answer.message or ""), title=title, icon=":material/do_not_disturb_on:")
    else:
        st.markdown(md(answer.answer))
    held = held_against(answer.gate) if answer.gate is not None else None
    told = f"Confidence {held[0]}, threshold {held[1]}" if held else f"Confidence {score(answer.confidence)}"
    st.caption(f"{told} · `{answer.request_id}`")


def _draw_judgement(answer: Answer, labeller: str, relevant: Sequence[int], passed: _Passed) -> None:
    def keep(verdicts: Mapping[str, str]) -> None:
        judge(answer, labeller, verdicts, relevant)
        passed.go_on(answer.request_id)

    choices = ANSWERED if answer.answer is not None else REFUSED
    with st.container(horizontal=True):
        for number, (name, verdicts) in enumerate(choices.items(), start=1):
            st.button(name, key=f"judge-{number}", shortcut=str(number), on_click=keep, args=(verdicts,))
        st.button("Skip", key="judge-skip", shortcut="0", type="tertiary", on_click=passed.go_on,
                  args=(answer.request_id,), kwargs={"is_skipped": True})  # fmt: skip


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


def labelled_questions(candor: Candor, *, only: Collection[str] = ()) -> list[dict[str, object]]:
    """Return a line of `questions.jsonl` for each recorded question that people labelled, or of those alone."""
    labels = that_count(candor.wiring.sessions.labels.list())
    answerable = agreement.verdict_of_most(labels, "answerable")
    relevant = {(label.target, label.item): label.note for label in labels if label.verdict == "relevant"}
    lines: list[dict[str, object]] = []
    for request in queries.recorded(candor):
        name = request.request_id
        if name not in answerable or (only and name not in only) or request.mode == Mode.SELECTED_TEXT_ONLY:
            continue  # what a pasted text answers says nothing of the index
        answer = candor.wiring.recorder.read_answer(name)
        gold = []
        for chunk in answer.retrieved if answer else ():
            if (note := relevant.get((name, chunk.chunk_id))) is not None:
                place = {"document": chunk.document, "page": chunk.page, "section": chunk.section_number}
                marked = {"quote": note} if note and note in chunk.content else {}
                gold.append({**place, "text": chunk.content, **marked})
        lines.append({"qid": name, "question": request.question, "answerable": answerable[name], "kind": "labelled",
                      "answers": [], "gold": gold})  # fmt: skip
    return lines


def draw_agreement(candor: Candor) -> None:
    """Draw how far labellers agree, all together and two at a time, and what two of them differ on."""
    labels = candor.wiring.sessions.labels.list()
    names = agreement.labellers(labels)
    st.subheader("Agreement between labellers", anchor=False)
    if len(names) < 2:
        st.caption("At least two people must have judged the same requests.")
        return
    if len(names) > 2:
        st.markdown(f"**All {len(names)} together**")
        components.table(tables.alpha_table(agreement.agreement_of_all(labels)), columns=ALPHA, key="alpha",
                         alt="Agreement of all labellers", height="content")  # fmt: skip
        st.caption(
            "Krippendorff's alpha: 1 is perfect agreement, 0 no more than by chance; 0.8 is commonly asked for, 0.667 "
            "the least to draw any conclusion from. It counts what at least two people judged, and is not defined if "
            "all of them always gave the same verdict. The interval needs five requests."
        )
    with st.container(horizontal=True):
        first = str(st.selectbox("First", names, key="first_labeller", width=240))
        second = str(st.selectbox("Second", names, index=1, key="second_labeller", width=240))
    if first == second:
        st.caption("Choose two different people.")
        return
    found = agreement.agreement(labels, first, second)
    st.markdown("; ".join(_in_words(one) for one in found) + ".")
    components.table(tables.agreement_table(found), columns=AGREEMENT, key="agreement",
                     alt="Agreement of two labellers", height="content")  # fmt: skip
    st.caption(
        "Cohen's kappa: 1 is perfect agreement, 0 no more than by chance; above 0.6 is commonly called substantial. "
        "It is not defined if both always gave the same verdict. Passages of one request count as a cluster."
    )
    _draw_disagreements(candor, agreement.disagreements(labels, first, second), first, second)


def _in_words(one: AspectAgreement) -> str:
    name = ASPECTS[one.aspect]
    if not one.agreement.items:
        return f"{name}: none judged by both"
    counted = f"the same verdict on {one.observed.numerator:g} of {one.agreement.items}"
    if one.agreement.kappa is None or one.low is None or one.high is None:
        return f"{name}: {counted}, kappa not defined"
    return f"{name}: kappa **{one.agreement.kappa:.2f}** ({one.low:.2f} to {one.high:.2f}), {counted}"


def _draw_disagreements(candor: Candor, found: list[Disagreement], first: str, second: str) -> None:
    open_ones = sum(one.settled is None for one in found)
    st.markdown(f"**Disagreements: {open_ones} open, {len(found) - open_ones} settled**")
    if not found:
        st.caption("They agree on everything that both judged.")
        return
    questions = {request.request_id: request.question for request in queries.recorded(candor)}
    shown = found[:LISTED]
    components.table(tables.disagreements_table(shown, questions), columns=DISAGREEMENTS, key="disagreements",
                     alt="Disagreements of the two")  # fmt: skip
    by_id = {(one.target, one.aspect, one.item): one for one in shown}

    def called(name: tuple[str, Aspect, str]) -> str:
        settled = "settled, " if by_id[name].settled is not None else ""
        return f"{settled}{ASPECTS[name[1]].lower()}: {questions.get(name[0], name[0])}"

    chosen = st.selectbox("Settle", [*by_id], key="disagreement", format_func=called)
    _draw_one(candor, by_id[chosen], first, second)


def _draw_one(candor: Candor, one: Disagreement, first: str, second: str) -> None:
    answer = candor.wiring.recorder.read_answer(one.target)
    with st.container(border=True):
        if answer is None:
            st.caption(f"This request is no longer recorded: **{md(one.target)}**.")
        else:
            st.markdown(f"**{md(answer.query.question)}**")
            st.markdown(md(answer.answer or answer.message or ""))
        for chunk in answer.retrieved if answer else ():
            if chunk.chunk_id == one.item:
                st.caption(f"The passage: {md(where(chunk))}")
                st.markdown(passage(chunk.content))
        st.markdown(f"**{md(first)}**: {md(one.first)} · **{md(second)}**: {md(one.second)}")
        if one.settled is not None:
            st.caption(f":material/task_alt: Settled: {md(one.settled)}. Choose again to replace it.")
        who = labeller()
        if not who:
            st.caption("Give your name above to settle it.")

        def settle(verdict: str) -> None:
            label = {"aspect": one.aspect, "item": one.item, "verdict": verdict, "note": f"by {who}"}
            put_labels(one.target, SETTLED, [label])

        with st.container(horizontal=True):
            for verdict in _VERDICTS[one.aspect]:
                chosen: Literal["primary", "secondary"] = "primary" if verdict == one.settled else "secondary"
                st.button(verdict.capitalize(), key=f"settle-{verdict}", disabled=not who, on_click=settle,
                          args=(verdict,), type=chosen)  # fmt: skip
    if answer is not None:
        components.inspect_link(request_id=answer.request_id)


def draw_label_export(candor: Candor) -> None:
    """Draw the labels as a data set and, judgement by judgement, as they were given."""
    labels = candor.wiring.sessions.labels.list()
    st.subheader("Labels as files", anchor=False)
    if not labels:
        st.caption("No question is labelled yet.")
        return
    lines = labelled_questions(candor)
    st.caption(
        f"{several(len(lines), 'question')} with a label: ask them again or calibrate with them on **Evaluate**. "
        f"{several(len(labels), 'judgement')} in all."
    )
    given = [one.model_dump(mode="json") for one in labels]
    with st.container(horizontal=True):
        components.download("questions.jsonl", _as_lines(lines), "questions.jsonl", mime="application/jsonl",
                            disabled=not lines)  # fmt: skip
        components.exports("labels", lambda: pd.DataFrame(given).to_csv(index=False), lambda: _as_lines(given),
                           labels=("Judgements, CSV", "Judgements, JSONL"))  # fmt: skip


def _as_lines(rows: Sequence[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
