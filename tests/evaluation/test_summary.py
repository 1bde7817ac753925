"""What a run amounts to: its figures, the table, and the page to print and sign."""

from datetime import UTC, datetime

import pytest
from library import quiet_settings

from rag.candor import Candor
from rag.evaluation.lines import LineTimings
from rag.evaluation.scores import score_lines
from rag.evaluation.signing import report_page, to_show
from rag.evaluation.summary import Ingestion, summarise
from rag.evaluation.table import table
from rag.settings import settings_fingerprint

from .made import FINGERPRINTS, chunk, gold, line, question, scored_run

QUESTIONS = [
    question("q1"),
    question("q2", answers=("goggles",)),
    question("q3", golds=[gold("other.md")], kind="list"),
    *(question(qid, answerable=False, kind="trick") for qid in ("q4", "q5")),
    question("q6", answerable=None, kind=None),
]
LINES = [
    line("q1", confidence=0.9, retrieved=[chunk(1), chunk(2, "other.md")]),
    line("q2", confidence=0.8, retrieved=[chunk(1, "other.md"), chunk(2)]),
    line("q3", confidence=0.2, answered=False, retrieved=[chunk(1)], kind="list"),
    line("q4", confidence=0.7, answerable=False, retrieved=[chunk(1)], text="Wear a Stetson.", kind="trick"),
    line("q5", confidence=0.1, answerable=False, answered=False, kind="trick"),
    line("q6", confidence=0.4, answerable=None, answered=False, stage="grounding", kind=None),
]
TEXTS = {"manual.md": "Wear gloves.", "other.md": "Nothing."}


@pytest.fixture(scope="module")
def summary():
    return summarise(score_lines(LINES, QUESTIONS, text_of=TEXTS.get))


def test_figures_are_over_the_questions_that_say_something_about_them(summary):
    figures, retrieval = summary.figures, summary.figures.retrieval
    for one, expected in (
        (retrieval["hit@1"], (1, 3)),  # first relevant at rank 1, at rank 2, never
        (retrieval["hit@5"], (2, 3)),
        (figures.coverage, (2, 3)),
        (figures.false_answer_rate, (1, 2)),
        (summary.coverage_at["0.10"], (2, 3)),
        (figures.answer_contains_gold, (1, 2)),
        (figures.citation_precision, (1, 2)),  # q1 cites manual.md, q2 cites other.md
        (figures.unsupported_sentences, (1, 3)),  # three answers of one sentence; the Stetson stands nowhere
        (figures.excerpts_not_verbatim, (1, 3)),  # q2's excerpt does not stand in other.md
        (summary.by_kind["trick"].false_answer_rate, (1, 2)),
        (summary.by_document["other.md"].coverage, (0, 1)),
    ):
        assert (one.numerator, one.denominator) == expected
    assert retrieval["MRR@10"].value == pytest.approx((1 + 0.5) / 3)
    assert (retrieval["page hit@1"].value, figures.page_accuracy.value) == (None, None)
    # P(X <= 1 | n = 2) = 1 - p^2 = .05; answerable .9 .8 .2 against unanswerable .7 .1: 2 + 2 + 1 of 6
    assert figures.false_answer_rate.upper_bound == pytest.approx(0.95**0.5)
    assert (summary.auroc.value, figures.answer_recall.value) == pytest.approx((5 / 6, 0.5))
    assert summary.refusals == {"gate": 2, "grounding": 1}
    assert {name: part.questions for name, part in summary.by_kind.items()} == {"span": 2, "list": 1, "trick": 2}
    assert {name: part.questions for name, part in summary.by_document.items()} == {"manual.md": 2, "other.md": 1}


