"""The adversaries at full size: hundreds of questions, answerable and not, and what got through counted.

The tests ask dozens; hundreds take longer than CI has, so that they are asked here:

    PYTHONPATH=.:tests .venv/bin/python -m adversary --speaker smollm2 --questions 320 DATASET...
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path
from random import Random

from ollama_server.brains import Brain, Liar, Lie
from ollama_server.server import OllamaServer

from adversary.trial import Trial
from rag.adapters.ollama_generator import OllamaGenerator
from rag.evaluation.datasets import DataSet, Question
from rag.evaluation.intervals import clopper_pearson_upper
from rag.evaluation.own_index import opened, text_reader
from rag.ingest.loaders import load
from rag.models import Answer
from rag.record import Recorder
from rag.settings import Settings

SURE = {"confidence_threshold": 0.0}
"""Past the gate: an unanswerable question must reach the adversary too."""


@dataclass
class Caught:
    """A trial over a data set, by label, and the lies among what was shown."""

    trial: Trial = field(default_factory=Trial)
    answerable: int = 0
    unanswerable: int = 0
    told: Counter[str] = field(default_factory=Counter)
    """The lies told, by their kind."""
    lies_shown: list[str] = field(default_factory=list)
    """Those that stand in an answer, whole or in part, each with its kind; the count by words misses the twists."""

    @property
    def lies_told(self) -> int:
        """How many lies were told, of all kinds."""
        return self.told.total()


def chosen(dataset: DataSet, count: int, *, seed: int = 20261122) -> list[Question]:
    """Return `count` labelled questions, answerable and not in turns, drawn without replacement; the same each time.

    Where a data set has fewer of a kind, all of that kind: see `too_few`.
    """
    dice = Random(seed)
    drawn = [dice.sample(kind, min(len(kind), count // 2)) for kind in _kinds(dataset)]
    return [question for question in chain(*zip_longest(*drawn)) if question is not None]


def too_few(dataset: DataSet, count: int) -> str:
    """Return in a line of which kind a data set has fewer than half of `count` questions; empty where it has enough.

    The others are not made up for: a rate over one kind says nothing of the other.
    """
    found = [
        f"{len(kind)} {name} {'question' if len(kind) == 1 else 'questions'} of the {count // 2} asked for"
        for kind, name in zip(_kinds(dataset), ("answerable", "unanswerable"), strict=True)
        if len(kind) < count // 2
    ]
    return f"{dataset.name} has only {' and '.join(found)}: all of them are asked." if found else ""


def _kinds(dataset: DataSet) -> tuple[list[Question], list[Question]]:
    """Return the answerable and the unanswerable questions."""
    answerable, unanswerable = (
        [one for one in dataset.questions if one.answerable is label] for label in (True, False)
    )
    return answerable, unanswerable


def face(
    brain: Brain,
    folder: Path,
    settings: Settings,
    *,
    count: int,
    told: Callable[[Caught], None] = lambda _: None,
    **options: object,
) -> Caught:
    """Ask questions of a data set in an index of its own while `brain` speaks, the gate held open.

    Args:
        brain: Who answers behind the Ollama protocol.
        folder: The data set.
        settings: Whose data folder keeps the index.
        count: How many questions, half of them unanswerable; as many as there are.
        told: Told after each question what came of all so far.
        **options: Of each question, as `max_tokens`.
    """
    caught = Caught()
    with opened(folder, settings) as (candor, dataset, _), OllamaServer(brain) as server:
        text_of = text_reader(dataset, lambda path: load(path).text, cache_dir=candor.settings.data_dir)
        recorder = Recorder(candor.settings.data_dir / "trial", record_answers=False)
        pipeline = replace(candor.pipeline, generator=OllamaGenerator(server.url), recorder=recorder)
        for question in chosen(dataset, count):
            answer = pipeline.ask(pipeline.query(question.question, **{**SURE, **options}))
            caught.trial.add(question, answer, text_of)
            caught.answerable += question.answerable is True
            caught.unanswerable += question.answerable is False
            lies = lies_told(brain, answer)
            caught.told.update(lie.kind for lie in lies)
            shown = lies_among([sentence.text for sentence in answer.sentences], lies)
            caught.lies_shown += [f"{question.qid}: {lie}" for lie in shown]
            told(caught)
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
    trials = [one.trial for one in caught]
    asked, sentences = sum(one.asked for one in trials), sum(one.sentences for one in trials)
    excerpts = sum(one.excerpts for one in trials)
    unsupported = [f"{one.qid}: {one.text} ({one.reason})" for trial in trials for one in trial.unsupported]
    not_verbatim = [f"{one.qid}: {one.text}" for trial in trials for one in trial.not_verbatim]
    lies = [lie for one in caught for lie in one.lies_shown]
    told = sum((one.told for one in caught), Counter[str]())
    lines = [
        f"{name}: {asked} questions, {sum(one.answerable for one in caught)} answerable and "
        f"{sum(one.unanswerable for one in caught)} not; the adversary spoke to {sum(one.spoken for one in trials)}",
        f"  answers shown: {sum(one.answered for one in trials)}, with {sentences} sentences, "
        f"{sum(one.of_the_model for one in trials)} of them the adversary's",
        f"  unsupported by the independent count: {_bounded(len(unsupported), sentences)}",
        f"  excerpts not verbatim: {_bounded(len(not_verbatim), excerpts)}",
        f"  lies shown: {_bounded(len(lies), told.total())}",
        f"  lies told by kind: {', '.join(f'{kind} {count}' for kind, count in sorted(told.items())) or 'none known'}",
    ]
    return "\n".join([*lines, *(f"    {one}" for one in (*unsupported, *not_verbatim, *lies))])


def _bounded(failures: int, trials: int) -> str:
    bound = f", at most {clopper_pearson_upper(failures, trials):.2%}" if trials else ""
    return f"{failures} of {trials}{bound}"
