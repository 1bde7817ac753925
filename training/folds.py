"""Out of fold by document: train on the others, judge what was left out; then train on everything."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from training.network import Networks
from training.pairs import collect, joined
from training.states import Matches, States, features
from training.trainer import EPOCHS, Trainer
from training.worth import best_of, report, write

log = logging.getLogger("training")
ALL = "all-sets"
"""What several data sets together are called."""
SEEDS = range(1)
"""One network for each; their mean is what the reader says."""
VECTORS = 1 if len(SEEDS) == 1 else 2
"""Axes of a tensor that holds a vector, for one network or for each."""


def prepare(folders: Sequence[Path], work: Path, *, times: Mapping[str, float] | None = None) -> Trainer:
    """Return data sets, ready to train on or to apply to; `times` says what a question counts, by the set's name."""
    parts = [collect(folder, work) for folder in folders]
    found = parts[0] if len(parts) == 1 else joined(parts, ALL)
    states = States(found, work)
    return Trainer(found, states, Matches(found, states, work), features(found, states, work), times)


def fold_of(trainer: Trainer, fold: int | str, folds: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs to train on and the retrieved pairs held out; a fold holds all questions of a document."""
    from sklearn.model_selection import GroupKFold

    known = (trainer.labels >= 0) & (trainer.weights > 0)
    if fold == "all":
        return np.flatnonzero(known), np.array([], dtype=np.int64)
    splits = list(GroupKFold(folds).split(trainer.found.groups, groups=trainer.found.groups))
    held = np.isin(trainer.of, splits[int(fold)][1])
    return np.flatnonzero(known & ~held), np.flatnonzero(held & (trainer.ranks >= 0))


def train_part(trainer: Trainer, fold: int | str, work: Path, *, folds: int, epochs: int = EPOCHS) -> None:
    """Train the networks and keep them with their predictions for what they have not seen."""
    kept = work / f"{trainer.found.name}.{fold}.pt"
    if kept.is_file():
        return
    chosen, held = fold_of(trainer, fold, folds)
    log.info("fold %s: %d pairs", fold, len(chosen))
    base = trainer.base(chosen)
    networks = trainer.train(chosen, base, seeds=SEEDS, epochs=epochs)
    predicted = trainer.predict(networks, base, held) if len(held) else None
    weights = {name: value.detach() for name, value in networks.weights.items()}
    torch.save({"base": base, "weights": weights, "held": held, "predicted": predicted}, kept)


def cross_validated(trainer: Trainer, work: Path, limit: int, *, folds: int) -> NDArray[np.float32]:
    """Report what the reader is worth out of fold, write its scores, and return the calibration."""
    from sklearn.linear_model import LogisticRegression

    each = np.zeros((len(trainer.pairs), len(SEEDS), 2))
    for fold in range(folds):
        part = torch.load(work / f"{trainer.found.name}.{fold}.pt", weights_only=False)
        each[part["held"]] = part["predicted"]
    logits = each.mean(axis=1)
    read = (trainer.ranks >= 0) & (trainer.ranks < limit) & (trainer.labels >= 0)
    fit = LogisticRegression(C=1e3).fit(logits[read], trainer.labels[read])
    calibration = np.array([*fit.coef_[0], fit.intercept_[0]], dtype=np.float32)
    score = fit.predict_proba(logits)[:, 1]
    answerable = np.array([int(question.answerable) for question in trainer.found.questions])
    log.info("calibration %s", calibration)
    alone = [(f"answer, network {seed}", each[:, number, 0]) for number, seed in enumerate(SEEDS)]
    for name, values in (*alone, ("answer", logits[:, 0]), ("span", logits[:, 1]), ("reader", score)):
        report(f"{trainer.found.name} out of fold, {name}", answerable, best_of(trainer, values, limit)[0])
    write(work / "oof.jsonl", trainer, score, limit)
    return calibration


def assembled(trainer: Trainer, calibration: NDArray[np.float32], work: Path) -> dict[str, NDArray[np.float32]]:
    """Return all weights of the networks trained on everything, with their regression and calibration."""
    part = torch.load(work / f"{trainer.found.name}.all.pt", weights_only=False)
    own = {name: (value if len(SEEDS) > 1 else value[0]).numpy() for name, value in part["weights"].items()}
    return {"calibration": calibration, **{name: np.asarray(value) for name, value in part["base"].items()}, **own}


def save(weights: Mapping[str, NDArray[np.float32]], path: Path) -> None:
    """Write all weights, the networks' matrices as float16."""
    from safetensors.numpy import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    kinds = {name: np.float16 if value.ndim > VECTORS else np.float32 for name, value in weights.items()}
    save_file({name: np.ascontiguousarray(value, dtype=kinds[name]) for name, value in weights.items()}, path)
    path.chmod(0o644)


def apply(other: Trainer, trainer: Trainer, weights: dict[str, NDArray[np.float32]], work: Path, limit: int) -> None:
    """Report and write the scores of the trained networks on a data set that they have not seen."""
    part = torch.load(work / f"{trainer.found.name}.all.pt", weights_only=False)
    networks = Networks(SEEDS)
    networks.weights = part["weights"]
    logits = other.predict(networks, part["base"], range(len(other.pairs))).mean(axis=1)
    odds = logits @ weights["calibration"][:2] + weights["calibration"][2]
    score = 1 / (1 + np.exp(-odds))
    answerable = np.array([int(question.answerable) for question in other.found.questions])
    report(f"{other.found.name}, not trained on", answerable, best_of(other, score, limit)[0])
    write(work / f"{other.found.name}.jsonl", other, score, limit)
