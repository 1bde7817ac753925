"""Train what tells openings of a conversation from questions to the documents, and say what it is worth.

    python -m training.openings --work DIR [--also DATASET...] [--report DATASET...] [--out FILE]

The examples are `training/openings/*.txt`, a line each; ordinary questions are those of `training/corpora` and of the
data sets in `--also` (folders as `candor evaluate` takes them). Vectors are kept in `--work`. All figures but those of
`--report` are out of fold: an example by five folds, an ordinary question by weights that saw no question of its set.
"""

import argparse
import hashlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from rag.adapters.embedders import made_embedder, packaged_encoder
from rag.opening.classifier import EMBEDDING, THRESHOLD, WORDS_COUNT
from rag.opening.features import WIDTH, features_of
from rag.opening.kinds import KINDS

log = logging.getLogger("training")
HERE = Path(__file__).parent
STRENGTH = 20.0
"""The inverse of the penalty on the weights, `C` in scikit-learn."""
NEAR_MISSES = 3.0
"""What a question counts that begins like an opening, those of `question.txt`, against 1 for every other text."""
FOLDS = 5


def main() -> None:
    """Embed, cross-validate, report, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--also", type=Path, nargs="*", default=[])
    parser.add_argument("--report", type=Path, nargs="*", default=[])
    parser.add_argument("--most", type=int, default=8_000, help="ordinary questions that are trained on")
    parser.add_argument("--threshold", type=float, default=THRESHOLD)
    parser.add_argument("--wrong", action="store_true", help="show what is judged wrongly")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    options.work.mkdir(parents=True, exist_ok=True)
    texts, kinds, groups = collected([*sorted((HERE / "corpora").iterdir()), *options.also], options.most)
    seen = features(texts, vectors(texts, options.work))
    found = np.zeros((len(texts), len(KINDS)))
    counts = np.array(
        [
            NEAR_MISSES if kind == 0 and not group.startswith("set ") else 1.0
            for kind, group in zip(kinds, groups, strict=True)
        ]
    )
    for train, test in GroupKFold(FOLDS).split(seen, kinds, groups):
        found[test] = fitted(seen[train], kinds[train], counts[train]).predict_proba(seen[test])
    report(texts, kinds, groups, found, options)
    model = fitted(seen, kinds, counts)
    for folder in options.report:
        asked = questions(folder)
        judged = model.predict_proba(features(asked, vectors(asked, options.work)))
        tell(folder.name, asked, judged, options)
    if options.out:
        write(model, options.out)


def collected(folders: Sequence[Path], most: int) -> tuple[list[str], NDArray[np.int64], list[str]]:
    """Return all texts, the numbers of their kinds, and what is left out together: an example, a set of questions."""
    texts, kinds, groups = [], [], []
    for number, kind in enumerate(KINDS):
        lines = (HERE / "openings" / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
        for line in dict.fromkeys(filter(None, map(str.strip, lines))):
            texts.append(line)
            kinds.append(number)
            groups.append(line.casefold().rstrip(".!? "))
    asked = [(one, folder.name) for folder in folders if folder.is_dir() for one in questions(folder)]
    for index in np.random.default_rng(0).permutation(len(asked))[:most]:
        texts.append(asked[index][0])
        kinds.append(0)
        groups.append(f"set {asked[index][1]}")
    return texts, np.array(kinds), groups


def questions(folder: Path) -> list[str]:
    """Return the questions of a data set, or of the data sets below a folder, each once."""
    paths = (
        [folder / "questions.jsonl"]
        if (folder / "questions.jsonl").is_file()
        else sorted(folder.glob("*/questions.jsonl"))
    )
    lines = (line for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line)
    return list(dict.fromkeys(json.loads(line)["question"] for line in lines))


def vectors(texts: Sequence[str], work: Path) -> NDArray[np.float32]:
    """Return the embeddings of texts; those computed before are read."""
    path = work / "vectors.npz"
    held = (
        dict(np.load(path))
        if path.is_file()
        else {"keys": np.empty(0, "U64"), "vectors": np.empty((0, 384), np.float32)}
    )
    known = {key: place for place, key in enumerate(held["keys"])}
    keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    missing = [(key, text) for key, text in dict(zip(keys, texts, strict=True)).items() if key not in known]
    if missing:
        embedder = made_embedder(
            None, "openvino", lambda: packaged_encoder(precision="float32", threads=None, cache=None)
        )
        if not embedder.fingerprint.startswith(EMBEDDING):
            raise SystemExit(f"{embedder.fingerprint} is another embedding model than {EMBEDDING}")
        held["keys"] = np.concatenate([held["keys"], [key for key, _ in missing]])
        held["vectors"] = np.vstack([held["vectors"], embedder.embed([text for _, text in missing])])
        np.savez(path, **held)
        known = {key: place for place, key in enumerate(held["keys"])}
    return np.asarray(held["vectors"][[known[key] for key in keys]], dtype=np.float32)


def features(texts: Sequence[str], embedded: NDArray[np.float32]) -> csr_matrix:
    """Return what the regression sees of each text: its vector and its words."""
    rows = [features_of(text) for text in texts]
    ends = np.cumsum([0, *map(len, rows)])
    places = np.array([number for row in rows for number in row])
    values = np.array([value for row in rows for value in row.values()]) * WORDS_COUNT
    words = csr_matrix((values, places, ends), shape=(len(texts), WIDTH))
    return hstack([csr_matrix(embedded), words]).tocsr()


def fitted(seen: csr_matrix, kinds: NDArray[np.int64], counts: NDArray[np.float64]) -> LogisticRegression:
    """Return the regression that fits best, large weights held against it."""
    return LogisticRegression(C=STRENGTH, max_iter=3000, tol=1e-4).fit(seen, kinds, sample_weight=counts)


def report(
    texts: Sequence[str],
    kinds: NDArray[np.int64],
    groups: Sequence[str],
    found: NDArray[np.float64],
    options: argparse.Namespace,
) -> None:
    """Print, out of fold, how many examples are judged rightly and how many ordinary questions are taken for more."""
    judged = decided(found, options.threshold)
    is_set = np.array([group.startswith("set ") for group in groups])
    for number, kind in enumerate(KINDS):
        own = np.flatnonzero((kinds == number) & ~is_set)
        wrong = [index for index in own if judged[index] != number]
        log.info(f"{kind}: {len(own) - len(wrong)} of {len(own)} right")
        for index in wrong if options.wrong else ():
            log.info(f"    {KINDS[judged[index]]} {1 - found[index, 0]:.2f} {texts[index]}")
    small = ~is_set & (kinds > 0)
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        each = decided(found, threshold)
        log.info(f"{threshold}: right {(each == kinds)[small].mean():.4f} misrouted {(each[is_set] > 0).mean():.5f}")
    tell("ordinary questions", [texts[index] for index in np.flatnonzero(is_set)], found[is_set], options)


def tell(name: str, texts: Sequence[str], found: NDArray[np.float64], options: argparse.Namespace) -> None:
    """Print how many ordinary questions of a set are taken for something else."""
    judged = decided(found, options.threshold)
    log.info(f"{name}: {(judged > 0).sum()} of {len(texts)} misrouted ({(judged > 0).mean():.3%})")
    for index in np.flatnonzero(judged) if options.wrong else ():
        log.info(f"    {KINDS[judged[index]]} {1 - found[index, 0]:.2f} {texts[index]}")


def decided(found: NDArray[np.float64], threshold: float) -> NDArray[np.int64]:
    """Return the number of each text's kind, by the rule of `opening_of`."""
    return np.where(1 - found[:, 0] >= threshold, found[:, 1:].argmax(axis=1) + 1, 0)


def write(model: LogisticRegression, path: Path) -> None:
    """Write the weights and print their digest, which `rag/opening/classifier.py` holds."""
    width = model.coef_.shape[1] - WIDTH
    held = {"vector": model.coef_[:, :width], "words": model.coef_[:, width:], "bias": model.intercept_}
    data = save(
        {name: np.ascontiguousarray(value, np.float16) for name, value in held.items()}
    )  # it writes memory as is
    path.write_bytes(data)
    log.info(f"{path}: {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
