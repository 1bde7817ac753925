"""What a question found, what was dropped on the way, and whether it is good enough to answer from."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from rag.models.document import Chunk, part_of
from rag.models.value import EstimatorName, Outcome, Score, Value


class RetrievedChunk(Chunk):
    """A chunk that came back for a question, with every score it was ranked by."""

    rank: int = Field(ge=1, description="Rank after retrieval and reading, from 1.")
    similarity_score: Score = Field(description="Cosine of question and best window, clamped to 0..1.")
    cosine: float = Field(ge=-1.001, le=1.001, description="The same cosine, raw.")
    bm25_score: float = Field(0.0, ge=0.0, description="BM25 score of the question's words; 0 where none occurs.")
    fused_score: float = Field(0.0, description="What retrieval ranks by: cosine and BM25 together.")
    dense_rank: int | None = Field(None, description="Rank by cosine among the candidates; null where not among them.")
    bm25_rank: int | None = Field(None, description="Rank by BM25 among the candidates; null where not among them.")
    retrieval_rank: int = Field(1, ge=1, description="Rank by retrieval alone, before reading.")
    window_cosines: tuple[float, ...] = Field((), description="Cosine of question and each window, in order.")
    window_readings: tuple[float | None, ...] = Field(
        (), description="Probability, by the reader, that each window answers; null where it was not read."
    )
    marks: tuple[float, ...] = Field(
        (), description="Probability that each sentence is part of the answer; 0 where it was not read."
    )
    preferred: bool = Field(False, description="In chapter-aware mode: whether it stands in the chapter asked for.")
    named: bool = Field(False, description="Whether an identifier in the question names its document.")

    @property
    def reading(self) -> float | None:
        """Probability, by the reader, that the best of its windows answers; None where none was read."""
        return max((one for one in self.window_readings if one is not None), default=None)

    @property
    def best_window(self) -> tuple[int, int]:
        """Start and end, within `content`, of the window that the reader puts first, else the most similar one."""
        if not self.windows:
            return 0, len(self.content)
        read = [-1.0 if one is None else one for one in self.window_readings]
        scores = read if max(read, default=-1.0) >= 0 else self.window_cosines
        return self.windows[scores.index(max(scores))] if scores else self.windows[0]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that search brought and retrieval did not return, and why. Made twenty times for each question.

    `why` is one of: its similarity is below the threshold; it says the same as a better one (`same_as`: the rank of
    that); it is ranked below those that are returned; its scores are too low to be read at all. `cosine` is None where
    it was not read and not found by it, a rank where it was not found by that search; `bm25_score` is 0 without a word.
    """

    chunk_id: Annotated[str, Field(description="Id of the chunk.")]
    why: Annotated[Literal["threshold", "duplicate", "rank", "unread"], Field(description="Why it was dropped.")]
    cosine: Annotated[float | None, Field(description="Its similarity; null where it is not known.")] = None
    bm25_score: Annotated[float, Field(description="Of its words; 0 where it has none of the question.")] = 0.0
    dense_rank: Annotated[int | None, Field(description="Rank in dense search, from 1.")] = None
    bm25_rank: Annotated[int | None, Field(description="Rank in BM25 search, from 1.")] = None
    same_as: Annotated[int | None, Field(description="Rank of the better one that says the same.")] = None


class Cuts(Value):
    """What retrieval dropped: how many for each reason, and the best of them."""

    candidates: int = Field(0, ge=0, description="How many distinct chunks dense and BM25 search brought together.")
    threshold: int = Field(0, ge=0, description="Dropped by the similarity threshold.")
    duplicate: int = Field(0, ge=0, description="Near duplicates folded into a better one.")
    rank: int = Field(0, ge=0, description="Read, and ranked below those that are returned.")
    unread: int = Field(0, ge=0, description="Not read: the scores of both searches were too low.")
    listed: tuple[Dropped, ...] = Field((), description="The best of them: those read first, then by their best rank.")


