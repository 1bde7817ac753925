"""The page Tune: another threshold on recorded questions, its effect, a guarantee, and production."""

import re
from collections.abc import Callable
from pathlib import Path

from seen import KNOWN, UNKNOWN, Open, button, text_of, word_reader

from dashboard import resources
from dashboard.comparing_settings import in_short
from dashboard.tuning import TuneSettings
from rag.candor import Candor
from rag.stored import Label


def test_without_questions_it_says_what_to_do(open_empty: Open) -> None:
    test = open_empty("tune")
    assert [title.value for title in test.title] == ["Tune"]
    assert "No recorded questions yet" in text_of(test)


def test_a_threshold_above_all_confidences_refuses_all_that_it_decides_and_lists_the_flips(
    open_page: Open, library: Candor
) -> None:
    answered = [request for request in library.wiring.recorder.requests() if request.decision == "answered"]
    own = library.settings.estimator  # requests that another one decided, or a threshold of their own, end as they did
    decided = {one.question for one in answered if one.estimator == own and not one.named_threshold}
    test = open_page("tune", t_confidence="1.0")
    flips = next(one.value for one in test.dataframe if "decision" in one.value)
    assert set(flips["decision"]) == {"refused"}
    assert KNOWN in decided == set(flips["question"])
    metrics = {metric.label: metric.value for metric in test.metric}
    assert int(metrics["Would flip"]) == len(flips)


def test_another_estimator_brings_its_own_threshold(open_page: Open, library: Candor) -> None:
    own = {name: each.threshold for name, each in library.wiring.estimators.items()}
    assert own["calibrated"] != own["mean_similarity"] == 0.5  # the written rule
    test = open_page("tune", t_confidence="0.9")
    for name in ("mean_similarity", "calibrated"):
        test.selectbox(key="t_estimator").set_value(name).run()
        assert test.select_slider(key="t_confidence").value == own[name]
    unsure = library.wiring.estimators["calibrated"].unsure_threshold
    assert test.select_slider(key="t_unsure").value == unsure


def test_labels_give_coverage_false_answers_and_the_missing_number_for_a_guarantee(
    open_page: Open, library: Candor
) -> None:
    verdicts = {KNOWN: "yes", UNKNOWN: "no"}
    for request in library.wiring.recorder.requests():
        right = (request.decision == "answered") == (request.question == KNOWN)
        if right and (verdict := verdicts.get(request.question)):
            label = Label(target=request.request_id, aspect="answerable", labeller="ada", verdict=verdict)
            library.wiring.sessions.labels.put(label)
    test = open_page("tune", t_confidence="0.5")
    metrics = {metric.label: metric.value for metric in test.metric}
    ended = "**1** would be answered, **0** unsure and **0** refused"
    assert f"Of 1 question that the documents answer, {ended}" in text_of(test)
    ends = next(one.value for one in test.table if "refused" in one.value.columns)
    assert ends.loc["the documents answer", "answered"].startswith("100.0% (1 of 1; ")
    assert metrics["Coverage"] == "100.0%"
    assert metrics["False answers"] == "0.0%"
    assert re.search(r"[1-9]\d* unanswerable questions? (?:is|are) labelled", text_of(test))
    assert "more needed for 5.0%" in text_of(test)
    promises = next(one.value for one in test.dataframe if "reading" in one.value).set_index("reading")
    assert promises["threshold"].notna().tolist() == [True, False, False]  # seen, and two promises with too few labels
    assert promises.loc["On these questions", "coverage"] == 1.0
    labelled = promises.loc["In the long run", "unanswerable"]
    assert promises.loc["In the long run", "needed"] == 59 - labelled  # none of 59 answered: .95^59 < .05
    assert promises.loc["On the next questions", "needed"] > 59 - labelled
    button(test, "Set the slider: on these questions").click().run()
    assert test.select_slider(key="t_confidence").value > 0


def test_the_guarantee_says_how_many_of_the_labelled_requests_it_counts(
    open_over: Callable[[Candor], Open], tmp_path: Path
) -> None:
    with Candor.open(data_dir=tmp_path, ollama_host="http://127.0.0.1:9") as candor:
        candor.wiring.reader = word_reader()
        candor.ingest_bytes("lantern.md", b"# Lantern\n\nThe lantern of Orsk is lit by Marta Lind at dusk.\n")
        asked = [
            candor.ask("Who lights the lantern of Orsk at dusk?"),
            candor.ask("When is the lantern of Orsk lit?", confidence_threshold=0.0),
            candor.ask(UNKNOWN),
        ]
        for answer, verdict in zip(asked, ("yes", "yes", "no"), strict=True):
            label = Label(target=answer.request_id, aspect="answerable", labeller="ada", verdict=verdict)
            candor.wiring.sessions.labels.put(label)
        told = text_of(open_over(candor)("tune"))
    assert "With a label: 2 requests, 2 questions." in told
    assert told.count("Of 3 labelled requests the **2** that this threshold decides") == 2  # the curve, the guarantee
    assert re.search(r"coverage \d of 1 here, \d of 2 above; false answers 0 of 1 here, 0 of 1 above", told)


def test_unsure_is_never_above_the_confidence_threshold(open_page: Open) -> None:
    test = open_page("tune", t_estimator="Calibrated", t_confidence="0.3", t_unsure="0.6")
    confidence, unsure = (test.select_slider(key=key) for key in ("t_confidence", "t_unsure"))
    assert (confidence.value, unsure.value) == (0.3, 0.3)
    test.select_slider(key="t_confidence").set_value(0.8).run()
    test.select_slider(key="t_unsure").set_value(0.5).run()
    assert test.select_slider(key="t_unsure").value == 0.5
    test.select_slider(key="t_confidence").set_value(0.4).run()
    assert test.select_slider(key="t_unsure").value == 0.4
    assert "threshold 0.40, unsure from 0.40:" in text_of(test).casefold()


