"""A model file run by xllamacpp (llama.cpp) in this process.

The engine opens a port on loopback whether or not anybody wants one; a key that nobody knows closes it.
"""

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import GeneratorUnavailable
from rag.process.cores import cores

if TYPE_CHECKING:
    from xllamacpp import Server

BATCH = 256
"""Tokens of a prompt read at once: after each batch there is a sign of life, and a moment to stop."""
_PIECE = 1 << 24
"""Bytes of the file read at once before it is loaded."""

OnEvent = Callable[[dict[str, Any]], bool]
"""Takes what the engine says; true: stop."""


def read_once(path: Path, on_piece: Callable[[float], bool]) -> bool:
    """Read a file from end to end, so that it is in the system's cache; return whether it was read to its end.

    Loading holds up the whole process, and takes long only where it waits for the disk: that is done here, where
    others can work meanwhile and whoever waits can leave.

    Args:
        path: The file.
        on_piece: Called after each 16 MB with the share that was read, 0..1; true: stop.
    """
    size, done = path.stat().st_size, 0
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            done += len(piece)
            if on_piece(min(done / max(size, 1), 1.0)):
                return False
    return True


def load(path: Path, *, window: int, threads: int | None) -> "Server":
    """Return the engine with the model loaded.

    Args:
        path: The model file.
        window: Tokens of the context window to make room for.
        threads: Processor threads; None: all cores that this process may use.

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
