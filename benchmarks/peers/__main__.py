"""Candor and its peers on the same folder, one after another: `python -m benchmarks.peers [FOLDER]`.

FOLDER holds `documents/` and `questions.jsonl`; by default the samples. Only Markdown and text files take part, because
not every quick start reads anything else, and only questions whose gold document is among them.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import machine, table
from benchmarks.options import at_least, plain_mistakes
from benchmarks.peers.judging import Source, is_hit, share_read
from benchmarks.peers.requirements import PACKAGES, environment
from rag.adapters.packaged_model import packaged_model
from rag.adapters.word_pieces import PieceTokenizer
from rag.errors import ConfigurationError
from rag.evaluation.datasets import DataSet, Question, load_dataset
from rag.text.counted import several

ROOT = Path(__file__).parents[2]
NAMES = ("candor", *PACKAGES)
READABLE = (".md", ".txt")
WARM_UP = 5


def main() -> None:
    """Run all contestants and print the table."""
    parser = _parser()
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        with plain_mistakes(parser):
            dataset = load_dataset(Path(options.folder))
            chosen = _copied(dataset.documents, Path(scratch) / "documents", options.documents)
            asked = _questions(dataset, set(chosen), options.questions)
        job = {
            "model": str(packaged_model()),
            "documents": str(Path(scratch) / "documents"),
            "questions": [one.question for one in asked],
            "warm_up": [f"{one.question} ({number})" for number, one in enumerate(asked[:WARM_UP])],
        }
        (Path(scratch) / "job.json").write_text(json.dumps(job), encoding="utf-8")
        results = [_best(name, options, Path(scratch)) for name in options.only or NAMES]
    judged = [_judged(result, asked, chosen) for result in results]
    print(_report(judged, chosen, len(asked)))
    if options.out:
        Path(options.out).write_text(json.dumps(judged, indent=1), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("folder", nargs="?", default=str(ROOT / "samples"))
    parser.add_argument(
        "--documents", type=at_least(0), default=0, help="take so many documents, evenly spread; 0: all"
    )
    parser.add_argument("--questions", type=at_least(1), default=200, help="ask at most so many questions")
    parser.add_argument(
        "--rounds", type=at_least(1), default=1, help="run everything so often; the quickest run counts"
    )
    parser.add_argument("--only", nargs="*", choices=NAMES, help="run only these")
    parser.add_argument("--environments", default=str(Path(tempfile.gettempdir()) / "candor-peers"))
    parser.add_argument("--out", help="write the figures there as JSON")
    return parser


def _copied(documents: Sequence[Path], target: Path, most: int) -> dict[str, str]:
    """Copy the files that take part; return their texts by name."""
    files = [file for file in documents if file.suffix in READABLE]
    if not files:
        raise ConfigurationError(
            f"None of {several(len(documents), 'document')} ends in {' or '.join(READABLE)}: name a folder with some."
        )
    step = max(len(files) // most, 1) if most else 1
    target.mkdir()
    chosen = files[::step][: most or None]
    for file in chosen:
        shutil.copyfile(file, target / file.name)
    return {file.name: file.read_text(encoding="utf-8") for file in chosen}


def _questions(dataset: DataSet, documents: set[str], most: int) -> list[Question]:
    """Return answerable questions whose gold stands in the documents, the same ones each time."""
    fit = [one for one in dataset.questions if one.answerable and {place.document for place in one.gold} <= documents]
    if not fit:
        raise ConfigurationError(
            f"None of {several(len(dataset.questions), 'question')} of {dataset.name!r} is answerable from "
            f"{several(len(documents), 'document')} in Markdown or text. Name another folder, or more --documents."
        )
    random.Random(1).shuffle(fit)
    return fit[:most]


def _best(name: str, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Run one contestant in its own process; return the run that ingested quickest, with the quickest retrieval."""
    python = environment(name, Path(options.environments), ROOT / "constraints.txt")
    runs = [_run(name, python, scratch) for _ in range(options.rounds)]
    best = min(runs, key=lambda run: run["ingest_s"])
    best["retrieval_ms"] = min((run["retrieval_ms"] for run in runs), key=statistics.median)
    return best


def _run(name: str, python: Path, scratch: Path) -> dict[str, Any]:
    command = [str(python), "-m", "benchmarks.peers.worker", name]
    out = scratch / f"{name}.json"
    around = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, str(scratch / "job.json"), str(out)], check=True, env=around, cwd=scratch)
    result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return result


def _judged(result: dict[str, Any], asked: Sequence[Question], chosen: dict[str, str]) -> dict[str, Any]:
    sources = {name: Source.of(text) for name, text in chosen.items()}
    gold = [list(one.gold) for one in asked]
    hits = [is_hit(found, places, sources) for found, places in zip(result["found"], gold, strict=True)]
    pieces = PieceTokenizer(packaged_model() / "tokenizer.json")
    characters = sum(map(len, chosen.values()))
    kept = ("name", "versions", "note", "max_pieces", "retrieval_cpu_ms", "peak_memory_mb")
    return {
        **{name: result[name] for name in kept},
        "chunks": len(result["texts"]),
        "characters_per_s": characters / result["ingest_s"],
        "characters_per_cpu_s": characters / result["ingest_cpu_s"],
        "retrieval_p50_ms": statistics.median(result["retrieval_ms"]),
        "hit_at_5": sum(hits) / len(hits),
        "share_read": share_read(result["texts"], pieces, result["max_pieces"]),
    }


def _report(judged: list[dict[str, Any]], chosen: dict[str, str], asked: int) -> str:
    """Return the figures as Markdown; `x` columns are Candor's figure against that contestant's."""
    own = next((row for row in judged if row["name"] == "candor"), judged[0])

    def against(row: dict[str, Any], name: str, digits: int) -> tuple[str, str]:
        return f"{row[name]:,.{digits}f}", f"{own[name] / row[name]:.2f}"

    head = ["", "chunks", "characters/s", "x", "characters/CPU-s", "x", "retrieval p50 ms", "x", "CPU ms", "hit@5"]
    rows = [
        [
            row["name"],
            f"{row['chunks']:,}",
            *against(row, "characters_per_s", 0),
            *against(row, "characters_per_cpu_s", 0),
            *against(row, "retrieval_p50_ms", 2),
            f"{row['retrieval_cpu_ms']:.2f}",
            f"{row['hit_at_5']:.3f}",
            f"{row['share_read']:.1%}",
        ]
        for row in judged
    ]
    size = f"{len(chosen)} documents, {sum(map(len, chosen.values())):,} characters, {asked} questions; {machine()}"
    notes = [f"- {row['name']}: {row['versions']}, {row['note']}" for row in judged]
    return "\n\n".join((size, table([*head, "text read"], rows), "\n".join(notes)))


if __name__ == "__main__":
    main()
