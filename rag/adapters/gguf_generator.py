"""Drafts from a model file that xllamacpp (llama.cpp) runs in this process: loaded when first asked, one at a time.

The engine opens a port on loopback whether or not anybody wants one; a key that nobody knows closes it.
"""

import secrets
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from rag.adapters.gguf_header import read_gguf
from rag.adapters.server_generator import Wanted, told_of
from rag.errors import CandorError, ConfigurationError, GeneratorUnavailable
from rag.models import ModelKind, PastError, PromptContext, ServiceStatus
from rag.process.cores import cores
from rag.process.following import PULSE_S
from rag.protocols import ModelInfo, Pulse, SignOfLife, StreamEnd

if TYPE_CHECKING:
    from xllamacpp import Server

SMALLEST_WINDOW = 2048  # tokens of the window where the file does not say how many the model was trained with
BATCH = 256  # tokens of a prompt read at once: after each batch there is a sign of life, and a moment to stop
_PIECE = 1 << 24  # bytes of the file read at once before it is loaded

OnEvent = Callable[[dict[str, Any]], bool]  # takes what the engine says; true: stop


class GgufGenerator:
    """Runs a model file.

    A thread of its own loads the model and writes, one draft after another; whoever waits for a turn, for the model to
    be loaded or for a prompt to be read gets empty pieces meanwhile, and may leave. The interpreter does not end while
    the thread works: the engine's memory must not go away under it.

    Args:
        path: The model file.
        max_context: Tokens of the context window at most.
        total_timeout_s: Longest generation, from the moment at which it has its turn and the model is loaded.
        threads: Processor threads; None: all cores that this process may use.

    Raises:
        ConfigurationError: There is no such file, it is no GGUF file, or what runs it is not installed.
    """

    name: ModelKind = "gguf"
    away: str | None = None

    def __init__(
        self, path: Path, *, max_context: int = 8192, total_timeout_s: float = 40.0, threads: int | None = None
    ) -> None:
        self._file = read_gguf(path)
        if find_spec("xllamacpp") is None:
            raise ConfigurationError(
                f"CANDOR_GGUF={str(path)!r} is run by xllamacpp, which is not installed. Install it with "
                f"`pip install 'candor-rag[gguf]'`, or unset CANDOR_GGUF."
            )
        self._window = min(self._file.context_length or SMALLEST_WINDOW, max_context)
        self._total_timeout_s = total_timeout_s
        self._threads = threads
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="candor-gguf")
        self._engine: Server | None = None
        self._broken: GeneratorUnavailable | None = None
        self._last_error: PastError | None = None
        self._closed = Event()

    def model(self) -> ModelInfo:
        """Return the model of the file; it need not be loaded."""
        return ModelInfo(self._file.name, self._window)

    def find_model(self, *, pulse: Pulse) -> Generator[Pulse, None, ModelInfo]:
        """Return what `model` returns, at once."""
        return self.model()
        yield pulse  # makes it a generator

    def check(self) -> ServiceStatus:
        """Say which file and model there are, or that the file has gone; nothing is loaded."""
        started = monotonic()
        try:
            read_gguf(self._file.path)
            problem: CandorError | None = self._broken
        except ConfigurationError as error:
            problem = error
        loaded = "loaded" if self._engine else "not loaded yet"
        told = f"Model file {str(self._file.path)!r} in this process, {told_of(self.model())}, {loaded}."
        return ServiceStatus(
            state="disconnected" if problem else "connected",
            latency_ms=(monotonic() - started) * 1000,
            detail=problem.message if problem else told,
            kind=self.name,
            model=self._file.name,
            last_error=self._last_error,
        )

    def stream(
        self, prompt: PromptContext, *, max_tokens: int, temperature: float, seed: int | None = None
    ) -> Generator[str, None, StreamEnd]:
        """Yield pieces of the draft as they are written, and an empty one where none came for a while.

        Closing the iterator stops the model; at the latest after the batch of the prompt that it is reading.

        Raises:
            GeneratorUnavailable: The file cannot be loaded, the prompt is longer than the window, the time is up, or
                nothing was written.
        """
        wanted = Wanted(prompt, min(max_tokens, prompt.max_tokens), temperature, seed)
        draft = _Draft(self._closed)
        turn = self._worker.submit(self._work, wanted, draft)
        try:
            return (yield from self._told(draft))
        except GeneratorUnavailable as error:
            self._last_error = PastError(message=error.message)
            raise
        finally:
            draft.left.set()
            turn.cancel()

    def close(self) -> None:
        """Stop whatever is written and give the model's memory back."""
        self._closed.set()
        self._worker.shutdown(cancel_futures=True)
        self._engine = None

    # --- in the worker's thread ---------------------------------------------------------------------------------------

    def _work(self, wanted: Wanted, draft: "_Draft") -> None:
        """Load the model where that has not been done, and write; the draft's queue tells what happens."""
        try:
            engine = self._loaded(draft)
            if engine is not None:
                draft.ends = monotonic() + self._total_timeout_s  # the model is loaded, and this draft's turn has come
                write(engine, wanted.request, draft.heard)
            draft.queue.put(None)
        except BaseException as error:  # it belongs to whoever waits
            draft.queue.put(error)

    def _loaded(self, draft: "_Draft") -> "Server | None":
        """Return the engine; None where nobody waits any more before the file has been read."""
        if self._broken is not None:
            raise self._broken
        if self._engine is None and read_once(self._file.path, draft.heard):
            try:
                self._engine = load(self._file.path, window=self._window, threads=self._threads)
            except GeneratorUnavailable as error:
                self._broken = error  # the next try would hold up the whole process again, and end like this one
                raise
        return self._engine

    # --- in the thread of whoever waits -------------------------------------------------------------------------------

    def _told(self, draft: "_Draft") -> Generator[str, None, StreamEnd]:
        """Yield what the model writes; its end, or why there is none."""
        end, is_silent = StreamEnd(), True
        while True:
            try:
                event = draft.queue.get(timeout=PULSE_S)
            except Empty:
                yield ""
                continue
            if isinstance(event, GeneratorUnavailable):
                raise GeneratorUnavailable(event.message, details=event.details) from event
            if isinstance(event, BaseException):
                said = event or type(event).__name__
                raise self._failed(f"failed: {said}. Try another model file, or update xllamacpp.") from event
            if event is None or "error" in event:
                break
            text, end = _read(event, end)
            is_silent = is_silent and not text.strip()
            yield text or _sign_of_life(event)
        if event is not None:
            error = event["error"]
            told = str(error.get("message") if isinstance(error, dict) else error).rstrip(".")
            fewer = "Ask with fewer passages, or raise CANDOR_MAX_CONTEXT."
            advice = fewer if "context" in told else "Try another model file."
            raise self._failed(f"answered with an error: {told}. {advice}")
        if draft.is_late:
            raise self._failed(
                f"did not finish within {self._total_timeout_s:g} s. Use a smaller model, or raise "
                f"CANDOR_GENERATION_TIMEOUT_S."
            )
        if is_silent:
            raise self._failed("wrote no text. Try another model file.")
        return end

    def _failed(self, what: str) -> GeneratorUnavailable:
        text = f"The model {self._file.name!r} (CANDOR_GGUF) {what}"
        return GeneratorUnavailable(text, details={"path": str(self._file.path), "model": self._file.name})


