"""Write what ships from a checkpoint: matrices in 8-bit integers, in files under 50 MB.

    python -m training.export --checkpoint FILE --base FOLDER --out rag/weights [--average FOLDER --share 0.5]

With `--average` the weights are the mean of the checkpoint and of weights exported before, from which it was trained:
such means often judge better than both (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models").
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
from safetensors.numpy import save

from rag.adapters.packaged_model import packaged_model
from rag.adapters.reader_weights import DESCRIBED, VERSION
from rag.reader.pieces import PieceReader, pad, pair
from rag.records.replacing import replace
from training.loop import exported
from training.network import FROZEN, HEADS, PairReader, trained

Weights = dict[str, NDArray[Any]]
LAYERS_OF_A_FILE = 5
"""Those that are trained; 7 MB each."""
BASE = "all-mpnet-base-v2"
PROBES = (
    ("Which gloves are worn with acids?", "Acids are handled with long gloves of butyl rubber."),
    ("The harbour rents out boats.", "The harbour rents out boats by the hour. Life jackets are free."),
)
"""Short ones: they are read whenever the reader is loaded."""


def main() -> None:
    """Export one checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--temperature", type=float, default=1.0, help="what logits of entailment are divided by")
    parser.add_argument("--average", type=Path, metavar="FOLDER", help="exported weights to average with")
    parser.add_argument("--share", type=float, default=0.5, help="what the checkpoint counts in the average, 0..1")
    options = parser.parse_args()
    kept = torch.load(options.checkpoint, weights_only=True, mmap=True)
    masters = dict(kept["masters"])
    if options.average is not None:
        masters = averaged(masters, exported(options.average), options.share)
    network = trained_network(masters, options.base)
    described = {"base": {"name": BASE, "sha256": base_digest(options.base)}, "temperature": options.temperature}
    export(network, options.out, {**described, "training": figures(options.checkpoint, kept)})


def trained_network(masters: Mapping[str, torch.Tensor], base: Path) -> PairReader:
    """Return the base's network with what was trained in its place, in float32."""
    network = PairReader(base).eval()
    own = trained(network)
    if own.keys() != masters.keys():
        odd = sorted(own.keys() ^ masters.keys())[0]
        raise SystemExit(f"The checkpoint and the base in {base} are of two networks: only one of them has {odd!r}.")
    with torch.no_grad():
        for name, one in own.items():
            one.copy_(masters[name])
    return network


def averaged(
    ours: Mapping[str, torch.Tensor], others: Mapping[str, torch.Tensor], share: float
) -> dict[str, torch.Tensor]:
    """Return `share` of our tensors and the rest of the others', by name.

    >>> averaged({"a": torch.tensor([2.0])}, {"a": torch.tensor([4.0])}, 0.75)["a"].tolist()
    [2.5]
    """
    return {name: share * one + (1 - share) * others[name] for name, one in ours.items()}


def network_weights(network: PairReader) -> dict[str, NDArray[np.float32]]:
    """Return all tensors under the names of `transformers.MPNetModel` and of the heads."""
    return {name.removeprefix("body."): value.detach().numpy() for name, value in network.named_parameters()}


def probes(network: PairReader) -> list[dict[str, Any]]:
    """Return questions or claims with texts, and the logits that torch computes and processors must come near to."""
    pieces = PieceReader(packaged_model() / "tokenizer.json")
    found = []
    for asked, text in PROBES:
        ids, mask = pad([pair(*pieces.read([asked, text]))])
        with torch.inference_mode():
            said = network(torch.from_numpy(ids), torch.from_numpy(mask))
        logits = [round(one, 4) for one in said.entails[0].tolist()]
        found.append({"asked": asked, "text": text, "logit": round(float(said.answers[0]), 4), "entails": logits})
    return found


def figures(checkpoint: Path, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a training: its steps and time, and, from the log beside it, texts read and losses."""
    found: dict[str, Any] = {"steps": kept["step"], "minutes": round(kept["spent"] / 60, 1)}
    log = checkpoint.with_name("train.jsonl")
    if log.is_file():
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        lines = [line for line in lines if line["step"] <= kept["step"]]
        found["texts"] = sum(line["texts"] for line in lines)
        for name in ("pairs", "lists", "marks", "claims"):
            last = [line[name] for line in lines if name in line][-200:]
            found[f"last_{name}_loss"] = round(float(np.mean(last)), 4) if last else None
    return found


def base_digest(base: Path) -> str:
    """Return the SHA-256 of the base's weights."""
    with (base / "model.safetensors").open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def export(network: PairReader, folder: Path, described: Mapping[str, Any]) -> None:
    """Write the weights, and `reader.json` that names them.

    Args:
        network: From `trained_network`.
        folder: Where to write.
        described: What else is to stand in `reader.json`: the temperature of entailment, where the weights come from.
    """
    weights, config = network_weights(network), network.body.config
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, names in enumerate(parts(weights), 1):
        path = folder / f"reader-{number}.safetensors"
        content = save(rounded({name: weights[name] for name in names}))
        replace(path, content)
        files.append({"name": path.name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)})
    whole = {
        "version": VERSION,
        "layers": config.num_hidden_layers,
        "heads": config.num_attention_heads,
        "hidden": config.hidden_size,
        "epsilon": config.layer_norm_eps,
        "files": files,
        "probes": probes(network),
        **described,
    }
    replace(folder / DESCRIBED, (json.dumps(whole, indent=2) + "\n").encode())


def parts(weights: Mapping[str, Any]) -> list[list[str]]:
    """Return the names of the tensors of each file: embeddings, layers left alone, layers that are trained, heads."""
    files: dict[int, list[str]] = {}
    for name in sorted(weights):
        files.setdefault(_place(name), []).append(name)
    return [files[place] for place in sorted(files)]


def _place(name: str) -> int:
    """Return which file a tensor comes into, by order."""
    if name.startswith(HEADS):
        return 99
    if not name.startswith("encoder.layer."):
        return 0
    layer = int(name.split(".")[2])
    return 1 if layer < FROZEN else 2 + (layer - FROZEN) // LAYERS_OF_A_FILE


def rounded(weights: Mapping[str, NDArray[np.float32]]) -> Weights:
    """Return matrices as 8-bit integers, each row with what it is to be multiplied by, and the rest in float16.

    The heads stay in float32: they are small, and `candor train` builds on them.
    """
    found: Weights = {}
    for name, value in weights.items():
        if name.startswith(HEADS):
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
