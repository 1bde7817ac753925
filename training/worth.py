"""What scores are worth: AUROC and coverage with intervals, and a line for each question."""

import json
import logging
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.trainer import Trainer

log = logging.getLogger("training")


def coverage(answerable: NDArray[np.int64], score: NDArray[np.float64], rate: float) -> float:
    """Return the share of answerable questions above the score that a share `rate` of the others exceeds."""
    others = np.sort(score[answerable == 0])[::-1]
    return float((score[answerable == 1] > others[int(rate * len(others))]).mean())


def report(name: str, answerable: NDArray[np.int64], score: NDArray[np.float64]) -> None:
    """Log AUROC and coverage with 95% bootstrap intervals over questions."""
    from sklearn.metrics import roc_auc_score

    generator = np.random.default_rng(0)
    draws = [generator.integers(0, len(score), len(score)) for _ in range(500)]
    for what, rate in (("AUROC", None), ("coverage at 10%", 0.1), ("coverage at 5%", 0.05), ("coverage at 1%", 0.01)):
        measure = roc_auc_score if rate is None else lambda a, s, r=rate: coverage(a, s, r)
        low, high = np.quantile([measure(answerable[d], score[d]) for d in draws], [0.025, 0.975])
        log.info("%s: %s %.3f [%.3f, %.3f]", name, what, measure(answerable, score), low, high)


def best_of(trainer: Trainer, score: NDArray[np.float64], limit: int) -> tuple[NDArray[np.float64], list[list[float]]]:
    """Return each question's best score over its first windows, and the scores of all of them."""
    each: list[list[float]] = [[] for _ in trainer.found.questions]
    for pair, value in zip(trainer.pairs, score, strict=True):
        if 0 <= pair.rank < limit:
            each[pair.question].append(float(value))
    return np.array([max(values, default=0.0) for values in each]), each


def write(path: Path, trainer: Trainer, score: NDArray[np.float64], limit: int) -> None:
    """Write one line per question: qid, group, label, the best score and those of its windows."""
    best, each = best_of(trainer, score, limit)
    with path.open("w", encoding="utf-8") as file:
        for question, group, top, values in zip(trainer.found.questions, trainer.found.groups, best, each, strict=True):
            line = {"qid": question.qid, "group": group, "answerable": question.answerable}
            file.write(json.dumps({**line, "score": float(top), "scores": values}) + "\n")
