"""What an ingest tells, while it runs and when it is done."""

from collections.abc import Callable, Mapping
from time import perf_counter
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
    passed_over: dict[str, int] = Field(
        default_factory=dict, description="How many files were passed over because of their type, by suffix."
    )

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
    def passed(self) -> str:
        """What was passed over, in words; empty where nothing was.

        >>> IngestReport(passed_over={".log": 2, "": 1}).passed
        '3 skipped, because their type is not supported: 1 without a suffix, 2 .log'
        """
        said = (f"{count} {suffix or 'without a suffix'}" for suffix, count in sorted(self.passed_over.items()))
        count = sum(self.passed_over.values())
        return f"{count} skipped, because their type is not supported: {', '.join(said)}" if count else ""


def summed_up(name: str, report: IngestReport) -> FileOutcome:
    """Return what became of one file that was handed in: its own outcome, or that of an archive's members together."""
    own = next((file for file in report.files if file.document == name), None)
    notes = [file.reason or file.document for file in report.failed if file is not own]
    notes += [*(own.notes if own else ()), *([f"{report.passed}."] if report.passed_over else [])]
    if own is not None:
        return own.model_copy(update={"notes": tuple(notes)})
    done = [file for file in report.files if file.outcome != "failed"]
    if not done:
        return FileOutcome(document=name, outcome="failed", reason=" ".join(notes) or f"{name!r} has no documents.")
    return FileOutcome(
        document=name,
        outcome=done[0].outcome if len({file.outcome for file in done}) == 1 else "added",
        reason=f"{len(done)} of its documents were ingested",
        chunks=sum(file.chunks for file in done),
        seconds=sum(file.seconds for file in done),
        notes=tuple(notes),
    )


class Progress(Value):
    """How far an ingest is."""

    files_done: int = Field(ge=0, description="Files that are through, whatever became of them.")
    files_total: int = Field(ge=0, description="All files.")
    chunks_done: int = Field(ge=0, description="Chunks embedded.")
    current: str = Field(description="File that was worked on last; `reading NAME, page 2 of 9` while one is awaited.")
    rate: float = Field(ge=0.0, description="Chunks per second since the start.")
    seconds_left: float | None = Field(None, ge=0.0, description="Estimate; null until there is one.")


class Tracker:
    """Counts what is done and tells whoever listens. Time left goes by bytes: chunks are known only once read.

    `sizes` are the bytes of each file that will be read, by name; `others` outcomes come from elsewhere.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        tell: Callable[[Progress], None] | None,
        told: Callable[[FileOutcome], None] | None,
        *,
        others: int,
    ) -> None:
        self._sizes, self._total = sizes, len(sizes) + others
        self._bytes_to_do, self._bytes_done = sum(sizes.values()), 0.0
        self._tell, self._told, self._started = tell, told, perf_counter()
        self._outcomes: list[FileOutcome] = []
        self._pages: dict[str, tuple[int, int]] = {}
        self._chunks_done, self._waited_for = 0, ""

    def page(self, name: str, number: int, of: int) -> None:
        """Note which page of a file is being read; told once the file is waited for. Any thread may call it."""
        self._pages[name] = number, of

    def reading(self, name: str) -> None:
        """Note that a file is waited for; told again where it has come to another page."""
        number, of = self._pages.get(name, (1, 1))
        current = f"reading {name}" + (f", page {number} of {of}" if of > 1 else "")
        if current != self._waited_for:
            self._waited_for = current
            self._report(current)

    def embedded(self, name: str, *, chunks: int, of: int) -> None:
        """Note that `chunks` of a file's `of` chunks have been embedded."""
        self._chunks_done += chunks
        self._bytes_done += self._sizes.get(name, 0) * chunks / of
        self._report(name)

    def finished(self, outcome: FileOutcome) -> None:
        """Note what became of a file."""
        self._outcomes.append(outcome)
        if self._told:
            self._told(outcome)
        if outcome.outcome not in ("added", "replaced"):
            self._bytes_to_do -= self._sizes.get(outcome.document, 0)
        self._report(outcome.document)

    def report(self) -> IngestReport:
        """Return the whole, now that it is done."""
        written = sum(each.chunks for each in self._outcomes if each.outcome in ("added", "replaced"))
        return IngestReport(files=tuple(self._outcomes), chunks=written, seconds=perf_counter() - self._started)

    def _report(self, current: str) -> None:
        if self._tell is None:
            return
        elapsed, left = perf_counter() - self._started, max(self._bytes_to_do - self._bytes_done, 0.0)
        self._tell(
            Progress(
                files_done=len(self._outcomes),
                files_total=self._total,
                chunks_done=self._chunks_done,
                current=current,
                rate=self._chunks_done / elapsed if elapsed else 0.0,
                seconds_left=elapsed * left / self._bytes_done if self._bytes_done else None,
            )
        )
