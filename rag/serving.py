"""`candor serve`: the dashboard and the HTTP API in one process."""

import gc
import os
import socket
import sys
from collections.abc import Mapping
from contextlib import closing, suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from rag.errors import ConfigurationError, ServiceUnavailable
from rag.process.data_folder import make_private, require_writable
from rag.process.product import served_folder
from rag.settings import Settings, load_settings, unread_names


def serve(host: str | None = None, port: int | None = None) -> None:
    """Serve until interrupted.

    Args:
        host: Address to listen on; None: `CANDOR_HOST`, by default 127.0.0.1.
        port: Port to listen on; None: `CANDOR_PORT`, else `PORT`, by default 8501.

    Raises:
        ConfigurationError: The address is not this machine's own and no API key exists, or its port is taken; or the
            model that the settings name may not be used, or is not there; or the gate cannot decide.
        FolderUnwritable: The data folder cannot be written.
        IndexNotReady: Another process has the index open.
    """
    from rag.adapters.generators import made_generator

    settings = load_settings()
    for name, nearest in unread_names().items():
        sys.stderr.write(f"{name} is not a setting and has no effect. The most similar setting is {nearest}.\n")
    require_writable(settings.data_dir)
    address, number = host or settings.host, port or _port(settings)
    require_keys(address, settings)
    made_generator(settings)  # a model that may not be used, or is not there, is told before anybody asks
    require_free(address, number)
    make_private(settings.data_dir)
    sys.path.insert(0, str(served_folder()))
    os.environ.setdefault("STREAMLIT_BROWSER_GATHER_USAGE_STATS", "false")
    check_index(settings)
    check_gate(settings)
    notice = index_notice(settings)
    if notice:
        sys.stderr.write(f"{notice}\n")
    _run(address, number)


def _run(address: str, number: int) -> None:
    import uvicorn

    sys.stderr.write(f"Candor serves http://{address}:{number} (API: /api/docs). Press Ctrl-C to stop.\n")

    # Addresses in X-Forwarded-For are believed only from proxies that the operator names.
    proxies = named_proxies()
    try:
        uvicorn.run(
            "server:app",
            host=address,
            port=number,
            log_level="warning",
            proxy_headers=bool(proxies),
            forwarded_allow_ips=proxies or None,
            server_header=False,
            timeout_graceful_shutdown=5,
        )
    finally:
        gc.unfreeze()  # where the API's own end was broken off; else libraries tell at the end that it leaked


