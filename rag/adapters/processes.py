"""Which process this is, and whether another one is known to have ended. Only Linux and macOS tell."""

import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")  # where Linux tells of processes; elsewhere less is known
_ENDED = ("Z", "X")
_STARTED = 19  # place of the start time in `/proc/PID/stat`, counted from the state


@dataclass(frozen=True, slots=True)
class Process:
    """A process, such that no other one is taken for it: ids are given out again, start times are not."""

    host: str
    boot: str  # changes with every start of the machine; empty where that is not known
    space: str  # within which process ids count: containers have each their own; empty where that is not known
    pid: int
    started: str  # clock ticks from the machine's start to the process's; empty where that is not known

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host!r}"


def this_process() -> Process:
    """Return the running process."""
    boot = space = ""
    with suppress(OSError):
        boot = (PROC / "sys" / "kernel" / "random" / "boot_id").read_text(encoding="ascii").strip()
        space = str((PROC / "self" / "ns" / "pid").readlink())
    pid = os.getpid()
    return Process(socket.gethostname()[:255], boot, space, pid, _started(pid) or "")


def has_ended(other: Process, *, here: Process, one_machine: bool) -> bool:
    """Return whether a process is known to have ended; False also where that cannot be known from `here`.

    `one_machine`: both ran on one machine, as all do that write to one SQLite file.
    """
    if here.boot != other.boot:
        return one_machine and bool(here.boot and other.boot)
    if (here.host, here.space) != (other.host, other.space):
        return False
    started = _started(other.pid)
    return started is None or bool(started and other.started and started != other.started)


def _started(pid: int) -> str | None:
    """Return when a process began; empty where that cannot be known, None where there is no such process."""
    if (PROC / "self").exists():
        try:
            fields = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        except OSError:
            return ""
        return None if fields[0] in _ENDED else fields[_STARTED]
    if os.name == "posix":
        with suppress(PermissionError):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return None
    return ""