class _Draft:
    """One draft between the worker and whoever waits for it."""

    def __init__(self, closed: Event) -> None:
        self.queue: SimpleQueue[dict[str, Any] | BaseException | None] = SimpleQueue()
        self.left = Event()
        self.ends: float | None = None
        self.is_late = False
        self._closed = closed

    def heard(self, event: dict[str, Any]) -> bool:
        """Take what the engine says; return whether to stop, because nobody waits any more, or no longer."""
        self.queue.put(event)
        self.is_late = self.is_late or (self.ends is not None and monotonic() >= self.ends)
        return self.is_late or self.left.is_set() or self._closed.is_set()


def _read(event: Mapping[str, Any], end: StreamEnd) -> tuple[str, StreamEnd]:
    """Return the text that an event brings, empty where it is a sign of life, and how the draft ends as known now."""
    text, reason = "", end.finish_reason
    for choice in event.get("choices") or ():
        text += (choice.get("delta") or {}).get("content") or ""
        if said := choice.get("finish_reason"):
            reason = "length" if said == "length" else "stop"
    usage = event.get("usage") or {}
    return text, StreamEnd(
        reason,
        prompt_tokens=usage.get("prompt_tokens", end.prompt_tokens),
        completion_tokens=usage.get("completion_tokens", end.completion_tokens),
    )


def _sign_of_life(event: Mapping[str, Any]) -> str:
    """Return a piece without text, with the share of the file or the prompt that was read where the event tells it."""
    if "loaded" in event:
        return SignOfLife(event["loaded"], is_loading=True)
    progress = event.get("prompt_progress") or {}
    total = progress.get("total") or 0
    return SignOfLife(min(progress.get("processed", 0) / total, 1.0)) if total else ""


# --- the engine ---------------------------------------------------------------------------------------------------


def read_once(path: Path, on_event: OnEvent) -> bool:
    """Read a file into the system's cache, while others can work and whoever waits can leave; say if to its end.

    `on_event` is called after each 16 MB with the share that was read, 0..1, as `loaded`.
    """
    size, done = path.stat().st_size, 0
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            done += len(piece)
            if on_event({"loaded": min(done / max(size, 1), 1.0)}):
                return False
    return True


def load(path: Path, *, window: int, threads: int | None) -> "Server":
    """Return the engine with the model loaded, and room for a window of so many tokens.

    Raises:
        GeneratorUnavailable: It cannot be loaded.
    """
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(path)
    wanted.n_ctx = window
    wanted.n_parallel = 1
    wanted.n_batch = wanted.n_ubatch = BATCH
    wanted.cpuparams.n_threads = threads or cores()
    wanted.cache_ram_mib = 0  # prompts are kept in memory otherwise, up to 8 GB of them
    wanted.warmup = False
    wanted.verbosity = -1
    wanted.api_keys = [secrets.token_urlsafe(32)]
    wanted.endpoint_slots = wanted.ui = False
    try:
        return xllamacpp.Server(wanted)
    except Exception as error:
        raise GeneratorUnavailable(
            f"The model file {str(path)!r} could not be loaded: {error} It may be incomplete, too large for the "
            "memory, or of a kind that the installed xllamacpp does not support. Restart Candor with another file or "
            "a newer xllamacpp.",
            details={"path": str(path), "cause": type(error).__name__},
        ) from error


def write(engine: "Server", request: Mapping[str, Any], on_event: OnEvent) -> None:
    """Let the model answer a chat; returns when it has, or when `on_event` said to stop."""
    asked = {
        **request,
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,  # a sign of life for each batch of the prompt
        "chat_template_kwargs": {"enable_thinking": False},  # thoughts would take the answer's tokens
    }
    engine.handle_chat_completions(asked, on_event)
