"""Networks as OpenVINO compiled them for this processor, kept between starts: compiling takes longer than reading."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from rag.adapters.openvino_graphs import compile_model, compile_options, core
from rag.records.replacing import replace

_CPUINFO = Path("/proc/cpuinfo")


def compiled(
    build: Callable[[], Any], kept: Path | None, *, precision: str, threads: int | None, streams: int = 1
) -> Any:
    """Return a network compiled for this processor; the kept one where there is one that can be used.

    `build` returns the graph, where it must be compiled; `kept` is a file from `kept_as`; None: it is not kept. The
    rest is what `compile_model` takes. Raises `RuntimeError` where it cannot be compiled.
    """
    if kept is not None and kept.is_file():
        with suppress(RuntimeError, OSError, ValueError):
            from openvino import Tensor

            options = compile_options(precision=precision, threads=threads, streams=streams)
            blob = Tensor(np.memmap(kept, dtype=np.uint8, mode="r"))
            return core().import_model(blob, "CPU", dict(options))
    network = compile_model(build(), precision=precision, threads=threads, streams=streams)
    if kept is not None:
        with suppress(RuntimeError, OSError):  # a full or read-only disk costs the next start half a second
            keep(network.export_model().getbuffer(), kept)
    return network


def kept_as(folder: Path | None, kind: str, *made_of: object) -> Path | None:
    """Return the file of a network, or of what was measured for one; another wherever that would differ.

    None without a folder. Its name begins with the `kind`, of which the newest is kept; `made_of` is whatever decides
    what is compiled, beside the processor and the version of OpenVINO.
    """
    if folder is None:
        return None
    from openvino import get_version

    processor = (core().get_property("CPU", "FULL_DEVICE_NAME"), sorted(flags_of(cpuinfo()) or ()))
    parts = json.dumps([*made_of, get_version(), *processor])
    return folder / f"{kind}-{sha256(parts.encode()).hexdigest()[:16]}.blob"


def keep(content: bytes | memoryview, path: Path) -> None:
    """Write a file that `kept_as` named, in one step: another process may be reading it. Older ones go.

    Raises:
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, content)
    for other in path.parent.glob(f"{path.stem.rpartition('-')[0]}-*.blob"):
        if other != path:
            other.unlink(missing_ok=True)


def cpuinfo() -> str:
    """Return how Linux describes the processor; nothing elsewhere."""
    try:
        return _CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def flags_of(described: str) -> frozenset[str] | None:
    """Return the instructions that every core has, as Linux lists them; None where it lists none."""
    found = [frozenset(line.split()) for line in re.findall(r"^(?:flags|Features)\s*:(.*)$", described, re.MULTILINE)]
    return frozenset.intersection(*found) if found else None
