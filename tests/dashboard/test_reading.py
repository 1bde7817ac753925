"""A record that nobody has read yet: Monitor and Inspect say how far it is read instead of making people wait."""

from log_lines import make_folder, percentile_error
from seen import ended, text_of

from dashboard import job_cards
from rag.report import Report


def test_a_long_log_is_read_in_the_background_and_then_drawn(open_empty, tmp_path, monkeypatch):
    made = make_folder(tmp_path, lines=700, recorded=10)
    monkeypatch.setattr(job_cards, "AT_ONCE_BYTES", 1_000)
    test = open_empty("monitor")
    assert "This happens once" in text_of(test)
    ended(job_cards.RECORDS)
    metrics = {metric.label: metric.value for metric in test.run().metric}
    assert metrics["Requests"] == f"{made.requests}"
    assert f"log lines {made.lines:,}." in text_of(test)
    counts = {metric.label: metric.delta for metric in test.metric}
    assert counts["Share answered"] == f"{made.answered:,} of {made.requests:,}"


def test_percentiles_are_exact_but_for_the_rounding_of_a_float(tmp_path):
    made = make_folder(tmp_path, lines=7_000, recorded=0)
    assert percentile_error(Report(tmp_path), made) < 2**-23
