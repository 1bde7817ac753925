"""What people say of an answer in place: thumbs and why, that a sentence answers, that the owner should know."""

from collections.abc import Iterable, Mapping
from typing import Final

import streamlit as st

from dashboard import components, resources, state
from rag.models import Answer, NearMiss
from rag.record import Feedback, Reason
from rag.validate import MAX_LENGTH
from rag.workspace.values import Label

REASONS: Final[dict[Reason, str]] = {"wrong": "Wrong", "not_what_i_asked": "Not what I asked",
                                     "incomplete": "Incomplete",
                                     "should_have_refused": "Should have refused"}  # fmt: skip
UNNAMED: Final = "whoever asked"  # who judges where nobody logged in or gave a name
_ICONS: Final = {None: ":material/undo:", 1: ":material/thumb_up:", 0: ":material/thumb_down:"}
_VERDICTS: Final[dict[int | None, Feedback]] = {None: "withdrawn", 1: "good", 0: "bad"}


@st.fragment
def draw_thumbs(answer: Answer, key: str) -> None:
    """Draw the thumbs; one that is down asks why, in place."""
    _show_verdict(answer, key)
    thumb = st.feedback("thumbs", key=f"{key}-thumbs")
    reason: Reason = ""
    note = ""
    if thumb == 0:
        reason = st.pills("What is wrong with it?", [*REASONS], format_func=lambda one: REASONS[one],
                          key=f"{key}-reason", label_visibility="collapsed") or ""  # fmt: skip
        note = st.text_input("In your own words", key=f"{key}-note", max_chars=2000, label_visibility="collapsed",
                             placeholder="What is wrong, in your own words")  # fmt: skip
    _keep_feedback(answer, (thumb, reason, note or ""), key)


def _show_verdict(answer: Answer, key: str) -> None:
    """Choose the thumb that is kept already, before the page draws the thumbs for the first time."""
    thumbs, told = f"{key}-thumbs", f"{key}-told"
    if thumbs not in st.session_state:
        verdict = resources.get_candor().wiring.recorder.verdict(answer.request_id)
        thumb = None if verdict is None else int(verdict == "good")
        st.session_state.update({told: (thumb, "", ""), **({thumbs: thumb} if verdict else {})})


def _keep_feedback(answer: Answer, said: tuple[int | None, Reason, str], key: str) -> None:
    thumb, reason, note = said
    if st.session_state.get(f"{key}-told", (None, "", "")) == said or not _is_there(answer):
        return
    with components.guarded():
        resources.get_candor().wiring.recorder.feedback(answer.request_id, _VERDICTS[thumb], note=note, reason=reason)
        st.session_state[f"{key}-told"] = said
        told = "Removed: your rating no longer counts." if thumb is None else "Thank you. Your rating is saved."
        st.toast(told, icon=_ICONS[thumb])


def _is_there(answer: Answer) -> bool:
    candor = resources.get_candor()
    if not candor.settings.record_answers or candor.wiring.recorder.read_answer(answer.request_id) is not None:
        return True
    st.toast("Nothing was saved: this answer was removed, perhaps in another tab.", icon=":material/delete:")
    return False


def draw_otherwise(question: str, key: str, label: str = "Ask it another way", *, written: str | None = None) -> None:
    """Draw the field in which a question can be put in other words and asked; also the way back to what was written."""
    with st.popover(label, icon=":material/edit:", type="tertiary"):
        if written is not None:
            st.button("As I wrote it", key=f"{key}-as-asked", icon=":material/undo:",
                      on_click=st.session_state.update, args=({state.AGAIN: written, state.AS_ASKED: True},),
                      help="Exactly as written: no house words, no spelling correction, no earlier "
                           "questions.")  # fmt: skip
        text = st.text_input("Question", question, max_chars=MAX_LENGTH, key=f"{key}-otherwise")
        st.button("Ask this", key=f"{key}-ask-otherwise", icon=":material/send:", on_click=state.put,
                  args=(state.AGAIN, text))  # fmt: skip


def draw_closest(answer: Answer, key: str) -> None:
    """Draw whether one of the closest sentences answers; what is said becomes labels of the passages."""
    if told := state.get(f"{key}-closest"):
        st.caption(f":material/check: {told}")
        return
    closest = list(answer.gate.nearest_misses) if answer.gate else []
    names = ("This answers it", "The second does", "The third does")
    for number, (one, name) in enumerate(zip(closest, names, strict=False)):
        st.button(name, key=f"{key}-answers-{number}", icon=":material/check:", on_click=_label,
                  type="secondary" if number else "primary", args=(answer, key, [one], []),
                  help=f"Sentence {number + 1} answers. Saved as a label.")  # fmt: skip
    st.button("None of these", key=f"{key}-none", icon=":material/close:", on_click=_label,
              args=(answer, key, [], closest), help="None of these sentences answers. Saved as a label.")  # fmt: skip


def _label(answer: Answer, key: str, right: list[NearMiss], wrong: list[NearMiss]) -> None:
    who = str(state.get(state.LABELLER) or state.get(state.PERSON) or UNNAMED)
    said = [{"aspect": "chunk", "item": one.chunk_id, "verdict": "relevant", "note": one.sentence} for one in right]
    said += [{"aspect": "chunk", "item": one.chunk_id, "verdict": "irrelevant"} for one in wrong]
    said += [{"aspect": "answerable", "verdict": "yes"}, {"aspect": "answer", "verdict": "wrong"}] if right else []
    put_labels(answer.request_id, who, said)
    state.put(f"{key}-closest", "Saved: this sentence answers it." if right else "Saved: none of these answers it.")


def put_labels(request_id: str, labeller: str, said: Iterable[Mapping[str, str]]) -> list[Label]:
    """Keep judgements of a request as labels of a person, and return them."""
    labels = [Label.model_validate({"target": request_id, "labeller": labeller, **one}) for one in said]
    for label in labels:
        resources.get_candor().wiring.sessions.labels.put(label)
    return labels


def draw_owner(answer: Answer, key: str) -> None:
    """Draw the way to tell whoever looks after the documents that this question should be answered."""
    if state.get(f"{key}-owner"):
        st.caption(":material/check: Reported: the question is listed as one that should be answered.")
        return

    def tell() -> None:
        if _is_there(answer):
            resources.get_candor().wiring.recorder.feedback(answer.request_id, "bad", reason="should_have_answered")
            state.put(f"{key}-owner", True)

    st.button("Tell the owner", key=f"{key}-tell", icon=":material/campaign:", on_click=tell,
              help="Tell the owner of the documents that this question should be answered.")  # fmt: skip
