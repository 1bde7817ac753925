"""Candor as a library: three lines to an answer.

>>> from rag import Candor
>>> with Candor.open() as candor:                                  # doctest: +SKIP
...     candor.ingest(["samples"])
...     print(candor.ask("Which gloves are worn with acids?").answer)
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rag.errors import CandorError
from rag.models import Answer, DocumentRecord, Health, Query, ServiceStatus
from rag.settings import Settings, load_settings

if TYPE_CHECKING:
    from rag.ingest.report import FileOutcome, IngestReport, Progress
    from rag.pipeline import Found, Pipeline
    from rag.wiring import Wiring


class Candor:
    """Documents in, cited answers or reasoned refusals out. Use as a context manager, or call `close`.

    Args:
        wiring: The parts; `Candor.open` makes them from settings.
    """

    def __init__(self, wiring: "Wiring") -> None:
        self.wiring = wiring

    @classmethod
    def open(cls, settings: Settings | None = None, **overrides: object) -> Self:
        """Return a Candor over the data folder of `settings`, or of the environment with `overrides`.

        Nothing is loaded yet; what is first needed is loaded then.

        Raises:
            ConfigurationError: A setting is malformed.
        """
        from rag.wiring import Wiring

        return cls(Wiring(settings or load_settings(**overrides)))

    @property
    def settings(self) -> Settings:
        """The settings that it was opened with."""
        return self.wiring.settings

    @property
    def pipeline(self) -> "Pipeline":
        """The way of a question, for those who want its events or single stages."""
        pipeline: Pipeline = self.wiring.pipeline
        return pipeline

    def ask(self, question: str, **options: Any) -> Answer:
        """Return the answer to a question, or the refusal that says why there is none.

        Args:
            question: 3 to 1000 characters.
            **options: The fields of `rag.models.Query`.

        Raises:
            InvalidQuery: The question or an option is outside its limits.
            IndexNotReady: Nothing is indexed, or another process has the index open.
            ServiceUnavailable: The store, the embedding model or, where nothing stands in, the model server failed.
        """
        query = self.query(question, **options)
        return self.pipeline.ask(query)

    def query(self, question: str, **options: Any) -> Query:
        """Return the canonical query for a question; nothing is loaded for one that is refused.

        Raises:
            InvalidQuery: The question or an option is outside its limits.
        """
        from rag.pipeline import checked_query

        return checked_query(question, options, defaults=self.wiring.defaults, recorder=self.wiring.recorder)

    def retrieve(self, question: str, **options: Any) -> "Found":
        """Return what a question finds and what the gate says of it; nothing is generated. Raises what `ask` raises."""
        query = self.query(question, **options)
        return self.pipeline.retrieve(query)

    def ingest(
        self,
        paths: Iterable[Path | str],
        *,
        progress: "Callable[[Progress], None] | None" = None,
        force: bool = False,
        prune: bool = False,
    ) -> "IngestReport":
        """Bring files and folders into the index; unchanged files cost a hash. See `rag.ingest.indexer.Indexer`."""
        report: IngestReport = self.wiring.indexer.ingest(paths, progress=progress, force=force, prune=prune)
        return report

    def ingest_bytes(self, name: str, data: bytes) -> "FileOutcome":
        """Bring an uploaded file into the index."""
        outcome: FileOutcome = self.wiring.indexer.ingest_bytes(name, data)
        return outcome

    def documents(self) -> list[DocumentRecord]:
        """Return what is indexed, by name."""
        return self.wiring.catalogue.documents()

    def forget(self, document: str) -> None:
        """Remove a document and every chunk of it.

        Raises:
            InvalidDocument: It is not indexed.
        """
        self.wiring.indexer.forget(document)

    def health(self) -> Health:
        """Return what works: healthy, degraded (no model server), unavailable (no index or no embedding)."""
        begun = perf_counter()
        services = {
            "qdrant": _probe(lambda: self.wiring.store.check()),
            "embedding": _probe(self._check_embedding),
            "llm": _probe(lambda: self.wiring.generator.check()),
            "sessions": _probe(lambda: self.wiring.sessions.check()),
        }
        needed = all(services[name].state == "connected" for name in ("qdrant", "embedding"))
        complete = all(service.state == "connected" for service in services.values())
        return Health(
            status="healthy" if complete else "degraded" if needed else "unavailable",
            services=services,
            response_time_ms=max((perf_counter() - begun) * 1000, 0.001),
        )

    def _check_embedding(self) -> ServiceStatus:
        begun = perf_counter()
        self.wiring.embedder.embed(["ready"])
        return ServiceStatus(
            state="connected",
            latency_ms=(perf_counter() - begun) * 1000,
            detail=f"{self.wiring.embedder.fingerprint} ({self.wiring.embedder.backend})",
        )

    def close(self) -> None:
        """Release the index and the files."""
        self.wiring.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _probe(check: Callable[[], ServiceStatus]) -> ServiceStatus:
    """Return a service's status; an error while it is opened is its status too."""
    try:
        return check()
    except CandorError as error:
        return ServiceStatus(state="disconnected", detail=error.message)
