"""The embedding model compiled for this processor: which precision, kept compiled between starts, and checked.

A processor that computes in bfloat16 embeds nearly twice as fast (measured in `docs/performance.md`); one that only
imitates it is slower and less exact. So bfloat16 is taken where the processor itself has it, and only if the
vectors of a few probes agree with those that torch computed in float32.
"""

import io
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rag.adapters.bert_openvino import compile_options, core
from rag.recording.replacing import replace

AGREEMENT: Final = 0.9999
"""The least cosine between a probe's vector here and the one that torch computed."""
PROBES: Final = (
    "Which gloves are worn with acids?",
    "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second.",
    "Qu’est-ce qu’un glacier ?",
    "| North America | 190 euros | 56 euros |",
)
INNER_LAYER: Final = 4
"""The layer, counted from 1, whose states the reader compares beside those of the last."""
_PROBE_VECTORS = Path(__file__).parents[1] / "weights" / "embedding_probe.npy"
_CPUINFO = Path("/proc/cpuinfo")
_BFLOAT16 = frozenset({"avx512_bf16", "amx_bf16", "bf16"})
"""How Linux names the instructions: x86 with AVX-512 or AMX, ARM."""


def probe_vectors() -> NDArray[np.float32]:
    """Return what torch computes for `PROBES` with the packaged weights: unit vectors, shape `(4, 384)`."""
    vectors: NDArray[np.float32] = np.load(_PROBE_VECTORS, allow_pickle=False)
    return vectors


def chosen_precision(wanted: str) -> str:
    """Return `float32` or `bfloat16`: what was asked for, or for `auto` what this processor computes fastest."""
    if wanted != "auto":
        return wanted
    offered = "BF16" in core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return "bfloat16" if offered and _has_bfloat16(_cpuinfo()) is not False else "float32"


def compiled_encoder(
    folder: Path,
    config: Mapping[str, Any],
    *,
    precision: str,
    threads: int | None,
    digest: str,
    cache: Path | None,
    streams: int = 1,
) -> Any:
    """Return the encoder in a model's folder, compiled; from the cache where this processor compiled it before.

    Args:
        folder: Holds `model.safetensors`.
        config: The model's `config.json`.
        precision: `float32` or `bfloat16`.
        threads: Threads of all inferences; None: all cores.
        digest: SHA-256 of the weights.
        cache: Where compiled models are kept; None: nowhere. A file that cannot be used is made anew.
        streams: How many inferences run beside each other. With several there is one output only, the last states:
            writing out the inner ones, too, costs a sixth.
    """
    options = compile_options(precision=precision, threads=threads, streams=streams)
    kept = None if cache is None else cache / _cache_name(digest, precision, streams)
    if kept is not None and kept.is_file():
        with suppress(RuntimeError, OSError, ValueError):
            return _imported(kept, options)
    compiled = _compiled(folder, config, precision=precision, threads=threads, streams=streams)
    if kept is not None:
        with suppress(RuntimeError, OSError):  # A full or read-only disk costs the next start half a second.
            _keep(compiled.export_model(), kept)
    return compiled


def _compiled(folder: Path, config: Mapping[str, Any], *, precision: str, threads: int | None, streams: int) -> Any:
    from safetensors.numpy import load_file

    from rag.adapters.bert_openvino import BertShape, build_encoder, compile_model

    shape = BertShape(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        hidden=config["hidden_size"],
        epsilon=config["layer_norm_eps"],
    )
    inner = (INNER_LAYER,) if streams == 1 else ()
    graph = build_encoder(load_file(folder / "model.safetensors"), shape, inner=inner)
    return compile_model(graph, precision=precision, threads=threads, streams=streams)


def _imported(kept: Path, options: Mapping[str, Any]) -> Any:
    from openvino import Tensor

    blob = Tensor(np.memmap(kept, dtype=np.uint8, mode="r"))
    return core().import_model(blob, "CPU", dict(options))


def _keep(blob: io.BytesIO, path: Path) -> None:
    """Write a file in one step: another process may be reading it. Older ones are removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, blob.getbuffer())
    for other in path.parent.glob(f"{path.stem.rpartition('-')[0]}-*.blob"):
        if other != path:
            other.unlink(missing_ok=True)


def _cache_name(digest: str, precision: str, streams: int) -> str:
    """Return a file name that differs wherever the compiled model would."""
    from hashlib import sha256

    from openvino import get_version

    parts = [
        digest,
        precision,
        INNER_LAYER,
        streams,
        get_version(),
        core().get_property("CPU", "FULL_DEVICE_NAME"),
        sorted(_flags()),
    ]
    kind = "encoder" if streams == 1 else "passages"
    return f"{kind}-{sha256(json.dumps(parts).encode()).hexdigest()[:16]}.blob"


def _cpuinfo() -> str:
    try:
        return _CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _flags() -> frozenset[str]:
    return _flags_of(_cpuinfo()) or frozenset()


def _has_bfloat16(cpuinfo: str) -> bool | None:
    """Return whether the processor computes in bfloat16 itself; None where its description does not say."""
    flags = _flags_of(cpuinfo)
    return None if flags is None else bool(flags & _BFLOAT16)


def _flags_of(cpuinfo: str) -> frozenset[str] | None:
    """Return the instructions that every core has, as Linux lists them; None where it lists none."""
    found = [frozenset(line.split()) for line in re.findall(r"^(?:flags|Features)\s*:(.*)$", cpuinfo, re.MULTILINE)]
    return frozenset.intersection(*found) if found else None
