"""When an index is another than the one that a gate was fitted with; numbers worked by hand."""

from hypothesis import given
from hypothesis import strategies as st

from rag.confidence.drift import DRIFT, SKETCH, IndexState, drift_of, same_documents, sketch_of

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


def test_an_index_as_it_was_has_not_drifted_and_neither_has_one_that_a_fifth_of_is_new():
    assert drift_of(state(named(0, 10)), [state(named(0, 10))]) == ""
    assert drift_of(state(named(2, 12), chunks=120), [state(named(0, 10))]) == ""
    assert DRIFT == 0.2


def test_as_many_chunks_of_other_documents_are_a_drift():
    said = drift_of(state(named(3, 13)), [state(named(0, 10))])
    assert "70% of its documents are as they were" in said
    assert "10 documents then, 10 now" in said
    assert "candor calibrate" in said


def test_the_same_documents_in_many_more_chunks_are_a_drift():
    said = drift_of(state(named(0, 10), chunks=121, fingerprint="other"), [state(named(0, 10))])
    assert "fitted on 100 chunks, now there are 121" in said


def test_an_index_near_any_that_the_fit_knows_has_not_drifted():
    known = [state(named(0, 10)), state(named(50, 60))]
    assert drift_of(state(named(50, 60)), known) == ""
    assert drift_of(state(named(20, 30)), known) != ""
