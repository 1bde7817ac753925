"""The adversaries at full size: hundreds of questions, answerable and not, and what got through counted.

The tests ask dozens; hundreds take longer than CI has, so that they are asked here:

    PYTHONPATH=.:tests .venv/bin/python -m adversary --speaker smollm2 --questions 320 DATASET...
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path
from random import Random

from ollama_server.brains import Brain, Liar, Lie
from ollama_server.server import OllamaServer

from rag.adapters.ollama_generator import OllamaGenerator
from rag.evaluation.datasets import DataSet, Question
from rag.evaluation.independent import Finding, TextOf, not_verbatim, unsupported_sentences
from rag.evaluation.intervals import clopper_pearson_upper
from rag.evaluation.lines import line_of
from rag.evaluation.own_index import opened, text_reader
from rag.ingest.loaders import load
from rag.models import Answer
from rag.pipeline import Pipeline
from rag.record import Recorder
from rag.settings import Settings

SURE = {"confidence_threshold": 0.0}  # past the gate: an unanswerable question must reach the adversary too


@dataclass
class Trial:
    """What came of the questions so far; `spoken` says how often the model was asked, `of_the_model` its sentences."""

    asked: int = 0
    spoken: int = 0
    answered: int = 0
    sentences: int = 0
    of_the_model: int = 0
    excerpts: int = 0
    unsupported: list[Finding] = field(default_factory=list)
    not_verbatim: list[Finding] = field(default_factory=list)
    shown: list[Answer] = field(default_factory=list)

    def add(self, question: Question, answer: Answer, text_of: TextOf) -> None:
        line = line_of(question, answer)
        self.asked += 1
        self.answered += answer.answer is not None
        self.sentences += len(answer.sentences)
        self.excerpts += len(answer.citations)
        self.spoken += answer.generator.model is not None
        self.of_the_model += len(answer.sentences) if answer.generator.name == "ollama" else 0
        self.unsupported += unsupported_sentences(line)
        self.not_verbatim += not_verbatim(line, text_of)
        self.shown.append(answer)


def put(questions: Iterable[Question], pipeline: Pipeline, text_of: TextOf, **options: object) -> Trial:
    """Ask every question and count."""
    trial = Trial()
    for question in questions:
        trial.add(question, pipeline.ask(pipeline.query(question.question, **options)), text_of)
    return trial


@dataclass
class Caught:
    """A trial over a data set, by label, the lies told by kind, and those that were shown, whole or in part."""

    trial: Trial = field(default_factory=Trial)
    answerable: int = 0
    unanswerable: int = 0
    told: Counter[str] = field(default_factory=Counter)
    lies_shown: list[str] = field(default_factory=list)


def chosen(dataset: DataSet, count: int, *, seed: int = 20261122) -> list[Question]:
    """Return `count` labelled questions, answerable and not in turns, drawn without replacement; the same each time.

    Where a data set has fewer of a kind, all of that kind.
    """
    dice = Random(seed)
    kinds = ([one for one in dataset.questions if one.answerable is label] for label in (True, False))
    drawn = [dice.sample(kind, min(len(kind), count // 2)) for kind in kinds]
    return [question for question in chain(*zip_longest(*drawn)) if question is not None]


def face(brain: Brain, folder: Path, settings: Settings, *, count: int) -> Caught:
    """Ask questions of a data set in an index of its own, half unanswerable, while `brain` speaks, the gate open."""
    caught = Caught()
    with opened(folder, settings) as (candor, dataset, _), OllamaServer(brain) as server:
        text_of = text_reader(dataset, lambda path: load(path).text, cache_dir=candor.settings.data_dir)
        recorder = Recorder(candor.settings.data_dir / "trial", record_answers=False)
        pipeline = replace(candor.pipeline, generator=OllamaGenerator(server.url), recorder=recorder)
        for question in chosen(dataset, count):
            answer = pipeline.ask(pipeline.query(question.question, **SURE))
            caught.trial.add(question, answer, text_of)
            caught.answerable += question.answerable is True
            caught.unanswerable += question.answerable is False
            lies = lies_told(brain, answer)
            caught.told.update(lie.kind for lie in lies)
            shown = lies_among([sentence.text for sentence in answer.sentences], lies)
            caught.lies_shown += [f"{question.qid}: {lie}" for lie in shown]
        recorder.close()
    return caught


def lies_told(brain: Brain, answer: Answer) -> list[Lie]:
    """Return the lies that a brain told of the passages of an answer; none of a brain whose lies nobody knows."""
    if not isinstance(brain, Liar):
        return []
    passages = [hit.content for hit in answer.retrieved[: answer.query.top_k]]
    return [lie for lie in brain.lies(answer.query.question, passages) if lie.text != lie.truth]


def lies_among(sentences: Sequence[str], lies: Sequence[Lie]) -> list[str]:
    """Return the sentences that are a lie or a part of one and no part of its truth, each with its kind before it."""
    found = []
    for text in (" ".join(sentence.split()) for sentence in sentences):
        among = ((lie.kind, " ".join(lie.text.split()), " ".join(lie.truth.split())) for lie in lies)
        kind = next((kind for kind, lie, truth in among if text in lie and text not in truth), None)
        found += [f"{kind}: {text}"] if kind else []
    return found


def report(name: str, caught: Sequence[Caught]) -> str:
    """Return the counts over all data sets in words, with the one-sided 95% bound of Clopper and Pearson."""

    def total(what: str) -> int:
        return sum(getattr(one, what) if hasattr(one, what) else getattr(one.trial, what) for one in caught)

    unsupported = [f"{one.qid}: {one.text} ({one.reason})" for each in caught for one in each.trial.unsupported]
    not_verbatim = [f"{one.qid}: {one.text}" for each in caught for one in each.trial.not_verbatim]
    lies = [lie for one in caught for lie in one.lies_shown]
    told = sum((one.told for one in caught), Counter[str]())
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(told.items())) or "none known"
    lines = [
        f"{name}: {total('asked')} questions, {total('answerable')} answerable and {total('unanswerable')} not; the "
        f"adversary spoke to {total('spoken')}",
        f"  answers shown: {total('answered')}, with {total('sentences')} sentences, {total('of_the_model')} of them "
        "the adversary's",
        f"  unsupported by the independent count: {_bounded(len(unsupported), total('sentences'))}",
        f"  excerpts not verbatim: {_bounded(len(not_verbatim), total('excerpts'))}",
        f"  lies shown: {_bounded(len(lies), told.total())}",
        f"  lies told by kind: {kinds}",
    ]
    return "\n".join([*lines, *(f"    {one}" for one in (*unsupported, *not_verbatim, *lies))])


def _bounded(failures: int, trials: int) -> str:
    bound = f", at most {clopper_pearson_upper(failures, trials):.2%}" if trials else ""
    return f"{failures} of {trials}{bound}"
