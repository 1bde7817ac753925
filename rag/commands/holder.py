"""Which process has the embedded index open, and whether it is a Candor that can be asked."""

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import CandorError
from rag.models import Health, ServiceStatus

if TYPE_CHECKING:
    from rag.candor import Candor

PROC = Path("/proc")  # where Linux tells of locks, processes and sockets; elsewhere nothing is known
ANSWER_WITHIN_S = 3.0
_LISTENING = "0A"


def is_index_in_use(candor: "Candor") -> bool:
    """Return whether another process has the embedded index open, so that this one cannot answer from it."""
    if candor.settings.qdrant_url:
        return False
    try:
        candor.wiring.store  # noqa: B018 - opening it is the question
    except CandorError as error:
        return bool(error.details.get("in_use"))
    return False


def health_beside(own: Health, index: Path, *, configured: str) -> Health:
    """Return the health of an index that another process has open: what that one says; else in use, and so degraded.

    Args:
        own: What this process sees: no index.
        index: Folder of the embedded index.
        configured: Address at which `candor serve` would listen; asked where the process is not known.
    """
    pid = holder_of(index)
    named = f"in use by the running process {pid}" if pid else "in use by another process"
    for url in _addresses_of(pid)[:3] if pid else [configured]:
        if found := _health_at(url):
            store = found.services.get("qdrant", ServiceStatus(state="connected"))
            detail = f"{store.detail}; {named}, which answers at {url}".lstrip("; ")
            services = {**found.services, "qdrant": store.model_copy(update={"detail": detail})}
            return found.model_copy(update={"services": services})
    detail = f"{named}, which does not serve requests: ingest and ask here when it has finished"
    services = {**own.services, "qdrant": ServiceStatus(state="connected", detail=detail)}
    can_embed = own.services["embedding"].state == "connected"
    return own.model_copy(update={"status": "degraded" if can_embed else "unavailable", "services": services})


def holder_of(index: Path) -> int | None:
    """Return the id of the process that holds a lock on a file of the index; None where that cannot be known."""
    with suppress(OSError, ValueError, IndexError):
        files = {(seen.st_dev, seen.st_ino) for seen in (path.stat() for path in index.rglob("*"))}
        inodes = {inode for _, inode in files}
        for fields in map(str.split, (PROC / "locks").read_text(encoding="ascii").splitlines()):
            # The device is not compared: layered file systems list another one than they tell of a file.
            if "->" in fields or int(fields[4]) <= 0 or int(fields[5].rpartition(":")[2]) not in inodes:
                continue
            if not files.isdisjoint(_opened(int(fields[4]))):
                return int(fields[4])
    return None


def _opened(pid: int) -> Iterator[tuple[int, int]]:
    """Yield device and inode of what a process has open; nothing where that may not be seen."""
    with suppress(OSError):
        for link in (PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                seen = link.stat()
                yield seen.st_dev, seen.st_ino


def _addresses_of(pid: int) -> list[str]:
    """Return the addresses, as `http://127.0.0.1:8501`, at which a process of this user listens over IPv4."""
    with suppress(OSError):
        sockets = {str(path.readlink()) for path in (PROC / str(pid) / "fd").iterdir() if path.is_symlink()}
        return [url for inode, url in _listening(pid) if f"socket:[{inode}]" in sockets]
    return []


def _listening(pid: int) -> Iterator[tuple[str, str]]:
    """Yield inode and address of each socket that listens in the network of a process."""
    for line in (PROC / str(pid) / "net" / "tcp").read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        if fields[3] == _LISTENING:
            host, port = fields[1].split(":")
            address = socket.inet_ntoa(struct.pack("=I", int(host, 16)))
            yield fields[9], f"http://{'127.0.0.1' if address == '0.0.0.0' else address}:{int(port, 16)}"  # noqa: S104


def _health_at(url: str) -> Health | None:
    """Return what a running Candor says of its health; None where nobody answers, or somebody else."""
    import httpx

    with suppress(httpx.HTTPError, httpx.InvalidURL, ValueError):
        answer = httpx.get(f"{url}/api/v1/health", timeout=ANSWER_WITHIN_S, trust_env=False)
        return Health.model_validate_json(answer.content)  # unavailable is told with status 503
    return None
