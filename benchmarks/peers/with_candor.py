"""Candor as shipped: ingest, retrieve; on disk, with BM25 and vectors of sentences. No gate: no peer has one."""

import tempfile
from pathlib import Path

from benchmarks.peers.worker import TOP, Contestant


def contestant(model: str) -> Contestant:
    """Return Candor; `model` is the package's folder, which is also what it takes by default."""
    from rag import Candor
    from rag.embed import embed_question
    from rag.protocols import SearchScope
    from rag.retrieve import retrieve
    from rag.settings import Settings

    home = Path(tempfile.mkdtemp(prefix="candor-peers-"))
    settings = Settings(data_dir=home, qdrant_url=None, database_url=None, record_answers=False)
    candor = Candor.open(settings)
    embedder = candor.wiring.embedder
    embedder.embed(["warm"])

    def ingest(folder: Path) -> None:
        candor.ingest([folder])

    def texts() -> list[str]:
        return [f"{item.context}\n{item.content}" for item in candor.wiring.store.scroll(SearchScope())]

    def search(question: str) -> list[tuple[str, str]]:
        query = candor.query(question, top_k=TOP)
        vector = embed_question(query, embedder=embedder)
        found = retrieve(query, vector, store=candor.wiring.store, catalogue=candor.wiring.catalogue)
        return [(hit.document, hit.content) for hit in found.hits]

    return Contestant(
        ingest,
        texts,
        search,
        embedder.max_pieces,
        ("openvino", "qdrant-edge-py"),
        f"on disk, durable; dense and BM25, sentence vectors; {embedder.backend}",
    )
