"""Questions for a whole list or procedure, and for a detail beside one: what is quoted, whatever the gate says.

    python -m benchmarks.lists [FOLDER]

FOLDER (`training/held_out/lists` by default) has `documents` and `questions.jsonl`: `wants` is `whole`, with the
`items` of the list, or `detail`, with the sentence. All documents are indexed together. White space, punctuation and
marks of items do not count.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from rag import Candor
from rag.evaluation.intervals import wilson
from rag.quote import quote
from rag.settings import load_settings

FOLDER: Final = Path(__file__).parents[1] / "training" / "held_out" / "lists"
MANY: Final = 4
"""More sentences than that are too many for a detail."""


def main() -> None:
    """Index the documents, ask, and print what was quoted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lists", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    folder: Path = parser.parse_args().folder
    asked = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as home, Candor.open(load_settings(data_dir=home)) as candor:
        candor.ingest([folder / "documents"])
        for question in asked:
            counts.update((question["wants"], f"{question['wants']}: {quoted(candor, question)}"))
    for told, count in sorted(counts.items()):
        if ":" in told:
            low, high = wilson(count, counts[told.partition(":")[0]])
            print(f"{told}: {count} of {counts[told.partition(':')[0]]} ({low:.2f} to {high:.2f})")


def quoted(candor: Candor, question: Mapping[str, Any]) -> str:
    """Return what was quoted for a question."""
    found = candor.retrieve(question["question"]).retrieval
    said = quote(found.hits, whole=found.asks_for_list)
    sentences = said.grounding.sentences
    text = plain(" ".join(one.text for one in sentences))
    if question["wants"] == "whole":
        has = [plain(item) in text for item in question["items"]]
        is_counted = any(has) and any("of this list" in note for note in said.notes)
        return (
            "all of it" if all(has) else "part of it, counted" if is_counted else "part of it" if any(has) else "none"
        )
    is_said = plain(question["detail"]) in text
    return f"{'the detail' if is_said else 'something else'}{' in too much' if len(sentences) > MANY else ''}"


def plain(text: str) -> str:
    """Return the words of a text, folded.

    >>> plain(" - Bring a\\nHat.")
    'bring a hat'
    """
    return re.sub(r"\W+", " ", text).strip().casefold()


if __name__ == "__main__":
    main()
