"""What tests of ingestion share: the real embedding model, a small one, and an index made with the real one."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from indexes import Index
from smallmodel import save_small_model

from rag.adapters.bert_encoder import BertEncoder
from rag.adapters.packaged_model import packaged_model
from rag.adapters.published import SentenceTransformersEmbedder
from rag.ingest import embedding, indexer


@pytest.fixture(scope="session")
def embedder() -> BertEncoder:
    return BertEncoder(packaged_model())


@pytest.fixture
def index(tmp_path: Path, embedder: BertEncoder) -> Iterator[Index]:
    with closing(Index(tmp_path, embedder)) as opened:
        yield opened


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder(str(save_small_model(tmp_path_factory.mktemp("small"))))


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are embedded and written in several parts."""
    monkeypatch.setattr(embedding, "WRITTEN_AT_ONCE", 4)
    monkeypatch.setattr(indexer, "EMBEDDED_AT_ONCE", 3)
