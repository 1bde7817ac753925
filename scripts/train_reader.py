"""Train the reader on labelled data sets and say, out of fold by document, what it is worth.

    python scripts/train_reader.py DATASET... --work DIR --out rag/weights/reader.safetensors [--apply OTHER ...]

DATASET and OTHER are folders as `candor evaluate` takes them; our own stand in `scripts/corpora`. Pairs of question and
window come from the product's own retrieval and from `rag.windows`; their states from the packaged encoder, which stays
frozen. Everything computed is kept in `--work`, so that an interrupted run goes on, and `--only` lets several processes
share the folds.
"""

import argparse
import json
import logging
import pickle
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from rag.adapters.reader_features import FEATURES, LAYERS, ReadText, pair_features
from rag.adapters.reader_judge import CLIP
from rag.adapters.reader_states import StateReader, assemble
from rag.evaluation.datasets import Question
from rag.models import Chunk
from rag.text import stems
from rag.windows import WINDOW_WORDS, Window, grow, windows

log = logging.getLogger("train_reader")
RANKS = 3
ALL = "all-sets"
"""What several data sets together are called."""
PLACE_WORDS = 10
"""Words of a title, and of a heading, that `--placed` reads before a window."""
RUN = 50
"""Characters that a window and a gold passage share at least."""
GOLD = -1
"""Rank of a window that was cut around the gold answer because retrieval did not bring it; for training only."""
WEIGHT = {0: 1.0, 1: 0.6, 2: 0.0, GOLD: 1.0}
FOLDS, EPOCHS, BATCH, RATE = 4, 5, 64, 2e-3
BATCHES_SORTED = 40


@dataclass(frozen=True, slots=True)
class Pair:
    """A question (by index) and a window; `label` is 1, 0 or -1 (unknown), the answer is `text[start:end]`."""

    question: int
    rank: int
    text: str
    label: int
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Found:
    """What is trained on: questions, for each the group that stays in one fold, and their pairs."""

    name: str
    questions: list[Question]
    groups: list[str]
    pairs: list[Pair]


# --- pairs ---------------------------------------------------------------------------------------------------------


def place(chunk: Chunk) -> str:
    """Return a line with the document's title and the nearest heading, each cut to ten words; empty without both.

    Sentences seldom name what they speak of: `The limit is 5 kg.` answers for the pump in the title, and for no other.
    """
    heading = chunk.section_path[-1] if chunk.section_path else chunk.section or chunk.chapter_title or ""
    title = chunk.metadata.title or ""
    parts = [title] if title.casefold() == heading.casefold() else [title, heading]
    line = " ".join(f"{' '.join(part.split()[:PLACE_WORDS])}." for part in parts if part.strip())
    return f"{line}\n" if line else ""


def collect(folder: Path, work: Path, *, placed: bool) -> Found:
    """Return questions, groups and pairs of one data set, from its own index under `work`."""
    kept = work / f"{folder.name}.pairs.pickle"
    if kept.is_file():
        return pickle.loads(kept.read_bytes())  # noqa: S301 (written by this script)
    from rag.candor import Candor
    from rag.evaluation.datasets import load_dataset
    from rag.protocols import SearchScope
    from rag.settings import load_settings

    dataset = load_dataset(folder)
    questions = [question for question in dataset.questions if question.answerable is not None]
    found = Found(folder.name, questions, [], [])
    with Candor.open(load_settings(data_dir=work / f"{folder.name}.index", record_answers=False)) as candor:
        candor.ingest(dataset.documents)
        chunks = list(candor.wiring.store.scroll(SearchScope()))
        for index, question in enumerate(questions):
            hits = candor.retrieve(question.question).retrieval.hits
            document = question.gold[0].document if question.gold else hits[0].document if hits else ""
            found.groups.append(f"{folder.name}/{document}")
            read = windows(question.question, hits, limit=RANKS)
            ahead = [place(hits[window.hit]) if placed else "" for window in read]
            found.pairs.extend(label(index, question, list(zip(ahead, read, strict=True)), chunks, placed=placed))
    log.info("%s: %d questions", folder.name, len(questions))
    kept.write_bytes(pickle.dumps(found))
    return found


def joined(parts: Sequence[Found], name: str) -> Found:
    """Return several data sets as one."""
    every = Found(name, [], [], [])
    for part in parts:
        every.pairs.extend(replace(pair, question=pair.question + len(every.questions)) for pair in part.pairs)
        every.questions.extend(part.questions)
        every.groups.extend(part.groups)
    return every


