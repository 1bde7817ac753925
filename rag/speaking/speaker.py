"""From hits to a checked draft: a language model where one answers, quotations where none does.

Nothing that a model writes is shown before it was checked (docs/decisions/0007-grounding.md).
"""

from collections import Counter
from collections.abc import Generator as Stream
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal, NamedTuple, cast

from rag.asking.clock import RequestClock, Stage
from rag.asking.parts import quoted_for_each
from rag.errors import GeneratorUnavailable
from rag.events import Event, Found, SentenceChecked, Speaking, StageDone, Token, Waiting
from rag.ground import ground, ground_sentence
from rag.models import (
    Draft,
    GeneratorInfo,
    GroundedSentence,
    Grounding,
    PromptContext,
    Query,
    RetrievedChunk,
    Spoken,
    Timings,
)
from rag.prompt import TEMPLATE, build_prompt
from rag.protocols import Generator, GroundingCheck, ModelInfo, Reader, StreamEnd
from rag.quote import quote, quoted_without_orders
from rag.ranking.years import grounded_in_years, of_years_asked
from rag.read import SURE
from rag.replies import ReplyReader, ReplySentence
from rag.speaking.answering import why_quoted
from rag.speaking.relevance import Relevance, worth_showing
from rag.speaking.remembered import Remembered
from rag.text.stated import without_mark

LOOPS: Final = 3
"""A model that says a sentence so often is stopped: small ones repeat themselves until their tokens are spent."""
LOOPED: Final = 4
"""Words of such a sentence; a shorter one is said so often in a row, for the items of a list may well be alike."""
_STAGES: Final[tuple[Stage, ...]] = ("prompt", "generate", "ground")


class EndKept:
    """A generator's stream that remembers how it ended."""

    def __init__(self, stream: Iterator[str]) -> None:
        self._stream, self.end = stream, StreamEnd()

    def __iter__(self) -> Iterator[str]:
        ended = yield from cast("Stream[str, None, StreamEnd | None]", self._stream)  # not every stream tells its end
        self.end = ended or self.end

    def close(self) -> None:
        """Cancel the model where it has not ended."""
        if isinstance(self._stream, Stream):
            self._stream.close()


class Said:
    """What a model has said so far: the mark of a list, as `53. `, makes no other sentence of one.

    `loops` says whether it repeats itself.
    """

    def __init__(self) -> None:
        self._said: Counter[str] = Counter()
        self._last, self._in_a_row, self.loops = "", 0, False

    def is_new(self, sentence: str) -> bool:
        """Take note of a sentence; return whether it was not said before."""
        text = without_mark(sentence)
        self._said[text] += 1
        self._in_a_row = self._in_a_row + 1 if text == self._last else 1
        self._last = text
        often = self._said[text] if len(text.split()) >= LOOPED else self._in_a_row
        self.loops = self.loops or often >= LOOPS
        return self._said[text] == 1


