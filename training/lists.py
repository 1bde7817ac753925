"""Train what tells whether a question asks for a whole list or procedure, and say what it is worth.

    python -m training.lists --work DIR [--wrong] [--out FILE]

The examples are `training/lists/questions.tsv` (kind, subject, question). Vectors are kept in `--work`. The figures are
out of fold: no question is judged by weights that saw its subject.
"""

import argparse
import hashlib
import logging
from pathlib import Path

import numpy as np
from safetensors.numpy import save
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from rag.evaluation.intervals import wilson
from rag.opening.features import WIDTH
from rag.opening.lists import KINDS, THRESHOLD
from training.openings import features, vectors

log = logging.getLogger("training")
EXAMPLES = Path(__file__).parent / "lists" / "questions.tsv"
STRENGTH = 5.0
"""The inverse of the penalty on the weights, `C` in scikit-learn."""
FOLDS = 6


def main() -> None:
    """Embed, cross-validate, report, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--wrong", action="store_true", help="show what is judged wrongly")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    options.work.mkdir(parents=True, exist_ok=True)
    lines = (line.split("\t") for line in EXAMPLES.read_text(encoding="utf-8").splitlines())
    kinds, subjects, questions = zip(*lines, strict=True)
    seen, is_whole = features(questions, vectors(questions, options.work)), np.array(kinds) == "whole"
    found = np.zeros(len(questions))
    for train, test in GroupKFold(FOLDS).split(found, groups=subjects):
        found[test] = model().fit(seen[train], is_whole[train]).predict_proba(seen[test])[:, 1]
    right = (found >= THRESHOLD) == is_whole
    low, high = wilson(int(right.sum()), len(right))
    log.info(
        f"{right.sum()} of {len(right)} right ({low:.3f} to {high:.3f}); AUROC {roc_auc_score(is_whole, found):.3f}"
    )
    for index in np.flatnonzero(~right) if options.wrong else ():
        log.info(f"    {kinds[index]} {found[index]:.2f} {questions[index]}")
    if options.out:
        write(model().fit(seen, is_whole), options.out)


def model() -> LogisticRegression:
    """Return a regression that is not fitted yet."""
    return LogisticRegression(C=STRENGTH, max_iter=3000)


def write(fitted: LogisticRegression, path: Path) -> None:
    """Write the weights and print their digest, which `rag/opening/lists.py` holds; the first kind's are 0."""
    width = fitted.coef_.shape[1] - WIDTH
    weights, bias = (np.vstack([np.zeros_like(one), one]) for one in (fitted.coef_, fitted.intercept_[None]))
    held = {"vector": weights[:, :width], "words": weights[:, width:], "bias": bias[:, 0]}
    data = save({name: np.ascontiguousarray(value, np.float16) for name, value in held.items()})
    path.write_bytes(data)
    log.info(f"{path}: {len(data)} bytes, kinds {KINDS}, SHA-256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
