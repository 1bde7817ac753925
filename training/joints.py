"""Train what tells where in a text a second question begins, and say what it is worth.

    python -m training.joints [--report FILE...] [--wrong] [--out FILE]

The examples are `training/joints/questions.tsv` (subject, text): brackets, empty or not, stand before each question but
the first, around what joins it. They are joined by pairs of questions of `training/corpora`, and by single ones. The
figures are out of fold: no text is judged by weights that saw its subject or its corpus.
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
from rag.opening.features import tokens_of
from rag.opening.joints import KINDS, WIDTH, beginnings, cut, features_in
from training.openings import questions

log = logging.getLogger("training")
HERE = Path(__file__).parent
EXAMPLES = HERE / "joints" / "questions.tsv"
SINGLE = 2_500
"""How many questions of `training/corpora` are trained on."""
PAIRS = 2_000
"""How many pairs of them, joined as the examples are."""
FOLDS = 4
STRENGTH = 100.0
"""The inverse of the penalty on the weights, `C` in scikit-learn."""
_BRACKETS = re.compile(r"\[([^\]]*)\] ?")


class Example(NamedTuple):
    """A text, what each of its words is (by its number in `KINDS`), and what is left out together with it."""

    group: str
    text: str
    kinds: tuple[int, ...]

    @property
    def begins(self) -> tuple[int, ...]:
        """The words that begin another question."""
        return tuple(place for place, kind in enumerate(self.kinds) if kind == KINDS.index("begins"))


def main() -> None:
    """Cross-validate, report, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, nargs="*", default=[])
    parser.add_argument("--wrong", action="store_true", help="show what is judged wrongly")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    written = [parsed(*line.split("\t")) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()]
    examples = [*written, *asked(written)]
    rows = [features_in(one.text) for one in examples]
    found: list[NDArray[np.float64]] = [np.empty(0)] * len(examples)
    for train, test in GroupKFold(FOLDS).split(examples, groups=[one.group for one in examples]):
        model = fitted([examples[index] for index in train], [rows[index] for index in train])
        for index in test:
            found[index] = model.predict_proba(matrix(rows[index]))
    for name in ("about", "set"):
        own = [index for index, one in enumerate(examples) if one.group.startswith(name)]
        report(name, [examples[index] for index in own], [found[index] for index in own], is_shown=options.wrong)
    model = fitted(examples, rows)
    for path in options.report:
        own_texts = [parsed("", line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        judged = [model.predict_proba(matrix(features_in(one.text))) for one in own_texts]
        report(path.name, own_texts, judged, is_shown=options.wrong)
    if options.out:
        write(model, options.out)


def parsed(subject: str, marked: str) -> Example:
    """Return an example without its brackets.

    >>> parsed("", "How long[, and] who pays?")
    Example(group='about ', text='How long, and who pays?', kinds=(0, 0, 1, 1, 2, 0, 0))
    """
    text, joints, begins = "", [], []
    pieces = _BRACKETS.split(marked)
    for place, piece in enumerate(pieces):
        if place % 2:
            start = len(text)
            text += piece
            joints.append((start, len(text)))
            text += " " if piece and not piece.endswith(" ") else ""
            begins.append(len(text))
        else:
            text += piece
    kinds = [
        KINDS.index("begins" if start in begins else "joins" if any(a <= start < b for a, b in joints) else "inside")
        for (start, _), _ in tokens_of(text)
    ]
    return Example(f"about {subject}", text, tuple(kinds))


def asked(written: Sequence[Example]) -> list[Example]:
    """Return single questions of the corpora, and pairs of them joined in one of the ways in which examples are."""
    choose = np.random.default_rng(0)
    folders = sorted(folder for folder in (HERE / "corpora").iterdir() if folder.is_dir())
    every = {folder.name: [one for one in questions(folder) if one.count("?") < 2] for folder in folders}
    single = [(name, one) for name, own in every.items() for one in own]
    joints = [joint for one in written for joint in joints_of(one)]
    found = [
        Example(f"set {name}", one, (0,) * len(tokens_of(one)))
        for name, one in (single[index] for index in choose.permutation(len(single))[:SINGLE])
    ]
    for _ in range(PAIRS):
        name = choose.choice(sorted(every))
        first, second = (every[name][index] for index in choose.permutation(len(every[name]))[:2])
        joint = joints[choose.integers(len(joints))]
        text = f"{first.rstrip('?')}[{joint}] {second[:1].lower()}{second[1:]}"
        text = text.rstrip("?") if choose.random() < 0.4 else text
        found.append(parsed("", text.lower() if choose.random() < 0.3 else text)._replace(group=f"set {name}"))
    return found


def joints_of(one: Example) -> list[str]:
    """Return what joins the questions of an example, with the space before it where there is one."""
    spans = [span for span, _ in tokens_of(one.text)]
    found = []
    for place in one.begins:
        end = place
        while end and one.kinds[end - 1] == KINDS.index("joins"):
            end -= 1
        found.append(one.text[spans[end - 1][1] : spans[place][0]].rstrip())
    return found


def fitted(examples: Sequence[Example], rows: Sequence[list[dict[int, float]]]) -> LogisticRegression:
    """Return the regression that fits best, large weights held against it."""
    kinds = [kind for one in examples for kind in one.kinds]
    seen = matrix([row for each in rows for row in each])
    return LogisticRegression(C=STRENGTH, max_iter=200, tol=1e-4).fit(seen, kinds)


def matrix(rows: Sequence[dict[int, float]]) -> csr_matrix:
    """Return features as a sparse matrix of shape `(rows, WIDTH)`."""
    ends = np.cumsum([0, *map(len, rows)])
    places = np.array([number for row in rows for number in row])
    return csr_matrix((np.array([value for row in rows for value in row.values()]), places, ends), (len(rows), WIDTH))


def report(name: str, examples: Sequence[Example], found: Sequence[NDArray[np.float64]], *, is_shown: bool) -> None:
    """Print how many texts are cut rightly, of those that hold several questions and of those that hold one."""
    several = sum(bool(one.begins) for one in examples)
    for threshold in (0.5, 0.6, 0.7, 0.8, 0.9):
        cuts = [len(cut(one.text, each, threshold=threshold)) > 1 for one, each in zip(examples, found, strict=True)]
        right = sum(
            is_cut and beginnings(each, threshold=threshold) == one.begins
            for is_cut, one, each in zip(cuts, examples, found, strict=True)
        )
        wrong = sum(is_cut and not one.begins for is_cut, one in zip(cuts, examples, strict=True))
        shares = [f"{right} of {count}{interval(right, count)}" for count in (sum(cuts), several)]
        log.info(
            f"{name} from {threshold}: precision {shares[0]}, recall {shares[1]}, "
            f"single cut {wrong} of {len(examples) - several}"
        )
    for one, each in zip(examples, found, strict=True) if is_shown else ():
        parts = cut(one.text, each)
        if (beginnings(each) if len(parts) > 1 else ()) != one.begins:
            log.info(f"    {'missed: ' if one.begins else ''}{' | '.join(parts)}")


def interval(right: int, count: int) -> str:
    """Return the 95% interval of a rate in words; nothing where there is none."""
    return " ({:.3f} to {:.3f})".format(*wilson(right, count)) if count else ""


def write(model: LogisticRegression, path: Path) -> None:
    """Write the weights and print their digest, which `rag/opening/joints.py` holds."""
    data = save(
        {
            "words": np.ascontiguousarray(model.coef_, np.float16),
            "bias": np.ascontiguousarray(model.intercept_, np.float16),
        }
    )
    path.write_bytes(data)
    log.info(f"{path}: {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
