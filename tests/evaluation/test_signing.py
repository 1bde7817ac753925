"""The page to print and sign: what decides, the figures with what they were counted from, and who changed what."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from library import quiet_settings

from rag.candor import Candor
from rag.evaluation.runs import Run
from rag.evaluation.scores import score_lines
from rag.evaluation.signing import report_page, to_show
from rag.evaluation.summary import summarise
from rag.settings import settings_fingerprint

from .made import FINGERPRINTS, chunk, line, question

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def candor(tmp_path: Path) -> Iterator[Candor]:
    with Candor.open(quiet_settings(tmp_path, estimator="mean_similarity")) as opened:
        yield opened


def a_run(candor: Candor, **fingerprints: str) -> Run:
    """Two of three answerable questions answered, one of two unanswerable ones."""
    answered = [("a", True, True), ("b", True, True), ("c", True, False), ("d", False, True), ("e", False, False)]
    lines = [line(name, answerable=label, answered=given, retrieved=(chunk(),)) for name, label, given in answered]
    scores = score_lines(lines, [question(name, answerable=label) for name, label, _ in answered])
    now = {"settings": settings_fingerprint(candor.settings), "gate": "mean_similarity/2", **fingerprints}
    made = FINGERPRINTS.model_copy(update=now)
    return Run(dataset="<mine>", dataset_fingerprint="1", fingerprint="f", scores=tuple(scores), fingerprints=made,
               summary=summarise(scores), started_at=NOON)  # fmt: skip


def test_every_share_stands_with_its_count_and_its_interval(candor: Candor) -> None:
    page = report_page(candor, [], a_run(candor), called="first", now=NOON)
    assert "<td>Answerable questions that are answered</td><td>66.7%</td><td>2 of 3</td><td>20.8% to 93.9%</td>" in page
    assert (
        "<td>Unanswerable questions that get an answer</td><td>50.0%</td><td>1 of 2</td><td>at most 97.5%</td>" in page
    )
    assert "<td>Answered from</td><td>0.50 (the estimator&#x27;s own)</td>" in page
    assert "2026-01-01 12:00 UTC" in page


def test_what_people_wrote_is_text_and_the_page_asks_for_nothing_from_elsewhere(candor: Candor) -> None:
    promotions = candor.wiring.sessions.promotions
    promotions.promote({"confidence_threshold": 0.6}, note="<script>alert(1)</script>", by="Ada")
    page = report_page(candor, promotions.history(), a_run(candor))
    assert "&lt;script&gt;alert(1)" in page
    assert "data set &lt;mine&gt;" in page
    assert "<td>Ada</td>" in page
    assert "confidence threshold the environment&#x27;s → 0.60" in page
    assert not any(part in page for part in ("<script", "http://", "https://", "src="))


def test_figures_of_other_settings_say_that_they_are_not_those_of_today(candor: Candor) -> None:
    warning = "its figures are not those of today"
    assert warning not in report_page(candor, [], a_run(candor))
    assert warning in report_page(candor, [], a_run(candor, gate="calibrated/before"))
    assert warning in report_page(candor, [], a_run(candor, settings="other"))


def test_the_run_that_is_shown_is_the_latest_that_was_asked_as_questions_are_now(candor: Candor) -> None:
    other, same = a_run(candor, settings="other"), a_run(candor)
    assert to_show({"newest": other, "middle": same, "oldest": same}, candor) == "middle"
    assert to_show({"newest": other, "oldest": other}, candor) == "newest"
    assert to_show({}, candor) == ""
    assert "Nothing was measured" in report_page(candor, [], None)
