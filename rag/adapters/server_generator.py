"""Drafts through a model server: streamed, bounded in time, cancelled by closing the iterator.

What all servers share stands here; a protocol adds how to look what the server has, how to ask it, and what its own
errors mean. Its client is imported when a server is first asked. The exchange has a thread of its own, so that a silent
server can be left at once. Every failure becomes `GeneratorUnavailable`, with what was tried and what to do next.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from ssl import SSLContext, create_default_context
from threading import Lock
from time import monotonic, perf_counter, sleep
from typing import Any, ClassVar

from rag.adapters.http_deadline import Deadline
from rag.adapters.server_trouble import (
    REFUSED,
    Asking,
    Server,
    Wordless,
    does_not_answer,
    is_this_machine,
    is_unreachable,
    knock,
    unavailable,
)
from rag.errors import GeneratorUnavailable
from rag.models import ModelKind, PastError, PromptContext, ServiceStatus
from rag.process.following import followed, followed_call
from rag.protocols import UNKNOWN_MODEL, ModelInfo, Pulse, StreamEnd

_log = logging.getLogger(__name__)

MODEL_CACHE_S = 30.0  # how long what the server says of its model is believed
PROBLEM_CACHE_S = 3.0  # how long a server that did not answer, or not well, is not asked again
PROBE_TIMEOUT_S = 3.0  # longest wait for the list and the description of models, together
RETRY_PAUSE_S = 0.2  # pause before the one retry after a refused connection: a server that restarts listens again soon


@dataclass(frozen=True, slots=True)
class Described:
    """What a probe found: the model that would speak, or the problem that stands in its way, or both."""

    info: ModelInfo | None
    thinks: bool = False  # whether it thinks before it writes, and can be asked not to
    chats: bool = True
    names: tuple[str, ...] = ()  # the models that the server lists; none where it was not asked
    problem: GeneratorUnavailable | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A draft that is asked for: the prompt, the most tokens, and how to draw them."""

    prompt: PromptContext
    max_tokens: int
    temperature: float
    seed: int | None

    @property
    def messages(self) -> list[dict[str, str]]:
        """The prompt as a chat."""
        return [
            {"role": "system", "content": self.prompt.system_prompt},
            {"role": "user", "content": self.prompt.user_prompt},
        ]

    @property
    def request(self) -> dict[str, Any]:
        """The draft as it is asked for in OpenAI's protocol."""
        seed = {} if self.seed is None else {"seed": self.seed}
        return {"messages": self.messages, "max_tokens": self.max_tokens, "temperature": self.temperature, **seed}


