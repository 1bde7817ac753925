"""What `candor train` is worth on documents that the reader was not trained on: `python -m benchmarks.teaching FOLDER`.

FOLDER has documents and labelled questions that were kept out of the reader's training. Of some of its documents so
many questions are drawn as labels; what they teach is tested on all questions of the other documents. That is done
again with other draws, and what changes is given with Student's t interval over the draws, whose tests overlap. The
gate is the shipped one, untouched.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.options import at_least, plain_mistakes
from rag.adapters.reader import MpnetReader
from rag.confidence.calibrated import load_fit
from rag.evaluation.own_index import opened
from rag.experts.examples import examples_of, of_questions
from rag.experts.fitting import Figures, Lesson, figures_of, learned
from rag.settings import load_settings


def main() -> None:
    """Read the questions once, draw and teach, and print what changed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--labels", type=at_least(20), default=50, help="judged questions that teach")
    parser.add_argument("--draws", type=at_least(2), default=20)
    parser.add_argument("--limit", type=at_least(40), default=400, help="questions of the data set to use")
    parser.add_argument("--work", type=Path, default=Path(".candor"), help="where the index is kept")
    given = parser.parse_args()
    with plain_mistakes(parser):
        lessons = lessons_of(given.folder, given.work, limit=given.limit)
        gate = load_fit(given.work / "none", reader="", decides=False).fit
        rows = []
        for draw in range(given.draws):
            chosen, rest = drawn(lessons, given.labels, seed=draw)
            head = learned(chosen, reader="")
            examples = [lesson.example for lesson in rest]
            before = figures_of(examples, [lesson.logits for lesson in rest], gate=gate, threshold=gate.threshold)
            logits = [lesson.logits + head.logits(lesson.pooled) for lesson in rest]
            after = figures_of(examples, logits, gate=gate, threshold=gate.threshold)
            rows.append((before, after))
    print(f"{given.folder.name}: {len(lessons)} questions, {given.labels} labels, {given.draws} draws")
    for name, values in named(rows).items():
        before, after = np.array(values).T
        change = after - before
        half = 2.09 * change.std(ddof=1) / np.sqrt(len(change))
        print(f"  {name:28} {before.mean():.3f} -> {after.mean():.3f}  ({change.mean():+.3f} -+ {half:.3f})")


def lessons_of(folder: Path, work: Path, *, limit: int) -> list[Lesson]:
    """Return questions of a data set with what the shipped reader makes of the windows read."""
    settings = load_settings(data_dir=work, reader_head=work / "none.json", confidence_threshold=0.5)
    with opened(folder, settings) as (candor, dataset, _):
        judged = of_questions(random.Random(0).sample(dataset.questions, min(limit, len(dataset.questions))))
        examples = examples_of(judged, lambda one: candor.retrieve(one.question, estimator="calibrated"), name="set")
        reader = candor.wiring.reader
        assert isinstance(reader, MpnetReader)
        found = [(example, reader.reading(example.asked, example.texts)) for example in examples if example.texts]
        return [Lesson(example, read.logits, read.pooled) for example, read in found]


def drawn(lessons: Sequence[Lesson], count: int, *, seed: int) -> tuple[list[Lesson], list[Lesson]]:
    """Return so many lessons that teach, of whole documents drawn at random, and the lessons of the other documents."""
    documents = sorted({lesson.example.group[1] for lesson in lessons})
    random.Random(seed).shuffle(documents)
    chosen: list[Lesson] = []
    for place, document in enumerate(documents):
        chosen += [lesson for lesson in lessons if lesson.example.group[1] == document]
        if len(chosen) >= count:
            rest = {*documents[place + 1 :]}
            return chosen[:count], [lesson for lesson in lessons if lesson.example.group[1] in rest]
    raise SystemExit(f"There are {len(lessons)} questions, too few to draw {count} and test on others.")


def named(rows: Sequence[tuple[Figures, Figures]]) -> dict[str, list[tuple[float, float]]]:
    """Return before and after of each draw by the name of the figure."""
    names = ("answered right", "answered falsely", "right window first", "AUROC of confidence")
    values = [(_values(before), _values(after)) for before, after in rows]
    return {name: [(one[place], two[place]) for one, two in values] for place, name in enumerate(names)}


def _values(one: Figures) -> tuple[float, ...]:
    return tuple(each.value or 0.0 for each in (one.right, one.false_answers, one.choice, one.auroc))


if __name__ == "__main__":
    main()
