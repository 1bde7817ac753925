"""What is drawn while a question is answered: the stage, the checked sentences, and the button that stops it."""

from collections.abc import Generator, Sequence
from contextlib import closing

import streamlit as st

from dashboard import sources, state
from dashboard.words import md, milliseconds, several
from rag.events import Event, Finished, SentenceChecked, StageDone, Token, Waiting
from rag.models import Answer, GroundedSentence, Query
from rag.process.following import followed

_STAGES = {
    "embed": "Question understood", "retrieve": "Passages found", "read": "Passages read",
    "gate": "Confidence computed",
}  # fmt: skip


def draw_stream(stream: Generator[Event, None, None], query: Query) -> Answer:
    """Draw what happens while a question is answered, and return the answer.

    Leaving the function in any way, the stop button included, cancels the model.
    """
    progress = _Progress(query)
    with closing(followed(stream, pulse=None)) as events:
        for event in events:
            if isinstance(event, Finished):
                progress.finish(event.answer)
                return event.answer
            progress.draw(event)
    raise RuntimeError(f"the stream of {query.question!r} ended without Finished")  # pragma: no cover - a bug


class _Progress:
    """What is drawn while a question is answered: the stage, the checked sentences, and the button that stops it."""

    def __init__(self, query: Query) -> None:
        self._status = st.status(":shimmer[Looking for passages]", type="compact")
        self._bar, self._text = st.empty(), st.empty()
        self._place = place = st.bottom.empty()  # where it stays while the text above it grows
        place.button("Stop", icon=":material/stop_circle:", key="stop-answer", on_click=_note_stop,
                     args=(query.question,), help="The model stops; what was checked stays.")  # fmt: skip
        self._label, self._request_id = "Looking for passages", query.request_id
        self._kept: list[GroundedSentence] = []
        self._dropped = self._tokens = 0
        state.put(state.CHECKED, None)

    def draw(self, event: object) -> None:
        """Draw what one event changes; None is a pulse, at which Streamlit can end the run."""
        if isinstance(event, StageDone):
            self._status.write(f"{_STAGES.get(event.stage, event.stage)} in {milliseconds(event.milliseconds)}")
            self._label = "Reading the passages" if event.stage == "gate" else self._label
        elif isinstance(event, Waiting) and event.read is not None:
            self._bar.progress(event.read, text="The model reads the passages")
        elif isinstance(event, Token):
            self._bar.empty()
            self._tokens += 1
            self._label = f"The model is writing; each sentence is checked ({several(self._tokens, 'token')})"
        elif isinstance(event, SentenceChecked):
            self._check(event.sentence)
        if event is None or self._tokens % 8 == 1 or isinstance(event, StageDone):
            self._status.update(label=f":shimmer[{self._label}]")

    def _check(self, sentence: GroundedSentence) -> None:
        if sentence.supported:
            self._kept.append(sentence)
        else:
            self._dropped += 1
        so_much = (tuple(self._kept), self._dropped, self._request_id)
        state.put(state.CHECKED, so_much)
        self._text.markdown(so_far(*so_much))

    def finish(self, answer: Answer) -> None:
        """Make room for the answer."""
        self._bar.empty()
        self._text.empty()
        self._place.empty()
        self._status.update(label=f"Took {milliseconds(answer.timings_ms.total)}", state="complete")


def _note_stop(question: str) -> None:
    """Remember that the person stopped a question; the run that answered it ends with this click."""
    state.put(state.STOPPED, question)


def so_far(kept: Sequence[GroundedSentence], dropped: int, request_id: str) -> str:
    """Return the checked sentences while the model is still writing, as Markdown.

    Their links have the numbers that the sources will have: each excerpt the next one, where it is used first. Whoever
    chooses one sees the source when the answer stands.

    Args:
        kept: The sentences that passages support.
        dropped: How many more were written.
        request_id: Of the question.
    """
    numbers: dict[tuple[int, str], int] = {}
    parts = []
    for one in kept:
        cited = [numbers.setdefault(pair, len(numbers) + 1) for pair in zip(one.passages, one.evidence, strict=True)]
        parts.append(" ".join([md(one.text), *(_link(request_id, number) for number in dict.fromkeys(cited))]))
    told = f"\n\n:small[Left out so far: {dropped}]" if dropped else ""
    return " ".join(parts) + told


def _link(request_id: str, number: int) -> str:
    return sources.link(request_id, number, f"Open source {number} when the answer is complete")
