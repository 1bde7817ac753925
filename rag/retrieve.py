"""Stage 3: the chunks that may answer a question, found by meaning (dense) and by words (BM25), ranked together.

A chunk is found by its best window. Candidates are first ranked without their text; only the best are fetched.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from rag.errors import InvalidQuery
from rag.models import Chunk, Mode, Query, Retrieval, RetrievedChunk
from rag.protocols import Catalogue, DocumentVersion, IndexedChunk, SearchScope, SparseVector, Vector, VectorStore
from rag.ranking.chapters import outside_chapter
from rag.ranking.cuts import cuts, is_near
from rag.ranking.fusion import Candidate, RetrievalRules, Scale, largest_score, scored
from rag.ranking.named import absent_codes, documents_named, holders, identifiers_of, is_telling, written
from rag.text.bm25 import encode_query, idf
from rag.text.words import stems, term_id, words

__all__ = ["RetrievalRules", "retrieve", "retrieve_selected"]

DEPTH = 30  # how many chunks are returned at least, hits and rest together: what the reader chooses its windows from
FETCHED = 40  # how many candidates are fetched with their text
WORDED = 10  # in how many chunks an identifier of the question is looked for: those that have most of its words
SAME = 0.9  # two chunks of one document that share this part of their words (Jaccard) are near duplicates


def retrieve(
    query: Query,
    vector: Vector,
    *,
    store: VectorStore,
    catalogue: Catalogue,
    rules: RetrievalRules = RetrievalRules(),
    left_out: Collection[str] = (),
) -> Retrieval:
    """Return the chunks that may answer a question, best first.

    An empty retrieval is a normal result; what it means is for the gate to decide.

    Args:
        query: Its `top_k`, `similarity_threshold`, `filters` and `mode` apply.
        vector: The embedded question: shape `(384,)`, float32, length 1.
        store: Where the chunks live.
        catalogue: What is indexed, and how often words occur.
        rules: The operator's settings.
        left_out: Names of documents that are not searched: editions that the question does not mean.

    Raises:
        InvalidQuery: The chapter asked for is not in the index; the message lists those that are.
        IndexNotReady: The collection was built with another embedding model.
        StoreUnavailable: The store did not answer within its timeout.
    """
    while True:
        before = (catalogue.fingerprint(), catalogue.hidden_versions())
        found = _retrieve(query, vector, before[1], left_out, store=store, catalogue=catalogue, rules=rules)
        if (catalogue.fingerprint(), catalogue.hidden_versions()) == before:
            return found


def _retrieve(
    query: Query,
    vector: Vector,
    hidden: tuple[DocumentVersion, ...],
    left_out: Collection[str],
    *,
    store: VectorStore,
    catalogue: Catalogue,
    rules: RetrievalRules,
) -> Retrieval:
    """Search once. The caller searches again where a document was replaced meanwhile, so that no mix is seen."""
    without = tuple(left_out)
    sparse = encode_query(query.question, language=rules.language)
    aware = query.mode is Mode.CHAPTER_AWARE
    filters = query.filters.model_copy(update={"chapter": None}) if aware else query.filters
    scope = SearchScope(filters, hidden, without)
    candidates = _search(vector, sparse, store=store, scope=scope, limit=rules.candidates)
    if query.filters.chapter is not None:
        own = SearchScope(query.filters, hidden, without)
        inside = _search(vector, sparse, store=store, scope=own, limit=DEPTH) if aware else candidates
        if not inside:
            _require_chapter(query.filters.chapter, store, hidden)
        candidates = _united(inside, candidates)
    indexed = catalogue.chunk_count()
    largest = largest_score(sparse, catalogue.document_frequencies(sparse.indices), indexed)
    scale = Scale(max((item.bm25_score for item in candidates), default=0.0), largest)
    searched = indexed if scope.filters.is_empty else store.count(SearchScope(scope.filters, hidden))
    best = _worth_fetching(query, _near(query, candidates), scale, rules)
    fetched = store.fetch([item.chunk_id for item in best])
    named = _named(query, fetched, catalogue, rules)
    for document in sorted(named):
        own = SearchScope(filters.model_copy(update={"source": document}), hidden, without)
        inside = _search(vector, sparse, store=store, scope=own, limit=DEPTH)
        candidates, best = _united(inside, candidates), _united(_near(query, inside), best)
        fetched = store.fetch([item.chunk_id for item in best])
    having = holders(query.question, [*(item.chunk for item in fetched), *_worded(query, vector, hidden, store, rules)])
    named &= frozenset().union(*having.values())
    found = _ranked(query, vector, best, fetched, scale=scale, rules=rules, named=named)
    absent = absent_codes(query.question, catalogue.versions, catalogue.document_frequencies, language=rules.language)
    absent = tuple(dict.fromkeys((*absent, *(one for one, its in having.items() if not its and is_telling(one)))))
    cut = _cut(query, found, candidates, searched=searched, indexed=indexed)
    return cut.model_copy(update={"absent": absent}) if absent else cut


def _united(first: Sequence[Candidate], more: Sequence[Candidate]) -> list[Candidate]:
    return list({item.chunk_id: item for item in [*first, *more]}.values())


def _near(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    return [item for item in candidates if is_near(item, query.similarity_threshold)]


def _worded(
    query: Query, vector: Vector, hidden: tuple[DocumentVersion, ...], store: VectorStore, rules: RetrievalRules
) -> list[Chunk]:
    """Return for each identifier of a question the chunks of all documents that have most of its words."""
    scope, found = SearchScope(hidden_versions=hidden), dict[str, None]()
    for code in written(query.question):
        _, lexical = store.search_hybrid(vector, encode_query(code, language=rules.language), limit=WORDED, scope=scope)
        found |= dict.fromkeys(one.chunk_id for one in lexical)
    return [one.chunk for one in store.fetch([*found])] if found else []


def _named(
    query: Query, fetched: Sequence[IndexedChunk], catalogue: Catalogue, rules: RetrievalRules
) -> frozenset[str]:
    if query.filters.source is not None:
        return frozenset()
    codes = identifiers_of(query.question, language=rules.language)

    def terms_of(document: str) -> frozenset[int]:
        """Return the terms of a document's text and of its name."""
        return catalogue.terms(document) | {term_id(one) for one in stems(document, language=rules.language)}

    return documents_named(codes, {item.chunk.document for item in fetched}, terms_of)


