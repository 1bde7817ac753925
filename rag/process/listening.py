"""Whether an address can be listened on, found out before anything is loaded for it."""

import socket

from rag.errors import ConfigurationError


def require_free(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on, most often because another process listens there already.

    Args:
        host: Name or address to listen on.
        port: 1 to 65535.

    Raises:
        ConfigurationError: The port is taken or reserved, or the host is no address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: a port just left is free
            trial.bind(address)
    except OSError as error:
        other = port + 1 if port < 65535 else 8501
        raise ConfigurationError(
            f"Cannot listen on {host}:{port}: {error.strerror or error}. If Candor or another program is running "
            f"there, stop it or use another port: `PORT={other} make run`, or `candor serve --port {other}`."
        ) from error
