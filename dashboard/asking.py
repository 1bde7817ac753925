"""What the page Ask does with a question: it is typed, sent by a link, or asked again; its answer is streamed."""

from collections.abc import Generator, Sequence
from contextlib import closing
from urllib.parse import quote, urlencode

import streamlit as st

from dashboard import conversation, sources, state
from dashboard.ask_settings import FILTERS, MODES, SETTINGS, Options, lacking
from dashboard.words import estimator, md, milliseconds, several
from rag.candor import Candor
from rag.errors import CandorError, InvalidQuery
from rag.events import Event, Finished, SentenceChecked, StageDone, Token, Waiting
from rag.models import Answer, GroundedSentence, Mode, Query
from rag.process.following import followed
from rag.validate import GREETING_LENGTH, MAX_LENGTH


def link_to(query: Query, page: str) -> str:
    """Return the address of a page that asks a question with its settings; a pasted text would stand in every log."""
    filters = query.filters
    named = {
        state.QUESTION: query.question,
        "mode": MODES[query.mode.value] if query.mode is not Mode.BOOK_WIDE else None,
        "collection": filters.collection,
        "document": filters.source or (None if filters.collection else filters.sources),
        "chapter": filters.chapter,
        "section": filters.section,
        **{name: getattr(query, name) for name in SETTINGS if name != "mode"},
        "estimator": estimator(query.estimator) if query.estimator else None,
        "no_llm": "true" if query.no_llm else None,
    }
    given = {name: one for name, one in named.items() if one is not None}
    return f"{page}?{urlencode(given, doseq=True, quote_via=quote)}"


def stream_answer(candor: Candor, question: str, options: Options) -> Answer:
    """Ask, and draw sentences as soon as they are checked; what is not checked is never shown.

    Leaving the function in any way, the stop button included, cancels the model. The question is kept first, so that it
    can be asked again where a setting has to be corrected.

    Raises:
        InvalidQuery: The question or a setting is outside its limits, or the mode needs a text or a chapter.
    """
    state.put(state.TRIED, question)
    state.put(state.STOPPED, None)
    if lacks := lacking(options):
        raise InvalidQuery(f"{lacks}, in the line above the input.")
    query = candor.pipeline.query(question, previous=conversation.previous(), shortest=GREETING_LENGTH, **options)
    state.put(state.AS_ASKED, None)
    begun = state.url(state.SESSION)
    session = conversation.session_id(question)  # only what is asked begins one
    query = query.model_copy(update={"session_id": session})
    try:
        return draw_stream(candor.pipeline.stream(query), query)  # type: ignore[arg-type]
    except InvalidQuery:  # too short, and no greeting either: that is known only now
        if begun is None:
            conversation.forget_conversation()
            state.put(state.TRIED, question)
        raise


def waiting_question(asked: Sequence[Answer]) -> str | None:
    """Draw the question that somebody sent in the URL, or that was stopped, and return it when it is to be asked."""
    if (again := state.get(state.AGAIN)) is not None:
        state.put(state.AGAIN, None)
        return str(again)
    tried, answered = state.get(state.TRIED), {answer.query.question for answer in asked}
    waiting = [one for one in (tried, state.url(state.QUESTION)) if one and len(one) <= MAX_LENGTH]
    question: str | None = next((one for one in waiting if " ".join(one.split()) not in answered), None)
    if question is None:
        return None
    is_stopped = state.get(state.STOPPED) == " ".join(question.split())
    told = "Not answered yet" if tried == question else "This link asks"
    with st.container(border=True):
        st.markdown(f"{'This question was stopped' if is_stopped else told}: **{md(question)}**")
        if is_stopped and (checked := state.get(state.CHECKED)):
            st.markdown(so_far(*checked))
            st.caption("These sentences were checked before it was stopped; they may not be the whole answer.")
        is_asked = st.button("Ask it again" if is_stopped else "Ask this", type="primary", icon=":material/send:")
        return question if is_asked else None


