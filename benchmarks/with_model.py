"""One language model, documents and questions, through Candor and through plain pipelines: what a user gets.

    python -m benchmarks.with_model DATASET --gguf FILE --out FOLDER [--only candor llamaindex ...] [--questions N]

DATASET is a folder as `candor evaluate` takes it. The model runs behind OpenAI's protocol on this machine (the extra
`candor-rag[gguf]`). Each contestant answers every question; a line for each is appended to FOLDER/NAME.jsonl, and a run
that was cut off goes on where it stopped. The others are the documented quick starts of LlamaIndex and LangChain
(`benchmarks.quick_starts`), over the text that Candor reads from the documents and with the same embedding, each in an
environment of its own. Read the lines beside the gold: word overlap does not see a wrong answer of the right words.
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.options import append_missing, at_least, plain_mistakes
from benchmarks.peers.requirements import WITH_MODEL, environment
from rag.adapters.packaged_model import packaged_model
from rag.errors import InvalidDocument
from rag.evaluation.datasets import DataSet, Question, load_dataset
from rag.evaluation.lines import dump_line, line_of
from rag.evaluation.own_index import opened
from rag.ingest.loaders import load
from rag.settings import load_settings

ROOT = Path(__file__).parents[1]
NAMES = ("candor", *WITH_MODEL)
ENVIRONMENTS = Path(tempfile.gettempdir()) / "candor-with-model"
Answerer = Callable[[Question], dict[str, Any]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, and keep what was answered."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.with_model", description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--gguf", type=Path, required=True, help="the model file")
    parser.add_argument("--out", type=Path, required=True, help="folder for a file of lines for each contestant")
    parser.add_argument("--only", nargs="*", choices=NAMES, default=NAMES)
    parser.add_argument("--questions", type=at_least(1), help="ask about so many, evenly spread; default: all")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    with plain_mistakes(parser):
        dataset = load_dataset(options.dataset)
    every = dataset.questions
    count = min(options.questions or len(every), len(every))
    chosen = [every[place * len(every) // count] for place in range(count)]
    with serving(options.gguf) as url:
        for name in options.only:
            with CONTESTANTS[name](dataset, url, options.out) as answer:
                work = {one.qid: partial(answer, one) for one in chosen}
                append_missing(options.out / f"{name}.jsonl", work, key="qid")


@contextmanager
def serving(gguf: Path) -> Iterator[str]:
    """Serve a model file with OpenAI's protocol on this machine; yield its address."""
    from xllamacpp import CommonParams, Server

    params = CommonParams()
    params.model.path = str(gguf)
    params.n_ctx, params.n_parallel, params.warmup = 4096, 1, True
    params.port = 0
    server = Server(params)  # it ends with the last reference to it
    yield f"{server.listening_address}/v1"
    del server


@contextmanager
def candor(dataset: DataSet, url: str, home: Path) -> Iterator[Answerer]:
    """Answer with Candor's defaults."""
    settings = load_settings(
        data_dir=home / "candor",
        openai_base_url=url,
        generation_timeout_s=300,
        token_timeout_s=200,
        on_model_failure="error",  # quotes that stand in for a server that is gone would be no measurement
    )
    with opened(dataset.folder, settings) as (library, _, _):
        pipeline = library.pipeline

        def answered(one: Question) -> dict[str, Any]:
            """Return the line of an answer, and beside it what the model wrote and what the check said of it."""
            answer = pipeline.ask(pipeline.query(one.question))
            judged = answer.grounding.sentences if answer.grounding else ()
            return json.loads(dump_line(line_of(one, answer))) | {
                "spoke": answer.generator.name,
                "written": answer.draft and (answer.replaced or answer.draft).text,
                "judged": [sentence.model_dump(mode="json") for sentence in judged],
            }

        yield answered


@contextmanager
def quick_start(name: str, dataset: DataSet, url: str, home: Path) -> Iterator[Answerer]:
    """Answer as a library's quick start does, with whatever the model says."""
    python = environment(name, ENVIRONMENTS, ROOT / "constraints.txt", WITH_MODEL)
    texts = home / "texts"
    texts.mkdir(exist_ok=True)
    for file in dataset.documents:
        if text := _text(file):
            (texts / f"{file.name}.txt").write_text(text, encoding="utf-8")
    command = [str(python), "-m", "benchmarks.quick_starts", name, str(packaged_model()), str(texts), url]
    around = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=around) as worker:
        yield lambda one: asked(worker, one)
        worker.terminate()


def asked(worker: "subprocess.Popen[str]", one: Question) -> dict[str, Any]:
    """Return the line of a question that a worker answers.

    Raises:
        SystemExit: The worker has ended.
    """
    if worker.stdin is None or worker.stdout is None:
        raise ValueError("the worker needs both pipes")
    worker.stdin.write(json.dumps(one.question) + "\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    if not line:
        raise SystemExit(
            f"The quick start ended with exit code {worker.wait()} at {one.qid}; what it said stands above."
        )
    found = json.loads(line)
    cited = [{"document": each["document"].removesuffix(".txt")} for each in found["retrieved"]]
    return {"qid": one.qid, "question": one.question, "decision": "answered", "citations": cited, **found}


def _text(file: Path) -> str:
    """Return the text of a document; one that holds none is left out, as Candor leaves it out."""
    try:
        return load(file).text
    except InvalidDocument:
        return ""


CONTESTANTS = {"candor": candor, **{name: partial(quick_start, name) for name in WITH_MODEL}}

if __name__ == "__main__":
    main()
