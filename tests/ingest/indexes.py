"""An index of its own for a test: the real embedded engine, a real database, under one folder."""

from pathlib import Path

from rag.adapters.catalogue import SqlCatalogue
from rag.adapters.edge_store import EdgeStore
from rag.adapters.processes import Process
from rag.adapters.sql import sqlite_url
from rag.ingest.indexer import Indexer
from rag.protocols import Embedder, SearchScope, VectorStore

OLD = "The fume hood on floor three is inspected by the safety officer every Monday. "
NEW = "The fume hood on floor nine is inspected by the fire brigade every Friday. "


class Index:
    """Everything of one index, under one folder; a store that is given is shared with others."""

    def __init__(
        self,
        folder: Path,
        embedder: Embedder,
        *,
        store: VectorStore | None = None,
        catalogue: Path | None = None,
        process: Process | None = None,
        alone: bool = False,
        dimension: int = 384,
        **options: int,
    ) -> None:
        self.folder, self.files, self.embedder = folder, folder / "in", embedder
        self.files.mkdir(parents=True, exist_ok=True)
        self.store = store or EdgeStore(folder / "index", dimension=dimension, **options)
        self.catalogue = SqlCatalogue(sqlite_url(catalogue or folder / "catalogue.db"), process=process)
        self.indexer = self.another(alone=alone or store is None)
        self.upload = self.indexer.ingest_bytes

    def another(
        self, embedder: object = None, *, store: object = None, alone: bool = True, **options: object
    ) -> Indexer:
        """An indexer over this index; what is named is another one than the index's own."""
        files, model = self.folder / "files", embedder or self.embedder
        return Indexer(store or self.store, self.catalogue, model, files_dir=files, alone=alone, **options)

    def write(self, name: str, text: str) -> Path:
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def outcomes(self, *paths: Path, **options: object) -> dict[str, str]:
        report = self.indexer.ingest(paths or [self.files], **options)
        return {file.document: file.outcome for file in report.files}

    def visible(self, document: str = "manual.md") -> str:
        """All text of a document that readers find, in order; read again where a writer came between."""
        while True:
            before = self.catalogue.fingerprint(), self.catalogue.hidden_versions()
            chunks = list(self.store.scroll(SearchScope(hidden_versions=before[1])))
            if before == (self.catalogue.fingerprint(), self.catalogue.hidden_versions()):
                break
        found = sorted((chunk.start, chunk.content) for chunk in chunks if chunk.document == document)
        return " ".join(content for _, content in found)

    def stored(self) -> int:
        return self.store.count(SearchScope())

    def found_by(self, embedder: Embedder) -> int:
        """How many chunks a question finds that is embedded by a model."""
        vector = embedder.embed(["Who inspects the fume hood?"])[0]
        return len(self.store.search_dense(vector, limit=20, scope=SearchScope()))

    def kept(self) -> dict[str, Path]:
        """The copies of ingested files, by the name of the file."""
        return {path.name: path for path in (self.folder / "files").rglob("*") if path.is_file()}

    def close(self) -> None:
        if isinstance(self.store, EdgeStore):
            self.store.close()
        self.catalogue.close()


def text_of(sentence: str, sentences: int = 60) -> str:
    return f"# Manual\n\n{(sentence * sentences).strip()}\n"
