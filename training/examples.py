"""Questions with windows of text and labels: what the reader is trained on.

A window is *right* where it holds at least half of a sentence that answers; the characters of those sentences are
marked. Windows are cut by the product itself, so that training and use see the same texts.
"""

import gzip
import json
import logging
import pickle
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rag.ingest.chunking import chunk
from rag.ingest.loaders import load
from rag.language.text import sentence_spans
from rag.models import Chunk
from rag.protocols import Span
from rag.reader.windows import read_text, windows_of

log = logging.getLogger("training")
NEAR = 8
"""How many windows near to a question, by MiniLM, are kept as negatives of the same document, and of others."""
SKIPPED = 2
"""The windows of other documents that are nearest of all are left out: a fact may be told twice."""
WEAKEST = ("squadshifts-reddit", "squadshifts-amazon")
"""Sources whose licence is weakest; they are left out."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text to read, and the spans of it that answer."""

    passage: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A question in several wordings, the texts that answer it, and texts that do not, hardest first."""

    source: str
    group: str
    questions: tuple[str, ...]
    right: tuple[Text, ...]
    near: tuple[Text, ...] = ()
    same: tuple[Text, ...] = ()
    other: tuple[Text, ...] = ()


@dataclass
class _Library:
    """The windows of a folder of documents."""

    texts: list[Text] = field(default_factory=list)
    marks: list[tuple[str, int, Chunk, Span]] = field(default_factory=list)
    vectors: np.ndarray | None = None


def folder_examples(folder: Path, embedder: "Embedder", *, source: str) -> list[Example]:  # type: ignore[name-defined] # noqa: F821
    """Return the examples of a folder with `documents/` and `questions.jsonl` (the form of everyday_train or our own)."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines() if line]
    library, chunks_of = _Library(), {}
    for path in sorted((folder / "documents").iterdir()):
        chunks_of[path.name] = chunk(load(path), pieces=embedder.pieces)
        for number, one in enumerate(chunks_of[path.name]):
            for window in windows_of(one.content, one.sentences):
                library.marks.append((path.name, number, one, window))
                library.texts.append(Text(read_text(one, window)[0].passage))
    library.vectors = embedder.embed([f"{c.context}\n{c.content[w[0] : w[1]]}" for _, _, c, w in library.marks])
    asked = embedder.embed([_texts(row)[0] for row in rows])
    found = []
    lost = 0
    documents = np.array([mark[0] for mark in library.marks])
    for row, vector in zip(rows, asked, strict=True):
        name = row.get("document") or next((gold["document"] for gold in row["gold"]), "")
        gold = [_string(one) for one in row["gold"] if _string(one)] if row["answerable"] else []
        places = _places(gold, chunks_of.get(name, []))
        right = _right(places, library, name)
        if row["answerable"] and not right:
            lost += 1
            continue
        near_places = _places(row.get("near", []), chunks_of.get(name, []))
        taken = set(right)
        near = [index for index in _right(near_places, library, name) if index not in taken]
        order = np.argsort(-(library.vectors @ vector))
        same = [int(i) for i in order if documents[i] == name and i not in taken and i not in near][:NEAR]
        other = [int(i) for i in order if documents[i] != name][SKIPPED : SKIPPED + NEAR]
        found.append(
            Example(
                source=source,
                group=f"{source}/{name}",
                questions=tuple(_texts(row)),
                right=tuple(right.values()),
                near=tuple(library.texts[i] for i in near),
                same=tuple(library.texts[i] for i in same),
                other=tuple(library.texts[i] for i in other),
            )
        )
    log.info("%s: %d examples of %d windows; gold not found for %d", folder, len(found), len(library.texts), lost)
    return found


def _texts(row: dict) -> list[str]:  # type: ignore[type-arg]
    return [row["question"], *row.get("variants", [])]


def _string(gold: object) -> str:
    return gold if isinstance(gold, str) else gold.get("text", "") if isinstance(gold, dict) else ""


_MARKUP = re.compile(r"\]\([^)]*\)|<[^>]+>|\{[%{].*?[%}]\}|\{:[^}]*\}")


def _plain(text: str) -> str:
    return "".join(ch for ch in _MARKUP.sub(" ", text).casefold() if ch.isalnum())


def _places(gold: Sequence[str], chunks: Sequence[Chunk]) -> list[tuple[int, Span]]:
    """Return chunk number and span of each gold text, whole or the part that stands in a chunk."""
    found: list[tuple[int, Span]] = []
    for text in gold:
        parts = _located(_plain(text), chunks)
        if not parts:  # sentence by sentence, or line by line
            pieces = [piece for piece in re.split(r"\n+|(?<=[.!?])\s+", text) if len(_plain(piece)) >= 12]
            parts = [place for piece in pieces for place in _located(_plain(piece), chunks)]
        found += parts
    return found


