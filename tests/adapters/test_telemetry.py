"""Questions as traces and metrics, held against a real collector and against OpenInference's own names."""

import json
import sys
import threading
from pathlib import Path

import pytest
from library import NOBODY, free_port, quiet_settings
from openinference.semconv.trace import OpenInferenceSpanKindValues, RerankerAttributes, SpanAttributes
from otlp_collector import Collected, attributes, collector

from rag.candor import Candor
from rag.errors import ConfigurationError, IndexNotReady
from rag.models import Answer

KNOWN = {value for names in (SpanAttributes, RerankerAttributes) for value in vars(names).values()}
QUESTION = "Which gloves are required for dichloromethane?"
STAGES = ("validate", "embed", "retrieve", "read", "gate", "generate", "ground")


@pytest.fixture(scope="module")
def data(tmp_path_factory, samples):
    folder = tmp_path_factory.mktemp("observed") / "data"
    with Candor.open(quiet_settings(folder)) as own:
        own.ingest([samples / "faq.html", samples / "safety_manual.pdf"])
    return folder


def asked(data: Path, **settings: object) -> tuple[Collected, Answer]:
    with collector() as collected:
        with Candor.open(quiet_settings(data, otlp_endpoint=collected.url, **settings)) as own:
            answer = own.ask(QUESTION)
        return collected, answer


@pytest.fixture(scope="module")
def told(data):
    return asked(data, log_questions=True)


def test_a_question_is_one_trace_with_a_span_for_each_stage_in_order(told):
    collected, answer = told
    root, *below = sorted(collected.spans, key=lambda span: (bool(span.parent_span_id), span.start_time_unix_nano))
    assert [span.name for span in below] == [stage for stage in STAGES if getattr(answer.timings_ms, stage)]
    assert len(below) >= 6
    for span in below:
        assert (span.trace_id, span.parent_span_id) == (root.trace_id, root.span_id)
        times = [root.start_time_unix_nano, span.start_time_unix_nano, span.end_time_unix_nano]
        assert [*times, root.end_time_unix_nano] == sorted([*times, root.end_time_unix_nano])
    assert attributes(root)["candor.request_id"] == answer.request_id
    assert collected.metric_names == {"candor.question.duration", "candor.stage.duration"}


def test_names_and_kinds_are_those_of_openinference(told):
    collected, answer = told
    kinds = {span.name: attributes(span)[SpanAttributes.OPENINFERENCE_SPAN_KIND] for span in collected.spans}
    assert {*kinds.values()} <= {kind.value for kind in OpenInferenceSpanKindValues}
    assert (kinds["question"], kinds["retrieve"], kinds["read"]) == ("CHAIN", "RETRIEVER", "RERANKER")
    names = {name.partition(".0.")[0] for span in collected.spans for name in attributes(span)}
    assert {name for name in names if not name.startswith("candor.") and ".document." not in name} <= KNOWN
    (root,) = [span for span in collected.spans if span.name == "question"]
    assert attributes(root)[SpanAttributes.INPUT_VALUE] == QUESTION
    assert attributes(root)[SpanAttributes.OUTPUT_VALUE] == answer.answer
    (found,) = [attributes(span) for span in collected.spans if span.name == "retrieve"]
    assert found[f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.0.document.id"] == answer.retrieved[0].chunk_id
    assert found[f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.0.document.content"] == answer.retrieved[0].content


def test_no_text_of_people_or_documents_leaves_unless_questions_may_be_logged(data):
    collected, answer = asked(data)
    sent = " ".join(str(attributes(span)) for span in collected.spans)
    assert len(collected.spans) >= 7
    assert [one for one in (QUESTION, answer.answer, answer.retrieved[0].content[:40]) if one in sent] == []


def test_what_fails_is_a_trace_with_its_error_and_without_packages_it_says_what_to_install(tmp_path, data, monkeypatch):
    with collector() as collected:
        settings = quiet_settings(tmp_path / "data", otlp_endpoint=collected.url)
        with Candor.open(settings) as own, pytest.raises(IndexNotReady):
            own.ask(QUESTION)
    (root,) = [span for span in collected.spans if span.name == "question"]
    assert (root.status.code, root.status.message) == (2, "VECTOR_DB_ERROR")
    assert json.loads(attributes(collected.spans[0])["metadata"]) is not None
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(ConfigurationError, match=r"candor-rag\[otel\]"):
        Candor.open(quiet_settings(data, otlp_endpoint=NOBODY)).ask(QUESTION)


def test_a_collector_of_traces_alone_gets_those_and_nothing_is_complained_of(data, caplog):
    with collector(takes_metrics=False) as collected:
        with Candor.open(quiet_settings(data, otlp_endpoint=collected.url)) as own:
            own.ask(QUESTION)
        assert collected.metric_names == set()
    assert "question" in {span.name for span in collected.spans}
    assert [one.getMessage() for one in caplog.records if one.name.startswith("opentelemetry")] == []


def test_a_collector_that_is_away_costs_no_answer_and_closing_ends_the_threads_that_send(data):
    before = set(threading.enumerate())
    away = f"http://127.0.0.1:{free_port()}"
    with Candor.open(quiet_settings(data, otlp_endpoint=away)) as own:
        assert own.ask(QUESTION).outcome == "answered"
        assert {thread.name for thread in set(threading.enumerate()) - before if "Otel" in thread.name}
    assert not {thread.name for thread in set(threading.enumerate()) - before if "Otel" in thread.name}
