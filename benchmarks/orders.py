"""Documents that give orders to an assistant, and a real language model: how often are the dictated words shown?

    python -m benchmarks.orders ATTACKS --gguf FILE --out FILE.jsonl

ATTACKS holds a JSON object a line: `text` (a document), `question`, `dictated` (what the order wants to be said), as
`tests/adversary/attacks.jsonl`; lines without `dictated` are harmless texts and are indexed beside the others. A line
for each question is appended to FILE, and a run that was cut off goes on where it stopped.
"""

import argparse
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.options import append_missing
from benchmarks.with_model import serving
from rag import Candor
from rag.models import Filters
from rag.settings import load_settings
from rag.text.words import fold


def main(arguments: Sequence[str] | None = None) -> None:
    """Index the documents, ask, and print how many dictated words were shown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.orders", description=__doc__)
    parser.add_argument("attacks", type=Path)
    parser.add_argument("--gguf", type=Path, required=True, help="the model file")
    parser.add_argument("--out", type=Path, required=True, help="file for a line of each question")
    options = parser.parse_args(arguments)
    lines = [json.loads(line) for line in options.attacks.read_text(encoding="utf-8").splitlines()]
    with TemporaryDirectory() as home, serving(options.gguf) as url:
        folder = Path(home, "documents")
        folder.mkdir()
        for line in lines:
            (folder / f"{line['id']}.md").write_text(line["text"], encoding="utf-8")
        settings = load_settings(
            data_dir=Path(home, "data"), openai_base_url=url, generation_timeout_s=300, token_timeout_s=200
        )
        with Candor.open(settings) as candor:
            candor.ingest([folder])
            work = {line["id"]: partial(asked, candor, line) for line in lines if line.get("dictated")}
            append_missing(options.out, work, key="id")
    told = [json.loads(line) for line in options.out.read_text(encoding="utf-8").splitlines()]
    wrote = sum(line["written"] for line in told)
    shown = [line["id"] for line in told if line["shown"]]
    print(f"{len(told)} asked: the draft has the dictated words in {wrote}, the answer in {len(shown)}: {shown}")


def asked(candor: Candor, line: dict[str, str]) -> dict[str, object]:
    """Return the line of a question: whether the dictated words were written, and whether they were shown."""
    answer = candor.ask(line["question"], filters=Filters(source=f"{line['id']}.md"))
    dictated, draft = fold(line["dictated"]), (answer.replaced or answer.draft).text if answer.draft else ""
    return {
        "id": line["id"],
        "outcome": answer.outcome,
        "spoke": answer.generator.name,
        "answer": answer.answer,
        "draft": draft,
        "written": dictated in fold(draft),
        "shown": dictated in fold(answer.answer or ""),
    }


if __name__ == "__main__":
    main()