def require_free(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on, most often because another process listens there already.

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


def check_index(settings: Settings) -> None:
    """Refuse to start where another process has the index open; whatever model it was built with.

    One that an older Candor wrote is made anew before anybody can ask.

    Raises:
        IndexNotReady: It has.
        CandorError: The older one cannot be made anew.
    """
    if settings.qdrant_url:
        return
    from rag.adapters.edge_config import indexed_dimension
    from rag.adapters.edge_older import is_older
    from rag.adapters.edge_store import EdgeStore
    from rag.ingest.writers import NAME, WritersLock
    from rag.wiring import Wiring

    path = settings.data_dir / "index"
    if is_older(path):
        with closing(Wiring(settings)) as wiring:
            wiring.indexer  # noqa: B018 - it makes the index anew
        return
    dimension = indexed_dimension(path)
    if dimension is not None:
        with WritersLock(settings.data_dir / NAME):
            EdgeStore(path, dimension=dimension).close()


def check_gate(settings: Settings) -> None:
    """Refuse to start where the gate cannot decide, as one whose thresholds were fitted on another reader.

    Promoted settings count, as they do for questions. A database that does not answer is told of by the server.

    Raises:
        ConfigurationError: It cannot; the message says why and what to do.
    """
    from rag.candor import Candor
    from rag.text.words import stems
    from rag.workspace.in_force import put_in_force

    with suppress(ServiceUnavailable), Candor.open(settings) as candor:
        put_in_force(candor)
        stems("", language=settings.language)
        candor.wiring.check, candor.wiring.fit  # noqa: B018 - they are made, or say why they cannot be


def index_notice(settings: Settings) -> str | None:
    """Return what to tell of an index that another version of Candor made; None where there is nothing to tell."""
    from rag.ingest.version import is_outdated
    from rag.wiring import Wiring

    told = "Another version of Candor read some of the documents. They are read again while the server runs."
    with closing(Wiring(settings)) as wiring:
        return told if is_outdated(wiring.catalogue) else None


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    address = _address(host.strip("[]"))
    return host == "localhost" or (address is not None and address.is_loopback)


def is_elsewhere(address: str) -> bool:
    """Return whether an address is surely another machine's; a name, or none at all, may be this one's.

    >>> is_elsewhere("192.0.2.7"), is_elsewhere("::1"), is_elsewhere("")
    (True, False, False)
    """
    found = _address(address)
    return found is not None and not (getattr(found, "ipv4_mapped", None) or found).is_loopback


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


FORWARDED = frozenset(
    (
        *("forwarded", "via", "cdn-loop", "x-real-ip", "x-client-ip", "client-ip", "true-client-ip", "x-remote-ip"),
        *("cf-connecting-ip", "cf-connecting-ipv6", "fastly-client-ip", "x-cluster-client-ip", "x-azure-clientip"),
        *("x-originating-ip", "x-original-forwarded-for", "x-envoy-external-address", "proxy-client-ip"),
    )
)
"""Headers by which a proxy says that it passes on the request of somebody else; and all that begin with `x-forwarded`.
"""
NAMES_CLIENT = "x-forwarded-for"
"""The only header in which a proxy is believed to say whom it serves: uvicorn reads no other."""


def named_proxies() -> str:
    """Return the addresses of proxies whose word of whom they serve is believed, as the operator has named them."""
    return os.environ.get("FORWARDED_ALLOW_IPS", "").strip()


def is_forwarded(headers: Mapping[str, str]) -> bool:
    """Return whether a proxy has passed a request on."""
    return any(name.lower() in FORWARDED or name.lower().startswith("x-forwarded") for name in headers)


def named_clients(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Return whom the proxies say that they serve, the nearest last; none where they leave any of them out.

    >>> named_clients({"X-Forwarded-For": "192.0.2.7, 127.0.0.1"}), named_clients({"X-Forwarded-For": ", 127.0.0.1"})
    (('192.0.2.7', '127.0.0.1'), ())
    """
    values = [value for name, value in headers.items() if name.lower() == NAMES_CLIENT]
    named = tuple(part.strip() for value in values for part in value.split(","))
    return named if all(named) else ()


def is_near(address: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request may have been sent from this machine.

    A proxy on this machine has an address of this machine, whoever stands behind it. So a request that was passed on
    comes from here only if the operator has named the proxies, one by one, and they say that it does: a proxy that
    does not say whom it serves may serve anybody.
    """
    if not is_forwarded(headers):
        return not is_elsewhere(address)
    proxies, clients = named_proxies(), named_clients(headers)
    if not proxies or "*" in proxies or not clients:
        return False
    return is_loopback(address) and all(is_loopback(client) or is_loopback(name_in(client)) for client in clients)


def is_called_by_own_name(address: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request calls this machine by a name that nobody else can point at it.

    A browser lets a web page read what comes from the page's own name, and whoever owns that name can point it at
    127.0.0.1. Such a page's GET tells itself by its Host alone: there is no Origin, and no Sec-Fetch-Site without TLS.
    """
    host = next((value for name, value in headers.items() if name.lower() == "host"), "")
    return not host or _address(address) is None or is_loopback(name_in(host))


def name_in(host: str) -> str:
    """Return the name of a Host header without its port; empty where it is malformed.

    >>> name_in("127.0.0.1:8501"), name_in("[::1]:8501"), name_in("somebody@127.0.0.1")
    ('127.0.0.1', '::1', '')
    """
    try:
        return "" if "@" in host else urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_from_here(address: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request may have come from a person or a program on this machine, and not from a web page."""
    return is_near(address, headers) and is_called_by_own_name(address, headers)


def require_keys(host: str, settings: Settings) -> None:
    """Refuse an address that others can reach while nobody needs a key.

    Raises:
        ConfigurationError: There is no key, and `CANDOR_ALLOW_OPEN` is not set.
    """
    if is_loopback(host) or settings.allow_open:
        return
    from rag.wiring import Wiring

    with closing(Wiring(settings)) as wiring:
        if any(key.revoked_at is None for key in wiring.sessions.keys.list()):
            return
    raise ConfigurationError(
        f"Other machines can reach {host!r}, and there is no API key: anyone could ask, read and delete. Create a key "
        "with `candor keys create NAME`, serve on 127.0.0.1, or set CANDOR_ALLOW_OPEN=true if something else protects "
        "it."
    )


def _port(settings: Settings) -> int:
    given = os.environ.get("PORT", "")
    if "port" in settings.model_fields_set or not given:
        return settings.port
    if not given.isdigit() or not 1 <= int(given) <= 65535:
        raise ConfigurationError(f"The setting PORT={given!r} is not a port number, 1 to 65535.")
    return int(given)
