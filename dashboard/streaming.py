"""What is drawn while a question is answered: the stage, the checked sentences, and the button that stops it."""

from collections.abc import Generator
from contextlib import closing

import streamlit as st

from dashboard import state
from dashboard.words import md, milliseconds
from rag.events import Event, Finished, SentenceChecked, StageDone, Token
from rag.following import followed
from rag.models import Answer, GroundedSentence

_STAGES = {
    "embed": "Question understood", "retrieve": "Passages found", "gate": "Confidence computed",
}  # fmt: skip


def draw_stream(stream: Generator[Event, None, None], question: str) -> Answer:
    """Draw what happens while a question is answered, and return the answer.

    Leaving the function in any way, the stop button included, cancels the model.
    """
    progress = _Progress(question)
    with closing(followed(stream, pulse=None)) as events:
        for event in events:
            if isinstance(event, Finished):
                progress.finish(event.answer)
                return event.answer
            progress.draw(event)
    raise RuntimeError(f"the stream of {question!r} ended without Finished")  # pragma: no cover - a bug


class _Progress:
    """What is drawn while a question is answered: the stage, the checked sentences, and the button that stops it."""

    def __init__(self, question: str) -> None:
        self._status = st.status(":shimmer[Looking for passages]", type="compact")
        self._text, place = st.empty(), st.empty()
        self._place = place
        place.button("Stop", icon=":material/stop_circle:", key="stop-answer", on_click=_note_stop, args=(question,),
                     help="The model stops; nothing is kept.")  # fmt: skip
        self._label = "Looking for passages"
        self._kept: list[GroundedSentence] = []
        self._dropped = self._tokens = 0

    def draw(self, event: object) -> None:
        """Draw what one event changes; None is a pulse, at which Streamlit can end the run."""
        if isinstance(event, StageDone):
            self._status.write(f"{_STAGES.get(event.stage, event.stage)} in {milliseconds(event.milliseconds)}")
            self._label = "Reading the passages" if event.stage == "gate" else self._label
        elif isinstance(event, Token):
            self._tokens += 1
            self._label = f"The model is writing; each sentence is checked ({self._tokens} tokens)"
        elif isinstance(event, SentenceChecked):
            self._check(event.sentence)
        if event is None or self._tokens % 8 == 1 or isinstance(event, StageDone):
            self._status.update(label=f":shimmer[{self._label}]")

    def _check(self, sentence: GroundedSentence) -> None:
        if sentence.supported:
            self._kept.append(sentence)
        else:
            self._dropped += 1
        self._text.markdown(_so_far(self._kept, self._dropped))

    def finish(self, answer: Answer) -> None:
        """Make room for the answer."""
        self._text.empty()
        self._place.empty()
        self._status.update(label=f"Took {milliseconds(answer.timings_ms.total)}", state="complete")


def _note_stop(question: str) -> None:
    """Remember that the person stopped a question; the run that answered it ends with this click."""
    state.put(state.STOPPED, question)


def _so_far(kept: list[GroundedSentence], dropped: int) -> str:
    """Return the checked sentences while the model is still writing."""
    parts = [
        f"{md(one.text)} " + "".join(f":blue-badge[{number}]" for number in one.passages)
        for one in kept
    ]  # fmt: skip
    return " ".join(parts) + (
        f"\n\n:small[Dropped so far, because no passage supports it: {dropped}]" if dropped else ""
    )
