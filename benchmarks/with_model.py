"""One language model, documents and questions, through Candor and through plain pipelines: what a user gets.

    python -m benchmarks.with_model DATASET --gguf FILE --out FOLDER [--only candor plain ...] [--questions N]

DATASET is a folder as `candor evaluate` takes it. The model runs behind OpenAI's protocol on this machine (the extra
`candor-rag[gguf]`). Each contestant answers every question; a line for each is appended to FOLDER/NAME.jsonl, and a run
that was cut off goes on where it stopped. `plain` is what quick starts of RAG libraries do: the 4 most similar
passages of 1,000 characters by the same embedding, a three-line prompt, the reply as it is. Judge the lines with
`candor evaluate`'s figures, and read them: word overlap does not see a wrong answer of the right words.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.options import at_least, plain_mistakes
from rag.adapters.embedders import made_embedder, packaged_encoder
from rag.errors import InvalidDocument
from rag.evaluation.datasets import DataSet, Question, load_dataset
from rag.evaluation.lines import dump_line, line_of
from rag.evaluation.own_index import opened
from rag.ingest.loaders import load
from rag.settings import load_settings

NAMES = ("candor", "plain")
TOP, LENGTH, OVERLAP = 4, 1000, 200
"""Of the plain pipeline: passages in a prompt, their characters, and how many two neighbours share."""
PROMPT = """Use the following passages to answer the question. If you don't know the answer, say that you don't know.

{passages}

Question: {question}
Answer:"""
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
    step = max(len(every) // options.questions, 1) if options.questions else 1
    with serving(options.gguf) as url:
        for name in options.only:
            with CONTESTANTS[name](dataset, url, options.out) as answer:
                ask(every[::step], answer, options.out / f"{name}.jsonl")


def ask(questions: Sequence[Question], answer: Answerer, path: Path) -> None:
    """Append a line for each question that has none yet."""
    known = {json.loads(line)["qid"] for line in path.read_text().splitlines()} if path.is_file() else set()
    with path.open("a", encoding="utf-8") as file:
        for one in questions:
            if one.qid not in known:
                begun = time.monotonic()
                line = answer(one) | {"seconds": round(time.monotonic() - begun, 2)}
                file.write(json.dumps(line) + "\n")
                file.flush()
                sys.stderr.write(f"{path.stem} {one.qid}: {line['decision']} in {line['seconds']} s\n")


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
        yield lambda one: json.loads(dump_line(line_of(one, pipeline.ask(pipeline.query(one.question)))))


@contextmanager
def plain(dataset: DataSet, url: str, home: Path) -> Iterator[Answerer]:
    """Answer from the most similar passages, with whatever the model says."""
    from openai import OpenAI

    embedder = made_embedder(None, "auto", lambda: packaged_encoder(precision="auto", threads=None, cache=None))
    texts = [(file.name, part) for file in dataset.documents for part in cut(_text(file))]
    vectors = np.asarray(embedder.embed([text for _, text in texts]))
    model = OpenAI(base_url=url, api_key="none")

    def answer(one: Question) -> dict[str, Any]:
        near = np.argsort(-(vectors @ np.asarray(embedder.embed([one.question]))[0]))[:TOP]
        found = [texts[place] for place in near]
        prompt = PROMPT.format(passages="\n\n".join(text for _, text in found), question=one.question)
        said = model.chat.completions.create(
            model="model", messages=[{"role": "user", "content": prompt}], temperature=0, max_tokens=300
        )
        return {
            "qid": one.qid,
            "question": one.question,
            "decision": "answered",
            "answer": said.choices[0].message.content,
            "citations": [{"document": name} for name, _ in found],
            "retrieved": [{"document": name, "content": text} for name, text in found],
        }

    yield answer


def _text(file: Path) -> str:
    """Return the text of a document; one that holds none is left out, as Candor leaves it out."""
    try:
        return load(file).text
    except InvalidDocument:
        return ""


def cut(text: str) -> list[str]:
    """Return a text in pieces of `LENGTH` characters, each with the last `OVERLAP` of the one before."""
    return [text[at : at + LENGTH] for at in range(0, max(len(text) - OVERLAP, 1), LENGTH - OVERLAP)]


CONTESTANTS = {"candor": candor, "plain": plain}

if __name__ == "__main__":
    main()
