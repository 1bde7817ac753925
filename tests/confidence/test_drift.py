"""When an index is another than the one that a gate was fitted with; numbers worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.confidence.drift import SKETCH, IndexState, drift_of, same_documents, sketch_of

INDEXES = st.sets(st.tuples(st.integers(0, 60).map(str), st.sampled_from("ab")), min_size=1)


def state(versions, *, chunks=100, fingerprint=None):
    versions = list(versions)
    sketch = sketch_of(versions)
    return IndexState(
        fingerprint=fingerprint or ",".join(sketch), chunks=chunks, documents=len(versions), sketch=sketch
    )


def named(first, last, version="1"):
    return [(f"{number}.md", version) for number in range(first, last)]


@given(one=INDEXES, other=INDEXES)
def test_while_the_sketch_holds_all_documents_the_share_is_exact(one, other):
    exact = len(one & other) / max(len(one), len(other))
    assert abs(same_documents(state(one), state(other)) - exact) < 1e-9


def test_of_5000_documents_the_share_is_told_within_six_points_from_a_sketch():
    for common in (0, 2500, 5000):
        told = same_documents(state(named(0, 5000)), state(named(5000 - common, 10_000 - common)))
        assert abs(told - common / 5000) < 0.06
    assert len(state(named(0, 5000)).sketch) == SKETCH


OLD = state(named(0, 10))


@pytest.mark.parametrize(
    ("now", "known", "said"),
    [
        (OLD, [OLD], ()),
        (state(named(2, 12), chunks=120), [OLD], ()),  # a fifth of it is new
        (state(named(50, 60)), [OLD, state(named(50, 60))], ()),  # near any that the fit knows
        (state(named(20, 30)), [OLD, state(named(50, 60))], ("0% of its documents",)),
        (
            state(named(3, 13)),
            [OLD],
            ("70% of its documents are as they were", "10 documents then, 10 now", "calibrate"),
        ),
        (state(named(0, 10), chunks=121, fingerprint="b"), [OLD], ("fitted on 100 chunks, now there are 121",)),
    ],
)
def test_an_index_has_drifted_where_more_than_a_fifth_of_its_documents_or_chunks_is_new(now, known, said):
    found = drift_of(now, known)
    assert bool(found) is bool(said)
    assert all(part in found for part in said)
