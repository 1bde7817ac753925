"""Candor as a library: three lines to an answer.

>>> from rag import Candor
>>> with Candor.open() as candor:                                  # doctest: +SKIP
...     candor.ingest(["samples"])
...     print(candor.ask("Which gloves are worn with acids?").answer)
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

from rag.embed import QuestionCache
from rag.errors import CandorError
from rag.models import Answer, DocumentRecord, Health, Mode, PastError, Query, ServiceStatus
from rag.records.ingest_log import ingest_log
from rag.settings import NO_READER, Settings, load_settings
from rag.workspace import in_force

if TYPE_CHECKING:
    from datetime import datetime

    from rag.events import Event, Found
    from rag.ingest.report import FileOutcome, IngestReport, Progress
    from rag.pipeline import Pipeline
    from rag.protocols import Vector
    from rag.records.unanswered import Group
    from rag.wiring import Wiring
    from rag.workspace.values import Promotion

MOST_READ = 10_000  # how many recorded requests are looked through for unanswered questions, newest first
MOST_LIKENED = 2000
"""How many unanswered questions, the newest, are grouped by likeness; older ones by their words alone."""


class Candor:
    """Documents in, cited answers or reasoned refusals out. Use as a context manager, or call `close`."""

    def __init__(self, wiring: "Wiring") -> None:
        self.wiring = wiring
        self.seen = in_force.Seen(wiring.settings)
        self._has_embedded = False
        self._question_vectors = QuestionCache(2 * MOST_LIKENED)
        self._last_errors: dict[str, PastError] = {}
        self.set_aside = ""
        """Which promoted thresholds were set aside when settings were put in force last, and why; empty: none."""

    @classmethod
    def open(cls, settings: Settings | None = None, **overrides: object) -> Self:
        """Return a Candor over the data folder of `settings`, or of the environment with `overrides`.

        Nothing is loaded yet.

        Raises:
            ConfigurationError: A setting is malformed.
        """
        from rag.wiring import Wiring

        return cls(Wiring(settings or load_settings(**overrides)))

    @property
    def settings(self) -> Settings:
        """The settings that questions are asked with: those it was opened with, and what was promoted."""
        return self.wiring.settings

    def put_in_force(self) -> "Promotion | None":
        """Ask from now on with the settings that were promoted on the Tune page, over those it was opened with.

        Dashboard, API and command line all call this; a library decides by itself.

        Returns:
            The promotion in force, without what was set aside; None: the settings it was opened with are in force.

        Raises:
            ConfigurationError: A promoted setting is malformed.
            ServiceUnavailable: The database cannot be read.
        """
        return in_force.put_in_force(self)

    def promoted(self, promotion: "Promotion") -> dict[str, object]:
        """Return what of a promotion can be used with the gate that decides under it.

        Raises:
            ConfigurationError: A promoted setting is malformed.
        """
        return in_force.usable(self, promotion)[0]

    @property
    def pipeline(self) -> "Pipeline":
        """The way of a question, for those who want its events or single stages.

        Raises:
            IndexNotReady: Another process has the index open, or it was built with another embedding model.
        """
        self.wiring.indexer.check()
        return self.wiring.pipeline

    def load(self) -> None:
        """Load the models of questions now, once, so that the first one need not wait for them.

        Raises:
            CandorError: A model cannot be loaded. It is tried again with the first question.
        """
        self.wiring.loaded  # noqa: B018

    def ask(self, question: str, *, watch: "Callable[[Event], None] | None" = None, **options: Any) -> Answer:
        """Return the answer to a question, or the refusal that says why there is none.

        Args:
            question: 3 to 1000 characters.
            watch: Called with what happens meanwhile.
            **options: The fields of `rag.models.Query`.

        Raises:
            InvalidQuery: The question or an option is outside its limits.
            IndexNotReady: Nothing is indexed, or another process has the index open.
            ServiceUnavailable: The store, the embedding model or, where nothing stands in, the model server failed.
        """
        query = self.query(question, **options)
        return pipeline_for(self, query).ask(query, watch=watch)

    def query(self, question: str, **options: Any) -> Query:
        """Return the canonical query for a question; nothing is loaded for one that is refused.

        Raises:
            InvalidQuery: The question or an option is outside its limits.
        """
        from rag.asking.checked_query import checked_query

        parts = self.wiring
        return checked_query(
            question, options, defaults=parts.defaults, recorder=parts.recorder, collected=parts.documents_of
        )

    def retrieve(self, question: str, **options: Any) -> "Found":
        """Return what a question finds and what the gate says of it; nothing is generated. Raises what `ask` raises."""
        query = self.query(question, **options)
        return pipeline_for(self, query).retrieve(query)

    def ingest(
        self,
        paths: Path | str | Iterable[Path | str],
        *,
        progress: "Callable[[Progress], None] | None" = None,
        force: bool = False,
        prune: bool = False,
        replace: bool = False,
        leaving: Collection[Path] = (),
    ) -> "IngestReport":
        """Bring files and folders into the index; unchanged files cost a hash. See `rag.ingest.indexer.Indexer`."""
        named = [paths] if isinstance(paths, str | Path) else paths
        with ingest_log(self.wiring.recorder) as told:
            return self.wiring.indexer.ingest(
                named, progress=progress, force=force, prune=prune, replace=replace, leaving=leaving, told=told
            )

    def rebuild(self, *, progress: "Callable[[Progress], None] | None" = None) -> "IngestReport":
        """Ingest all that is indexed again, from the kept copies. See `rag.ingest.indexer.Indexer`."""
        with ingest_log(self.wiring.recorder) as told:
            return self.wiring.indexer.rebuild(progress=progress, told=told)

    def read_outdated(
        self, *, leaving: "Collection[str]" = (), progress: "Callable[[Progress], None] | None" = None
    ) -> "IngestReport":
        """Ingest a few documents of another version. See `rag.ingest.indexer.Indexer`."""
        with ingest_log(self.wiring.recorder) as told:
            return self.wiring.indexer.read_outdated(leaving=leaving, progress=progress, told=told)

    def ingest_bytes(
        self,
        name: str,
        data: bytes,
        *,
        progress: "Callable[[Progress], None] | None" = None,
        check: "Callable[[], None] | None" = None,
    ) -> "FileOutcome":
        """Bring an uploaded file into the index, in place of the document of its name; the outcome says so.

        What `check` raises ends it within a batch, and leaves the index as it was: see `rag.ingest.indexer.Indexer`.
        """
        with ingest_log(self.wiring.recorder) as told:
            outcome = self.wiring.indexer.ingest_bytes(name, data, progress=progress, check=check)
            told(outcome)
        return outcome

    def documents(self) -> list[DocumentRecord]:
        """Return what is indexed, by name."""
        return self.wiring.catalogue.documents()

    def forget(self, document: str, *, check: "Callable[[], None] | None" = None) -> None:
        """Remove a document and every chunk of it; what `check` raises while others have their turn ends the wait.

        Raises:
            InvalidDocument: It is not indexed.
        """
        with ingest_log(self.wiring.recorder) as told:
            told(self.wiring.indexer.forget(document, check=check))

    def unanswered(self, *, since: "datetime | None" = None, limit: int = MOST_READ) -> "list[Group]":
        """Return the recorded questions that got no good answer, in groups of like ones, dismissed ones too.

        Args:
            since: Not before this; None: from the first on.
            limit: The most recorded requests to look at, newest first.

        Raises:
            ServiceUnavailable: What is recorded cannot be read, or the embedding model failed.
        """
        from rag.records.unanswered import grouped, unanswered, wordings

        recorder = self.wiring.recorder
        found = unanswered(recorder.requests(limit=limit, since=since), recorder.judgements())
        return grouped(found, self.vectors(wordings(found)[:MOST_LIKENED]), recorder.dismissed())

    def vectors(self, questions: Sequence[str], *, most_new: int | None = None) -> "dict[str, Vector]":
        """Return the vectors of questions, by their words; those that were asked for before cost nothing.

        Args:
            questions: Their words.
            most_new: The most that are computed; the others are left out. None: all.

        Raises:
            EmbedderUnavailable: The embedding model failed.
        """
        known, embedder = self._question_vectors, self.wiring.embedder
        model = embedder.fingerprint
        missing = [one for one in dict.fromkeys(questions) if known.get(model, one) is None][:most_new]
        for question, vector in zip(missing, embedder.embed(missing) if missing else (), strict=True):
            known.put(model, question, vector)
        return {one: vector for one in questions if (vector := known.get(model, one)) is not None}

    def health(self) -> Health:
        """Return what works: healthy, degraded (no model server), unavailable (no documents, or a model is missing).

        A reader and a model for grounding are services where the operator named them, the gate where it is the
        calibrated one of a fit made here.
        """
        begun = perf_counter()
        checks = {
            "qdrant": self._check_index,
            "embedding": self._check_embedding,
            "llm": lambda: self.wiring.generator.check(),
            "sessions": lambda: self.wiring.sessions.check(),
            **self._own_models(),
        }
        services = {name: self._with_last_error(name, _probe(check)) for name, check in checks.items()}
        away = {name for name, service in services.items() if service.state != "connected"}
        needed = away <= {"llm", "sessions"} and bool(self.wiring.catalogue.chunk_count())
        return Health(
            status="unavailable" if not needed else "degraded" if away else "healthy",
            services=services,
            response_time_ms=max((perf_counter() - begun) * 1000, 0.001),
            lost_lines=self.wiring.recorder.lost_lines,
        )

    def _with_last_error(self, name: str, found: ServiceStatus) -> ServiceStatus:
        """Return a service's status with what failed last, this probe or something before it."""
        if found.state == "disconnected":
            self._last_errors[name] = PastError(message=found.detail or "It does not answer.")
        known = [error for error in (found.last_error, self._last_errors.get(name)) if error]
        latest = max(known, key=lambda error: error.timestamp, default=None)
        return found.model_copy(update={"last_error": latest})

    def is_ready(self) -> bool:
        """Return whether questions can be answered: store and catalogue answer, the embedding model has been loaded.

        The model server is not asked, and the embedding model once: what runs in this process does not go away.
        """
        if not self._has_embedded:
            self._has_embedded = _probe(self._check_embedding).state == "connected"
        return self._has_embedded and _probe(self._check_index).state == "connected"

    def _check_index(self) -> ServiceStatus:
        from rag.ingest.identity import apart

        found = self.wiring.store.check()
        if found.state != "connected":
            return found
        if problem := apart(self.wiring.store, self.wiring.catalogue):
            return found.model_copy(update={"state": "disconnected", "detail": f"{found.detail}; {problem}"})
        if self.wiring.catalogue.chunk_count():
            return found
        detail = f"{found.detail}; no document is indexed: add one on the page Documents or with `candor ingest`"
        return found.model_copy(update={"detail": detail.lstrip("; ")})

    def _check_embedding(self) -> ServiceStatus:
        begun = perf_counter()
        self.wiring.embedder.embed(["ready"])
        return ServiceStatus(
            state="connected",
            latency_ms=(perf_counter() - begun) * 1000,
            detail=f"{self.wiring.embedder.fingerprint} ({self.wiring.embedder.backend})",
        )

    def _own_models(self) -> dict[str, Callable[[], ServiceStatus]]:
        """Return the checks of what decides beside the embedding and is the operator's own: models, the gate's fit."""
        from rag.confidence.calibrated import FILE_NAME
        from rag.protocols import Evidence

        chosen, wiring = self.settings, self.wiring
        checks: dict[str, Callable[[], ServiceStatus]] = {}
        if chosen.reader_model not in (None, NO_READER):
            checks["reader"] = lambda: _works(wiring.try_reader, chosen.reader_model)
        if chosen.grounding_model is not None:
            evidence = [Evidence("All is ready.")]
            checks["grounding"] = lambda: _works(
                lambda: wiring.check.judge("It is ready.", evidence), chosen.grounding_model
            )
        if chosen.estimator == "calibrated" and (chosen.gate_home / FILE_NAME).is_file():
            checks["gate"] = self._check_gate
        return checks

    def _check_gate(self) -> ServiceStatus:
        from rag.confidence.calibrated import FILE_NAME, load_fit

        found = load_fit(self.settings.gate_home, reader=self.wiring.reader_name, decides=False)
        made = f"fitted here ({FILE_NAME})" if found.is_own else f"shipped; {found.set_aside}"
        detail = f"{made}, thresholds {found.fit.threshold:.4g} and {found.fit.unsure_threshold:.4g}"
        return ServiceStatus(state="connected", detail=detail)

    def close(self) -> None:
        """Release the index and the files."""
        self.wiring.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def pipeline_for(candor: Candor, query: Query) -> "Pipeline":
    """Return the way of a question; for a selected text without a look at the index.

    Raises:
        IndexNotReady: Another process has the index open, or it was built with another embedding model.
    """
    return candor.wiring.pipeline if query.mode is Mode.SELECTED_TEXT_ONLY else candor.pipeline


def _works(call: Callable[[], object], model: str | None) -> ServiceStatus:
    call()
    return ServiceStatus(state="connected", detail=model or "")


def _probe(check: Callable[[], ServiceStatus]) -> ServiceStatus:
    try:
        return check()
    except CandorError as error:
        return ServiceStatus(state="disconnected", detail=error.message)
