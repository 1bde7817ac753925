"""The page Evaluate: a run in the background, its figures, its export, comparing, labelling."""

from urllib.parse import parse_qsl

from seen import KNOWN, button, ended, fill, part, says, table_with, text_of

from dashboard import queries, running
from rag.evaluation.runner import Evaluation

GOLD = "At Larkfield the face velocity of a hood in use must lie between 0.4 and 0.6 metres per second."


def test_a_run_goes_on_in_the_background_with_its_own_name_and_settings_and_is_gone_on_with_under_the_name(
    open_page, library
):
    runs, name = library.settings.data_dir / "runs", "mean_of_three"

    def started(limit, *, fresh=False):
        test = open_page("evaluate", view="New run")
        how = {"run_estimator": "mean_similarity", "run_top_k": 3, "run_fresh": fresh}
        fill(test, limit=limit, run_name="mean, of three", **how)
        button(test, "Start").click().run()
        result: Evaluation = ended(running.KIND).result
        return test.run(), result

    test, first = started(2)
    assert "is done: 2 questions" in text_of(test)
    assert [*queries.runs()] == [name]
    next(one for one in test.button if one.label.startswith("Show mean")).click().run()
    assert (test.session_state["view"], test.session_state["run"]) == ("Runs", name)
    assert "Questions 2" in text_of(test)
    assert "is done" not in text_of(test)  # told where it was started, and over no other tab
    answer = queries.run_answer(name, first.lines[0])
    assert (answer.gate.estimator, answer.query.top_k) == ("mean_similarity", 3)
    assert library.settings.estimator == "max_similarity"  # what is in force stays
    assert (first.resumed, started(3)[1].resumed, started(3, fresh=True)[1].resumed) == (0, 2, 0)
    for path in runs.glob("mean_of_three.*"):
        path.unlink()


def test_a_run_shows_its_figures_with_what_they_were_counted_from(open_page, run_of_three):
    test = part(open_page("evaluate", run=run_of_three), "Figures", key="run-part")
    figures = table_with(test, "figure").set_index("figure")
    assert figures.loc["coverage", "of"] == 3
    counts = {metric.label: metric.delta for metric in test.metric}
    assert counts["Coverage"] == f"{figures.loc['coverage', 'counted']:g} of 3"
    assert "none is labelled unanswerable, so false answers are unknown" in text_of(test)
    assert "total" in set(table_with(part(test, "Speed", key="run-part"), "p95_ms")["stage"])
    for by in ("By kind", "By document"):
        found = table_with(part(test, by, key="run-part"), "hit@5")
        for share, of in (("coverage", "coverage_of"), ("hit@5", "hit_of"), ("contains_gold", "gold_of")):
            told = found.loc[found[share].notna(), of]
            assert len(told)
            assert told.str.match(r"\d+ of \d+; \d+% to \d+%$").all()


def test_a_question_of_a_run_shows_what_a_recorded_request_shows_and_what_its_label_expects(open_page, run_of_three):
    inspect = open_page("inspector", of_run=run_of_three, qid="samples-01")
    told = text_of(inspect)
    expected = "**Expected**, as the data set samples says: “0.4 and 0.6 metres per second”."
    says(told, KNOWN, "Label answerable", expected, f"page 6 · section 2.1: “{GOLD}” · **found at rank 1**")
    assert {"Answer", "Stages", "Passages", "Prompt", "Sentences", "Settings"} <= {tab.label for tab in inspect.tabs}
    assert len(table_with(part(inspect, "Passages"), "bm25_rank")) == 20
    links = {str(link.proto.label): str(link.proto.query_string) for link in inspect.get("page_link")}
    asked = dict(parse_qsl(links["Ask again with the run's settings"]))
    assert (asked["question"], asked["estimator"], asked["top_k"]) == (KNOWN, "Best similarity", "5")
    assert "confidence_threshold" not in asked  # the estimator's own decided


def test_a_link_to_a_run_that_is_not_here_says_so_and_what_is_shown_instead(open_page, run_of_three):
    run = run_of_three
    for page, instead in (("evaluate", f"**{run}**"), ("tune", "the recorded requests")):
        test = open_page(page, run="nope")
        assert f"Shown instead: {instead}." in text_of(test)
        assert "The run nope is not here" in str([one.proto for one in test.warning])
        assert "Shown instead" in text_of(test.run())
        assert "Shown instead" not in text_of(open_page(page, run=run))
    assert "".join(open_page("evaluate").query_params["run"]) == run  # without anybody choosing it
    assert "hit@5 100.0% (3 of 3; " in text_of(open_page("evaluate", run=run))
