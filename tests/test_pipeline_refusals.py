"""What the pipeline refuses: by the gate, by filters, and where it cannot work at all."""

from dataclasses import replace

import pytest
from library import NOBODY, quiet_settings
from questions import GLOVES, OFF_TOPIC, ask, log

from rag import Candor
from rag.errors import ErrorCode, IndexNotReady, StoreUnavailable


def test_a_refusal_has_no_answer_but_a_message_a_reason_and_the_nearest_misses(pipeline):
    answer = ask(pipeline, OFF_TOPIC)

    assert (answer.answer, answer.citations, answer.sentences, answer.outcome) == (None, (), (), "refused")
    assert answer.refusal is not None
    assert (answer.refusal.stage, answer.refusal.code) == ("gate", ErrorCode.NO_RELEVANT_CONTENT)
    assert answer.refusal.reason == "The documents do not cover this."
    assert answer.message == f"{answer.refusal.reason} {answer.refusal.advice}"
    assert answer.gate is not None
    assert not answer.gate.passed
    assert len(answer.gate.nearest_misses) == 3
    assert answer.generator.name == "none"
    assert len(answer.retrieved) == 20


def test_the_operators_threshold_is_for_the_operators_estimator_alone(pipeline):
    strict = replace(pipeline, threshold=1.0)

    assert ask(strict, GLOVES).gate.threshold == 1.0
    assert ask(strict, GLOVES, estimator="mean_similarity").gate.threshold == 0.5


def test_confidence_is_computed_alike_whatever_the_threshold(pipeline):
    low, high = (ask(pipeline, GLOVES, confidence_threshold=value) for value in (0.0, 1.0))

    assert low.confidence == high.confidence
    assert (low.outcome, high.outcome) == ("answered", "unsure")


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        (
            {"source": "Manul.pdf"},
            "There is no document 'Manul.pdf' in the index. Indexed documents, the nearest names",
        ),
        ({"section": "99 Nowhere"}, "There is no section '99 Nowhere' in the index. Indexed sections"),
        ({"module": "nothing"}, "There is no module 'nothing' in the index. Indexed modules"),
        ({"page": 4711}, "There is no text on page 4711 of the index"),
    ],
)
def test_a_filter_that_fits_nothing_is_told_as_such_in_the_refusal(pipeline, filters, told):
    answer = ask(pipeline, GLOVES, filters=filters)

    assert told in (answer.message or "")
    assert told in answer.gate.reason
    assert answer.gate.removed_by_filters == pipeline.catalogue.chunk_count()


def test_a_similarity_threshold_that_removes_everything_is_named_in_the_advice(pipeline):
    answer = ask(pipeline, GLOVES, similarity_threshold=0.99)

    assert answer.answer is None
    assert "Lower the similarity threshold (0.99)" in (answer.message or "")


def test_an_empty_index_is_said_to_be_empty(tmp_path):
    with Candor.open(quiet_settings(tmp_path)) as empty:
        with pytest.raises(IndexNotReady, match="Nothing is indexed yet"):
            empty.ask(GLOVES)
        line = log(empty.pipeline)[-1]

    assert (line["level"], line["error"]["error_code"]) == ("ERROR", "VECTOR_DB_ERROR")


def test_a_store_that_cannot_be_reached_is_an_error_line_with_details(tmp_path):
    with Candor.open(quiet_settings(tmp_path, qdrant_url=NOBODY)) as cut_off:
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            cut_off.ask(GLOVES)
        line = log(cut_off.pipeline)[-1]

    assert (line["level"], line["error"]["error_code"]) == ("ERROR", "VECTOR_DB_ERROR")
    assert line["error"]["details"]["url"] == NOBODY
