"""Join networks that were trained apart into the reader: one file of weights, and one of their mean scores.

    python -m training.together DIR... --out rag/weights/reader.safetensors --scores FILE

Each DIR is the `--work` of a `python -m training`. A question's score is the mean over the networks, each of which must
have judged it without having seen its document: out of fold, or by `--apply`. Questions that one of them has not judged
so are left out.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NETWORK = "network.safetensors"
"""A network's weights in its working folder, as float32."""


def main() -> None:
    """Write the reader's weights and its scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scores", type=Path, required=True)
    options = parser.parse_args()
    from safetensors.numpy import load_file

    save(joined([load_file(work / NETWORK) for work in options.works]), options.out, half=True)
    lines = mean_scores([_judged(work) for work in options.works])
    options.scores.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def joined(networks: Sequence[Mapping[str, NDArray[np.float32]]]) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of all networks, as `rag.adapters.reader_judge` names them."""
    return {
        f"network{number}.{name}": value for number, network in enumerate(networks) for name, value in network.items()
    }


def save(weights: Mapping[str, NDArray[np.float32]], path: Path, *, half: bool = False) -> None:
    """Write tensors; `half` keeps matrices as float16."""
    from safetensors.numpy import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    kinds = {name: np.float16 if half and value.ndim > 1 else np.float32 for name, value in weights.items()}
    save_file({name: np.ascontiguousarray(value, dtype=kinds[name]) for name, value in weights.items()}, path)
    path.chmod(0o644)


def _judged(work: Path) -> dict[str, dict[str, Any]]:
    """Return all that a working folder says of questions, by their ids."""
    lines = (line for path in sorted(work.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines())
    return {line["qid"]: line for line in map(json.loads, lines)}


def mean_scores(judged: Sequence[Mapping[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the lines of the questions that all networks judged: the mean for each window, and the best of them."""
    found = []
    for qid, line in judged[0].items():
        if all(qid in one for one in judged):
            scores = [float(np.mean(each)) for each in zip(*(one[qid]["scores"] for one in judged), strict=True)]
            found.append({**line, "score": max(scores, default=0.0), "scores": scores})
    return found


if __name__ == "__main__":
    main()
