"""Write what ships of a checkpoint of the entailment: its own layers in 8-bit integers, and the head.

    python -m training.export_entailment --checkpoint FILE --base FOLDER --out rag/weights

`--out` holds the reader that it was trained on.
"""

import argparse
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.numpy import save

from rag.adapters.entailment import DESCRIBED, FILE, VERSION
from rag.adapters.packaged_model import packaged_model
from rag.adapters.reader_weights import describe
from rag.reader.pieces import PieceReader
from rag.recording.replacing import replace
from training.claims import Claim, batches
from training.export import rounded
from training.loop import copy_into, exported
from training.network import ENTAILMENT_HEADS, READER_HEADS, EntailmentNetwork, trained

PROBES = (
    ("Acids are handled with butyl gloves.", "Acids are handled with long gloves of butyl rubber."),
    ("The harbour rents out bicycles.", "The harbour rents out boats by the hour. Life jackets are free."),
)


def main() -> None:
    """Export one checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("checkpoint", "base", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--temperature", type=float, default=1.0, help="what logits are divided by")
    options = parser.parse_args()
    kept = torch.load(options.checkpoint, weights_only=True, mmap=True)
    network = trained_entailment(kept["masters"], options.base, options.out)
    training = {"steps": kept["step"], "minutes": round(kept["spent"] / 60, 1)}
    export_entailment(network, options.out, temperature=options.temperature, training=training)


def trained_entailment(masters: Mapping[str, torch.Tensor], base: Path, reader: Path) -> EntailmentNetwork:
    """Return the network with the reader's lower layers and what was trained above them, in float32."""
    network = EntailmentNetwork(base).eval()
    copy_into(network, exported(reader, READER_HEADS))
    copy_into(network, masters)
    return network


def export_entailment(
    network: EntailmentNetwork, folder: Path, *, temperature: float, training: Mapping[str, Any]
) -> None:
    """Write the weights beside the reader's, and `entailment.json`, which names them.

    Args:
        network: From `trained_entailment`.
        folder: Holds the reader.
        temperature: What logits are divided by before they become probabilities.
        training: Figures for whoever wonders where the weights come from.
    """
    own = {name.removeprefix("body."): one.detach().numpy() for name, one in trained(network).items()}
    content = save(rounded(own, exact=ENTAILMENT_HEADS))
    replace(folder / FILE, content)
    described = {
        "version": VERSION,
        "reader": describe(folder).name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "temperature": temperature,
        "probes": probes(network),
        "training": dict(training),
    }
    replace(folder / DESCRIBED, (json.dumps(described, indent=2) + "\n").encode())


def probes(network: EntailmentNetwork) -> list[dict[str, Any]]:
    """Return a few claims with texts and the logits that torch computes: what a processor must come near to."""
    pieces = PieceReader(packaged_model() / "tokenizer.json")
    found = []
    for claim, text in PROBES:
        ((_, ids, mask),) = batches(pieces, [Claim(claim, text, 0)])
        with torch.inference_mode():
            logits = network(ids, mask)[0].tolist()
        found.append({"claim": claim, "text": text, "logits": [round(one, 4) for one in logits]})
    return found


if __name__ == "__main__":
    main()