def retrieve_selected(
    query: Query, vector: Vector, passages: Sequence[IndexedChunk], *, rules: RetrievalRules = RetrievalRules()
) -> Retrieval:
    """Return the chunks of a selected text, best first. The index is not touched; idf is counted over the selection.

    Args:
        query: Its `top_k` and `similarity_threshold` apply; its filters do not.
        vector: The embedded question.
        passages: The selected text, chunked and embedded, with its BM25 weights.
        rules: The operator's settings.
    """
    sparse = encode_query(query.question, language=rules.language)
    counted = Counter(index for passage in passages for index in passage.sparse.indices)
    weights = {term: idf(counted[term], len(passages)) for term in sparse.indices}
    cosines = {item.chunk.chunk_id: float(np.max(item.vectors @ vector, initial=-1.0)) for item in passages}
    bm25 = {item.chunk.chunk_id: _bm25(item.sparse, weights) for item in passages}
    near, worded = _ranks(cosines), _ranks({chunk_id: score for chunk_id, score in bm25.items() if score > 0})
    candidates = [
        Candidate(chunk_id, cosine, bm25[chunk_id], near[chunk_id], worded.get(chunk_id))
        for chunk_id, cosine in cosines.items()
    ]
    scale = Scale(max(bm25.values(), default=0.0), largest_score(sparse, counted, len(passages)))
    ranked = _ranked(query, vector, candidates, passages, scale=scale, rules=rules)
    return _cut(query, ranked, candidates, searched=len(passages), indexed=len(passages))


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    return {chunk_id: rank for rank, chunk_id in enumerate(sorted(scores, key=lambda i: (-scores[i], i)), start=1)}


def _search(
    vector: Vector, sparse: SparseVector, *, store: VectorStore, scope: SearchScope, limit: int
) -> list[Candidate]:
    dense, lexical = store.search_hybrid(vector, sparse, limit=limit, scope=scope)
    near = {hit.chunk_id: (rank, hit.score) for rank, hit in enumerate(dense, start=1)}
    worded = {hit.chunk_id: (rank, hit.score) for rank, hit in enumerate(lexical, start=1)}
    lowest = dense[-1].score if dense else 0.0
    has_all = len(lexical) < limit  # then no other chunk has any of the words
    unscored = [] if has_all else [chunk_id for chunk_id in near if chunk_id not in worded]
    missing = store.score_sparse(sparse, unscored, scope=scope)
    found = []
    for chunk_id in dict.fromkeys([*near, *worded]):
        dense_rank, cosine = near.get(chunk_id, (None, lowest))
        bm25_rank, bm25 = worded.get(chunk_id, (None, missing.get(chunk_id, 0.0)))
        found.append(Candidate(chunk_id, cosine, bm25, dense_rank, bm25_rank))
    return found


