"""Labels of several people: how far they agree, what they differ on and who settles it, and the labels as files."""

import json
from collections.abc import Sequence
from typing import Literal

import pandas as pd
import streamlit as st

from dashboard import components, judging, labelling, queries, tables
from dashboard.columns import AGREEMENT, ALPHA, DISAGREEMENTS
from dashboard.words import ASPECTS, md, passage, several, where
from rag.candor import Candor
from rag.evaluation import agreement
from rag.evaluation.agreement import SETTLED, AspectAgreement, Disagreement
from rag.workspace.values import Aspect, Label

VERDICTS: dict[Aspect, tuple[str, ...]] = {
    "answer": ("correct", "partly", "wrong"),
    "answerable": ("yes", "no"),
    "chunk": ("relevant", "irrelevant"),
}
LISTED = 300  # how many disagreements the table draws


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
        who = labelling.labeller()
        if not who:
            st.caption("Give your name above to settle it.")
        with st.container(horizontal=True):
            for verdict in VERDICTS[one.aspect]:
                chosen: Literal["primary", "secondary"] = "primary" if verdict == one.settled else "secondary"
                st.button(verdict.capitalize(), key=f"settle-{verdict}", disabled=not who, on_click=_settle,
                          args=(one, verdict, who), type=chosen)  # fmt: skip
    if answer is not None:
        components.inspect_link(request_id=answer.request_id)


def _settle(one: Disagreement, verdict: str, who: str) -> None:
    label = {"aspect": one.aspect, "item": one.item, "verdict": verdict, "note": f"by {who}"}
    judging.put_labels(one.target, SETTLED, [label])


def draw_label_export(candor: Candor) -> None:
    """Draw the labels as a data set and, judgement by judgement, as they were given."""
    labels = candor.wiring.sessions.labels.list()
    st.subheader("Labels as files", anchor=False)
    if not labels:
        st.caption("No question is labelled yet.")
        return
    lines = labelling.labelled_questions(candor)
    st.caption(
        f"{several(len(lines), 'question')} with a label: ask them again or calibrate with them on **Evaluate**. "
        f"{several(len(labels), 'judgement')} in all."
    )
    given = pd.DataFrame([one.model_dump(mode="json") for one in labels], columns=[*Label.model_fields])
    with st.container(horizontal=True):
        components.download("questions.jsonl", _as_lines(lines), "questions.jsonl", mime="application/jsonl",
                            disabled=not lines)  # fmt: skip
        components.exports("labels", lambda: given.to_csv(index=False),
                           lambda: _as_lines([one.model_dump(mode="json") for one in labels]),
                           labels=("Judgements, CSV", "Judgements, JSONL"))  # fmt: skip


def _as_lines(rows: Sequence[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