class ServerGenerator(ABC):
    """Asks a model on a server.

    Args:
        model: Its name; None: the server's own choice, as the protocol has it.
        connect_timeout_s: Longest wait for a connection.
        token_timeout_s: Longest silence, also before the first token.
        total_timeout_s: Longest whole generation.

    Attributes:
        away: Where documents are sent, where that is not this machine.
    """

    name: ClassVar[ModelKind]

    def __init__(
        self,
        server: Server,
        model: str | None,
        *,
        connect_timeout_s: float = 2.0,
        token_timeout_s: float = 20.0,
        total_timeout_s: float = 40.0,
    ) -> None:
        self.server, self._model_name = server, model
        self.away = None if is_this_machine(server.address) else server.address
        self._connect_timeout_s = connect_timeout_s
        self._token_timeout_s = token_timeout_s
        self._total_timeout_s = total_timeout_s
        self._lock = Lock()
        self._known = Described(None)
        self._known_until = 0.0
        self._last_error: PastError | None = None

    def model(self) -> ModelInfo | None:
        """Return the model that would speak; None where no server answers or it has no model. Never raises.

        A server that accepts connections and misbehaves is not "no server": its model is named, and `stream` says what
        is wrong. So is a model that was asked for by name, whether anybody answers or not. Takes `PROBE_TIMEOUT_S` at
        most, and nothing while an earlier answer is believed.
        """
        return self._describe().info

    def find_model(self, *, pulse: Pulse) -> Generator[Pulse, None, ModelInfo | None]:
        """Return what `model` returns, and yield `pulse` while the server is silent; closing it hangs up."""
        if monotonic() < self._known_until:
            return self._known.info
        deadline = Deadline(PROBE_TIMEOUT_S)
        described = yield from followed_call(lambda: self._describe(deadline), pulse=pulse, on_leave=deadline.cut)
        return described.info

    def names(self) -> tuple[str, ...]:
        """Return the models that the server lists, in its order; none where it does not answer well. Never raises.

        Takes `PROBE_TIMEOUT_S` at most.
        """
        if knock(self.server.address, timeout_s=min(self._connect_timeout_s, PROBE_TIMEOUT_S)):
            return ()
        try:
            deadline = Deadline(PROBE_TIMEOUT_S)
            with closing(self._client(deadline)) as client, deadline:
                return tuple(self._listed(client))
        except Exception:
            _log.debug("%s does not list its models", self.server, exc_info=True)
            return ()

    def check(self) -> ServiceStatus:
        """Ask the server what it has, whatever is believed; never raises."""
        started = perf_counter()
        found = self._describe(anew=True)
        told = f"{self.server}, {told_of(found.info)}." if found.info else ""
        return ServiceStatus(
            state="connected" if found.info and not found.problem else "disconnected",
            latency_ms=(perf_counter() - started) * 1000,
            detail=found.problem.message if found.problem else told,
            kind=self.name,
            model=found.info.name if found.info and found.info.name != UNKNOWN_MODEL else None,
            last_error=self._last_error,
        )

    def stream(
        self, prompt: PromptContext, *, max_tokens: int, temperature: float, seed: int | None = None
    ) -> Generator[str, None, StreamEnd]:
        """Yield pieces of the draft as they are written, and an empty one where none came for a while.

        Closing the iterator stops the model, also one that is silent. The generator's return value says how it ended.
        The answer is given no more tokens than the prompt left for it.

        Raises:
            GeneratorUnavailable: A connection refused twice, a missing model, silence, time out, an error or garbage
                from the server, a stream that breaks off, an empty answer.
        """
        deadline = Deadline(self._total_timeout_s)
        wanted = Wanted(prompt, min(max_tokens, prompt.max_tokens), temperature, seed)
        try:
            return (yield from followed(self._chat(wanted, deadline), pulse="", on_leave=deadline.cut))
        except GeneratorUnavailable as error:
            self._last_error = PastError(message=error.message)
            raise

    # --- what a protocol adds -----------------------------------------------------------------------------------------

    @abstractmethod
    def _client(self, deadline: Deadline) -> Any:
        """Return a client for one exchange only, so that cutting it never touches another."""

    @abstractmethod
    def _listed(self, client: Any) -> Sequence[str]:
        """Ask the server for the names of its models, in its order."""

    @abstractmethod
    def _look(self, client: Any) -> Described:
        """Return what the server has; whatever is raised is translated."""

    @abstractmethod
    def _write(self, client: Any, model: str, described: Described, wanted: Wanted) -> Generator[str, None, StreamEnd]:
        """Yield what the model writes, an empty text where something came without any; what is raised is translated."""

    @abstractmethod
    def _told(self, error: Exception, asking: Asking) -> str | None:
        """Return what the server itself answered with and what to do; None where it is no answer of its own."""

    @property
    def _asked_for(self) -> ModelInfo | None:
        """The model to name where the server cannot be asked."""
        return ModelInfo(self._model_name, None) if self._model_name else None

    # --- one exchange -------------------------------------------------------------------------------------------------

    def _chat(self, wanted: Wanted, deadline: Deadline) -> Generator[str, None, StreamEnd]:
        """Yield the text of one chat; a server that refuses the connection is asked once more."""
        try:
            return (yield from self._try(wanted, deadline))
        except GeneratorUnavailable as error:
            if error.details.get("cause") != REFUSED:
                raise
        sleep(RETRY_PAUSE_S)
        return (yield from self._try(wanted, deadline, anew=True))

    def _try(self, wanted: Wanted, deadline: Deadline, *, anew: bool = False) -> Generator[str, None, StreamEnd]:
        described = self._describe(anew=anew)
        if described.problem:
            raise GeneratorUnavailable(described.problem.message, details=described.problem.details)
        model = described.info.name if described.info else UNKNOWN_MODEL
        with deadline:
            try:
                with (
                    closing(self._client(deadline)) as client,
                    closing(self._write(client, model, described, wanted)) as pieces,
                ):
                    return (yield from _heard(pieces, deadline))
            except Exception as error:
                raise self._problem(error, model, deadline) from error

    def _problem(
        self, error: Exception, model: str, deadline: Deadline, *, probing: bool = False
    ) -> GeneratorUnavailable:
        asking = Asking(self.server, model, self._token_timeout_s, deadline.seconds, probing)
        return unavailable(error, asking, expired=deadline.expired, told=self._told(error, asking))

    def _limits(self, deadline: Deadline) -> dict[str, float]:
        """Return the time-outs of an HTTP client for one exchange, in seconds."""
        read_s = min(self._token_timeout_s, deadline.seconds)
        return {"timeout": read_s, "connect": min(self._connect_timeout_s, deadline.seconds)}

    def _ways(self, deadline: Deadline) -> dict[str, Any]:
        """Return how an HTTP client reaches the server; no proxy ever sees what stays on this machine."""
        return {"event_hooks": deadline.hooks, "trust_env": self.away is not None, "verify": self._tls}

    @cached_property
    def _tls(self) -> SSLContext:
        """What certificates to trust; read once, because reading them takes longer than asking a server near by."""
        return create_default_context()

    # --- what the server has ------------------------------------------------------------------------------------------

    def _describe(self, deadline: Deadline | None = None, *, anew: bool = False) -> Described:
        """Return what the server has, from memory where that is fresh enough.

        What one who has left was told is not remembered: the next who waits asks anew.
        """
        with self._lock:
            if anew or monotonic() >= self._known_until:
                found = self._probe(deadline)
                if deadline is not None and deadline.is_left:
                    return found
                self._known = found
                self._known_until = monotonic() + (PROBLEM_CACHE_S if found.problem else MODEL_CACHE_S)
            return self._known

    def _probe(self, deadline: Deadline | None) -> Described:
        """Return what the server has; never raises."""
        if silence := knock(self.server.address, timeout_s=min(self._connect_timeout_s, PROBE_TIMEOUT_S)):
            return Described(self._asked_for, problem=does_not_answer(self.server, silence))
        name = self._model_name or UNKNOWN_MODEL
        deadline = deadline or Deadline(PROBE_TIMEOUT_S)
        try:
            with closing(self._client(deadline)) as client, deadline:  # the client loads a library, in its own time
                return self._look(client)
        except Exception as error:
            info = self._asked_for if is_unreachable(error) else ModelInfo(name, None)
            return Described(info, problem=self._problem(error, name, deadline, probing=True))


def told_of(model: ModelInfo) -> str:
    """Return a model's name and window, for a status.

    >>> told_of(ModelInfo("qwen2.5:1.5b", 4096))
    "model 'qwen2.5:1.5b', 4096 tokens of context"
    """
    window = f"{model.context_length} tokens of context" if model.context_length else "context length unknown"
    return f"model {model.name!r}, {window}"


def _heard(pieces: Generator[str, None, StreamEnd], deadline: Deadline) -> Generator[str, None, StreamEnd]:
    """Yield what is written within the time; nothing at all is an error."""
    is_silent = True
    while True:
        try:
            piece = next(pieces)
        except StopIteration as end:
            if is_silent:
                raise Wordless("no text") from None
            return end.value  # type: ignore[no-any-return]
        deadline.check()
        is_silent = is_silent and not piece.strip()
        yield piece
