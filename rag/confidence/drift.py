"""Whether an index is still the one that the gate was fitted with.

What a fit knows of an index: its fingerprint, how many chunks, and a sketch of its documents, the 256 smallest hashes
of (name, version). Two sketches tell what share of the documents is the same, to within 3 points, whatever their number
(Broder 1997, "On the resemblance and containment of documents"; Beyer et al. 2007, "On synopses for distinct-value
estimation under multiset operations", SIGMOD). An edited document is another version, so it counts as changed.
"""

import hashlib
import heapq
from collections.abc import Iterable, Sequence

from pydantic import Field

from rag.models import Value
from rag.protocols import Catalogue
from rag.text.counted import several

DRIFT = 0.2
"""An index has drifted when more than this share of its documents is not as it was, or its number of chunks differs by
more. What a threshold keeps was counted on questions about the documents of then: below a fifth it still speaks for
four of five questions, and the sketch, whose error is .025 at this share, tells a fifth from a third."""
SKETCH = 256


class IndexState(Value):
    """What an index held when a gate was fitted."""

    fingerprint: str = Field(description="Fingerprint of the index: its documents and the version of ingestion.")
    chunks: int = Field(ge=0, description="How many chunks it had.")
    documents: int = Field(ge=1, description="How many documents it had.")
    sketch: tuple[str, ...] = Field(description="The smallest hashes of document names and versions, ascending.")


def index_state(catalogue: Catalogue) -> IndexState | None:
    """Return what an index holds now; None where it is empty."""
    versions = catalogue.versions()
    if not versions:
        return None
    return IndexState(
        fingerprint=catalogue.fingerprint(),
        chunks=catalogue.chunk_count(),
        documents=len(versions),
        sketch=sketch_of(versions),
    )


def sketch_of(versions: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the `SKETCH` smallest hashes (16 hexadecimal digits) of documents and versions, ascending."""
    hashes = (hashlib.sha256(f"{name}\n{version}".encode()).hexdigest()[:16] for name, version in versions)
    return tuple(heapq.nsmallest(SKETCH, hashes))


def same_documents(one: IndexState, other: IndexState) -> float:
    """Return the share, 0..1, of the larger index's documents that the other has in the same version.

    With J the share of both among the smallest hashes of their union, J (n + m) / (1 + J) documents are in both.
    """
    larger, both = max(one.documents, other.documents), {*one.sketch} & {*other.sketch}
    if larger <= SKETCH:
        return len(both) / larger
    smallest = heapq.nsmallest(SKETCH, {*one.sketch, *other.sketch})
    alike = len(both & {*smallest}) / len(smallest)
    return min(1.0, alike * (one.documents + other.documents) / (1 + alike) / larger)


def drift_of(now: IndexState | None, known: Sequence[IndexState]) -> str:
    """Return in words how an index differs from every index that a gate knows; empty where it is near one of them."""
    if now is None or not known or any(_is_near(now, then) for then in known):
        return ""
    then = max(known, key=lambda state: (same_documents(now, state), -abs(now.chunks - state.chunks)))
    same, advice = same_documents(now, then), "Label questions about what is new, and run 'candor calibrate' again."
    if same < 1 - DRIFT:
        return (
            f"The index has drifted: {same:.0%} of its documents are as they were when the gate was fitted "
            f"({several(then.documents, 'document')} then, {now.documents} now). {advice}"
        )
    counts = f"the gate was fitted on {several(then.chunks, 'chunk')}, now there are {now.chunks}"
    return f"The index has drifted: {counts}. {advice}"


def _is_near(now: IndexState, then: IndexState) -> bool:
    """Return whether an index is the one of then, but for a fifth."""
    return abs(now.chunks - then.chunks) <= DRIFT * then.chunks and same_documents(now, then) >= 1 - DRIFT
