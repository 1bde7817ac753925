"""The page Evaluate: a run in the background, its figures, its export, comparing, labelling."""

import re
from urllib.parse import parse_qsl

from seen import KNOWN, button, ended, says, table_with, text_of

from dashboard import queries, resources, running
from rag.evaluation.lines import read_lines
from rag.evaluation.runner import Evaluation


def test_a_run_goes_on_in_the_background_and_appears_when_it_is_done(open_page, library):
    test = open_page("evaluate", view="New run")
    test.number_input(key="limit").set_value(2)
    button(test, "Start").click().run()
    ended(running.KIND)
    test.run()
    assert "is done: 2 questions" in text_of(test)
    (name,) = queries.runs(library.settings.data_dir / "runs")
    button(test, f"Show {name}").click().run()
    assert (test.session_state["view"], test.session_state["run"]) == ("Runs", name)
    assert "Questions 2" in text_of(test)
    assert "is done" not in text_of(test)  # told where it was started, and over no other tab
    for path in (library.settings.data_dir / "runs").glob("*.json*"):
        path.unlink()


def test_a_run_is_asked_with_its_own_name_and_settings_and_gone_on_with_under_the_name(open_page, library):
    runs = library.settings.data_dir / "runs"

    def started(limit, *, fresh=False):
        test = open_page("evaluate", view="New run")
        test.number_input(key="limit").set_value(limit)
        test.text_input(key="run_name").set_value("mean, of three")
        test.selectbox(key="run_estimator").set_value("mean_similarity")
        test.slider(key="run_top_k").set_value(3)
        test.checkbox(key="run_fresh").set_value(fresh)
        button(test, "Start").click().run()
        job = ended(running.KIND)
        resources.get_jobs().forget(job)
        evaluation: Evaluation = job.result
        return evaluation

    first = started(2)
    assert [path.name for path in runs.glob("*.jsonl")] == ["mean_of_three.jsonl"]
    answer = queries.run_answer(runs, "mean_of_three", first.lines[0])
    assert (answer.gate.estimator, answer.query.top_k) == ("mean_similarity", 3)
    assert library.settings.estimator == "max_similarity"  # what is in force stays
    assert (first.resumed, started(3).resumed, started(3, fresh=True).resumed) == (0, 2, 0)
    for path in runs.glob("*"):
        if path.is_file():
            path.unlink()


def test_a_run_shows_its_figures_with_what_they_were_counted_from(open_page, run_of_three):
    test = open_page("evaluate", run=run_of_three)
    figures = table_with(test, "figure").set_index("figure")
    assert figures.loc["coverage", "of"] == 3
    assert "Coverage" in text_of(test)
    counts = {metric.label: metric.delta for metric in test.metric}
    assert counts["Coverage"] == f"{figures.loc['coverage', 'counted']:g} of 3"
    assert counts["False answers"] == "of none"
    assert "none is labelled unanswerable, so false answers are unknown" in text_of(test)
    speed = table_with(test, "p95_ms")
    assert "total" in set(speed["stage"])
    parts = [one.value for one in test.dataframe if "hit@5" in one.value]
    assert len(parts) == 2  # by kind and by document
    for part in parts:
        for share, of in (("coverage", "coverage_of"), ("hit@5", "hit_of"), ("contains_gold", "gold_of")):
            told = part.loc[part[share].notna(), of]
            assert len(told)
            assert told.str.match(r"\d+ of \d+; \d+% to \d+%$").all()


def test_every_setting_is_tried_on_a_run(open_page, run_of_three, library):
    assert not any(one.disabled for one in open_page("tune", run=run_of_three, t_confidence="0.9").selectbox)
    lines = read_lines(library.settings.data_dir / "runs" / f"{run_of_three}.jsonl")
    means = sorted(sum(chunk.similarity_score for chunk in line.retrieved[:5]) / 5 for line in lines)
    threshold = round(means[1] + 0.005, 2)
    answered = sum(mean >= threshold for mean in means)
    assert answered < 3  # the best similarity, which decided, reaches it three times
    for at, count in (("0.0", 3), (f"{threshold:.2f}", answered)):
        tune = open_page("tune", run=run_of_three, t_estimator="Mean similarity", t_confidence=at)
        assert re.findall(r"answered [\d.]+% \((\d+) of 3;", text_of(tune))[0] == str(count)


def test_a_question_of_a_run_shows_what_a_recorded_request_shows(open_page, run_of_three):
    inspect = open_page("inspector", of_run=run_of_three, qid="samples-01")
    told = text_of(inspect)
    says(told, KNOWN, "Label answerable")
    assert {"Answer", "Stages", "Passages", "Prompt", "Sentences", "Settings"} <= {tab.label for tab in inspect.tabs}
    assert ", 0 dropped" in told  # what the grounding check said of each
    scores = table_with(inspect, "bm25_rank")
    assert len(scores) == 20
    stages = table_with(inspect, "start_ms")
    assert {"validate", "embed", "retrieve", "gate", "ground"} <= set(stages["stage"])
    links = {str(link.proto.label): str(link.proto.query_string) for link in inspect.get("page_link")}
    asked = dict(parse_qsl(links["Ask again with the run's settings"]))
    assert (asked["question"], asked["estimator"], asked["top_k"]) == (KNOWN, "Best similarity", "5")
    assert "confidence_threshold" not in asked  # the estimator's own decided
