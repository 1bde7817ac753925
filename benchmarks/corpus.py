"""Folders of text to ingest, in any number of chunks: sentences of the sample library, shuffled with a fixed seed."""

import random
from collections.abc import Iterator
from pathlib import Path

from rag.ingest.finding import find
from rag.ingest.loaders import load
from rag.text.words import sentence_spans

SAMPLES = Path(__file__).parents[1] / "samples"
SENTENCES_PER_DOCUMENT, SENTENCES_PER_PARAGRAPH = 800, 6
SENTENCES_PER_CHUNK = 8
"""About as many as stand in a chunk."""


def sentences() -> list[str]:
    """Return the sentences of the samples, 40 to 300 characters long."""
    texts = [load(path).text for path in find([SAMPLES]).files]
    spans = ((text, start, end) for text in texts for start, end in sentence_spans(text))
    return [" ".join(text[start:end].split()) for text, start, end in spans if 40 < end - start < 300]


def write(folder: Path, chunks: int, *, seed: int = 1) -> int:
    """Write Markdown files that make about so many chunks; return their characters."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen, known, characters = random.Random(seed), sentences(), 0
    for number in range(max(chunks * SENTENCES_PER_CHUNK // SENTENCES_PER_DOCUMENT, 1)):
        text = f"# {number + 1} Document {number}\n\n" + "\n\n".join(_paragraphs(known, chosen)) + "\n"
        (folder / f"document_{number:05}.md").write_text(text, encoding="utf-8")
        characters += len(text)
    return characters


def _paragraphs(known: list[str], chosen: random.Random) -> Iterator[str]:
    """Yield the paragraphs of one document; a number in each sentence keeps passages from being alike."""
    for start in range(0, SENTENCES_PER_DOCUMENT, SENTENCES_PER_PARAGRAPH):
        size = min(SENTENCES_PER_PARAGRAPH, SENTENCES_PER_DOCUMENT - start)
        yield " ".join(f"{chosen.choice(known)[:-1]} ({chosen.randrange(10_000)})." for _ in range(size))