def _located(wanted: str, chunks: Sequence[Chunk]) -> list[tuple[int, Span]]:
    if len(wanted) < 3:
        return []
    found = []
    for number, one in enumerate(chunks):
        offsets = [i for i, ch in enumerate(one.content) for low in ch.casefold() if low.isalnum()]
        plain = "".join(low for ch in one.content for low in ch.casefold() if low.isalnum())
        at = plain.find(wanted)
        if at >= 0:
            return [(number, (offsets[at], offsets[at + len(wanted) - 1] + 1))]
        half = len(wanted) // 2
        if half >= 30:  # cut by a chunk's end
            for size in range(len(wanted) - 1, half, -8):
                if plain.endswith(wanted[:size]):
                    found.append((number, (offsets[len(plain) - size], offsets[-1] + 1)))
                    break
                if plain.startswith(wanted[-size:]):
                    found.append((number, (0, offsets[size - 1] + 1)))
                    break
    return found


def _right(places: Sequence[tuple[int, Span]], library: _Library, name: str) -> dict[int, Text]:
    """Return the windows that hold at least half of a gold text, or are filled by one to a half, with its spans."""
    found: dict[int, Text] = {}
    for index, (document, number, one, window) in enumerate(library.marks):
        if document != name:
            continue
        reading, first, _ = read_text(one, window)
        spans = []
        is_right = False
        for at, (start, end) in places:
            if at != number:
                continue
            inside = min(end, window[1]) - max(start, window[0])
            is_right |= inside * 2 >= min(end - start, window[1] - window[0])
            a, b = max(start, first), min(end, first + len(reading.text))
            if b > a:
                shift = len(reading.passage) - len(reading.text) - first
                spans.append((a + shift, b + shift))
        if is_right:
            found[index] = Text(reading.passage, tuple(spans))
    return found


def public_examples(path: Path) -> Iterator[Example]:
    """Yield examples of public question answering sets: one right window a question, others of its passage as near."""
    rows: dict[tuple[str, str, str], list[dict]] = {}  # type: ignore[type-arg]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["source"] not in WEAKEST:
                rows.setdefault((row["source"], row["group"], row["question"]), []).append(row)
    for (source, group, question), same in rows.items():
        right: list[Text] = []
        wrong: list[Text] = []
        for row in same:
            passage = row["passage"]
            if not row["answerable"]:
                wrong.extend(_nearest(question, passage))
                continue
            spans = _answer_spans(row)
            windows = list(_cut(passage))
            held = [(w, [s for s in spans if s[0] < w[1] and s[1] > w[0]]) for w in windows]
            if spans:
                right += [Text(passage[a:b], tuple((max(s - a, 0), min(e, b) - a) for s, e in on)) for (a, b), on in held if on][:1]
                wrong += [Text(passage[a:b]) for (a, b), on in held if not on and row["answer_start"] is not None][:3]
            else:
                right.append(Text(passage[:700]))
        if right or wrong:
            yield Example(source, group, (question,), tuple(right), near=tuple(wrong[:6]))


def _answer_spans(row: dict) -> list[Span]:  # type: ignore[type-arg]
    """Return the sentences of a passage in which the answer stands."""
    passage, answers = row["passage"], [a for a in row["answers"] if a not in ("yes", "no")]
    if not answers:
        return []
    starts = [row["answer_start"]] if row["answer_start"] is not None else [passage.find(a) for a in answers]
    at = [s for s in starts if s is not None and s >= 0]
    return [span for span in sentence_spans(passage) if any(span[0] <= s < span[1] for s in at)]


def _cut(passage: str) -> Iterable[Span]:
    spans = [tuple(s) for s in sentence_spans(passage)]
    return windows_of(passage, spans)


def _nearest(question: str, passage: str) -> list[Text]:
    """Return the two windows of a passage that share most words with the question."""
    asked = set(re.findall(r"\w{3,}", question.casefold()))
    windows = sorted(_cut(passage), key=lambda w: -len(asked & set(re.findall(r"\w{3,}", passage[w[0] : w[1]].casefold()))))
    return [Text(passage[a:b]) for a, b in windows[:2]]


def kept(path: Path, make: "Callable[[], list[Example]]") -> list[Example]:  # type: ignore[name-defined] # noqa: F821
    """Return what was made before, or make it and keep it."""
    if path.is_file():
        return pickle.loads(path.read_bytes())  # noqa: S301 (written by this function)
    made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(made))
    return made


def shuffled(items: Sequence[Example], seed: int) -> list[Example]:
    """Return the items in an order that the seed decides."""
    order = list(items)
    random.Random(seed).shuffle(order)  # noqa: S311 (no secret)
    return order
