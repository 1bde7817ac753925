"""Questions with windows of text and labels: what the reader is trained on.

A window is *right* where it holds at least half of a text that answers; the characters of those texts are marked.
Windows are cut by the product itself, so that training and use see the same texts.
"""

import gzip
import json
import logging
import pickle
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.ingest.chunking import chunk
from rag.ingest.loaders import load
from rag.models import Chunk
from rag.protocols import Embedder, Span
from rag.reader.windows import embedded_text, read_text, windows_of
from rag.text.words import sentence_spans

log = logging.getLogger("training")
NEAR = 8
"""How many windows near to a question, by MiniLM, are kept as negatives of the same document, and of others."""
SKIPPED = 2
"""The windows of other documents that are nearest of all are left out: a fact may be told twice."""
WEAKEST = ("squadshifts-reddit", "squadshifts-amazon")
"""Public sources whose licence is weakest; they are left out."""
_SHORTEST_GOLD, _SHORTEST_PIECE, _SHORTEST_HALF = 3, 12, 30
"""In letters and figures: what is looked for at all, what as a piece of a longer text, what cut by a chunk's end."""
_WHOLE_PASSAGE = 700
"""Characters that are read of a public passage which answers as a whole."""
_MARKUP = re.compile(r"\]\([^)]*\)|<[^>]+>|\{[%{].*?[%}]\}|\{:[^}]*\}")

JsonRow = Mapping[str, Any]
Place = tuple[int, Span]
"""The number of a chunk of a document, and a span of its content."""


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


@dataclass(frozen=True, slots=True)
class _Window:
    document: str
    number: int
    chunk: Chunk
    span: Span
    text: Text


@dataclass
class _Library:
    """The chunks of a folder of documents by name, and all their windows."""

    chunks: dict[str, list[Chunk]] = field(default_factory=dict)
    windows: list[_Window] = field(default_factory=list)


def folder_examples(folder: Path, embedder: Embedder, *, source: str) -> list[Example]:
    """Return the examples of a folder with `documents/` and `questions.jsonl`.

    A row names its `question`, maybe `variants` of it, whether it is `answerable`, `gold` texts and maybe `near` ones,
    which look close and do not answer.
    """
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line]
    library = _read_library(folder / "documents", embedder)
    vectors = embedder.embed([embedded_text(window.chunk, window.span) for window in library.windows])
    asked = embedder.embed([row["question"] for row in rows])
    examples = [
        _example(row, library, vectors @ vector, source=source) for row, vector in zip(rows, asked, strict=True)
    ]
    found = [one for one in examples if one is not None]
    log.info(
        "%s: %d examples of %d windows; gold not found for %d",
        folder,
        len(found),
        len(library.windows),
        len(rows) - len(found),
    )
    return found


def _read_library(folder: Path, embedder: Embedder) -> _Library:
    library = _Library()
    for path in sorted(folder.iterdir()):
        library.chunks[path.name] = list(chunk(load(path), pieces=embedder.pieces))
        for number, one in enumerate(library.chunks[path.name]):
            for window in windows_of(one.content, one.sentences):
                text = Text(read_text(one, window)[0].passage)
                library.windows.append(_Window(path.name, number, one, window, text))
    return library


def _example(row: JsonRow, library: _Library, cosines: NDArray[Any], *, source: str) -> Example | None:
    """Return the example of a question; None where it can be answered and no window holds the answer."""
    name = row.get("document") or next((gold["document"] for gold in row["gold"]), "")
    gold = [text for one in row["gold"] if (text := _string(one))] if row["answerable"] else []
    right = _right(gold, library, name)
    if row["answerable"] and not right:
        return None
    near = [index for index in _right(row.get("near", []), library, name) if index not in right]
    order = [int(index) for index in np.argsort(-cosines)]
    texts = [window.text for window in library.windows]
    is_own = [window.document == name for window in library.windows]
    same = [index for index in order if is_own[index] and index not in right and index not in near][:NEAR]
    other = [index for index in order if not is_own[index]][SKIPPED : SKIPPED + NEAR]
    return Example(
        source=source,
        group=f"{source}/{name}",
        questions=(row["question"], *row.get("variants", [])),
        right=tuple(right.values()),
        near=tuple(texts[index] for index in near),
        same=tuple(texts[index] for index in same),
        other=tuple(texts[index] for index in other),
    )


def _string(gold: object) -> str:
    """Return a gold text, written by itself or as `{"text": ...}`."""
    return gold if isinstance(gold, str) else gold.get("text", "") if isinstance(gold, dict) else ""


def _right(wanted: Sequence[str], library: _Library, name: str) -> dict[int, Text]:
    """Return the windows of a document, by number, that hold at least half of a text or are half filled by one."""
    places = _places(wanted, library.chunks.get(name, []))
    found: dict[int, Text] = {}
    for index, window in enumerate(library.windows):
        if window.document != name:
            continue
        spans = [span for number, span in places if number == window.number]
        start, end = window.span
        if any(2 * (min(b, end) - max(a, start)) >= min(b - a, end - start) for a, b in spans):
            found[index] = Text(window.text.passage, _within_reading(spans, window))
    return found


