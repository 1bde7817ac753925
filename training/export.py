"""Write what ships from a checkpoint of the reader: matrices in 8-bit integers, in files under 50 MB.

    python -m training.export --checkpoint FILE --base FOLDER --out rag/weights

Embeddings and the layers that training leaves alone come into files of their own: they stay the same, byte for byte,
whatever is trained above them.
"""

import argparse
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from training.network import FROZEN

Weights = dict[str, NDArray[Any]]
VERSION = 1
"""Of the files' layout."""
KEPT_EXACT = ("answers.", "marks.")
"""The heads stay in float32; they are small, and `candor train` builds on them."""
BASE = "all-mpnet-base-v2"


def main() -> None:
    """Export one checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    kept = torch.load(options.checkpoint, weights_only=True, mmap=True)
    weights = network_weights(kept["masters"], options.base)
    config = json.loads((options.base / "config.json").read_text(encoding="utf-8"))
    training = figures(options.checkpoint, kept)
    export(weights, config, options.out, base=base_digest(options.base), training=training)


def network_weights(masters: Mapping[str, torch.Tensor], base: Path) -> Weights:
    """Return the whole network in float32, under the names of `transformers.MPNetModel` and of the heads."""
    weights = {name: value.astype(np.float32) for name, value in load_file(base / "model.safetensors").items()}
    weights = {name: value for name, value in weights.items() if name.startswith(("embeddings.", "encoder."))}
    weights.pop("embeddings.position_ids", None)
    trained = {name.removeprefix("body."): value.detach().float().numpy() for name, value in masters.items()}
    unknown = [name for name in trained if name not in weights and not name.startswith(KEPT_EXACT)]
    if unknown:
        raise SystemExit(
            f"The base in {base} has no {unknown[0]!r}, which the checkpoint trained: it is another model."
        )
    return weights | trained


def figures(checkpoint: Path, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a training: its steps and time, and, from the log beside it, texts read and losses."""
    found: dict[str, Any] = {"steps": kept["step"], "minutes": round(kept["spent"] / 60, 1)}
    log = checkpoint.with_name("train.jsonl")
    if log.is_file():
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        lines = [line for line in lines if line["step"] <= kept["step"]]
        found["texts"] = sum(line["texts"] for line in lines)
        last = lines[-200:]
        for name in ("pairs", "lists", "marks"):
            found[f"last_{name}_loss"] = round(float(np.mean([line[name] for line in last])), 4)
    return found


def base_digest(base: Path) -> str:
    """Return the SHA-256 of the base's weights."""
    with (base / "model.safetensors").open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def export(
    weights: Mapping[str, NDArray[np.float32]],
    config: Mapping[str, Any],
    folder: Path,
    *,
    base: str,
    training: Mapping[str, Any],
) -> None:
    """Write the weights, and `reader.json` that names them.

    Args:
        weights: The whole network, from `network_weights`.
        config: The base's `config.json`.
        folder: Where to write.
        base: SHA-256 of the base's weights.
        training: Figures for whoever wonders where the weights come from.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, names in enumerate(parts(weights), 1):
        path = folder / f"reader-{number}.safetensors"
        content = save(rounded({name: weights[name] for name in names}))
        path.write_bytes(content)
        files.append({"name": path.name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)})
    described = {
        "version": VERSION,
        "base": {"name": BASE, "sha256": base},
        "layers": config["num_hidden_layers"],
        "heads": config["num_attention_heads"],
        "hidden": config["hidden_size"],
        "epsilon": config["layer_norm_eps"],
        "files": files,
        "training": dict(training),
    }
    (folder / "reader.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


def parts(weights: Mapping[str, Any]) -> list[list[str]]:
    """Return the names of the tensors of each file: embeddings; the layers that training leaves alone; the rest."""
    files: list[list[str]] = [[], [], []]
    for name in sorted(weights):
        if name.startswith("encoder.layer."):
            files[1 if int(name.split(".")[2]) < FROZEN else 2].append(name)
        else:
            files[2 if name.startswith(KEPT_EXACT) else 0].append(name)
    return [names for names in files if names]


def rounded(weights: Mapping[str, NDArray[np.float32]]) -> Weights:
    """Return matrices as 8-bit integers, each row with what it is to be multiplied by, and the rest in float16."""
    found: Weights = {}
    for name, value in weights.items():
        if name.startswith(KEPT_EXACT):
            found[name] = np.ascontiguousarray(value, dtype=np.float32)
        elif is_rounded(name, value):
            found[name], found[f"{name}.scale"] = in_8_bits(value)
        else:
            found[name] = value.astype(np.float16)
    return found


def is_rounded(name: str, value: NDArray[Any]) -> bool:
    """Return whether a tensor is one of the large matrices: those of the layers, and the word embeddings."""
    return value.ndim == 2 and (name.startswith("encoder.layer.") or name == "embeddings.word_embeddings.weight")


def in_8_bits(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return integers from -127 to 127, and for each row what they are to be multiplied by.

    >>> in_8_bits(np.array([[1.27, -0.5], [0.0, 0.0]], dtype=np.float32))[0].tolist()
    [[127, -50], [0, 0]]
    """
    scales = np.abs(matrix).max(axis=1) / 127
    scales[scales == 0] = 1
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales.astype(np.float32)


if __name__ == "__main__":
    main()
