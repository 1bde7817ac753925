"""What an ingest tells while it runs: how far it is, how fast, and how long it will take."""

from collections.abc import Callable, Iterable
from time import perf_counter

from rag.ingest.incoming import Incoming
from rag.ingest.report import FileOutcome, IngestReport, Progress


class Tracker:
    """Counts what is done and tells whoever listens. Time left goes by bytes: chunks are known only once read.

    Args:
        files: What will be read, one of each name.
        tell: Who listens.
        others: How many outcomes come from elsewhere.
        told: Who is told what became of each file.
    """

    def __init__(
        self,
        files: Iterable[Incoming],
        tell: Callable[[Progress], None] | None,
        *,
        others: int = 0,
        told: Callable[[FileOutcome], None] | None = None,
    ) -> None:
        self._sizes = {file.name: file.size for file in files}
        self._bytes_to_do, self._bytes_done = sum(self._sizes.values()), 0.0
        self._total = len(self._sizes) + others
        self._tell, self._told, self._started = tell, told, perf_counter()
        self._outcomes: list[FileOutcome] = []
        self._chunks_done = 0
        self._pages: dict[str, tuple[int, int]] = {}
        self._waited_for = ""

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