def _require_chapter(chapter: int, store: VectorStore, hidden: tuple[DocumentVersion, ...]) -> None:
    known = sorted(int(value) for value in store.facets("chapter", SearchScope(hidden_versions=hidden)))
    if chapter not in known:
        listed = ", ".join(str(number) for number in known) or "none"
        raise InvalidQuery(
            f"chapter = {chapter!r} is not in the index. Indexed chapters: {listed}.",
            details={"field": "filters.chapter", "chapters": known},
        )


def _worth_fetching(
    query: Query, candidates: Sequence[Candidate], scale: Scale, rules: RetrievalRules
) -> list[Candidate]:
    """Return the best candidates as far as their scores tell without their text."""
    weight = rules.dense_weight
    ordered = sorted(
        candidates,
        key=lambda item: (-weight * item.cosine - (1 - weight) * scale.lexical(item.bm25_score), item.chunk_id),
    )
    preferred = candidates[:DEPTH] if query.mode is Mode.CHAPTER_AWARE else ()
    return _united(ordered[:FETCHED], preferred)


def _ranked(
    query: Query,
    vector: Vector,
    candidates: Sequence[Candidate],
    fetched: Sequence[IndexedChunk],
    *,
    scale: Scale,
    rules: RetrievalRules,
    named: Collection[str] = (),
) -> list[RetrievedChunk]:
    by_id = {item.chunk_id: item for item in candidates}
    chapter = query.filters.chapter if query.mode is Mode.CHAPTER_AWARE else None
    found = (
        scored(
            vector,
            by_id[item.chunk.chunk_id],
            item,
            scale=scale,
            rules=rules,
            preferred=chapter is not None and item.chunk.chapter == chapter,
            named=item.chunk.document in named,
        )
        for item in fetched
    )
    return sorted(found, key=lambda hit: (-hit.fused_score, hit.chunk_id))


def _cut(
    query: Query, ranked: Sequence[RetrievedChunk], candidates: Sequence[Candidate], *, searched: int, indexed: int
) -> Retrieval:
    """Return the retrieval: threshold applied, near duplicates folded, ranks given, hits and rest parted."""
    kept: list[RetrievedChunk] = []
    said: list[frozenset[str]] = []
    folded: dict[str, int] = {}
    for hit in ranked:
        if max(hit.cosine, 0.0) < query.similarity_threshold:
            continue
        own, rank = frozenset(words(hit.content)), len(kept) + 1
        same = (place for place, (one, its) in enumerate(zip(kept, said, strict=True), 1) if _same(hit, own, one, its))
        if twin := next(same, None):
            folded[hit.chunk_id] = twin
            continue
        kept.append(hit.model_copy(update={"rank": rank, "retrieval_rank": rank}))
        said.append(own)
        if rank == DEPTH:
            break
    dropped = cuts(
        candidates,
        read={hit.chunk_id: hit.cosine for hit in ranked},
        kept={hit.chunk_id for hit in kept},
        folded=folded,
        floor=query.similarity_threshold,
    )
    return Retrieval.assembled(
        hits=tuple(kept[: query.top_k]),
        rest=tuple(kept[query.top_k :]),
        candidates=len(candidates),
        searched=searched,
        indexed=indexed,
        below_threshold=dropped.threshold,
        folded=dropped.duplicate,
        notes=outside_chapter(query, kept),
        cuts=dropped,
        narrowed={},
        absent=(),
        editions=(),
    )


def _same(hit: RetrievedChunk, own: frozenset[str], other: RetrievedChunk, its: frozenset[str]) -> bool:
    """Return whether two chunks say the same: the same text anywhere, or nearly the same words in one document."""
    if hit.content == other.content:
        return True
    if hit.document != other.document or min(len(own), len(its)) < SAME * max(len(own), len(its)):
        return False
    return len(own & its) >= SAME * len(own | its) > 0


def _bm25(sparse: SparseVector, weights: Mapping[int, float]) -> float:
    return sum(
        value * weights[index] for index, value in zip(sparse.indices, sparse.values, strict=True) if index in weights
    )
