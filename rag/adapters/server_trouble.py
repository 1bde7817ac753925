"""Servers: which of them are not on this machine, and what can go wrong with one that has a model, and what to do."""

import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from rag.errors import ConfigurationError, GeneratorUnavailable
from rag.settings import Settings

_PORTS = {"http": 80, "https": 443}
REFUSED = ConnectionRefusedError.__name__
"""The cause, in the details of an error, of a connection that nobody accepted: a server that restarts does so soon."""


class BrokenOff(Exception):
    """The stream ended before the model said that it was done."""


class Wordless(Exception):
    """The model was done without having written anything."""


class OtherProtocol(Exception):
    """What came is not what such a server sends."""


@dataclass(frozen=True, slots=True)
class Server:
    """How a kind of model server is spoken of in messages, and which settings say where it is and name its model."""

    title: str
    address: str
    protocol: str
    address_setting: str
    model_setting: str
    start: str

    def __str__(self) -> str:
        return f"{self.title} at {self.address}"


@dataclass(frozen=True, slots=True)
class Asking:
    """What was being asked, and how long each part may take; for messages."""

    server: Server
    model: str
    token_timeout_s: float
    total_timeout_s: float
    probing: bool  # whether only the models were asked for


def is_unreachable(error: BaseException) -> bool:
    """Return whether no connection came about at all."""
    kinds = (*_of_httpx("ConnectError", "ConnectTimeout"), ConnectionRefusedError)
    return any(isinstance(cause, kinds) for cause in _causes(error))


def does_not_answer(server: Server, error: BaseException) -> GeneratorUnavailable:
    """Return our error for a server that no connection can be made to."""
    innermost = list(_causes(error))[-1]
    return GeneratorUnavailable(
        f"{server} does not answer: {_reason(innermost)}. {server.start}, or correct {server.address_setting}.",
        details={"host": server.address, "cause": type(innermost).__name__},
    )


def unavailable(error: Exception, asking: Asking, *, expired: bool, told: str | None = None) -> GeneratorUnavailable:
    """Return our error for anything that a client raised.

    Clients hand on what the server sends without checking it, so that garbage may surface as any exception at all:
    what is not known by name is reported as an answer that is not the protocol.

    Where the time for the whole exchange is up (`expired`), that is the reason, whatever broke; else it is what the
    server itself said of it (`told`), where its protocol has a word for it.
    """
    if is_unreachable(error):
        return does_not_answer(asking.server, error)
    text = f"{asking.server} {_what(error, asking, expired=expired, told=told)}"
    cause = "Timeout" if expired else type(error).__name__
    return GeneratorUnavailable(text, details={"host": asking.server.address, "model": asking.model, "cause": cause})


def _what(error: Exception, asking: Asking, *, expired: bool, told: str | None) -> str:
    """Return what happened and what to do, to stand after the server's name."""
    model, server = asking.model, asking.server
    silent = any(isinstance(cause, _of_httpx("TimeoutException")) for cause in _causes(error))
    if asking.probing and (expired or silent):
        return (
            f"did not list its models within {asking.total_timeout_s:g} s. Restart it, or correct "
            f"{server.address_setting}."
        )
    if expired:
        return (
            f"did not finish with model {model!r} within {asking.total_timeout_s:g} s. Use a smaller model, or raise "
            f"CANDOR_GENERATION_TIMEOUT_S."
        )
    if told:
        return told
    if silent:
        return (
            f"was silent for {asking.token_timeout_s:g} s with model {model!r}. Use a smaller model, raise "
            f"CANDOR_TOKEN_TIMEOUT_S, or restart the server."
        )
    if isinstance(error, Wordless):
        return f"returned no text from model {model!r}. Try another model with {server.model_setting}."
    if any(isinstance(cause, (BrokenOff, *_of_httpx("TransportError"), OSError)) for cause in _causes(error)):
        return f"broke off before the answer of model {model!r} was complete: {_reason(error)}. Check its log."
    return (
        f"sent something that is not {server.protocol}: {_reason(error)}. Check that {server.address_setting} is "
        f"the address of such a server."
    )


def answered_with(status: int | None, text: object) -> str:
    """Return what to tell of an error that the server answered with; no status: it came within a stream."""
    what = f"status {status}" if status else "an error"
    return f"answered with {what}: {short(text)}. Check the server's log, or try another model."


def short(text: object) -> str:
    """Return at most 200 characters on one line, without a full stop at the end."""
    line = " ".join(str(text).split())
    return (line if len(line) <= 200 else line[:199] + "…").rstrip(".")


def _reason(error: BaseException) -> str:
    return short(str(error) or type(error).__name__)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and everything that led to it; clients hide causes with `from None`."""
    seen: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in seen:
        seen.append(current)
        yield current
        current = current.__cause__ or current.__context__


def _of_httpx(*names: str) -> tuple[type[BaseException], ...]:
    """Return exceptions of httpx and its successor, which clients use; one that is not loaded raised none."""
    loaded = [sys.modules[name] for name in ("httpx", "httpx2") if name in sys.modules]
    return tuple(getattr(module, name) for module in loaded for name in names)


def is_this_machine(address: str) -> bool:
    """Return whether an address with a scheme is a loopback one; any other name may lead elsewhere.

    >>> is_this_machine("http://127.0.0.1:8080/v1"), is_this_machine("http://localhost"), is_this_machine("http://[::1]:1")
    (True, True, True)
    >>> is_this_machine("http://127.example:80"), is_this_machine("https://llm.example/v1")
    (False, False)
    """
    name = urlsplit(address).hostname or ""
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def knock(address: str, *, timeout_s: float) -> OSError | None:
    """Return why nobody listens at an address of this machine, in less than a millisecond; None where somebody does.

    An address elsewhere is not knocked at: only its proxy may know the way.
    """
    if not is_this_machine(address):
        return None
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname, parts.port or _PORTS[parts.scheme]), timeout_s).close()
    except OSError as error:
        return error
    return None


def require_allowed(address: str, *, is_allowed: bool, setting: str) -> None:
    """Refuse a model server, named by a setting, that is elsewhere where that is not allowed: it is sent documents.

    Raises:
        ConfigurationError: It is elsewhere, and that is not allowed.
    """
    if is_allowed or is_this_machine(address):
        return
    raise ConfigurationError(
        f"The model server at {address!r} ({setting}) is not on this machine, and questions with passages of the "
        f"documents would be sent there. Set CANDOR_ALLOW_REMOTE_MODEL=true to allow it, or correct {setting}."
    )


def sends_to(settings: Settings) -> tuple[str, ...]:
    """Return who gets documents, or passages of them, and is not on this machine: in words, with the host."""
    models = (settings.openai_base_url, settings.ollama_host) if settings.allow_remote_model else ()
    named = [
        ("a Qdrant server", settings.qdrant_url),
        ("Ray workers", settings.ray_address if settings.embedding_workers else None),
        ("a collector of traces", settings.otlp_endpoint if settings.log_questions else None),
        *(("a language model", one) for one in models),
    ]
    places = [(what, one if "://" in one else f"tcp://{one}") for what, one in named if one]
    return tuple(f"{what} at {urlsplit(one).hostname}" for what, one in places if not is_this_machine(one))