def label(
    index: int, question: Question, read: Sequence[tuple[str, Window]], chunks: Sequence[Chunk], *, placed: bool
) -> list[Pair]:
    """Return the windows of a question, each behind its place, with labels; one around the answer if none has it."""
    gold = question.gold[0].text or "" if question.gold else ""
    pairs = [_labelled(index, rank, ahead, window.text, question, gold) for rank, (ahead, window) in enumerate(read)]
    if question.answerable and gold and not any(pair.label == 1 for pair in pairs):
        pairs += _around_answer(index, question, gold, chunks, placed=placed)
    return pairs


def _labelled(index: int, rank: int, ahead: str, text: str, question: Question, gold: str) -> Pair:
    if not question.answerable:
        return Pair(index, rank, ahead + text, 0)
    if not gold:
        return Pair(index, rank, ahead + text, -1)
    answers = [answer for answer in question.answers if answer in text]
    if not answers:
        return Pair(index, rank, ahead + text, 0)
    if not overlap(text, gold):
        return Pair(index, rank, ahead + text, -1)
    answer = max(answers, key=question.answers.count)
    start = text.find(answer) + len(ahead)
    return Pair(index, rank, ahead + text, 1, start, start + len(answer))


def overlap(text: str, gold: str) -> bool:
    """Return whether a text and a gold passage are about the same lines; a table row is where all its cells are.

    >>> overlap("| A | 12 kg |", "| A | 12 kg |  "), overlap("A weighs 12 kg.", "B weighs 12 kg.")
    (True, False)
    """
    one, other = (" ".join(each.split()) for each in (text, gold))
    if other.startswith("|"):
        return all(cell.strip() in one for cell in other.strip("|").split("|"))
    runs = (other[start : start + RUN] for start in range(0, len(other) - RUN, 10))
    return one in other or other in one or any(run in one for run in runs)


def _around_answer(index: int, question: Question, gold: str, chunks: Sequence[Chunk], *, placed: bool) -> list[Pair]:
    """Return the window around the sentence of the gold passage that holds an answer and most of the question."""
    wanted = set(stems(question.question))
    inside = [one for one in chunks if one.document == question.gold[0].document and overlap(one.content, gold)]
    holding = [
        (len(wanted & set(stems(sentence))), -number, order, answer)
        for number, chunk in enumerate(inside)
        for order, sentence in enumerate(chunk.sentence_texts)
        for answer in question.answers
        if answer in sentence
    ]
    if not holding:
        return []
    _, number, order, answer = max(holding)
    chunk = inside[-number]
    first, last = grow([len(sentence.split()) for sentence in chunk.sentence_texts], order, WINDOW_WORDS)
    begin, end = chunk.sentences[first][0], chunk.sentences[last][1]
    ahead = place(chunk) if placed else ""
    text = ahead + chunk.content[begin:end]
    start = text.find(answer, len(ahead) + chunk.sentences[order][0] - begin)
    return [Pair(index, GOLD, text, 1, start, start + len(answer))]


# --- states and features -------------------------------------------------------------------------------------------


class States:
    """The frozen states of all texts of a data set, kept on disk as float16."""

    def __init__(self, found: Found, work: Path) -> None:
        from rag.adapters.bert_encoder import BertEncoder
        from rag.adapters.packaged_model import packaged_model

        encoder = StateReader(BertEncoder(packaged_model(), precision="bfloat16"))
        self.words = encoder.words
        path = work / f"{found.name}.states"
        if not path.with_suffix(".pickle").is_file():
            self._compute(found, encoder, path)
        self.where = pickle.loads(path.with_suffix(".pickle").read_bytes())  # noqa: S301 (written by this script)
        self.raw = {layer: np.load(f"{path}.{layer}.npy", mmap_mode="r") for layer in LAYERS[1:]}

    @staticmethod
    def _compute(found: Found, encoder: StateReader, path: Path) -> None:
        texts = sorted({p.text for p in found.pairs} | {q.question for q in found.questions}, key=len)
        where, rows, total = {}, {layer: [] for layer in LAYERS[1:]}, 0
        for begin in range(0, len(texts), 32):
            for read in encoder.read(texts[begin : begin + 32]):
                where[read.text] = (total, read.ids, read.spans)
                total += len(read.ids)
                for layer in rows:
                    rows[layer].append(read.raw[layer].astype(np.float16))
        for layer, values in rows.items():
            np.save(f"{path}.{layer}.npy", np.concatenate(values))
        path.with_suffix(".pickle").write_bytes(pickle.dumps(where))
        log.info("%s: states of %d texts, %d pieces", found.name, len(texts), total)

    def read(self, text: str) -> ReadText:
        """Return a text as the encoder reads it."""
        begin, ids, spans = self.where[text]
        raw = {layer: np.asarray(self.raw[layer][begin : begin + len(ids)], dtype=np.float32) for layer in self.raw}
        return assemble(text, ids, spans, raw, self.words)