class Asking(NamedTuple):
    """A model that was found to answer, and the request that it is asked for."""

    generator: Generator
    model: ModelInfo | None
    query: Query
    clock: RequestClock


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks.

    Attributes:
        generator: The language model; None: quotations only.
        check: Judges what the model wrote.
        reader: Judges whether that answers; None: nobody does.
        max_context: The largest context window to ask for, in tokens.
        on_model_failure: Whether quotations stand in for a model that fails, or `GeneratorUnavailable` is raised.
    """

    generator: Generator | None
    check: GroundingCheck
    reader: Reader | None
    max_context: int
    on_model_failure: Literal["extractive", "error"]

    def may_be_asked(self, found: Found) -> bool:
        """Return whether a model is asked about passages that the gate is unsure of: what it says is checked."""
        return found.decision.outcome == "unsure" and self.generator is not None and not found.query.no_llm

    def speak(self, found: Found, clock: RequestClock) -> Stream[Event, None, Spoken | None]:
        """Let the model speak where one answers; quote where none does, or where what the check leaves is no answer.

        Where the gate is unsure, nothing is quoted; where a model says that the passages do not answer, it is believed
        unless the reader is sure that they do.

        Returns:
            What was said and checked; None where the gate is unsure and no model spoke.

        Raises:
            GeneratorUnavailable: The model failed, and nothing may stand in for it.
        """
        hits, may_quote = found.retrieval.hits, found.decision.passed
        asking = yield from self.find_model(found.asked or found.query, clock)
        if asking is None:
            return self._quote(found, clock) if may_quote else None
        try:
            spoken = yield from self._generate(asking, found)
        except GeneratorUnavailable as error:
            if self.on_model_failure == "error":
                raise
            return self._quote(found, clock, asking.model, because=error.message) if may_quote else None
        doubted = spoken.grounding.abstained and max((hit.reading or 0.0 for hit in hits), default=0.0) < SURE
        if spoken.grounding.answers or doubted or not may_quote:
            return spoken
        quoted = self._quote(found, clock, asking.model, because=why_quoted(spoken))
        return replace(quoted, replaced=spoken.draft) if quoted.grounding.answers else spoken

    def find_model(self, query: Query, clock: RequestClock) -> Stream[Event, None, Asking | None]:
        """Return the model to ask; None where there is none, or where none is wanted.

        Where nothing may stand in for it, one that does not answer is asked all the same: that tries once more, and
        raises what is wrong.
        """
        if self.generator is None or query.no_llm:
            return None
        model = yield from self.generator.find_model(pulse=Waiting())
        if model is None and self.on_model_failure != "error":
            return None
        return Asking(self.generator, model, query, clock)

    def _generate(self, asking: Asking, found: Found) -> Speaking:
        prompt = self.prompted(asking, worth_showing(found.retrieval.hits, found.decision), TEMPLATE)
        questions = [part.query.question for part in found.parts] or [asking.query.question]
        relevance = Relevance(self.reader, questions, found.decision)
        return (yield from self.written(asking, prompt, prompt.retrieved_chunks, found.years, relevance=relevance))

    def prompted(self, asking: Asking, hits: Sequence[RetrievedChunk], template: str) -> PromptContext:
        """Return the prompt of a template with as many of the hits as fit."""
        with asking.clock.stage("prompt") as facts:
            prompt = build_prompt(
                asking.query, hits, model=asking.model, max_context=self.max_context, template=template
            )
            facts.update(prompt_tokens=prompt.prompt_tokens, num_ctx=prompt.num_ctx, left_out=len(prompt.left_out))
        return prompt

    def written(
        self,
        asking: Asking,
        prompt: PromptContext,
        passages: tuple[RetrievedChunk, ...],
        years: tuple[str, ...] = (),
        *,
        relevance: Relevance | None = None,
        aloud: bool = True,
    ) -> Speaking:
        """Return what the model writes: each sentence is checked as soon as it is whole, then the draft as a whole.

        Args:
            asking: The model.
            prompt: What it is asked.
            passages: What sentences are held against, numbered as the prompt numbers its passages.
            years: Years that passages must be of.
            relevance: Judges whether a sentence answers; until one does, none is shown. None: all are asked for.
            aloud: Whether sentences are shown as they come; a draft that is only read on is not.
        """
        clock, query, generator = asking.clock, asking.query, asking.generator
        text, reply, check = "", ReplyReader(passages), Remembered(self.check)
        said = Said()
        held: list[GroundedSentence] = []
        answers = relevance is None

        def checked(sentences: Iterable[ReplySentence]) -> Iterator[Event]:
            """Check and show sentences that were not shown before."""
            nonlocal answers
            for one in sentences:
                if not said.is_new(one.text) or not aloud:
                    continue
                found = ground_sentence(one, passages, check=check, question=query.question)
                held.extend(of_years_asked([relevance.of(found, passages) if relevance else found], passages, years))
                answers = answers or (relevance is not None and relevance.answers(held))
                if answers:
                    yield from map(SentenceChecked, held)
                    held.clear()

        with clock.stage("generate") as facts:
            stream = EndKept(
                generator.stream(prompt, max_tokens=prompt.max_tokens, temperature=query.temperature, seed=query.seed)
            )
            with closing(stream):
                for piece in stream:
                    yield Token(piece) if piece else Waiting.of(piece)
                    text += piece
                    yield from checked(reply.feed(piece))
                    if said.loops:
                        break
                yield from checked(one for one in reply.end() if one.is_whole)
            who = _who_spoke(asking)
            draft = Draft(text=text.strip(), generator=who, **asdict(stream.end))
            facts.update(generator=who.name, model=who.model, completion_tokens=draft.completion_tokens)
        with clock.stage("ground") as facts:
            grounding = ground(draft, passages, check=check, question=query.question)
            grounding = relevance.judged(grounding, passages) if relevance else grounding
            grounding = grounded_in_years(grounding, passages, years)
            facts.update(_counts(grounding))
        return Spoken(draft, grounding, prompt)

    def _quote(
        self, found: Found, clock: RequestClock, model: ModelInfo | None = None, *, because: str | None = None
    ) -> Spoken:
        """Answer with sentences of the hits, and say why where a model should have spoken."""
        with clock.stage("generate") as facts:
            info = GeneratorInfo(name="extractive", model=model and model.name, fallback_reason=because)
            is_divided = any(part.decision.passed for part in found.parts)
            hits, whole = found.retrieval.hits, found.retrieval.asks_for_list

            def quoting(left: Sequence[RetrievedChunk]) -> Spoken:
                return (
                    quoted_for_each(found.parts, left, info=info) if is_divided else quote(left, whole=whole, info=info)
                )

            quoted = quoted_without_orders(hits, Remembered(self.check), quoting)
            facts.update(generator="extractive", fallback_reason=because)
        with clock.stage("ground") as facts:
            grounding = grounded_in_years(quoted.grounding, hits, found.years)
            facts.update(_counts(grounding))
        return replace(quoted, grounding=grounding)


def _who_spoke(asking: Asking) -> GeneratorInfo:
    generator = asking.generator
    model = asking.model or generator.model()  # one that came back between two tries has told its name by now
    return GeneratorInfo(name=generator.name, model=model and model.name, server=generator.away)


def _counts(grounding: Grounding) -> dict[str, int | bool]:
    kept = sum(sentence.supported for sentence in grounding.sentences)
    return {"sentences": len(grounding.sentences), "supported": kept, "answers": grounding.answers}


def told_of(spoken: Spoken, timings: Timings) -> Iterator[Event]:
    """Yield what nobody was told yet: quoted sentences, which come all at once, and the stages since the gate."""
    if spoken.draft.generator.name == "extractive":
        yield from map(SentenceChecked, spoken.grounding.sentences)
    for stage in _STAGES:
        took = getattr(timings, stage)
        if took is not None:
            yield StageDone(stage, took)
