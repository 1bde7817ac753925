"""An index as an older Candor left it: one vector for a chunk, and no windows."""

import json
import shutil
from pathlib import Path
from typing import Any

import qdrant_edge as edge


def make_older(path: Path) -> int:
    """Write an index that nobody has open anew in the older layout; return how many chunks it has."""
    shard = edge.EdgeShard.load(str(path))
    records, _ = shard.scroll(edge.ScrollRequest(limit=10_000, with_payload=True, with_vector=True))
    shard.close()
    kept = path / "candor_index_id"
    name = kept.read_text(encoding="utf-8")
    shutil.rmtree(path)
    path.mkdir()
    kept.write_text(name, encoding="utf-8")
    old = edge.EdgeShard.load(str(path), _layout(len(records[0].vector["windows"][0])))
    old.update(edge.UpdateOperation.upsert_points([_older(record) for record in records]))
    old.flush()
    old.close()
    return len(records)


def _layout(dimension: int) -> edge.EdgeConfig:
    return edge.EdgeConfig(
        vectors={"text": edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine)},
        sparse_vectors={"bm25": edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        wal_enabled=True,
    )


def _older(record: edge.Record) -> edge.Point:
    payload: dict[str, Any] = dict(record.payload)
    chunk = json.loads(payload["chunk"])
    del chunk["windows"]
    vectors = {"text": record.vector["windows"][0], "bm25": record.vector["bm25"]}
    return edge.Point(record.id, vectors, {**payload, "chunk": json.dumps(chunk), "sentence_vectors": ""})