def features(found: Found, states: States, work: Path) -> NDArray[np.float32]:
    """Return the features of all pairs: shape `(pairs, len(FEATURES))`."""
    kept = work / f"{found.name}.features.npy"
    if not kept.is_file():
        rows, last = [], (-1, None)
        for pair in found.pairs:
            if last[0] != pair.question:
                last = (pair.question, states.read(found.questions[pair.question].question))
            rows.append(pair_features(last[1], states.read(pair.text)))
        np.save(kept, np.stack(rows))
    return np.load(kept)


# --- the network ---------------------------------------------------------------------------------------------------


class Network(nn.Module):
    """As `rag.adapters.reader_judge`, in batches and with dropout."""

    def __init__(self, width: int = 48, hidden: int = 64, dropout: float = 0.35) -> None:
        super().__init__()
        self.project, self.drop = nn.Linear(768, width), nn.Dropout(dropout)
        self.layer_weight = nn.Parameter(torch.tensor([4.0, 6.0, 4.0]))
        self.compare = nn.Sequential(
            nn.Linear(4 * width + 4, hidden), nn.GELU("tanh"), nn.Dropout(dropout), nn.Linear(hidden, hidden)
        )
        self.attend, self.read = nn.Linear(hidden, 1), nn.Linear(4 * width + 4, hidden)
        self.context = nn.Linear(hidden, hidden)
        self.near, self.far = (nn.Conv1d(hidden, hidden, 5, padding=2) for _ in range(2))
        self.span, self.null = nn.Linear(hidden, 2), nn.Linear(hidden, 2)
        self.head = nn.Sequential(
            nn.Linear(4 * hidden + len(FEATURES), 64), nn.GELU("tanh"), nn.Dropout(dropout), nn.Linear(64, 1)
        )
        nn.init.zeros_(self.head[3].weight)
        nn.init.zeros_(self.head[3].bias)

    def forward(self, question: Any, passage: Any, given: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return span logits `(b, 1 + pieces, 2)`, place 0 for "no span", and the answer's log-odds `(b,)`."""
        asked_mask, said_mask = question["mask"], passage["mask"]
        both = asked_mask[:, :, None] * said_mask[:, None, :]
        layers = [question["states"][i] @ passage["states"][i].transpose(1, 2) for i in range(len(LAYERS))]
        aligned = torch.stack(layers, -1) * both[..., None]
        attention = (aligned * self.layer_weight).sum(-1) - (1 - both) * 1e4
        aligned = aligned - (1 - both)[..., None] * 2
        asked, said = (self.drop(self.project(side["raw"])) for side in (question, passage))
        value = _joined(asked, torch.softmax(attention, 2) @ said, aligned.amax(2), question["rare"])
        value = functional.gelu(self.compare(value), approximate="tanh")
        weight = torch.softmax(self.attend(value) - (1 - asked_mask)[..., None] * 1e4, 1)
        pooled = (weight * value).sum(1)
        strongest = (value - (1 - asked_mask)[..., None] * 1e4).amax(1)
        back = torch.softmax(attention, 1).transpose(1, 2) @ asked
        states = self.read(_joined(said, back, aligned.amax(1), passage["rare"])) + self.context(pooled)[:, None]
        states = functional.gelu(states, approximate="tanh") * said_mask[..., None]
        for convolution in (self.near, self.far):
            moved = functional.gelu(convolution(states.transpose(1, 2)).transpose(1, 2), approximate="tanh")
            states = states + self.drop(moved) * said_mask[..., None]
        logits = self.span(states) - (1 - said_mask)[..., None] * 1e4
        chance = torch.softmax(logits, 1)
        ends = [(chance[..., side : side + 1] * states).sum(1) for side in (0, 1)]
        answers = self.head(torch.cat([pooled, strongest, *ends, given], -1))[:, 0]
        return torch.cat([self.null(pooled)[:, None], logits], 1), answers


def _joined(one: torch.Tensor, other: torch.Tensor, best: torch.Tensor, rare: torch.Tensor) -> torch.Tensor:
    return torch.cat([one, other, (one - other).abs(), one * other, best, rare[..., None]], -1)


# --- training ------------------------------------------------------------------------------------------------------


class Trainer:
    """Pairs, states and features of one data set, in batches."""

    def __init__(self, found: Found, states: States, given: NDArray[np.float32], twice: Sequence[str] = ()) -> None:
        self.found, self.states, self.given = found, states, given
        self.pairs: list[Pair] = found.pairs
        self.words = torch.from_numpy(np.asarray(states.words, dtype=np.float32))
        self.of = np.array([pair.question for pair in self.pairs])
        self.labels = np.array([pair.label for pair in self.pairs])
        self.ranks = np.array([pair.rank for pair in self.pairs])
        counts = [2.0 if group.split("/")[0] in twice else 1.0 for group in found.groups]
        self.weights = np.array([WEIGHT[pair.rank] * counts[pair.question] for pair in self.pairs], dtype=np.float32)

    def side(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return texts as padded tensors."""
        rows = [self.states.where[text] for text in texts]
        longest = max(len(ids) for _, ids, _ in rows)
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        mask = torch.zeros(len(rows), longest)
        raw = np.zeros((len(rows), longest, 384 * len(self.states.raw)), dtype=np.float32)
        for row, (begin, own, _) in enumerate(rows):
            ids[row, : len(own)] = torch.from_numpy(own)
            mask[row, : len(own)] = 1
            for part, layer in enumerate(self.states.raw):
                raw[row, : len(own), part * 384 : (part + 1) * 384] = self.states.raw[layer][begin : begin + len(own)]
        tensor = torch.from_numpy(raw)
        parts = [self.words[ids], *tensor.split(384, -1)]
        rare = torch.log1p((ids - 1996).clamp(min=0).float()) / 10.3
        states = [functional.normalize(part, dim=-1) for part in parts]
        return {"mask": mask, "raw": tensor, "states": states, "rare": rare}

    def batch(self, chosen: Sequence[int], given: NDArray[np.float32]) -> tuple[Any, Any, torch.Tensor, torch.Tensor]:
        """Return question side, passage side, features, and the first and last piece of the answer (0: none)."""
        pairs = [self.pairs[index] for index in chosen]
        ends = torch.zeros(len(pairs), 2, dtype=torch.long)
        for row, pair in enumerate(pairs):
            spans = self.states.where[pair.text][2]
            inside = [
                k for k, (a, b) in enumerate(spans, start=1) if pair.label == 1 and a < pair.end and b > pair.start
            ]
            if inside:
                ends[row] = torch.tensor([inside[0], inside[-1]])
        questions = self.side([self.found.questions[pair.question].question for pair in pairs])
        return questions, self.side([pair.text for pair in pairs]), torch.from_numpy(given[list(chosen)]), ends

    def batches(self, chosen: Sequence[int], *, shuffle: bool = True) -> Iterator[list[int]]:
        """Yield batches of similar length."""
        order = list(chosen)
        if shuffle:
            random.shuffle(order)
        found = []
        for begin in range(0, len(order), BATCH * BATCHES_SORTED):
            pool = sorted(order[begin : begin + BATCH * BATCHES_SORTED], key=lambda i: len(self.pairs[i].text))
            found += [pool[at : at + BATCH] for at in range(0, len(pool), BATCH)]
        if shuffle:
            random.shuffle(found)
        yield from found

    def base(self, chosen: NDArray[np.int64]) -> dict[str, NDArray[np.float32]]:
        """Return the logistic regression over the features, fitted on the chosen pairs."""
        from sklearn.linear_model import LogisticRegression

        mean = self.given[chosen].mean(axis=0)
        scale = self.given[chosen].std(axis=0) + 1e-6
        fit = LogisticRegression(C=0.05, max_iter=500).fit(
            np.clip((self.given[chosen] - mean) / scale, -CLIP, CLIP), self.labels[chosen], self.weights[chosen]
        )
        return {
            "mean": mean,
            "scale": scale,
            "base.weight": fit.coef_[0].astype(np.float32),
            "base.bias": fit.intercept_.astype(np.float32)[0],
        }

    def standardised(self, base: dict[str, NDArray[np.float32]], given: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return features as the network takes them."""
        return np.clip((given - base["mean"]) / base["scale"], -CLIP, CLIP).astype(np.float32)

    def train(
        self, chosen: NDArray[np.int64], base: dict[str, NDArray[np.float32]], seed: int, epochs: int = EPOCHS
    ) -> Network:
        """Return a network trained on the chosen pairs, on top of the logistic regression."""
        random.seed(seed)
        torch.manual_seed(seed)
        network = Network()
        given = self.standardised(base, self.given)
        offset = torch.from_numpy((given @ base["base.weight"] + base["base.bias"]).astype(np.float32))
        optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.05)
        steps = epochs * (len(list(self.batches(chosen))) + 1)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
        for epoch in range(epochs):
            network.train()
            losses = []
            for rows in self.batches(chosen):
                question, passage, extra, ends = self.batch(rows, given)
                spans, answers = network(question, passage, extra)
                span_loss = sum(functional.cross_entropy(spans[..., k], ends[:, k]) for k in (0, 1)) / 2
                each = functional.binary_cross_entropy_with_logits(
                    answers + offset[rows], torch.tensor(self.labels[rows]).float(), reduction="none"
                )
                loss = 0.5 * span_loss + (each * torch.from_numpy(self.weights[rows])).mean()
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 2.0)
                optimiser.step()
                schedule.step()
                losses.append((span_loss.item(), each.mean().item()))
            log.info("  seed %d epoch %d: span %.3f answer %.3f", seed, epoch, *np.mean(losses, axis=0))
        return network

    @torch.no_grad()
    def predict(
        self, network: Network, base: dict[str, NDArray[np.float32]], chosen: Sequence[int]
    ) -> NDArray[np.float32]:
        """Return for each chosen pair the log-odds of an answer and the lead of the best span: shape `(n, 2)`."""
        network.eval()
        given = self.standardised(base, self.given)
        offset = given @ base["base.weight"] + base["base.bias"]
        found = np.zeros((len(self.pairs), 2), dtype=np.float32)
        for rows in self.batches(chosen, shuffle=False):
            question, passage, extra, _ = self.batch(rows, given)
            spans, answers = network(question, passage, extra)
            found[rows, 0] = answers.numpy() + offset[rows]
            found[rows, 1] = (spans[:, 1:].amax(1) - spans[:, 0]).sum(1).numpy()
        return found[list(chosen)]


