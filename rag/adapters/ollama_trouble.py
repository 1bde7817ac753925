"""What can go wrong between us and Ollama, in words that say what was tried and what to do next."""

from collections.abc import Iterator
from dataclasses import dataclass

from rag.errors import GeneratorUnavailable


class BrokenOff(Exception):
    """The stream ended before the model said that it was done."""


class Wordless(Exception):
    """The model was done without having written anything."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What was being asked, and how long each part may take; for messages."""

    host: str
    model: str
    token_timeout_s: float
    total_timeout_s: float
    probing: bool = False
    """Whether only the models were asked for."""


def is_refused(error: BaseException) -> bool:
    """Return whether a refused connection is at the bottom of an error."""
    return any(isinstance(cause, ConnectionRefusedError) for cause in _causes(error))


def is_unreachable(error: BaseException) -> bool:
    """Return whether no connection came about at all."""
    import httpx

    kinds = (httpx.ConnectError, httpx.ConnectTimeout, ConnectionRefusedError)
    return any(isinstance(cause, kinds) for cause in _causes(error))


def is_missing_model(error: BaseException) -> bool:
    """Return whether the server answers that it does not have the model."""
    import ollama

    return isinstance(error, ollama.ResponseError) and error.status_code == 404 and "model" in str(error.error).lower()


def does_not_answer(host: str, error: BaseException) -> GeneratorUnavailable:
    """Return our error for a server that no connection can be made to."""
    innermost = list(_causes(error))[-1]
    problem = GeneratorUnavailable(
        f"Ollama at {host} does not answer: {_reason(innermost)}. "
        f"Start it with `ollama serve`, or correct OLLAMA_HOST.",
        details={"host": host, "cause": type(innermost).__name__},
    )
    problem.__cause__ = error
    return problem


def unavailable(error: Exception, asking: Asking, *, expired: bool) -> GeneratorUnavailable:
    """Return our error for anything that the client raised.

    The client hands on what the server sends without checking it, so that garbage may surface as any exception at all:
    what is not known by name is reported as an answer that is not Ollama's protocol.

    Args:
        error: What was raised.
        asking: What was being asked.
        expired: Whether the time for the whole exchange is up: then that is the reason, whatever broke.
    """
    if is_unreachable(error):
        return does_not_answer(asking.host, error)
    text = f"Ollama at {asking.host} {_what(error, asking, expired=expired)}"
    cause = "Timeout" if expired else type(error).__name__
    return GeneratorUnavailable(text, details={"host": asking.host, "model": asking.model, "cause": cause})


def _what(error: Exception, asking: Asking, *, expired: bool) -> str:
    """Return what happened and what to do, to stand after `Ollama at HOST`."""
    import httpx
    import ollama

    model = asking.model
    if is_missing_model(error):
        return f"does not have the model {model!r}. Run `ollama pull {model}`, or set CANDOR_OLLAMA_MODEL."
    if asking.probing and (expired or isinstance(error, httpx.TimeoutException)):
        return (
            f"did not say within {asking.total_timeout_s:g} s which models it has. Restart it, or correct OLLAMA_HOST."
        )
    if expired:
        return (
            f"did not finish with model {model!r} within {asking.total_timeout_s:g} s. Use a smaller model, or raise "
            f"CANDOR_GENERATION_TIMEOUT_S."
        )
    if isinstance(error, ollama.ResponseError):
        status = f"status {error.status_code}" if error.status_code > 0 else "an error"
        return f"answered with {status}: {_short(error.error)}. Look into the server's log, or try another model."
    if isinstance(error, httpx.TimeoutException):
        return (
            f"was silent for {asking.token_timeout_s:g} s with model {model!r}. Use a smaller model, raise "
            f"CANDOR_TOKEN_TIMEOUT_S, or restart the server."
        )
    if isinstance(error, Wordless):
        return f"returned no text from model {model!r}. Try another model with CANDOR_OLLAMA_MODEL."
    if isinstance(error, BrokenOff | httpx.TransportError | OSError):
        return f"broke off before the answer of model {model!r} was complete: {_reason(error)}. Look into its log."
    return (
        f"sent something that is not Ollama's protocol: {_reason(error)}. Check that OLLAMA_HOST is an Ollama server."
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and everything that led to it; the client hides causes with `from None`."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _reason(error: BaseException) -> str:
    """Return an error's own words, or its kind where it has none."""
    return _short(str(error) or type(error).__name__)


def _short(text: object) -> str:
    """Return at most 200 characters on one line, without a full stop at the end."""
    line = " ".join(str(text).split())
    return (line if len(line) <= 200 else line[:199] + "…").rstrip(".")
