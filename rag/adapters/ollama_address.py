"""The address of an Ollama server, in any form that Ollama itself accepts."""

from urllib.parse import urlsplit

from rag.errors import ConfigurationError

DEFAULT_PORT = 11434


def connectable(host: str) -> str:
    """Return the address to connect to for any form of `OLLAMA_HOST` that Ollama itself accepts.

    Without a scheme the port is 11434; with one, the scheme's own. An address to listen on everywhere is this machine.

    >>> connectable(""), connectable("0.0.0.0"), connectable("box:8080"), connectable("[::1]")
    ('http://127.0.0.1:11434', 'http://127.0.0.1:11434', 'http://box:8080', 'http://[::1]:11434')
    >>> connectable("https://llm.example/ollama/")
    'https://llm.example:443/ollama'

    Raises:
        ConfigurationError: The scheme is neither http nor https, or the port is not a number up to 65535.
    """
    scheme, separator, rest = host.strip().strip("\"'").strip().rpartition("://")
    if separator and scheme not in ("http", "https"):
        raise _not_an_address(host, f"the scheme {scheme!r} is neither http nor https")
    try:
        parts = urlsplit(f"//{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError as error:
        raise _not_an_address(host, str(error)) from error
    port = port or {"http": 80, "https": 443}.get(scheme, DEFAULT_PORT)
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)  # noqa: S104
    return f"{scheme or 'http'}://{f'[{name}]' if ':' in name else name}:{port}{parts.path.rstrip('/')}"


def _not_an_address(host: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"OLLAMA_HOST={host!r} is not an address: {reason}. Use a form such as 127.0.0.1:11434 or https://host:port."
    )