def ask_everywhere(question: str) -> None:
    """Take the filters off and have a question asked; for callbacks, before the settings are drawn again."""
    everywhere: dict[str, object] = {name: [] if name == "document" else None for name in FILTERS}
    st.session_state.update({**everywhere, "mode": Mode.BOOK_WIDE.value, state.MISSING: {}, state.AGAIN: question})


_STAGES = {"embed": "Question understood", "retrieve": "Passages found", "read": "Passages read",
           "gate": "Confidence computed"}  # fmt: skip


def draw_stream(stream: Generator[Event, None, None], query: Query) -> Answer:
    """Draw what happens while a question is answered, and return the answer; leaving it cancels the model."""
    progress = _Progress(query)
    with closing(followed(stream, pulse=None)) as events:
        try:
            for event in events:
                if isinstance(event, Finished):
                    progress.clear()
                    return event.answer
                progress.draw(event)
        except CandorError:
            progress.clear()
            raise
    raise RuntimeError(f"the stream of {query.question!r} ended without Finished")  # pragma: no cover - a bug


class _Progress:
    """What is drawn while a question is answered: the stage, the checked sentences, and the button that stops it."""

    def __init__(self, query: Query) -> None:
        self._whole = st.empty()
        self._status = self._whole.status(":shimmer[Looking for passages]", type="compact")
        self._bar, self._text = st.empty(), st.empty()
        self._place = place = st.bottom.empty()  # where it stays while the text above it grows
        place.button("Stop", icon=":material/stop_circle:", key="stop-answer", on_click=state.put,
                     args=(state.STOPPED, query.question),
                     help="Stops the model. Checked sentences are kept.")  # fmt: skip
        self._label, self._request_id = "Looking for passages", query.request_id
        self._kept: list[GroundedSentence] = []
        self._dropped = self._tokens = 0
        state.put(state.CHECKED, None)

    def draw(self, event: object) -> None:
        """Draw what one event changes; None is a pulse, at which Streamlit can end the run."""
        if isinstance(event, StageDone):
            self._status.write(f"{_STAGES.get(event.stage, event.stage)} in {milliseconds(event.milliseconds)}")
            self._label = "Reading the passages" if event.stage == "gate" else self._label
        elif isinstance(event, Waiting) and event.share is not None:
            self._bar.progress(event.share, text=event.told)
        elif isinstance(event, Token):
            self._bar.empty()
            self._tokens += 1
            self._label = f"The model is writing; each sentence is checked ({several(self._tokens, 'token')})"
        elif isinstance(event, SentenceChecked):
            self._kept += [event.sentence] if event.sentence.supported else []
            self._dropped += not event.sentence.supported
            so_much = (tuple(self._kept), self._dropped, self._request_id)
            state.put(state.CHECKED, so_much)
            self._text.markdown(so_far(*so_much))
        if event is None or self._tokens % 8 == 1 or isinstance(event, StageDone):
            self._status.update(label=f":shimmer[{self._label}]")

    def clear(self) -> None:
        """Make room for what came of the question."""
        for place in (self._whole, self._bar, self._text, self._place):
            place.empty()


def so_far(kept: Sequence[GroundedSentence], dropped: int, request_id: str) -> str:
    """Return the checked sentences while the model is still writing, as Markdown, and how many were left out.

    Their links have the numbers that the sources will have: each excerpt the next one, where it is used first.
    """
    numbers: dict[tuple[int, str], int] = {}
    parts = []
    for one in kept:
        parts.append(md(one.text))
        cited = [numbers.setdefault(pair, len(numbers) + 1) for pair in zip(one.passages, one.evidence, strict=True)]
        parts += [sources.link(request_id, number, f"Open source {number} when the answer is complete")
                  for number in dict.fromkeys(cited)]  # fmt: skip
    return " ".join(parts) + (f"\n\n:small[Left out so far: {dropped}]" if dropped else "")