# --- what it is worth ----------------------------------------------------------------------------------------------


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


def main() -> None:
    """Collect, train out of fold and on everything, report, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--apply", type=Path, nargs="*", default=[])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--twice", nargs="*", default=[], help="names of data sets whose questions count twice")
    parser.add_argument(
        "--placed", action="store_true", help="read windows below title and heading; Candor does not yet"
    )
    parser.add_argument("--only", nargs="*", help="folds to train now (0..3, all); report nothing")
    parser.add_argument("--seeds", type=int, default=1, help="networks whose outputs are averaged")
    parser.add_argument("--limit", type=int, default=2, help="windows that are read per question")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("rag").setLevel(logging.WARNING)
    options.work.mkdir(parents=True, exist_ok=True)
    trainer = prepare(options.datasets, options.work, twice=options.twice, placed=options.placed)
    parts = [(fold, seed) for seed in range(options.seeds) for fold in (*range(FOLDS), "all")]
    for fold, seed in parts:
        if options.only is None or str(fold) in options.only:
            train_part(trainer, fold, seed, options.work, options.epochs)
    if options.only is not None:
        return
    calibration = cross_validated(trainer, options.work, options.limit, options.seeds)
    weights = assembled(trainer, calibration, options.work, options.seeds)
    for folder in options.apply:
        other = prepare([folder], options.work, placed=options.placed)
        apply(other, trainer, weights, options.work, options.limit, options.seeds)
    if options.out:
        from safetensors.numpy import save_file

        options.out.parent.mkdir(parents=True, exist_ok=True)
        save_file(
            {
                name: np.ascontiguousarray(value, dtype=np.float16 if value.ndim > 1 else np.float32)
                for name, value in weights.items()
            },
            options.out,
        )
        options.out.chmod(0o644)
        log.info("wrote %s, %d bytes", options.out, options.out.stat().st_size)


def prepare(folders: Sequence[Path], work: Path, *, twice: Sequence[str] = (), placed: bool = False) -> Trainer:
    """Return data sets, ready to train on or to apply to."""
    parts = [collect(folder, work, placed=placed) for folder in folders]
    found = parts[0] if len(parts) == 1 else joined(parts, ALL)
    states = States(found, work)
    return Trainer(found, states, features(found, states, work), twice)


def fold_of(trainer: Trainer, fold: int | str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs to train on and the retrieved pairs held out; a fold holds all questions of a document."""
    from sklearn.model_selection import GroupKFold

    known = (trainer.labels >= 0) & (trainer.weights > 0)
    if fold == "all":
        return np.flatnonzero(known), np.array([], dtype=np.int64)
    splits = list(GroupKFold(FOLDS).split(trainer.found.groups, groups=trainer.found.groups))
    held = np.isin(trainer.of, splits[int(fold)][1])
    return np.flatnonzero(known & ~held), np.flatnonzero(held & (trainer.ranks >= 0))


