"""Where requests are worked on: threads, so many at once and so many in the queue, one Candor for all of them."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import aclosing, closing
from dataclasses import replace
from time import monotonic
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends
from starlette.requests import Request

from api.conversation import Keep, begin_turn, session_id_of
from api.filing import Done, Errand, Filing
from api.identity import Claims, Identity, identity_of
from api.turns import Asked, Turns, seen, watched
from rag.candor import Candor, pipeline_for
from rag.errors import CandorError
from rag.events import Event, Finished, Found, Token, Waiting
from rag.models import Answer, Health, Query
from rag.process.cores import cores
from rag.settings import Settings
from rag.validate import unused_notes
from rag.workspace import in_force as inforce

__all__ = ["AtDesk", "Desk", "Identity", "Who", "desk_of", "identity_of"]
Events = asyncio.Queue[Event | None]
Result = TypeVar("Result")
HEALTH_KEPT_S = 3.0
READY_KEPT_S = 1.0
READY_WITHIN_S = 0.8  # longest wait for the store before the answer is no: probes give up after a second


class Probe(Generic[Result]):
    """Looks at something in one thread at a time, however many ask, and believes what was seen for `kept_s` seconds."""

    def __init__(self, look: Callable[[], Result], pool: Executor, *, kept_s: float) -> None:
        self._look, self._pool, self._kept_s = look, pool, kept_s
        self._looking: Future[Result] | None = None
        self._until = 0.0

    async def wait(self, *, within_s: float | None = None) -> Result | None:
        """Return what is to be seen, or None where it takes longer; raises what looking has raised."""
        if self._looking is None or (self._looking.done() and monotonic() >= self._until):
            self._looking = self._pool.submit(self._look_once)
        looking = asyncio.wrap_future(self._looking)
        looking.add_done_callback(seen)
        await asyncio.wait({looking}, timeout=within_s)
        return looking.result() if looking.done() else None

    def _look_once(self) -> Result:
        self._until = 0.0
        found = self._look()
        self._until = monotonic() + self._kept_s
        return found


class Desk:
    """Runs the blocking work of requests in threads.

    By default one question more is worked on at once than there are cores, because each waits now and then for the
    index or the disk (`benchmarks/api_load.py`). `open_candor` is called in a thread; the first call may take seconds.
    """

    def __init__(self, open_candor: Callable[[], Candor], settings: Settings) -> None:
        self._open_candor, self._settings = open_candor, settings
        self._claims = Claims()
        self.turns = Turns(settings.concurrency or cores() + 1, settings.queue_size, settings.request_limit_s)
        self.filing = Filing(settings.ingest_queue_size)
        self._door = ThreadPoolExecutor(4, thread_name_prefix="door")
        self._light = ThreadPoolExecutor(4, thread_name_prefix="light")
        self._slow = ThreadPoolExecutor(4, thread_name_prefix="slow")
        self._probing = ThreadPoolExecutor(2, thread_name_prefix="probe")
        self._health = Probe(lambda: self.candor.health(), self._probing, kept_s=HEALTH_KEPT_S)
        self._ready = Probe(lambda: self.candor.is_ready(), self._probing, kept_s=READY_KEPT_S)

    @property
    def candor(self) -> Candor:
        """The Candor of this process. Blocks at first: not to be used on the event loop."""
        return self._open_candor()

    def following(self) -> Candor:
        """Return the Candor of this process to ask, with what another process put in force meanwhile. Blocks."""
        candor = self.candor
        inforce.follow(candor, every_s=inforce.FOLLOW_EVERY_S)
        return candor

    async def ask(self, request: Request, question: str, **options: Any) -> Answer:
        """Return the answer to a question; work stops when the client goes away, or when the time is up.

        Raises:
            CandorError: As `Candor.ask`; ServiceUnavailable also where the queue is full or the time is up.
            Gone: The client went away.
        """
        identity = identity_of(request)
        return await self._asked_by(request, lambda ticket: self._ask(identity, ticket, question, options))

    async def retrieve(self, request: Request, question: str, **options: Any) -> Found:
        """Return what a question finds and what the gate says of it, read as `ask` reads it; no session keeps it."""

        def work(_: Asked) -> Found:
            query, _keep = self._asked(identity_of(request), question, options)
            found = pipeline_for(self.candor, query).retrieve(query)
            notes = (*unused_notes(query, options), *found.retrieval.notes)
            return replace(found, retrieval=found.retrieval.model_copy(update={"notes": notes}))

        return await self._asked_by(request, work)

    async def stream(self, request: Request, question: str, **options: Any) -> AsyncGenerator[Event]:
        """Return what happens while a question is answered; closing it stops the work. Raises what `ask` raises.

        The question has had its turn then, and its passages have been found: whatever is refused before is refused
        while there is still a status to say it with.
        """
        loop, ticket, identity = asyncio.get_running_loop(), self.turns.ticket(), identity_of(request)
        events: Events = asyncio.Queue()

        def tell(event: Event | None) -> None:
            loop.call_soon_threadsafe(events.put_nowait, event)

        def work() -> None:
            self._ask(identity, ticket, question, options, tell)

        task = asyncio.ensure_future(self.turns.run(work, ticket))
        task.add_done_callback(lambda _: tell(None))  # behind what the thread has told
        task.add_done_callback(seen)
        told = _told(events, task, ticket)
        async with watched(request, ticket.leave):
            first = await anext(told)
        return _from(first, told)

    async def _asked_by(self, request: Request, call: Callable[[Asked], Result]) -> Result:
        ticket = self.turns.ticket()
        async with watched(request, ticket.leave):
            return await self.turns.run(lambda: call(ticket), ticket)

    async def in_turn(self, call: Callable[[Callable[[], None]], Result]) -> Result:
        """Run what takes as long as a question, in turn; it is to call what it is given, as `Ticket.check`."""
        ticket = self.turns.ticket()
        return await self.turns.run(lambda: call(ticket.check), ticket)

    async def door(self, call: Callable[[], Result]) -> Result:
        """Run what decides who is let in: it waits for nothing else that requests do."""
        return await asyncio.get_running_loop().run_in_executor(self._door, call)

    async def light(self, call: Callable[[], Result]) -> Result:
        """Run something short, beside the questions."""
        return await asyncio.get_running_loop().run_in_executor(self._light, call)

    async def slow(self, call: Callable[[], Result]) -> Result:
        """Run something that grows with the record, the documents or a model's mood: nothing short waits for it."""
        return await asyncio.get_running_loop().run_in_executor(self._slow, call)

    async def change(
        self, request: Request, name: str, done: Done, call: Callable[[Errand], Result], *, is_further: bool = False
    ) -> Result:
        """Run what indexes or removes a document, in turn with all that changes the index; see `Filing.run`."""
        limit_s = self._settings.ingest_timeout_s if done == "indexed" else self._settings.request_limit_s
        errand = Errand(self.filing, name, done, limit_s)
        async with watched(request, errand.leave):
            return await self.filing.run(errand, call, is_further=is_further)

    async def health(self) -> Health:
        """Return the state of all services, at most a few seconds old."""
        found = await self._health.wait()
        assert found is not None  # it was waited for as long as it takes
        return found

    async def is_ready(self) -> bool:
        """Return whether questions can be answered, at most a second old and within less; the model is not asked."""
        try:
            return bool(await self._ready.wait(within_s=READY_WITHIN_S))
        except CandorError:
            return False

    def close(self) -> None:
        """End the threads once their work is done; an ingest ends within a batch, and leaves its document as it was."""
        self.filing.end()
        self.turns.close()
        self.filing.close()
        for pool in (self._door, self._light, self._slow, self._probing):
            pool.shutdown(wait=True, cancel_futures=True)

    def _ask(
        self,
        identity: Identity,
        ticket: Asked,
        question: str,
        options: dict[str, Any],
        tell: Callable[[Event], object] = lambda _: None,
    ) -> Answer:
        """Work on a question in this thread, and look between two events whether it is still wanted and in time."""
        recorder = self.candor.wiring.recorder
        with self._claims.held(identity, recorder):
            if identity.is_renamed:
                named = {"named": identity.named}
                recorder.event("api", "request_id_taken", request_id=identity.request_id, data=named)
            query, keep = self._asked(identity, question, options)
            with closing(pipeline_for(self.candor, query).stream(query)) as events:  # type: ignore[type-var]
                for event in events:
                    ticket.at_the_model = isinstance(event, Waiting | Token)
                    if isinstance(event, Finished):  # what is recorded is kept and told, too late or not
                        answer = keep(event.answer) if keep else event.answer
                        answer = answer.model_copy(update={"notes": (*answer.notes, *unused_notes(query, options))})
                        tell(Finished(answer))
                        return answer
                    ticket.check()
                    tell(event)
        raise AssertionError("a stream ends with Finished or an error")  # pragma: no cover

    def _asked(self, identity: Identity, question: str, options: dict[str, Any]) -> tuple[Query, Keep | None]:
        """Return a question as it is to be answered, and what keeps its answer in a conversation, if it has one."""
        candor, session, keep = self.following(), options.get("session_id"), None
        given: dict[str, Any] = {"query_id": identity.query_id, "request_id": identity.request_id, **options}
        if session:
            given["session_id"] = session_id_of(session, identity.owner)
            given["previous"], keep = begin_turn(candor, given["session_id"], question, identity.owner)
        return candor.query(question, **given), keep


async def _told(events: Events, task: "asyncio.Task[None]", ticket: Asked) -> AsyncGenerator[Event]:
    try:
        while (event := await events.get()) is not None:
            yield event
        await task
    finally:
        ticket.leave()


async def _from(first: Event, others: AsyncGenerator[Event]) -> AsyncGenerator[Event]:
    async with aclosing(others):
        yield first
        async for event in others:
            yield event


def desk_of(request: Request) -> Desk:
    """Return the desk of the application that a request came to."""
    desk: Desk = request.app.state.desk
    return desk


async def _desk(request: Request) -> Desk:
    return desk_of(request)  # a plain function would be called in a thread


async def _identity(request: Request) -> Identity:
    return identity_of(request)


AtDesk = Annotated[Desk, Depends(_desk)]
Who = Annotated[Identity, Depends(_identity)]