def test_the_similarities_know_no_unsure(open_page: Open) -> None:
    test = open_page("tune", t_estimator="Mean similarity", t_unsure="0.3")
    assert test.select_slider(key="t_unsure").disabled
    assert "unsure from" not in text_of(test)


def test_what_reading_would_have_to_say_anew_is_left_to_asking_again_and_old_links_still_open(open_page: Open) -> None:
    test = open_page("tune", t_confidence="0.5", t_top_k="3", t_similarity="0.2", t_weight="0.1")
    said = text_of(test)
    assert "gives the reader other windows to read: ask again to know" in said
    assert "“t_top_k” = “3”" in said  # named as what has no effect
    assert test.select_slider(key="t_confidence").value == 0.5


def test_settings_kept_are_compared_with_those_of_now_question_by_question(open_page: Open, library: Candor) -> None:
    test = open_page("tune", t_confidence="0.0", t_estimator="Best similarity")
    button(test, "Keep these settings to compare").click().run()
    assert "Both settings end every question alike" in text_of(test)
    test.select_slider(key="t_confidence").set_value(1.0).run()
    told = text_of(test)
    asked = sum(bool(one.similarities) for one in library.wiring.recorder.requests())  # without hits none is answered
    assert f"Questions that end otherwise now than with the settings kept: {asked}" in told
    table = next(one.value for one in test.dataframe if "change" in one.value)
    assert set(table["after"]) == {"refused"}
    test.selectbox(key="settings-qid").set_value(_answered(library)).run()
    told = text_of(test)
    assert "The answer as it was recorded" in told
    assert "between 0.4 and 0.6 metres per second" in told
    assert "Refused: confidence" in told
    assert "kept (0.00)" in [str(name) for one in test.table for name in one.value.columns]
    test.selectbox(key="settings-qid").set_value(_refused(library)).run()
    assert "what would have been written is not held" in text_of(test)


def _answered(library: Candor) -> str:
    return next(
        one.request_id
        for one in library.wiring.recorder.requests()
        if one.decision == "answered" and one.question == KNOWN
    )


def _refused(library: Candor) -> str:
    return next(one.request_id for one in library.wiring.recorder.requests() if one.decision == "refused")


def test_settings_are_named_by_their_threshold_and_by_what_differs() -> None:
    one, other = TuneSettings(0.5, 0.25, "calibrated"), TuneSettings(0.4, None, None)
    assert in_short(one, other) == "0.50, unsure from 0.25, calibrated"
    assert in_short(other, one) == "0.40, no unsure, as recorded"
    assert in_short(other, other) == "0.40"


def test_a_promotion_needs_a_reason_comes_into_force_and_is_taken_back(open_page: Open, library: Candor) -> None:
    test = open_page("tune", t_confidence="0.4")
    promote = "Put the sliders' settings into production"
    button(test, promote).click().run()
    assert "Say why" in text_of(test)
    test.text_input(key="promote_note").set_value("too many are refused")
    button(test, promote).click().run()
    assert "Give your name" in text_of(test)
    test.text_input(key="promote_by").set_value("Ada")
    test.checkbox(key="promote_confirm").set_value(True)
    button(test, promote).click().run()
    assert resources.settings_in_force().confidence_threshold == 0.4
    assert held_against(library) == 0.4
    assert "too many are refused" in next(one.value for one in test.dataframe if "Why" in one.value)["Why"].tolist()
    number = library.wiring.sessions.promotions.current().number
    button(test, f"Undo promotion {number}").click().run()
    assert resources.settings_in_force().confidence_threshold == 0.4  # one click undoes nothing
    button(test, "Undo it").click().run()
    assert resources.settings_in_force().confidence_threshold == 0.4  # nor do two without a name
    button(test, f"Undo promotion {number}").click().run()
    test.text_input(key="promotions-undo-by").set_value("Ada")
    button(test, "Undo it").click().run()
    assert resources.settings_in_force().confidence_threshold is None
    assert held_against(library) == 0.5
    assert [one.value for one in test.toast] == ["Taken back."]
    assert test.select_slider(key="t_confidence").value == library.wiring.estimators["max_similarity"].threshold
    history = next(one.value for one in test.dataframe if "Why" in one.value).iloc[0]
    assert history["Undone by"] == "Ada"
    assert history["Changed"].endswith("(the estimator's own) → 0.40")
    assert re.match(r"[1-9]\d* recorded requests?: threshold 0.40: answered ", history["Chosen on"])


def held_against(library: Candor) -> float | None:
    """The threshold that a question is held against now."""
    gate = library.ask(KNOWN).gate
    return gate.threshold if gate else None


def test_a_promotion_that_another_took_back_meanwhile_is_not_undone_again(open_page: Open, library: Candor) -> None:
    promotions = library.wiring.sessions.promotions
    first = promotions.promote({"top_k": 4}, note="first")
    second = promotions.promote({"top_k": 6}, note="second")
    resources.put_in_force(library)
    test = open_page("tune")
    button(test, f"Undo promotion {second.number}").click().run()
    test.text_input(key="promotions-undo-by").set_value("Ada")
    promotions.undo(by="Bo")
    button(test, "Undo it").click().run()
    assert promotions.current().number == first.number
    promotions.undo(by="Ada")
    resources.put_in_force(library)
