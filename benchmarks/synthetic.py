"""Made-up chunks in any number: clustered vectors, BM25 weights over a Zipf vocabulary, metadata, text of usual length.

Vectors are points of a mixture of overlapping clusters, one for every 100 chunks, in `LATENT` dimensions whose weights
fall by a power law, mapped into 384 and put at length 1. 4,000 such vectors have the nearest neighbours of 4,000 real
ones (median cosine .80 against .78 of textbook chapters and encyclopaedia articles) and a higher intrinsic dimension
(20 against 11): a graph finds its way through them with more trouble, not with less.

Word ranks follow Zipf's law with Mandelbrot's shift (frequency proportional to 1 / (rank + 30)): with stop words taken
out, the commonest word stands in about a third of the chunks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from rag.models import Chunk, DocumentMetadata
from rag.protocols import IndexedChunk, Matrix, SparseVector, Vector

DIMENSION = 384
LATENT = 300
"""Dimensions in which the clusters live; the n-th weighs n ** -DECAY."""
DECAY = 0.7
NOISE = 0.1
"""Noise in all 384 dimensions, against the spread of the rest; within a cluster that is as wide as the centres'."""
CHUNKS_PER_CLUSTER = 100
WINDOWS = 2
"""Windows of a chunk: 2.0 in a textbook. They are of one cluster."""
WORDS = 200_000
SHIFT = 30
WORDS_PER_CHUNK = 80
CHUNKS_PER_DOCUMENT = 500
MODULES, CHAPTERS = 50, 20
SENTENCES = 6
SENTENCE_LENGTH = 120
QUESTION_WORDS = 7
_NAMESPACE = 0xCA4D0000000050008000000000000000


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a search is given."""

    vector: Vector
    sparse: SparseVector


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """The clusters and the map into 384 dimensions, from which chunks and questions are drawn.

    Attributes:
        centres: Shape `(clusters, LATENT)`.
        projection: Shape `(LATENT, DIMENSION)`.
        ranks: Cumulative probability of the words by rank: shape `(WORDS,)`.
    """

    centres: NDArray[np.float32]
    projection: NDArray[np.float32]
    ranks: NDArray[np.float64]

    @classmethod
    def of(cls, chunks: int, *, seed: int = 1) -> "World":
        """Return a world with enough clusters for so many chunks."""
        random = np.random.default_rng(seed)
        centres = random.standard_normal((max(chunks // CHUNKS_PER_CLUSTER, 1), LATENT), dtype=np.float32)
        weights = (np.arange(1, LATENT + 1) ** -DECAY).astype(np.float32)
        projection = random.standard_normal((LATENT, DIMENSION), dtype=np.float32) * weights[:, None]
        frequencies = 1.0 / (np.arange(WORDS) + SHIFT)
        return cls(centres, projection, np.cumsum(frequencies) / frequencies.sum())

    def vectors(self, count: int, random: np.random.Generator, *, alike: int = 1) -> Matrix:
        """Return unit vectors drawn from the clusters, `alike` in a row from the same: shape `(count, 384)`."""
        own = self.centres[np.repeat(random.integers(len(self.centres), size=-(-count // alike)), alike)[:count]]
        rows = (own + random.standard_normal((count, LATENT), dtype=np.float32)) @ self.projection
        rows += NOISE * float(rows.std()) * random.standard_normal((count, DIMENSION), dtype=np.float32)
        unit: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def words(self, random: np.random.Generator, count: int = WORDS_PER_CHUNK) -> list[int]:
        """Return the distinct words of a passage of `count` content words, ascending."""
        found: list[int] = np.unique(np.searchsorted(self.ranks, random.random(count))).tolist()
        return found


def word_counts(world: World, count: int, terms: Sequence[int]) -> tuple[int, dict[int, int]]:
    """Return `count` and, for each term, in how many of so many chunks it is expected, as a catalogue would say."""
    probabilities = np.diff(world.ranks, prepend=0.0)[list(terms)]
    expected = count * (1.0 - (1.0 - probabilities) ** WORDS_PER_CHUNK)
    return count, dict(zip(terms, np.rint(expected).astype(int).tolist(), strict=True))


def chunks(world: World, count: int, *, seed: int = 2, batch: int = 1024) -> Iterator[list[IndexedChunk]]:
    """Yield `count` chunks in batches; the same seed gives the same chunks."""
    random = np.random.default_rng(seed)
    for start in range(0, count, batch):
        size = min(batch, count - start)
        vectors = world.vectors(size * WINDOWS, random, alike=WINDOWS).reshape(size, WINDOWS, DIMENSION)
        yield [_chunk(start + row, vectors[row], world, random) for row in range(size)]


def questions(world: World, count: int, *, seed: int = 3) -> list[Question]:
    """Return questions: vectors from the clusters, words as often as passages have them."""
    random = np.random.default_rng(seed)
    return [
        Question(vector, SparseVector(tuple(words), (1.0,) * len(words)))
        for vector, words in ((row, world.words(random, QUESTION_WORDS)) for row in world.vectors(count, random))
    ]


def chunk_id(number: int) -> str:
    """Return the id of the chunk with a number, from 0."""
    return str(UUID(int=_NAMESPACE + number))


def document(number: int) -> str:
    """Return the name of the document in which the chunk with a number stands."""
    return f"document_{number // CHUNKS_PER_DOCUMENT:05}.md"


def intrinsic_dimension(vectors: Matrix) -> float:
    """Return the dimension of the surface that vectors lie on, by the ratio of each one's two nearest distances.

    d = n / sum(ln(r2 / r1)). Facco, d'Errico, Rodriguez and Laio 2017, "Estimating the intrinsic dimension of datasets
    by a minimal neighborhood information". It grows with n: compare at equal n.
    """
    similar = vectors @ vectors.T
    np.fill_diagonal(similar, -1.0)
    nearest = np.sort(np.partition(similar, -2, axis=1)[:, -2:], axis=1)
    distances = np.sqrt(np.maximum(2.0 - 2.0 * nearest, 1e-12))
    ratios = np.log(distances[:, 0] / distances[:, 1])
    return float(len(vectors) / ratios[distances[:, 1] > 1e-4].sum())


def _chunk(number: int, vectors: Matrix, world: World, random: np.random.Generator) -> IndexedChunk:
    words = world.words(random)
    sparse = SparseVector(tuple(words), tuple((0.6 + 1.4 * random.random(len(words))).tolist()))
    name = document(number)
    inside = number % CHUNKS_PER_DOCUMENT
    sentences = tuple(
        (i * (SENTENCE_LENGTH + 1), i * (SENTENCE_LENGTH + 1) + SENTENCE_LENGTH) for i in range(SENTENCES)
    )
    each = SENTENCES // WINDOWS
    chunk = Chunk.model_construct(
        chunk_id=chunk_id(number),
        document=name,
        document_hash=f"{number // CHUNKS_PER_DOCUMENT:064x}",
        content=_text(number),
        chunk_index=inside,
        start=0,
        end=len(_text(number)),
        chapter=1 + inside * CHAPTERS // CHUNKS_PER_DOCUMENT,
        section=f"{1 + inside * CHAPTERS // CHUNKS_PER_DOCUMENT}.{1 + inside % 5} Section",
        section_number=f"{1 + inside * CHAPTERS // CHUNKS_PER_DOCUMENT}.{1 + inside % 5}",
        page=1 + inside // 3,
        sentences=sentences,
        windows=tuple(
            (part[0][0], part[-1][1]) for part in (sentences[i : i + each] for i in range(0, SENTENCES, each))
        ),
        metadata=DocumentMetadata(module=f"module {number // CHUNKS_PER_DOCUMENT % MODULES}"),
    )
    return IndexedChunk(chunk, vectors, sparse)


def _text(number: int) -> str:
    sentence = f"Sentence of chunk {number:07} " + "x" * (SENTENCE_LENGTH - 27) + "."
    return " ".join([sentence] * SENTENCES)
