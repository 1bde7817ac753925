"""The labelling queue: people judge answers and passages; labels become a data set and calibration data."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import components, queries, resources, state
from dashboard.words import md, passage, score, where
from rag.evaluation.agreement import SETTLED, that_count
from rag.models import Answer, Mode
from rag.stored import Label

if TYPE_CHECKING:
    from rag.candor import Candor

ANSWERED = {
    "Correct": {"answer": "correct", "answerable": "yes"},
    "Partly": {"answer": "partly", "answerable": "yes"},
    "Wrong": {"answer": "wrong"},
    "Not in the documents": {"answer": "wrong", "answerable": "no"},
}
"""What a judgement of an answer says of each aspect."""
REFUSED = {
    "Right to refuse": {"answer": "correct", "answerable": "no"},
    "Should have answered": {"answer": "wrong", "answerable": "yes"},
}
"""What a judgement of a refusal says of each aspect."""
PASSAGE_KEYS = "asdfg"
"""The key of each passage, in order: the row where the left hand lies. Streamlit keeps C and R for itself."""
_AHEAD = 200


def draw_queue(candor: "Candor") -> None:
    """Draw the next request that this person has not judged, with one key for each judgement."""
    who = st.text_input(
        "Your name", state.get(state.PERSON, ""), key="labeller", persist_state="session", max_chars=100, width=320,
        help="Labels are kept per person, so that agreement can be measured.",
    )  # fmt: skip
    if not (who or "").strip():
        components.empty_state("Who is judging?", "Give your name, then judge with keys: 1 to 4, 0 skips.",
                               icon=":material/how_to_reg:")  # fmt: skip
        return
    labeller = str(who).strip()
    if labeller == SETTLED:
        st.error(f"{md(SETTLED)} is the name that settled disagreements go by. Give your own.", icon=":material/error:")
        return
    mine = resources.get_sessions().labels.list(labeller=labeller)
    done = {label.target for label in mine} | set(st.session_state.get("label_skipped", ()))
    waiting = [one for one in queries.recorded(candor)[:_AHEAD] if one.request_id not in done]
    st.caption(f"{len({label.target for label in mine})} judged by you, {len(waiting)} of the newest {_AHEAD} waiting.")
    answer = next((found for one in waiting if (found := queries.answer(candor, one.request_id))), None)
    if answer is None:
        components.empty_state("Nothing is waiting", "Everything recorded is judged. Ask more on the page **Ask**.",
                               icon=":material/task_alt:")  # fmt: skip
        return
    _draw_case(answer)
    _draw_judgement(answer, labeller)
    _draw_passages(answer)


def _draw_case(answer: Answer) -> None:
    st.subheader(md(answer.query.question), anchor=False)
    if answer.answer is None:
        st.warning(md(answer.message or ""), title="No answer", icon=":material/do_not_disturb_on:")
    else:
        st.markdown(md(answer.answer))
    st.caption(f"Confidence {score(answer.confidence)} · `{answer.request_id}`")


def _draw_judgement(answer: Answer, labeller: str) -> None:
    relevant = _relevant(answer)
    choices = ANSWERED if answer.answer is not None else REFUSED
    with st.container(horizontal=True):
        for number, (name, verdicts) in enumerate(choices.items(), start=1):
            st.button(name, key=f"judge-{number}", shortcut=str(number), on_click=_judge,
                      args=(answer, labeller, verdicts, tuple(relevant)))  # fmt: skip
        st.button("Skip", key="judge-skip", shortcut="0", type="tertiary", on_click=_skip, args=(answer.request_id,))


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
    """Keep a judgement; the passages are judged where some were chosen, or where the documents do not answer at all."""
    judged = relevant or verdicts.get("answerable") == "no"
    labels = resources.get_sessions().labels
    kept = [{"aspect": aspect, "verdict": verdict} for aspect, verdict in verdicts.items()]
    kept += [
        {"aspect": "chunk", "item": chunk.chunk_id, "verdict": "relevant" if number in relevant else "irrelevant"}
        for number, chunk in enumerate(answer.retrieved[: len(PASSAGE_KEYS)], start=1)
        if judged
    ]
    for one in kept:
        labels.put(Label.model_validate({"target": answer.request_id, "labeller": labeller, **one}))


def _skip(request_id: str) -> None:
    st.session_state["label_skipped"] = [*st.session_state.get("label_skipped", ()), request_id]


def labelled_questions(candor: "Candor") -> list[dict[str, object]]:  # lines of a file, not data handed on
    """Return a line of `questions.jsonl` for each recorded question that people labelled."""
    labels = that_count(resources.get_sessions().labels.list())
    answerable = queries.answerable_labels(labels)
    relevant = {(label.target, label.item) for label in labels if label.verdict == "relevant"}
    lines = []
    for request in queries.recorded(candor):
        if request.request_id not in answerable or request.mode == Mode.SELECTED_TEXT_ONLY:
            continue  # what a pasted text answers says nothing of the index
        answer = queries.answer(candor, request.request_id)
        gold = [
            {"document": chunk.document, "page": chunk.page, "section": chunk.section_number, "text": chunk.content}
            for chunk in (answer.retrieved if answer else ())
            if (request.request_id, chunk.chunk_id) in relevant
        ]
        lines.append(
            {"qid": request.request_id, "question": request.question, "answerable": answerable[request.request_id],
             "kind": "labelled", "answers": [], "gold": gold}
        )  # fmt: skip
    return lines