def train_part(trainer: Trainer, fold: int | str, seed: int, work: Path, epochs: int = EPOCHS) -> None:
    """Train one network and keep it with its predictions for what it has not seen."""
    kept = work / f"{trainer.found.name}.{fold}.{seed}.pt"
    if kept.is_file():
        return
    chosen, held = fold_of(trainer, fold)
    log.info("fold %s seed %d: %d pairs", fold, seed, len(chosen))
    base = trainer.base(chosen)
    network = trainer.train(chosen, base, seed, epochs)
    predicted = trainer.predict(network, base, held) if len(held) else None
    torch.save({"base": base, "network": network.state_dict(), "held": held, "predicted": predicted}, kept)


def cross_validated(trainer: Trainer, work: Path, limit: int, seeds: int) -> NDArray[np.float32]:
    """Report what the reader is worth out of fold, write its scores, and return the calibration."""
    from sklearn.linear_model import LogisticRegression

    logits = np.zeros((len(trainer.pairs), 2))
    for fold in range(FOLDS):
        for seed in range(seeds):
            part = torch.load(work / f"{trainer.found.name}.{fold}.{seed}.pt", weights_only=False)
            logits[part["held"]] += part["predicted"] / seeds
    read = (trainer.ranks >= 0) & (trainer.ranks < limit) & (trainer.labels >= 0)
    fit = LogisticRegression(C=1e3).fit(logits[read], trainer.labels[read])
    calibration = np.array([*fit.coef_[0], fit.intercept_[0]], dtype=np.float32)
    score = fit.predict_proba(logits)[:, 1]
    answerable = np.array([int(question.answerable) for question in trainer.found.questions])
    log.info("calibration %s", calibration)
    for name, values in (("answer", logits[:, 0]), ("span", logits[:, 1]), ("reader", score)):
        report(f"{trainer.found.name} out of fold, {name}", answerable, best_of(trainer, values, limit)[0])
    write(work / "oof.jsonl", trainer, score, limit)
    return calibration


