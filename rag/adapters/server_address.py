"""The address of a model server: whether it is this machine's own, whether anybody listens, whether it may be used."""

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from rag.errors import ConfigurationError

_PORTS = {"http": 80, "https": 443}


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
    """Refuse a model server that is not on this machine where nobody has allowed one: it would be sent documents.

    Args:
        address: Where the server is.
        is_allowed: Whether one elsewhere may be used.
        setting: The setting that names it.

    Raises:
        ConfigurationError: It is elsewhere, and that is not allowed.
    """
    if is_allowed or is_this_machine(address):
        return
    raise ConfigurationError(
        f"The model server at {address!r} ({setting}) is not on this machine, and questions with passages of the "
        f"documents would be sent there. Set CANDOR_ALLOW_REMOTE_MODEL=true to allow it, or correct {setting}."
    )
