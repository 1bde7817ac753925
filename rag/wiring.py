"""Settings -> the parts that answer: here concrete adapters are named, and each is made when first needed."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, cast

from rag.gate import Estimator, MaxSimilarity, MeanSimilarity
from rag.models import EstimatorName
from rag.pipeline import Pipeline
from rag.process.data_folder import FolderNotMade, has_file, has_folder, make_private, require_writable
from rag.process.deferred import Deferred, made_once
from rag.protocols import Catalogue, Embedder, Generator, GroundingCheck, IndexedChunk, Reader, ReadingText, VectorStore
from rag.record import Recorder
from rag.retrieve import RetrievalRules
from rag.settings import NO_READER, Settings, settings_fingerprint
from rag.speaking.entailment import EntailmentCheck
from rag.text.words import stems

if TYPE_CHECKING:
    from rag.adapters.bert_encoder import BertEncoder
    from rag.adapters.generators import Generators
    from rag.adapters.sessions import SqlSessions
    from rag.confidence.calibrated import FitInUse
    from rag.ingest.indexer import Indexer
    from rag.ingest.writers import WritersLock
    from rag.workspace.house_words import KnownWords


class Wiring:
    """The parts of one Candor, made from its settings when they are first needed. Close it when done."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @made_once
    def recorder(self) -> Recorder:
        """The log and the recorded answers."""
        chosen = self.settings
        recorder = Recorder(
            chosen.data_dir,
            log_questions=chosen.log_questions,
            log_max_mb=chosen.log_max_mb,
            log_backups=chosen.log_backups,
            record_answers=chosen.record_answers,
        )
        if chosen.otlp_endpoint:
            from rag.adapters.telemetry import Telemetry

            recorder.observe_with(Telemetry(chosen.otlp_endpoint, with_texts=chosen.log_questions))
        return recorder

    @made_once
    def catalogue(self) -> Catalogue:
        """What is indexed; readable while another process has the index open, beside which it is kept.

        Where an earlier Candor has put the catalogue of an embedded index into the configured database, it stays there.
        """
        from rag.adapters.catalogue import SqlCatalogue

        chosen = self.settings
        is_there = has_folder(chosen.data_dir / "index") and not has_file(chosen.data_dir / "catalogue.db")
        return SqlCatalogue(self.database_url("catalogue.db", is_shared=bool(chosen.qdrant_url) or is_there))

    @property
    def has_sessions(self) -> bool:
        """Whether conversations, labels and promotions are kept anywhere yet."""
        return self.settings.database_url is not None or has_file(self.settings.data_dir / "sessions.db")

    @made_once
    def sessions(self) -> "SqlSessions":
        """Conversations, labels, promotions and API keys."""
        from rag.adapters.sessions import SqlSessions

        return SqlSessions(self.database_url("sessions.db"))

    def documents_of(self, collection: str) -> tuple[str, ...]:
        """Return the documents of a collection that are indexed; raises what `known_filters.documents_of` raises."""
        from rag.asking.known_filters import documents_of

        return documents_of(collection, self.sessions.collections.list() if self.has_sessions else (), self.catalogue)

    @made_once
    def house_words(self) -> "KnownWords":
        """The other names of things that are put into questions, as they are now."""
        from rag.workspace.house_words import KnownWords

        return KnownWords(lambda: self.sessions.house_words.list() if self.has_sessions else ())

    def database_url(self, file: str, *, is_shared: bool = True) -> str:
        """Return the configured database where it `is_shared`, else the SQLite file of that name in the data folder.

        Raises:
            FolderUnwritable: The data folder cannot be written.
        """
        from rag.adapters.sql import sqlite_url

        if self.settings.database_url and is_shared:
            return self.settings.database_url
        require_writable(self.settings.data_dir)
        make_private(self.settings.data_dir)
        return sqlite_url(self.settings.data_dir / file)

    @property
    def _running(self) -> dict[str, Any]:
        """How models are run; what is compiled is the first that is written into a new data folder."""
        chosen = self.settings
        if chosen.cache_dir is None:
            with suppress(FolderNotMade):  # a model is compiled at each start then, and what must write says why
                make_private(chosen.data_dir)
        cache = chosen.cache_dir or chosen.data_dir / "cache"
        return {"precision": chosen.embedding_precision, "threads": chosen.threads, "cache": cache}

    @made_once
    def encoder(self) -> "BertEncoder":
        """The packaged model."""
        from rag.adapters.embedders import packaged_encoder

        return packaged_encoder(**self._running)

    @made_once
    def embedder(self) -> Embedder:
        """The embedding model, in this process or on Ray workers."""
        from rag.adapters.embedders import embedder_of

        return embedder_of(self.settings, lambda: self.encoder, self._running)

    @made_once
    def store(self) -> VectorStore:
        """The vector store: the embedded engine, or a Qdrant server where one is named."""
        chosen = self.settings
        if chosen.qdrant_url:
            from rag.adapters.qdrant_store import server_store

            return server_store(chosen, chosen.qdrant_url, dimension=self.embedder.dimension)
        from rag.adapters.edge_config import indexed_dimension
        from rag.adapters.edge_store import EdgeStore

        if chosen.database_url:
            self.catalogue  # noqa: B018 - where it is kept goes by what is in the folder before the index is
        writers, path = self.writers, chosen.data_dir / "index"
        dimension = indexed_dimension(path) or self.embedder.dimension
        with writers:
            return EdgeStore(
                path, dimension=dimension, quantization=chosen.quantization, word_counts=self._visible_word_counts
            )

    @made_once
    def writers(self) -> "WritersLock":
        """What is held while the index is opened, written or closed: a backup in another process waits for its end."""
        from rag.ingest.writers import NAME, WritersLock

        require_writable(self.settings.data_dir)
        make_private(self.settings.data_dir)
        return WritersLock(self.settings.data_dir / NAME)

    def _visible_word_counts(self, terms: Sequence[int]) -> tuple[int, Mapping[int, int]]:
        """Return how many chunks readers see, and in how many each term occurs: what is committed is what they see."""
        return self.catalogue.chunk_count(), self.catalogue.document_frequencies(terms)

    @property
    def fitting_store(self) -> VectorStore:
        """The store, once it is sure that the index was built with this embedding model and language.

        Raises:
            IndexNotReady: It was not, or another process has it open.
        """
        self.indexer.check()
        return self.store

    @made_once
    def loaded(self) -> bool:
        """Whether the models of questions are in memory: they are, once this was asked for, by however many."""
        self.embedder.embed(["ready"])  # models are loaded by their first text
        self.try_reader()
        return True

    def try_reader(self) -> None:
        """Let the reader read one text: it is loaded then, or says why it cannot be."""
        if self.reader is not None:
            self.reader.read("Is it ready?", [ReadingText("", "It is ready.", ((0, 12),))])

    @made_once
    def generator(self) -> Generator:
        """What writes drafts with a model; whether a server answers is found out when it is asked."""
        from rag.adapters.generators import made_generator

        return made_generator(self.settings)

    @made_once
    def generators(self) -> "Generators":
        """All models that a question may name."""
        from rag.adapters.generators import Generators

        return Generators(self.settings, self.generator)

    @made_once
    def indexer(self) -> "Indexer":
        """What ingests documents and forgets them; interrupted work of an earlier process is repaired first."""
        from rag.ingest.indexer import Indexer

        stems("", language=self.settings.language)  # an unknown language shows before anything is written
        indexer = Indexer(
            self.store,
            self.catalogue,
            self.embedder,
            language=self.settings.language,
            files_dir=self.settings.data_dir / "files",
            alone=not self.settings.qdrant_url,
            workers=max(1, self.settings.embedding_workers),
            max_bytes=self.settings.max_upload_bytes,
            lock=self.writers,
        )
        indexer.recover()
        return indexer

    @made_once
    def estimators(self) -> Mapping[EstimatorName, Estimator]:
        """The gate's estimators by name."""
        from rag.confidence.calibrated import Calibrated

        calibrated = Calibrated(
            self.fit.fit,
            catalogue=self.catalogue,
            embedding=self.embedder.fingerprint,
            reader_name=self.reader_name,
            set_aside=self.fit.set_aside,
        )
        return {"mean_similarity": MeanSimilarity(), "max_similarity": MaxSimilarity(), "calibrated": calibrated}

    @made_once
    def fit(self) -> "FitInUse":
        """The gate's fit that decides.

        Raises:
            ConfigurationError: It is damaged, or its thresholds would decide and were fitted on another reader.
        """
        from rag.confidence.calibrated import load_fit

        chosen = self.settings
        decides = chosen.estimator == "calibrated" and chosen.confidence_threshold is None
        return load_fit(chosen.gate_home, reader=self.reader_name, decides=decides)

    @made_once
    def reader(self) -> Reader | None:
        """What reads the best windows: the shipped reader, a published one, or none."""
        from rag.adapters.reader import made_reader

        return made_reader(self.settings, **self._running)

    @property
    def reader_name(self) -> str:
        """Name and version of the reader; `none` without one."""
        return self.reader.name if self.reader else NO_READER

    @made_once
    def check(self) -> GroundingCheck:
        """What judges claims against texts: the shipped entailment, or a published NLI model."""
        from rag.adapters.mpnet_pairs import shipped_pairs
        from rag.adapters.reader import MpnetEntailment

        own, threshold = MpnetEntailment(shipped_pairs(**self._running)), self.settings.grounding_threshold
        if self.settings.grounding_model is None:
            return EntailmentCheck(own, threshold=threshold)
        from rag.adapters.published import NliEntailment

        return EntailmentCheck(NliEntailment(self.settings.grounding_model), kinds=own, threshold=threshold)

    @made_once
    def pipeline(self) -> Pipeline:
        """The way of a question. The store is opened when a question needs it: one about a selected text does not."""
        chosen = self.settings
        rules = RetrievalRules(chosen.dense_weight, chosen.candidates, chosen.chapter_bonus, language=chosen.language)
        return Pipeline(
            embedder=self.embedder,
            store=cast(VectorStore, Deferred(lambda: self.fitting_store)),
            catalogue=self.catalogue,
            check=self.check,
            recorder=self.recorder,
            read_selected=self.read_selected,
            estimators=self.estimators,
            default_estimator=chosen.estimator,
            reader=self.reader,
            threshold=chosen.confidence_threshold,
            unsure_threshold=chosen.unsure_threshold,
            windows=chosen.windows,
            generator=self.generator,
            generator_named=lambda name: self.generators.named(name),
            house_words=self.house_words,
            collected=self.documents_of,
            rules=rules,
            max_context=chosen.max_context,
            on_model_failure=chosen.on_model_failure,
            settings_fingerprint=settings_fingerprint(chosen),
            defaults=self.defaults,
        )

    @property
    def sends_to(self) -> tuple[str, ...]:
        """Who gets documents, or passages of them, and is not on this machine: in words, with the host."""
        from rag.adapters.server_trouble import sends_to

        return sends_to(self.settings)

    @property
    def defaults(self) -> Mapping[str, Any]:
        """What a question's options are where it names none."""
        return self.settings.model_dump(include={"top_k", "similarity_threshold", "max_tokens", "temperature", "seed"})

    @made_once
    def read_selected(self) -> Callable[[str], Sequence[IndexedChunk]]:
        """What chunks and embeds a selected text in memory; the last few are kept."""
        from rag.asking.selected import read_selected

        return lru_cache(maxsize=16)(partial(read_selected, embedder=self.embedder, language=self.settings.language))

    def put_in_force(self, settings: Settings) -> None:
        """Ask with these settings from now on; a way of a question that is being made is waited for, and made again."""
        with ExitStack() as held:
            for name in _OF_PROMOTED:
                held.enter_context(_PARTS[name].lock(self))
            self.settings = settings
            for name in _OF_PROMOTED:
                self.__dict__.pop(name, None)

    def close(self) -> None:
        """Release what was made: the index first, then the catalogue, the log and the models."""
        held: AbstractContextManager[None] = self.writers if "store" in self.__dict__ else nullcontext()
        with held:
            for name in (*_CLOSED, *(_PARTS.keys() - set(_CLOSED))):
                with _PARTS[name].lock(self):
                    part = self.__dict__.pop(name, None)
                if name in _CLOSED and hasattr(part, "close"):
                    part.close()


_PARTS = {name: part for name, part in vars(Wiring).items() if isinstance(part, made_once)}
_OF_PROMOTED = ("pipeline", "estimators", "fit")  # what is made from settings that can be promoted; each needs the next
_CLOSED = ("store", "catalogue", "sessions", "recorder", "embedder", "generators", "generator")
"""What is closed, in this order; an embedder that runs in this process needs no closing, nor does a server's client."""
