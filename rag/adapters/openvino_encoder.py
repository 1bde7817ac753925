"""The embedding model compiled for this processor, and how that is checked.

Less exact numbers (`precision`) are taken only if the vectors of a few probes agree with those that torch computed in
float32.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rag.adapters.bert_openvino import BertShape, build_encoder
from rag.adapters.compiled_cache import compiled, kept_as

AGREEMENT: Final = 0.9999
"""The least cosine between a probe's vector here and the one that torch computed."""
PROBES: Final = (
    "Which gloves are worn with acids?",
    "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second.",
    "Qu’est-ce qu’un glacier ?",
    "| North America | 190 euros | 56 euros |",
)
_PROBE_VECTORS = Path(__file__).parents[1] / "weights" / "embedding_probe.npy"


def probe_vectors() -> NDArray[np.float32]:
    """Return what torch computes for `PROBES` with the packaged weights: unit vectors, shape `(4, 384)`."""
    vectors: NDArray[np.float32] = np.load(_PROBE_VECTORS, allow_pickle=False)
    return vectors


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
        streams: How many inferences run beside each other.
    """
    shape = BertShape(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        hidden=config["hidden_size"],
        epsilon=config["layer_norm_eps"],
    )

    def build() -> Any:
        from safetensors.numpy import load_file

        weights = load_file(folder / "model.safetensors")
        return build_encoder(weights, shape)

    kind = "encoder" if streams == 1 else "passages"
    kept = kept_as(cache, kind, digest, precision, "last", streams)
    return compiled(build, kept, precision=precision, threads=threads, streams=streams)
