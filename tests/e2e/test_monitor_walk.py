"""Monitor in a real browser: the time range, the refresh, the health of every service, the slowest requests."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from rag.models import request_id_of
from rag.record import Recorder

pytestmark = pytest.mark.e2e


def figure(watched, label):
    """Return one of the figures at the head of the page."""
    if label == "Errors":
        heading = watched.page.get_by_role("heading", name="Errors: ").first.inner_text()
        return int(heading.removeprefix("Errors: ").replace(",", ""))
    metric = watched.page.get_by_test_id("stMetric").filter(has_text=label).first
    return int(metric.get_by_test_id("stMetricValue").inner_text().replace(",", ""))


def note_request(data_dir):
    """Let another process, as `candor ask` is one, note in the log that it has answered."""
    recorder = Recorder(data_dir)
    data = {"outcome": "answered", "processing_time_ms": 21.5, "confidence": 0.8, "threshold": 0.5}
    recorder.event("api", "answer_returned", request_id=request_id_of(uuid4(), datetime.now(UTC)), data=data)
    recorder.close()


def note_old_error(data_dir):
    """Add an error of ten days ago to the log."""
    moment = datetime.now(UTC) - timedelta(days=10)
    line = {
        "timestamp": f"{moment:%Y-%m-%dT%H:%M:%S}.000Z", "request_id": "req_old", "level": "ERROR",
        "component": "retrieval", "event": "retrieval_failed", "data": {},
        "error": {"error_code": "VECTOR_DB_ERROR", "type": "StoreUnavailable", "message": "No answer.", "details": {}},
    }  # fmt: skip
    with (data_dir / "logs" / "candor.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


def test_a_time_range_survives_a_reload_refresh_brings_what_is_new_and_a_slow_request_opens_in_inspect(wide, data_dir):
    page = wide.page
    wide.open()
    wide.ask("What is an esker?")
    note_old_error(data_dir)
    wide.open("monitor")
    everything, requests = figure(wide, "Errors"), figure(wide, "Requests")
    page.get_by_role("radio", name="1 hour").click()
    wide.settle()
    recent = figure(wide, "Errors")
    assert recent < everything
    assert "period=1+hour" in page.url
    note_request(data_dir)
    page.wait_for_timeout(1000)
    assert figure(wide, "Requests") == requests
    page.get_by_role("button", name="Refresh").click()
    wide.settle()
    assert figure(wide, "Requests") == requests + 1
    page.reload()
    wide.settle()
    assert figure(wide, "Errors") == recent
    wide.sees("Degraded: Candor answers by quoting.")
    for name in ("Vector store", "Embedding model", "Model server", "Database"):
        assert wide.page.get_by_text(name).count() >= 1
    wide.page.get_by_role("heading", name="Health").scroll_into_view_if_needed()
    wide.screenshot("monitor-health")
    page.get_by_role("radio", name="Latency").click()
    wide.settle()
    page.get_by_role("link", name="Open in Inspect").first.click()
    page.get_by_role("heading", name="Inspect").wait_for()
    wide.settle()
    assert "request_id=req_" in page.url
