"""The page Tune: one slider, the questions that it changes with their answers, what is proven, and production."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from seen import KNOWN, UNKNOWN, Open, advanced, button, move, table_with, text_of, word_reader

from dashboard import resources
from rag.candor import Candor
from rag.stored.values import Label
from rag.whatif.line import careful_line

NOTE = b"# Lantern\n\nThe lantern of Orsk is lit by Marta Lind at dusk.\n"
ANSWERED = "Who lights the lantern of Orsk at dusk?"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Candor]:
    """A Candor over one note that the calibrated gate decides, asked once what it answers and once what not."""
    with Candor.open(data_dir=tmp_path, ollama_host="http://127.0.0.1:9") as candor:
        candor.wiring.reader = word_reader()
        candor.ingest_bytes("lantern.md", NOTE)
        yield candor


def judge(candor: Candor, request_id: str, verdict: str) -> None:
    label = Label(target=request_id, aspect="answerable", labeller="ada", verdict=verdict)
    candor.wiring.sessions.labels.put(label)


def test_the_slider_moves_both_thresholds_along_the_line_of_the_fit(
    own: Candor, open_over: Callable[[Candor], Open]
) -> None:
    gate = own.wiring.estimators["calibrated"]
    points = careful_line(gate.threshold, gate.unsure_threshold)
    test = open_over(own)("tune")
    test.select_slider(key="t_careful").set_value(0.8).run()
    assert test.query_params["t_confidence"] == "0.80"
    assert float(test.query_params["t_unsure"]) == points[0.8]
    assert advanced(test).select_slider(key="t_unsure").value == points[0.8]
    test.select_slider(key="t_careful").set_value(gate.threshold).run()
    assert "t_confidence" not in test.query_params
    assert test.select_slider(key="t_unsure").value == gate.unsure_threshold


def test_what_the_slider_changes_stands_there_with_its_answer(own: Candor, open_over: Callable[[Candor], Open]) -> None:
    given = own.ask(ANSWERED)
    assert given.answer is not None
    refused = own.ask(ANSWERED, confidence_threshold=1.0, unsure_threshold=1.0)
    assert refused.answer is None
    test = open_over(own)("tune", t_confidence="1.0")
    told = text_of(test)
    assert "1 question would end differently." in told
    assert "answered → **unsure**" in told
    assert "No longer given: The lantern of Orsk is lit by Marta Lind at dusk." in told.replace("[", "").replace(
        "]", ""
    )


def test_a_question_that_would_be_answered_now_shows_what_would_be_quoted(
    own: Candor, open_over: Callable[[Candor], Open]
) -> None:
    own.wiring.sessions.promotions.promote(
        {"confidence_threshold": 0.99, "unsure_threshold": 0.98,
         "chosen_for": own.wiring.estimators["calibrated"].fingerprint}, note="strict"
    )  # fmt: skip
    own.put_in_force()
    asked = own.ask("Who is Marta Lind and where does the sea lie?")
    assert asked.gate is not None
    assert asked.answer is None
    test = open_over(own)("tune", t_confidence=f"{asked.gate.confidence - 0.01:.2f}")
    assert "refused → **answered**" in text_of(test)
    assert "It would quote:] The lantern of Orsk is lit by Marta Lind at dusk." in text_of(test)


def test_another_estimator_brings_its_own_threshold(open_page: Open, library: Candor) -> None:
    own = {name: each.threshold for name, each in library.wiring.estimators.items()}
    assert own["calibrated"] != own["mean_similarity"] == 0.5  # the written rule
    test = open_page("tune", t_confidence="0.9")
    for name, title in (("mean_similarity", "Mean similarity"), ("calibrated", "Calibrated")):
        test.selectbox(key="t_estimator").set_value(title).run()
        assert test.select_slider(key="t_careful").value == own[name]
    unsure = library.wiring.estimators["calibrated"].unsure_threshold
    assert test.select_slider(key="t_unsure").value == unsure


def test_a_few_labels_give_counts_and_no_percentages_and_the_number_that_is_missing(
    open_page: Open, library: Candor
) -> None:
    verdicts = {KNOWN: "yes", UNKNOWN: "no"}
    for request in library.wiring.recorder.requests():
        right = (request.decision == "answered") == (request.question == KNOWN)
        if right and (verdict := verdicts.get(request.question)):
            judge(library, request.request_id, verdict)
    test = advanced(open_page("tune"))
    told = text_of(test)
    assert "Of 1 question that the documents answer, **1** would be answered, **0** unsure and **0** refused" in told
    assert not test.metric
    assert "percentages come from 20 on" in told
    promises = table_with(test, "reading").set_index("reading")
    assert promises["threshold"].notna().tolist() == [True, False, False]  # seen, and two promises with too few labels
    assert promises.loc["On these questions", "coverage"] == 1.0
    labelled = promises.loc["In the long run", "unanswerable"]
    assert promises.loc["In the long run", "needed"] == 59 - labelled  # none of 59 answered: .95^59 < .05
    assert f"label at least {59 - labelled} more unanswerable questions" in told


def test_what_is_proven_is_said_in_one_sentence_with_the_way_to_it(
    own: Candor, open_over: Callable[[Candor], Open], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        judge(own, own.ask(f"Who lights beacon number {number} of Tarn at noon?").request_id, "no")
    test = open_over(own)("tune", t_confidence="0.0", t_target="50")
    # 12 labels bound a rate of 50%: 5 of 12 answered would not (.5^12 * 794 > .05), 2 of 12 do
    assert "Nothing is proven for these settings." in text_of(test)
    button(test, next(one.label for one in test.button if one.label.startswith("Set it to"))).click().run()
    assert (
        "With these settings at most 50 of 100 unanswerable questions get an answer, with 95% confidence, judged on "
        "12 questions."
    ) in text_of(test)


def test_unsure_is_never_above_the_confidence_threshold(open_page: Open) -> None:
    test = open_page("tune", t_estimator="Calibrated", t_confidence="0.3", t_unsure="0.6")
    confidence, unsure = (test.select_slider(key=key) for key in ("t_confidence", "t_unsure"))
    assert (confidence.value, unsure.value) == (0.3, 0.3)
    move(test, "t_confidence", 0.8)
    move(test, "t_unsure", 0.5)
    assert test.select_slider(key="t_unsure").value == 0.5
    move(test, "t_confidence", 0.4)
    assert test.select_slider(key="t_unsure").value == 0.4
    assert "threshold 0.40, unsure from 0.40:" in text_of(test).casefold()


def test_a_promotion_needs_a_reason_comes_into_force_and_is_taken_back(open_page: Open, library: Candor) -> None:
    test = open_page("tune", t_confidence="0.4")
    promote = "Put it into production"
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
    assert "too many are refused" in table_with(test, "Why")["Why"].tolist()
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
    assert [one.value for one in test.toast] == ["Undone."]
    assert test.select_slider(key="t_careful").value == library.wiring.estimators["max_similarity"].threshold
    history = table_with(test, "Why").iloc[0]
    assert history["Undone by"] == "Ada"
    assert history["Changed"].endswith("(the estimator's own) → 0.40")
    assert re.match(r"[1-9]\d* recorded requests?: threshold 0.40: answered ", history["Chosen on"])


def held_against(library: Candor) -> float | None:
    """The threshold that a question is held against now."""
    gate = library.ask(KNOWN).gate
    return gate.threshold if gate else None


def test_tune_warns_of_requests_of_another_gate_and_a_promotion_chosen_on_them_says_so(
    own: Candor, open_over: Callable[[Candor], Open]
) -> None:
    open_page = open_over(own)
    own.ask(ANSWERED)
    assert "another fit of the gate" not in text_of(open_page("tune"))
    answer = own.ask(ANSWERED)
    assert answer.gate is not None
    made_with = answer.fingerprints.model_copy(update={"gate": "calibrated/before"})
    own.wiring.recorder.answer(
        answer.model_copy(update={"fingerprints": made_with, "request_id": "req_20260101_000000000001"})
    )
    test = open_page("tune", t_confidence="0.90")
    assert [one.value.startswith("They were decided by another fit of the gate") for one in test.warning] == [True]
    test.text_input(key="promote_note").set_value("stricter")
    test.text_input(key="promote_by").set_value("Ada")
    button(test, "Put it into production").click().run()
    note = own.wiring.sessions.promotions.current().note
    assert "Chosen on 3 recorded requests (1 of them decided by another gate): threshold 0.90" in note


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