def test_what_a_person_gets_is_over_the_answerable_speed_over_the_stages_that_ran_and_failed_files_are_named():
    place = gold(text="Gloves must be worn in the laboratory at all times.")
    asked = [question(f"q{n}", answerable=n < 6, golds=[place] if n < 6 else ()) for n in range(1, 9)]
    near, far = chunk(1, content=place.text), chunk(1, content="Hoods hum.")
    lines = [
        line("q1", retrieved=[near], text="Gloves are worn."),
        line("q2", retrieved=[near], text="Hoods hum."),
        line("q3", retrieved=[near], unsure=True),
        line("q4", retrieved=[far], unsure=True),
        line("q5", retrieved=[near], answered=False),
        line("q6", answerable=False, unsure=True),
        line("q7", answerable=False, answered=False),
        line("q8", answerable=False),
    ]
    found = summarise(score_lines(lines, asked))
    assert {name: (one.numerator, one.denominator) for name, one in found.figures.use.items()} == {
        "right": (1, 5), "wrong": (1, 5), "unsure": (2, 5), "refused": (1, 5), "unsure, gold in the first 3": (1, 2),
        "refused, gold in the first 3": (1, 1), "right, or gold in the first 3": (4, 5),
        "unanswerable: unsure": (1, 3),
    }  # fmt: skip
    assert (found.unsure, found.refusals) == (3, {"gate": 2})
    assert "Refused: 2 at gate. Unsure: 3." in table(found)
    timings = [LineTimings(embed=n, total=10 * n) for n in (1, 2, 3, 4)]
    timed = [line("q", answered=False).model_copy(update={"timings_ms": one}) for one in timings]
    failed = tuple(f"{number}.md: empty" for number in range(7))
    made = Ingestion(documents=2, chunks=300, seconds=2.0, failed=failed)
    found = summarise(score_lines(timed, []), ingestion=made)
    assert (found.speed["embed"].p50, found.speed["total"].p95) == pytest.approx((2.5, 38.5))
    assert (found.speed["generate"].count, found.speed["generate"].p50, found.chunks_per_second) == (0, None, 150)
    assert "150.0 chunks a second" in table(found)
    assert "7 files could not be ingested:\n  0.md: empty\n" in table(found)
    assert "\n  4.md: empty\n  and 2 more: `ingestion.failed` of --json has all\n" in table(found)


def test_the_table_and_its_parts_show_what_was_counted_of_how_many_the_interval_and_the_bound(summary):
    assert table(summary).isascii()
    rows = [text.split() for text in table(summary).splitlines()]
    (false,) = (row for row in rows if row[:2] == ["false-answer", "rate"])
    assert false[2:] == ["0.5000", "1", "/", "2", "0.0945", "..", "0.9055", "at", "most", "0.9747"]
    span, trick = ([row[1:] for row in rows if row[:1] == [name]] for name in ("span", "trick"))
    # q1 says "gloves", q2 asks for goggles. 1 of 2: centre .5, half 1.96 sqrt(.125 + .2401) / (1 + 1.9207) = .4055
    # 2 of 2: low 2 / (2 + 3.8415) = .342
    assert span == [
        ["2", "2/2", "0.34-1.00", "2/2", "0.34-1.00", "-"],
        ["2", "1/2", "0.09-0.91", "1/2", "0.09-0.91", "0/2", "0.00-0.66"],
    ]
    assert trick == [["2", "-", "-", "1/2", "0.09-0.91"], ["2", "-", "-", "-"]]


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


def test_every_share_has_its_interval_what_people_wrote_is_text_and_a_run_asked_otherwise_is_warned_of(candor):
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
    other, same, regated = a_run(candor, settings="other"), a_run(candor), a_run(candor, gate="calibrated/before")
    assert to_show({"newest": other, "middle": same, "oldest": same}, candor) == "middle"
    assert (to_show({"newest": other, "oldest": other}, candor), to_show({}, candor)) == ("newest", "")
    assert "Nothing was measured" in report_page(candor, [], None)
    pages = [report_page(candor, [], run) for run in (same, other, regated)]
    assert ["its figures are not those of today" in page for page in pages] == [False, True, True]
