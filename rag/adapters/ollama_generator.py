"""Drafts through Ollama: streamed, bounded in time, cancelled by closing the iterator.

The client `ollama` is imported when a server is first asked. The exchange has a thread of its own, so that a
server that is silent can be left at once. Every failure becomes `GeneratorUnavailable`, with what was tried and what to
do next.
"""

from collections.abc import Generator, Mapping
from contextlib import closing
from functools import cached_property
from ssl import SSLContext, create_default_context
from threading import Lock
from time import monotonic, perf_counter, sleep
from typing import TYPE_CHECKING, Any

from rag.adapters.ollama_address import connectable, is_this_machine, knock
from rag.adapters.ollama_trouble import (
    Asking,
    BrokenOff,
    does_not_answer,
    is_refused,
    is_unreachable,
    unavailable,
)
from rag.adapters.ollama_wire import (
    RETRY_PAUSE_S,
    Described,
    begun,
    described,
    end_of,
    forget_frames,
    listed,
    once_more,
)
from rag.errors import GeneratorUnavailable
from rag.following import followed, followed_call
from rag.models import PastError, PromptContext, ServiceStatus
from rag.protocols import ModelInfo, Pulse, StreamEnd

if TYPE_CHECKING:
    from ollama import Client

    from rag.adapters.http_deadline import Deadline

UNKNOWN_MODEL = "unknown"
"""The name in messages and answers while the server has not told it."""
MODEL_CACHE_S = 30.0
"""How long what the server says of its model is believed."""
PROBLEM_CACHE_S = 3.0
"""How long a server that did not answer, or not well, is not asked again."""
PROBE_TIMEOUT_S = 3.0
"""Longest wait for the list and the description of models, together."""
MAX_DESCRIBED = 5
"""Most models to look at for one that can chat: embedding models are listed too."""