def _within_reading(spans: Sequence[Span], window: _Window) -> tuple[Span, ...]:
    """Return spans of a chunk as spans of what is read for one of its windows; what is not read is cut."""
    reading, first, _ = read_text(window.chunk, window.span)
    shift = len(reading.passage) - len(reading.text) - first
    cut = [(max(a, first), min(b, first + len(reading.text))) for a, b in spans]
    return tuple((a + shift, b + shift) for a, b in cut if b > a)


def _places(wanted: Sequence[str], chunks: Sequence[Chunk]) -> list[Place]:
    """Return where each text stands, whole or the parts of it that do."""
    found: list[Place] = []
    for text in wanted:
        parts = _located(_plain(text), chunks)
        if not parts:  # sentence by sentence, or line by line
            pieces = [_plain(piece) for piece in re.split(r"\n+|(?<=[.!?])\s+", text)]
            parts = [place for one in pieces if len(one) >= _SHORTEST_PIECE for place in _located(one, chunks)]
        found += parts
    return found


def _plain(text: str) -> str:
    """Return a text's letters and figures: gold is written as the file has it, with its markup."""
    return "".join(ch for ch in _MARKUP.sub(" ", text).casefold() if ch.isalnum())


def _located(wanted: str, chunks: Sequence[Chunk]) -> list[Place]:
    """Return where letters and figures stand: in one chunk, or in the end of one and the beginning of the next."""
    if len(wanted) < _SHORTEST_GOLD:
        return []
    found = []
    for number, one in enumerate(chunks):
        offsets = [i for i, ch in enumerate(one.content) for low in ch.casefold() if low.isalnum()]
        plain = "".join(low for ch in one.content for low in ch.casefold() if low.isalnum())
        at = plain.find(wanted)
        if at >= 0:
            return [(number, (offsets[at], offsets[at + len(wanted) - 1] + 1))]
        if (part := _cut_part(wanted, plain, offsets)) is not None:
            found.append((number, part))
    return found


def _cut_part(wanted: str, plain: str, offsets: Sequence[int]) -> Span | None:
    """Return the span of a chunk's end or beginning that is more than half of the text wanted."""
    half = len(wanted) // 2
    if half < _SHORTEST_HALF:
        return None
    for size in range(len(wanted) - 1, half, -8):
        if plain.endswith(wanted[:size]):
            return offsets[len(plain) - size], offsets[-1] + 1
        if plain.startswith(wanted[-size:]):
            return 0, offsets[size - 1] + 1
    return None


def public_examples(path: Path) -> Iterator[Example]:
    """Yield examples of public question answering sets: one right window a question, others of its passage as near."""
    rows: dict[tuple[str, str, str], list[JsonRow]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["source"] not in WEAKEST:
                rows.setdefault((row["source"], row["group"], row["question"]), []).append(row)
    for (source, group, question), same in rows.items():
        right: list[Text] = []
        near: list[Text] = []
        for row in same:
            answering, others = _answerable(row) if row["answerable"] else ([], _nearest(question, row["passage"]))
            right += answering
            near += others
        if right or near:
            yield Example(source, group, (question,), tuple(right), near=tuple(near[:6]))


def _answerable(row: JsonRow) -> tuple[list[Text], list[Text]]:
    """Return the first window that answers, and up to three others where it is known that the answer stands once."""
    passage, spans = row["passage"], _answer_spans(row)
    if not spans:
        return [Text(passage[:_WHOLE_PASSAGE])], []
    right: list[Text] = []
    wrong: list[Text] = []
    for a, b in _cut(passage):
        inside = tuple((max(start - a, 0), min(end, b) - a) for start, end in spans if start < b and end > a)
        (right if inside else wrong).append(Text(passage[a:b], inside))
    return right[:1], wrong[:3] if row["answer_start"] is not None else []


def _answer_spans(row: JsonRow) -> list[Span]:
    """Return the sentences of a passage in which the answer stands."""
    passage, answers = row["passage"], [answer for answer in row["answers"] if answer not in ("yes", "no")]
    if not answers:
        return []
    starts = [row["answer_start"]] if row["answer_start"] is not None else [passage.find(one) for one in answers]
    at = [start for start in starts if start is not None and start >= 0]
    return [span for span in sentence_spans(passage) if any(span[0] <= start < span[1] for start in at)]


def _cut(passage: str) -> Collection[Span]:
    return windows_of(passage, [(start, end) for start, end in sentence_spans(passage)])


def _nearest(question: str, passage: str) -> list[Text]:
    """Return the two windows of a passage that share most words with the question."""
    asked = _words(question)
    windows = sorted(_cut(passage), key=lambda window: -len(asked & _words(passage[window[0] : window[1]])))
    return [Text(passage[a:b]) for a, b in windows[:2]]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.casefold()))


def kept(path: Path, make: Callable[[], list[Example]]) -> list[Example]:
    """Return what was made before, or make it and keep it."""
    if path.is_file():
        found: list[Example] = pickle.loads(path.read_bytes())  # noqa: S301 (written by this function)
        return found
    made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(made))
    return made
