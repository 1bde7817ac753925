"""The page to print and sign: what decides, the figures with what they were counted from, and who changed what."""

from datetime import UTC, datetime

import pytest
from library import quiet_settings

from rag.candor import Candor
from rag.evaluation.signing import report_page, to_show
from rag.evaluation.summary import summarise
from rag.settings import settings_fingerprint

from .made import FINGERPRINTS, chunk, line, question, scored_run


@pytest.fixture
def candor(tmp_path):
    with Candor.open(quiet_settings(tmp_path, estimator="mean_similarity")) as opened:
        yield opened


def a_run(candor, **fingerprints):
    """Two of three answerable questions answered, one of two unanswerable ones."""
    lines = [line(one, answerable=one in "abc", answered=one in "abd", retrieved=(chunk(),)) for one in "abcde"]
    now = {"settings": settings_fingerprint(candor.settings), "gate": "mean_similarity/2", **fingerprints}
    how = {"fingerprints": FINGERPRINTS.model_copy(update=now), "started_at": datetime(2026, 1, 1, 12, tzinfo=UTC)}
    run = scored_run(lines, [question(one, answerable=one in "abc") for one in "abcde"], dataset="<mine>", **how)
    return run.model_copy(update={"summary": summarise(run.scores)})


def test_every_share_has_its_count_and_interval_and_what_people_wrote_is_text(candor):
    promotions = candor.wiring.sessions.promotions
    promotions.promote({"confidence_threshold": 0.6}, note="<script>alert(1)</script>", by="Ada")
    page = report_page(candor, promotions.history(), a_run(candor), called="first")
    for told in (
        "<td>Answerable questions that are answered</td><td>66.7%</td><td>2 of 3</td><td>20.8% to 93.9%</td>",
        "<td>Unanswerable questions that get an answer</td><td>50.0%</td><td>1 of 2</td><td>at most 97.5%</td>",
        "<td>Answered from</td><td>0.50 (the estimator&#x27;s own)</td>",
        "&lt;script&gt;alert(1)",
        "2026-01-01, data set &lt;mine&gt;",
        "<td>Ada</td>",
        "confidence threshold the environment&#x27;s → 0.60",
    ):
        assert told in page
    assert not any(part in page for part in ("<script", "http://", "https://", "src="))  # nothing from elsewhere


def test_the_run_that_is_shown_is_the_latest_that_was_asked_as_questions_are_now_and_others_are_warned_of(candor):
    other, same, regated = a_run(candor, settings="other"), a_run(candor), a_run(candor, gate="calibrated/before")
    assert to_show({"newest": other, "middle": same, "oldest": same}, candor) == "middle"
    assert (to_show({"newest": other, "oldest": other}, candor), to_show({}, candor)) == ("newest", "")
    assert "Nothing was measured" in report_page(candor, [], None)
    pages = [report_page(candor, [], run) for run in (same, other, regated)]
    assert ["its figures are not those of today" in page for page in pages] == [False, True, True]
