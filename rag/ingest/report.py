"""What an ingest tells, while it runs and when it is done."""

from typing import Literal

from pydantic import Field

from rag.models import Value

Outcome = Literal["added", "replaced", "unchanged", "failed", "removed"]


class FileOutcome(Value):
    """What became of one file."""

    document: str = Field(description="File name.")
    outcome: Outcome = Field(description="Added, replaced, unchanged, failed or removed.")
    reason: str | None = Field(None, description="Why it failed or was removed, and what to do; else a remark.")
    chunks: int = Field(0, ge=0, description="Chunks that the index now holds of it.")
    seconds: float = Field(0.0, ge=0.0, description="Work spent on it: reading, cutting, embedding, writing.")
    path: str | None = Field(None, description="Where it was read from.")
    notes: tuple[str, ...] = Field((), description="What of the file could not be read, a sentence each.")


class IngestReport(Value):
    """What became of all files of one ingest."""

    files: tuple[FileOutcome, ...] = Field((), description="One for each file, in the order of completion.")
    chunks: int = Field(0, ge=0, description="Chunks written.")
    seconds: float = Field(0.0, ge=0.0, description="Wall clock of the whole ingest.")

    def count(self, outcome: Outcome) -> int:
        """Return how many files ended so.

        >>> IngestReport(files=(FileOutcome(document="a.md", outcome="added"),)).count("added")
        1
        """
        return sum(file.outcome == outcome for file in self.files)

    @property
    def failed(self) -> tuple[FileOutcome, ...]:
        """The files that could not be ingested."""
        return tuple(file for file in self.files if file.outcome == "failed")

    @property
    def chunks_per_second(self) -> float:
        """Chunks written per second of wall clock, everything included."""
        return self.chunks / self.seconds if self.seconds else 0.0


class Progress(Value):
    """How far an ingest is."""

    files_done: int = Field(ge=0, description="Files that are through, whatever became of them.")
    files_total: int = Field(ge=0, description="All files.")
    chunks_done: int = Field(ge=0, description="Chunks embedded.")
    current: str = Field(description="File that was worked on last; `reading NAME, page 2 of 9` while one is awaited.")
    rate: float = Field(ge=0.0, description="Chunks per second since the start.")
    seconds_left: float | None = Field(None, ge=0.0, description="Estimate; null until there is one.")
