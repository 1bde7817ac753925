"""The calibrated estimator, which fit decides, what is told of one that does not; an index that has drifted."""

import json
from math import exp, log
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from passages import hit

from rag.adapters.mpnet_pairs import shipped_pairs
from rag.confidence.calibrated import FILE_NAME, SHIPPED, Calibrated, GateFit, load_fit
from rag.confidence.drift import SKETCH, IndexState, drift_of, same_documents, sketch_of
from rag.errors import ConfigurationError
from rag.models import Query, Retrieval

READER = "small@1"


def fit(**changes):
    values = {
        "signals": ("best", "agree"),
        "means": (0.5, 0.2),
        "scales": (0.1, 0.4),
        "weights": (2.0, 1.0),
        "intercept": 0.5,
        "threshold": 0.6,
        "unsure_threshold": 0.3,
        "max_false_answer_rate": 0.05,
    }
    return GateFit(**{**values, **changes})


def write(path, **changes):
    """Write a fit, whatever it is."""
    path.write_text(json.dumps({**fit().model_dump(mode="json"), **changes}), encoding="utf-8")
    return path


@pytest.fixture
def shipped(monkeypatch, tmp_path):
    """Ship a fit in place of the real one."""
    return lambda **changes: monkeypatch.setattr(
        "rag.confidence.calibrated.SHIPPED", write(tmp_path / "shipped.json", **changes)
    )


def estimator(*, set_aside="", **changes):
    """An estimator whose fit knows no index, so that it asks the catalogue for nothing but its fingerprint."""
    index = SimpleNamespace(fingerprint=lambda: "a.md")
    return Calibrated(fit(**changes), catalogue=index, embedding="mini@1", reader_name=READER, set_aside=set_aside)


def found(*readings):
    return Retrieval(hits=(hit("Firn is old snow.").model_copy(update={"window_readings": readings}),))


QUERY = Query(question="What is firn?")


def test_confidence_is_the_logistic_of_the_standardised_signals():
    # 0.5 + 2 * (0.6 - 0.5) / 0.1 + 1 * (0.6 - 0.2) / 0.4 = 0.5 + 2 + 1 = 3.5
    assert fit().confidence({"best": 0.6, "agree": 0.6}) == pytest.approx(1 / (1 + exp(-3.5)))


def test_the_readings_of_the_passages_are_the_inputs_and_give_the_confidence():
    plain = {"signals": ("best",), "means": (0.0,), "scales": (1.0,), "weights": (1.0,), "intercept": 0.0}
    estimate = estimator(**plain).estimate(QUERY, found(0.8, 0.5))
    assert estimate.inputs == pytest.approx({"best": log(4), "second": -8.0, "agree": 0.4, "clear": 0.0})
    assert estimate.confidence == pytest.approx(0.8)
    assert estimator(**plain).estimate(QUERY, Retrieval()).confidence == 0.0
    assert estimator(set_aside="Old.").estimate(QUERY, found(0.5)).warnings == ("Old.",)


def test_a_fit_is_shipped_that_can_be_read_and_is_meant_for_any_index():
    shipped = GateFit.model_validate_json(SHIPPED.read_text(encoding="utf-8"))
    assert shipped.reader == shipped_pairs().described.name
    assert shipped.indexes == ()
    assert 0 < shipped.unsure_threshold < shipped.threshold < 1
    assert "best" in shipped.signals
    assert all(weight > 0 for weight in shipped.weights)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 2, "trees": {}}, "it has version 2, but this Candor reads version 3"),
        ({"reader": "other@2"}, "it was made with the reader 'other@2', and this is 'small@1'"),
    ],
)
def test_a_fit_of_another_version_or_reader_is_set_aside_and_that_is_said(tmp_path, shipped, change, why):
    shipped(reader=READER, unsure_threshold=0.2)
    write(tmp_path / FILE_NAME, **change)
    decides = load_fit(tmp_path, reader=READER)
    told = f"is not used: {why}. The gate that came with Candor is used instead. Run 'candor calibrate'"
    assert (decides.fit.unsure_threshold, decides.is_own, told in decides.set_aside) == (0.2, False, True)


def test_shipped_thresholds_of_another_reader_are_refused_unless_something_else_decides(tmp_path, shipped):
    shipped(reader="shipped@1")
    with pytest.raises(ConfigurationError, match=r"fitted on another reader: 'shipped@1'.*candor calibrate.*THRESHOLD"):
        load_fit(tmp_path, reader=READER)
    assert load_fit(tmp_path, reader=READER, decides=False).fit.reader == "shipped@1"
    assert load_fit(tmp_path, reader="shipped@1").fit.reader == "shipped@1"
    write(tmp_path / FILE_NAME, reader=READER)
    assert load_fit(tmp_path, reader=READER).is_own


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (b"{", "Expecting property name"),
        ({"weights": [1.0]}, "each signal needs"),
        ({"intercept": float("inf")}, "finite"),
        ({"signals": ["best", "moon_phase"]}, "moon_phase"),
        ({"unsure_threshold": 0.61}, "above threshold"),
        ("\ud800".encode("utf-8", "surrogatepass"), "utf-8"),
    ],
)
def test_a_damaged_fit_is_a_configuration_error_in_one_line(tmp_path, damage, complaint):
    path = tmp_path / FILE_NAME
    path.write_bytes(damage) if isinstance(damage, bytes) else write(path, **damage)
    with pytest.raises(ConfigurationError, match=complaint) as caught:
        load_fit(tmp_path, reader=READER)
    assert FILE_NAME in caught.value.message
    assert "\n" not in caught.value.message


def test_a_fit_of_another_embedding_or_reader_warns():
    for name, other in (("embedding", "other@1"), ("reader", "other@1"), ("reader", f"{READER}+0123abcd")):
        (warning,) = estimator(**{name: other}).estimate(QUERY, found(0.5)).warnings
        assert (other in warning, "Run 'candor calibrate'" in warning) == (True, True)
    assert estimator(embedding="mini@1", reader=READER).estimate(QUERY, found(0.5)).warnings == ()


def test_a_gate_that_was_fitted_on_another_lesson_or_on_one_that_was_undone_is_kept(tmp_path):
    write(tmp_path / FILE_NAME, reader=f"{READER}+0123abcd")
    assert all(load_fit(tmp_path, reader=now).is_own for now in (READER, f"{READER}+ffffffff"))


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
