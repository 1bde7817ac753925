"""Which process has the embedded index open, and whether it is a Candor that can be asked. Nothing is opened here."""

import json
import os
import socket
import struct
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

from rag.models import Health, ServiceStatus

PROC = Path("/proc")
"""Where Linux tells of locks, processes and sockets; elsewhere nothing is known."""
ANSWER_WITHIN_S = 3.0
_LISTENING = "0A"


def holder_of(index: Path) -> int | None:
    """Return the id of the process that holds a lock on a file of the index; None where that cannot be known."""
    with suppress(OSError, ValueError, IndexError):
        files = {(seen.st_dev, seen.st_ino) for seen in (path.stat() for path in index.rglob("*"))}
        for line in (PROC / "locks").read_text(encoding="ascii").splitlines():
            fields = line.split()
            if "->" not in fields and int(fields[4]) > 0 and _is_of(fields[5], int(fields[4]), files):
                return int(fields[4])
    return None


def addresses_of(pid: int) -> list[str]:
    """Return the addresses, as `http://127.0.0.1:8501`, at which a process of this user listens over IPv4."""
    with suppress(OSError):
        sockets = {str(path.readlink()) for path in (PROC / str(pid) / "fd").iterdir() if path.is_symlink()}
        return [url for inode, url in _listening(pid) if f"socket:[{inode}]" in sockets]
    return []


def health_at(url: str) -> Health | None:
    """Return what a running Candor says of its health; None where nobody answers, or somebody else."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/api/v1/health", timeout=ANSWER_WITHIN_S) as response:
            body = response.read()
    except urllib.error.HTTPError as error:  # unavailable is told with status 503
        with error:
            body = error.read()
    except (OSError, HTTPException):
        return None
    with suppress(ValueError):
        return Health.model_validate(json.loads(body))
    return None


def health_beside(own: Health, index: Path, *, configured: str) -> Health:
    """Return the health of an index that another process has open.

    Args:
        own: What this process sees: no index.
        index: Folder of the embedded index.
        configured: Address at which `candor serve` would listen; asked where the process is not known.

    Returns:
        What the other process says of itself. Where it cannot be asked (an ingest, say), the index is there but in
        use: degraded, or unavailable where the embedding model is missing too. The `qdrant` detail names the process.
    """
    pid = holder_of(index)
    for url in addresses_of(pid)[:3] if pid else [configured]:
        found = health_at(url)
        if found:
            store = found.services["qdrant"] if "qdrant" in found.services else ServiceStatus(state="connected")
            detail = f"{store.detail}; in use by {_named(pid)}, which answers at {url}".lstrip("; ")
            services = {**found.services, "qdrant": store.model_copy(update={"detail": detail})}
            return found.model_copy(update={"services": services})
    detail = f"in use by {_named(pid)}, which does not serve requests: ingest and ask here when it has finished"
    services = {**own.services, "qdrant": ServiceStatus(state="connected", detail=detail)}
    can_embed = own.services["embedding"].state == "connected"
    return own.model_copy(update={"status": "degraded" if can_embed else "unavailable", "services": services})


def _is_of(locked: str, pid: int, files: set[tuple[int, int]]) -> bool:
    """Return whether a lock is on one of these files: an inode alone may be another file's, on another device.

    Layered file systems list another device than they tell of a file: there the files that the process has open count.

    Args:
        locked: The file as the list of locks has it: major and minor in hexadecimal, inode.
        pid: Who holds the lock.
        files: Device and inode of each file of the index.
    """
    major, minor, inode = locked.split(":")
    if int(inode) not in {known for _, known in files}:
        return False
    return (os.makedev(int(major, 16), int(minor, 16)), int(inode)) in files or not files.isdisjoint(_opened(pid))


def _opened(pid: int) -> Iterator[tuple[int, int]]:
    """Yield device and inode of what a process has open; nothing where that may not be seen."""
    with suppress(OSError):
        for link in (PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                seen = link.stat()
                yield seen.st_dev, seen.st_ino


def _named(pid: int | None) -> str:
    return f"the running process {pid}" if pid else "another process"


def _listening(pid: int) -> Iterator[tuple[str, str]]:
    """Yield inode and address of each socket that listens in the network of a process."""
    for line in (PROC / str(pid) / "net" / "tcp").read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        if fields[3] == _LISTENING:
            host, port = fields[1].split(":")
            address = socket.inet_ntoa(struct.pack("=I", int(host, 16)))
            yield fields[9], f"http://{'127.0.0.1' if address == '0.0.0.0' else address}:{int(port, 16)}"  # noqa: S104
