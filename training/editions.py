"""Train what tells which editions a question asks for, and say what it is worth.

    python -m training.editions --work DIR [--report FILE...] [--wrong] [--out FILE]

The examples are `training/editions/questions.tsv` (kind, subject, question), its `frames.tsv` filled with its
`nouns.tsv`, and questions of `training/corpora`, which ask for no edition. In brackets stands what says no more than
that the latest is meant. Vectors are kept in `--work`. The figures are out of fold: no question is judged by weights
that saw its subject or its corpus. A file of `--report` has kind and question in each line, with a tab between.
"""

import argparse
import hashlib
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from rag.evaluation.intervals import wilson
from rag.opening.editions import kind_of, without
from rag.opening.features import WIDTH, features_of_each
from rag.protocols import Span
from rag.ranking.superseded import EDITION_KINDS
from training.openings import features, fitted, questions, vectors

log = logging.getLogger("training")
HERE = Path(__file__).parent
ORDINARY = 1_200
"""How many questions of `training/corpora` are trained on."""
FILLED = 4
"""How often a frame is filled."""
FOLDS = 6
STRENGTH = 30.0
"""The inverse of the penalty on the weights of the words that say it is the latest, `C` in scikit-learn."""
_VERBS = {
    "s": {"is": "is", "was": "was", "has": "has", "applies": "applies"},
    "p": {"is": "are", "was": "were", "has": "have", "applies": "apply"},
}
_BRACKETS = re.compile(r"[\[\]]")


class Example(NamedTuple):
    """A question of one kind, and the places of what says no more than that the latest is meant.

    Those of one group are left out together, those of no group are only trained on.
    """

    kind: str
    group: str
    question: str
    said: tuple[Span, ...] = ()


def main() -> None:
    """Embed, cross-validate, report, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--report", type=Path, nargs="*", default=[])
    parser.add_argument("--wrong", action="store_true", help="show what is judged wrongly")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    options.work.mkdir(parents=True, exist_ok=True)
    examples = [*written(), *filled(), *ordinary()]
    seen, kinds = seen_of(examples, options.work), np.array([EDITION_KINDS.index(one.kind) for one in examples])
    found, left = np.zeros((len(examples), len(EDITION_KINDS))), [one.question for one in examples]
    judged = np.array([index for index, one in enumerate(examples) if one.group])
    always = np.array([index for index, one in enumerate(examples) if not one.group])
    for train, test in GroupKFold(FOLDS).split(judged, groups=[examples[index].group for index in judged]):
        used = np.concatenate([judged[train], always])
        found[judged[test]] = model_of(seen[used], kinds[used]).predict_proba(seen[judged[test]])
        words = words_model([examples[index] for index in used])
        for index in judged[test]:
            left[index] = left_by(words, examples[index])
    report(examples, found, left, is_shown=options.wrong)
    model, words = model_of(seen, kinds), words_model(examples)
    for path in options.report:
        asked = [Example(line.split("\t")[0], path.name, *parsed(line.split("\t")[1])) for line in lines(path)]
        found = model.predict_proba(seen_of(asked, options.work))
        report(asked, found, [left_by(words, one) for one in asked], is_shown=options.wrong)
    if options.out:
        write(model, words, options.out)


def written() -> list[Example]:
    """Return the questions that were written as examples."""
    rows = [line.split("\t") for line in lines(HERE / "editions" / "questions.tsv")]
    return [Example(kind, f"about {subject}", *parsed(question)) for kind, subject, question in rows]


def filled() -> list[Example]:
    """Return the frames, each filled with some pairs of nouns: what is asked about says nothing of the kind."""
    nouns = [line.split("\t") for line in lines(HERE / "editions" / "nouns.tsv")]
    choose = np.random.default_rng(0)
    found = []
    for line in lines(HERE / "editions" / "frames.tsv"):
        kind, frame = line.split("\t")
        for _ in range(FILLED):
            (number, x), (_, y) = (nouns[place] for place in choose.choice(len(nouns), 2, replace=False))
            verbs = _VERBS[number]
            begins = {name.capitalize(): verb.capitalize() for name, verb in verbs.items()}
            found.append(Example(kind, "", *parsed(frame.format(x=x, y=y, **verbs, **begins))))
    return found


def ordinary() -> list[Example]:
    """Return questions of the corpora; hardly one of them asks for an edition."""
    folders = sorted(folder for folder in (HERE / "corpora").iterdir() if folder.is_dir())
    every = [(folder.name, one) for folder in folders for one in questions(folder)]
    chosen = np.random.default_rng(0).permutation(len(every))[:ORDINARY]
    return [Example("plain", f"set {every[index][0]}", every[index][1]) for index in chosen]


def lines(path: Path) -> list[str]:
    """Return the lines of a file that are not empty."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line]