class OllamaGenerator:
    """Asks a model on an Ollama server.

    Args:
        host: Address of the server, in any form that Ollama accepts.
        model: Name of the model; default: the first that the server lists and that can chat.
        connect_timeout_s: Longest wait for a connection.
        token_timeout_s: Longest silence, also before the first token.
        total_timeout_s: Longest whole generation.

    Raises:
        ConfigurationError: `host` is not an address.
    """

    def __init__(
        self,
        host: str = "",
        model: str | None = None,
        *,
        connect_timeout_s: float = 2.0,
        token_timeout_s: float = 20.0,
        total_timeout_s: float = 40.0,
    ) -> None:
        self.host = connectable(host)
        self._model_name = model
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
        from rag.adapters.http_deadline import Deadline

        if monotonic() < self._known_until:
            return self._known.info
        deadline = Deadline(PROBE_TIMEOUT_S)
        described = yield from followed_call(lambda: self._describe(deadline), pulse=pulse, on_leave=deadline.cut)
        return described.info

    def check(self) -> ServiceStatus:
        """Ask the server what it has, whatever is believed; never raises."""
        started = perf_counter()
        described = self._describe(anew=True)
        latency_ms = (perf_counter() - started) * 1000
        if described.problem or not described.info:
            detail = described.problem.message if described.problem else ""
            return ServiceStatus(
                state="disconnected", latency_ms=latency_ms, detail=detail, last_error=self._last_error
            )
        length = described.info.context_length
        window = f"{length} tokens of context" if length else "context length unknown"
        detail = f"Ollama at {self.host}, model {described.info.name!r}, {window}."
        return ServiceStatus(state="connected", latency_ms=latency_ms, detail=detail, last_error=self._last_error)

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
        from rag.adapters.http_deadline import Deadline

        deadline = Deadline(self._total_timeout_s)
        options: dict[str, float] = {
            "num_ctx": prompt.num_ctx,
            "num_predict": min(max_tokens, prompt.max_tokens),
            "temperature": temperature,
        }
        if seed is not None:
            options["seed"] = seed
        messages = [
            {"role": "system", "content": prompt.system_prompt},
            {"role": "user", "content": prompt.user_prompt},
        ]
        chat = self._chat({"messages": messages, "options": options, "stream": True}, deadline)
        try:
            return (yield from followed(chat, pulse="", on_leave=deadline.cut))
        except GeneratorUnavailable as error:
            self._last_error = PastError(message=error.message)
            raise

    # --- one exchange ---------------------------------------------------------------------------------------------

    def _chat(self, asked: Mapping[str, Any], deadline: "Deadline") -> Generator[str, None, StreamEnd]:
        """Yield the text of one chat."""
        described = self._ready()
        name = described.info.name if described.info else ""
        request = {"model": name, **asked}
        if described.thinks:
            request["think"] = False  # the answer's tokens would be spent on thoughts that nobody sees
        silent = True
        with deadline, closing(self._client(deadline)) as client:
            try:
                with closing(once_more(lambda: begun(client, request))) as parts:
                    for part in parts:
                        deadline.check()
                        text = part.message.content or ""
                        silent = silent and not text.strip()
                        if text:
                            yield text
                        if part.done:
                            return end_of(part, silent=silent)
                raise BrokenOff("the stream ended before the answer did")
            except Exception as error:
                asking = Asking(self.host, name, self._token_timeout_s, self._total_timeout_s)
                raise unavailable(error, asking, expired=deadline.expired) from error

    def _client(self, deadline: "Deadline") -> "Client":
        """Return a client for one exchange only, so that cutting it never touches another."""
        import httpx
        from ollama import Client

        read_s = min(self._token_timeout_s, deadline.seconds)
        timeout = httpx.Timeout(read_s, connect=min(self._connect_timeout_s, deadline.seconds))
        proxied = not is_this_machine(self.host)  # a proxy of the environment must not see what stays on this machine
        return Client(self.host, timeout=timeout, event_hooks=deadline.hooks, trust_env=proxied, verify=self._tls)

    @cached_property
    def _tls(self) -> SSLContext:
        """What certificates to trust; read once, because reading them takes longer than asking a server near by."""
        return create_default_context()

    # --- what the server has --------------------------------------------------------------------------------------

    def _ready(self) -> Described:
        """Return the model to ask; a server that refuses the connection is asked once more."""
        described = self._describe()
        if described.problem and is_refused(described.problem):
            sleep(RETRY_PAUSE_S)
            described = self._describe(anew=True)
        if described.problem:
            raise GeneratorUnavailable(described.problem.message, details=described.problem.details)
        return described

    def _describe(self, deadline: "Deadline | None" = None, *, anew: bool = False) -> Described:
        """Return what the server has, from memory where that is fresh enough.

        What one who has left was told is not remembered: the next who waits asks anew.
        """
        with self._lock:
            if anew or monotonic() >= self._known_until:
                found = self._probe(deadline)
                forget_frames(found.problem)
                if deadline is not None and deadline.is_left:
                    return found
                self._known = found
                self._known_until = monotonic() + (PROBLEM_CACHE_S if found.problem else MODEL_CACHE_S)
            return self._known

    def _probe(self, deadline: "Deadline | None") -> Described:
        """Return what the server has; never raises."""
        if silence := knock(self.host, timeout_s=min(self._connect_timeout_s, PROBE_TIMEOUT_S)):
            return Described(self._asked_for, problem=does_not_answer(self.host, silence))
        from rag.adapters.http_deadline import Deadline

        name = self._model_name or UNKNOWN_MODEL
        with deadline or Deadline(PROBE_TIMEOUT_S) as deadline, closing(self._client(deadline)) as client:
            try:
                names = [self._model_name] if self._model_name else listed(client)
                if not names:
                    return Described(None, problem=self._no_model())
                name = names[0]
                found = (described(client, name) for name in names[:MAX_DESCRIBED])
                return next((each for each in found if each.chats), Described(ModelInfo(name, None)))
            except Exception as error:
                asking = Asking(self.host, name, PROBE_TIMEOUT_S, PROBE_TIMEOUT_S, probing=True)
                problem = unavailable(error, asking, expired=deadline.expired)
                problem.__cause__ = error
                info = self._asked_for if is_unreachable(error) else ModelInfo(name, None)
                return Described(info, problem=problem)

    @property
    def _asked_for(self) -> ModelInfo | None:
        return ModelInfo(self._model_name, None) if self._model_name else None

    def _no_model(self) -> GeneratorUnavailable:
        return GeneratorUnavailable(
            f"Ollama at {self.host} has no model. Run `ollama pull NAME` with a model of your choice.",
            details={"host": self.host, "cause": "NoModel"},
        )
