"""A server that answers as Qdrant does, and every call that a store makes of it."""

import json
from collections.abc import Callable
from typing import Any

import httpx
from qdrant_format import check_request
from store_samples import DIMENSION, NEW, OLD, id_of, indexed, terms, unit

from rag.adapters.points import DENSE
from rag.adapters.qdrant_store import QdrantStore
from rag.models import Filters
from rag.protocols import SearchScope

URL, KEY = "https://qdrant.example.org:6333", "s3cret-key"
ALL = SearchScope()
KEYS = ("document", "version", "module", "section", "section_keys", "chapter", "pages")
MAX_SIM = {"comparator": "max_sim"}
HIDDEN = (("a.pdf", OLD), ("a.pdf", NEW), ("b.pdf", OLD))
FULL = SearchScope(Filters(source="a.pdf", chapter=2, section="2.2", module="Lab", page=3), hidden_versions=HIDDEN)
Answer = Callable[[httpx.Request], httpx.Response]


class Server:
    """Answers as Qdrant does with one chunk in it, and keeps what it was asked."""

    def __init__(self, *, exists: bool = True, size: int = DIMENSION, indexed: int = len(KEYS)) -> None:
        self.requests: list[httpx.Request] = []
        self.exists, self.size, self.indexed = exists, size, KEYS[: indexed if exists else 0]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(200, json={"result": self.result(request), "status": "ok", "time": 0.001})

    def result(self, request: httpx.Request) -> Any:
        path, method = request.url.path, request.method
        chunk = indexed("a")
        point = {"id": id_of("a"), "version": 1, "score": 0.5}
        payload = {"chunk": chunk.chunk.model_dump_json()}
        written = {"operation_id": 1, "status": "completed"}
        for ending, answer in {
            "/exists": {"exists": self.exists},
            "/query/batch": [{"points": [point]}] * len(json.loads(request.content or b"{}").get("searches", [])),
            "/points/count": {"count": 1},
            "/points/scroll": {"points": [{"id": id_of("a"), "payload": payload}], "next_page_offset": None},
            "/facet": {"hits": [{"value": "manual.pdf", "count": 1}]},
            "/points/delete": written,
            "/index": written,
        }.items():
            if path.endswith(ending):
                return answer
        if path.endswith("/points"):
            return (
                written
                if method == "PUT"
                else [{"id": id_of("a"), "payload": payload, "vector": {DENSE: [[1.0, 0, 0, 0]]}}]
            )
        return True if method in ("PUT", "PATCH") else self.collection()

    def collection(self) -> dict[str, Any]:
        params = {"vectors": {DENSE: {"size": self.size, "distance": "Cosine", "multivector_config": MAX_SIM}}}
        hnsw = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000}
        optimizer = {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000, "default_segment_number": 0,
                     "flush_interval_sec": 5}  # fmt: skip
        return {"status": "green", "optimizer_status": "ok", "segments_count": 1,
                "payload_schema": {key: {"data_type": "keyword", "points": 1} for key in self.indexed},
                "config": {"params": params, "hnsw_config": hnsw, "optimizer_config": optimizer}}  # fmt: skip


def connect(answer: Answer, url: str = URL, key: str | None = KEY) -> QdrantStore:
    return QdrantStore.connect(url, key, 3.0, "candor", DIMENSION, transport=httpx.MockTransport(answer))


def calls(store: QdrantStore) -> dict[str, Callable[[], object]]:
    """Every method that talks to the server, with the widest scope."""
    question, words = unit(1, 0, 0, 0), terms(t1=1.0, t9=2.0)
    return {
        "upsert": lambda: store.upsert([indexed("a", question, words, chapter=2, page=3, last_page=4, module="Lab",
                                                section="2.2 Hoods", section_number="2.2"), indexed("b")]),
        "delete": lambda: store.delete("a.pdf"),
        "delete version": lambda: store.delete("a.pdf", version=OLD, keep=NEW),
        "search_dense": lambda: store.search_dense(question, limit=5, scope=FULL),
        "search_sparse": lambda: store.search_sparse(words, limit=5, scope=FULL),
        "search_hybrid": lambda: store.search_hybrid(question, words, limit=5, scope=FULL),
        "search_hybrid everywhere": lambda: store.search_hybrid(question, words, limit=5, scope=ALL),
        "score_sparse": lambda: store.score_sparse(words, [id_of("a")]),
        "fetch": lambda: store.fetch([id_of("a")]),
        "count": lambda: store.count(FULL),
        "scroll": lambda: list(store.scroll(FULL)),
        "facets": lambda: store.facets("page", FULL),
        "index_id": store.index_id,
        "set_index_id": lambda: store.set_index_id("0a1b"),
    }  # fmt: skip


NAMES = list(calls(QdrantStore.in_memory(DIMENSION)))


def validate(request: httpx.Request, body: Any = None) -> None:
    sent = json.loads(request.content) if request.content and body is None else body
    check_request(request.method, request.url.path, set(request.url.params), sent)