def assembled(
    trainer: Trainer, calibration: NDArray[np.float32], work: Path, seeds: int
) -> dict[str, NDArray[np.float32]]:
    """Return all weights of the reader trained on everything."""
    weights: dict[str, NDArray[np.float32]] = {"calibration": calibration}
    for seed in range(seeds):
        part = torch.load(work / f"{trainer.found.name}.all.{seed}.pt", weights_only=False)
        weights.update({name: np.asarray(value) for name, value in part["base"].items()})
        weights.update({f"network{seed}.{name}": value.numpy() for name, value in part["network"].items()})
    return weights


def apply(
    other: Trainer, trainer: Trainer, weights: dict[str, NDArray[np.float32]], work: Path, limit: int, seeds: int
) -> None:
    """Report and write the scores of the trained reader on a data set that it has not seen."""
    base = {name: weights[name] for name in ("mean", "scale", "base.weight", "base.bias")}
    logits = np.zeros((len(other.pairs), 2))
    for seed in range(seeds):
        part = torch.load(work / f"{trainer.found.name}.all.{seed}.pt", weights_only=False)
        network = Network()
        network.load_state_dict(part["network"])
        logits += other.predict(network, base, range(len(other.pairs))) / seeds
    odds = logits @ weights["calibration"][:2] + weights["calibration"][2]
    score = 1 / (1 + np.exp(-odds))
    answerable = np.array([int(question.answerable) for question in other.found.questions])
    report(f"{other.found.name}, not trained on", answerable, best_of(other, score, limit)[0])
    write(work / f"{other.found.name}.jsonl", other, score, limit)


if __name__ == "__main__":
    main()