class Retrieval(Value):
    """What a question found."""

    hits: tuple[RetrievedChunk, ...] = Field((), description="Up to top_k chunks, best first: what the gate sees.")
    rest: tuple[RetrievedChunk, ...] = Field((), description="The chunks that follow; shown, used by nothing.")
    candidates: int = Field(0, ge=0, description="How many distinct chunks dense and BM25 search brought together.")
    searched: int = Field(0, ge=0, description="How many chunks the filters left to search in.")
    indexed: int = Field(0, ge=0, description="How many chunks the index holds.")
    below_threshold: int = Field(0, ge=0, description="Candidates dropped by the similarity threshold.")
    folded: int = Field(0, ge=0, description="Near duplicates folded into a better hit.")
    notes: tuple[str, ...] = Field((), description="What a reader must know, as: nothing found in chapter 3.")
    cuts: Cuts | None = Field(None, description="What was dropped; null where nobody kept it.")
    narrowed: dict[str, str] = Field(
        default_factory=dict, description="Documents searched in place of their other editions: what to know of each."
    )
    absent: tuple[str, ...] = Field((), description="Codes of the question that no indexed document has.")
    asks_for_list: bool = Field(False, description="The question asks for all of a list or procedure.")
    editions: tuple[tuple[str, ...], ...] = Field(
        (), description="The works that the chunks come from in several editions: their documents, oldest first."
    )


class NearMiss(Value):
    """A part of a passage that came close, shown with a refusal."""

    chunk_id: str = Field(description="Id of the chunk.")
    document: str = Field(description="File name of the document.")
    page: int | None = Field(None, description="Page, from 1.")
    printed: str | None = Field(None, description="Number printed on that page, where it is another: `vii`.")
    chapter: int | None = Field(None, description="Chapter number.")
    chapter_title: str | None = Field(None, description="Chapter title, without its number.")
    section: str | None = Field(None, description="Number and title of the section.")
    similarity_score: Score = Field(description="Cosine similarity, clamped.")
    excerpt: str = Field(description="What came close, verbatim, at most 200 characters, cut between words.")
    start: int = Field(0, ge=0, description="Offset of the excerpt within the chunk's content.")
    sentence: str = Field("", description="The sentence within the excerpt that comes nearest, verbatim.")
    reading: Score | None = Field(None, description="Probability, by the reader, that it answers; null: not read.")
    stated: str = Field("", description="Of a table's row: what it says with the heads of its columns; else empty.")

    @property
    def part(self) -> str:
        """Number and title of the section, or of the chapter where no section is known; empty without either."""
        return part_of(self.section, self.chapter, self.chapter_title)


class GateDecision(Value):
    """Whether the hits are good enough to answer from, and why."""

    passed: bool = Field(description="Whether the confidence reaches the threshold: an answer is quoted or generated.")
    outcome: Outcome = Field("refused", description="answered, unsure (from `unsure_threshold` on) or refused.")
    estimator: EstimatorName = Field(description="What turned the hits into a confidence.")
    confidence: Score = Field(description="The estimate, computed whether it passes or not.")
    threshold: Score = Field(description="What it was held against.")
    unsure_threshold: Score | None = Field(
        None, description="From here on the passages may answer and are shown; null: the estimator knows no unsure."
    )
    margin: float = Field(description="Confidence minus threshold: negative means refused.")
    inputs: dict[str, float] = Field(default_factory=dict, description="Every number the estimator read, by name.")
    reason: str = Field(description="One plain sentence.")
    removed_by_filters: int = Field(0, ge=0, description="Chunks of the index that the filters excluded.")
    removed_by_threshold: int = Field(0, ge=0, description="Candidates that the similarity threshold dropped.")
    nearest_misses: tuple[NearMiss, ...] = Field((), description="What came closest in the passages found, best first.")
    warnings: tuple[str, ...] = Field((), description="As: the index has drifted from what this was fitted on.")

    @model_validator(mode="before")
    @classmethod
    def _of_older_versions(cls, fields: object) -> object:
        """Read what was recorded before there were three outcomes."""
        if not isinstance(fields, dict):
            return fields
        known = {name: value for name, value in fields.items() if name != "against"}
        return {"outcome": "answered" if known.get("passed") else "refused", **known}