def parsed(marked: str) -> tuple[str, tuple[Span, ...]]:
    """Return a question without its brackets, and the places of what stood in them.

    >>> parsed("What is the [latest] fee?")
    ('What is the latest fee?', ((12, 18),))
    """
    ends = [match.start() - place for place, match in enumerate(_BRACKETS.finditer(marked))]
    return _BRACKETS.sub("", marked), tuple(zip(ends[::2], ends[1::2], strict=True))


def seen_of(examples: Sequence[Example], work: Path) -> csr_matrix:
    """Return what the regression of kinds sees of each question."""
    texts = [one.question for one in examples]
    return features(texts, vectors(texts, work))


def model_of(seen: csr_matrix, kinds: NDArray[np.int64]) -> LogisticRegression:
    """Return the regression of kinds that fits best."""
    return fitted(seen, kinds, np.ones(len(kinds)))


def words_model(examples: Sequence[Example]) -> LogisticRegression:
    """Return the regression that tells of each word whether it says no more than that the latest is meant.

    Of plain questions no word says so: "current" may be what is measured.
    """
    rows, is_said = [], []
    for one in examples:
        for (start, end), found in features_of_each(one.question) if is_telling(one) else ():
            rows.append(found)
            is_said.append(any(a <= start and end <= b for a, b in one.said))
    return LogisticRegression(C=STRENGTH, max_iter=1000, tol=1e-5).fit(matrix(rows), is_said)


def is_telling(one: Example) -> bool:
    """Return whether the words of a question are trained on: all but those of ordinary ones, which are too many."""
    return one.kind == "latest" or (one.kind == "plain" and one.group.startswith("about"))


def matrix(rows: Sequence[dict[int, float]]) -> csr_matrix:
    """Return features as a sparse matrix of shape `(rows, WIDTH)`."""
    ends = np.cumsum([0, *map(len, rows)])
    places = np.array([number for row in rows for number in row])
    return csr_matrix((np.array([value for row in rows for value in row.values()]), places, ends), (len(rows), WIDTH))


def left_by(words: LogisticRegression, example: Example) -> str:
    """Return a question without what says that the latest is meant."""
    each = features_of_each(example.question)
    is_said = words.predict(matrix([found for _, found in each]))
    return without(example.question, [span for (span, _), one in zip(each, is_said, strict=True) if one])


def report(examples: Sequence[Example], found: NDArray[np.float64], left: Sequence[str], *, is_shown: bool) -> None:
    """Print how many questions of each kind are judged as which, and how many read rightly; each set by itself."""
    for name in sorted({one.group.split(" ")[0] for one in examples if one.group}):
        own = [index for index, one in enumerate(examples) if one.group.split(" ")[0] == name]
        for kind in EDITION_KINDS:
            of_kind = [index for index in own if examples[index].kind == kind]
            judged = [kind_of(found[index]) for index in of_kind]
            counts = {other: judged.count(other) for other in EDITION_KINDS}
            low, high = wilson(counts[kind], len(of_kind)) if of_kind else (0.0, 1.0)
            log.info(f"{name}: {kind}: {counts[kind]} of {len(of_kind)} right ({low:.2f} to {high:.2f}); {counts}")
            for index in of_kind if is_shown else ():
                if kind_of(found[index]) != kind:
                    log.info(f"    {kind_of(found[index])} {found[index].round(2)} {examples[index].question}")
        of_latest = [index for index in own if examples[index].kind == "latest"]
        wrong = [index for index in of_latest if left[index] != without(examples[index].question, examples[index].said)]
        log.info(f"{name}: {len(of_latest) - len(wrong)} of {len(of_latest)} of the latest read without what says so")
        for index in wrong if is_shown else ():
            log.info(f"    {examples[index].question} -> {left[index]}")
        if name == "about":
            at_thresholds([examples[index] for index in own], found[own])


def at_thresholds(examples: Sequence[Example], found: NDArray[np.float64]) -> None:
    """Print what would be right and wrong at other thresholds."""
    kinds = np.array([EDITION_KINDS.index(one.kind) for one in examples])
    for threshold in np.arange(0.1, 0.8, 0.1):
        for number, kind in tuple(enumerate(EDITION_KINDS))[1:]:
            is_judged = found[:, number] >= threshold
            right, other = is_judged[kinds == number].mean(), is_judged[kinds != number].mean()
            log.info(f"{kind} from {threshold:.1f} on: {right:.3f} of its own, {other:.3f} of the others")


def write(model: LogisticRegression, words: LogisticRegression, path: Path) -> None:
    """Write the weights and print their digest, which `rag/opening/editions.py` holds."""
    width = model.coef_.shape[1] - WIDTH
    held = {
        "vector": model.coef_[:, :width],
        "words": model.coef_[:, width:],
        "bias": model.intercept_,
        "said": words.coef_[0],
        "said_bias": words.intercept_,
    }
    data = save({name: np.ascontiguousarray(value, np.float16) for name, value in held.items()})
    path.write_bytes(data)
    log.info(f"{path}: {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
