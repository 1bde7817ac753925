"""The page Tune: one slider, the questions that it changes with their answers, what is proven, and production."""

import re

import pytest
from seen import KNOWN, UNKNOWN, advanced, button, fill, move, notes, says, table_with, text_of

from rag.whatif.line import careful_line
from rag.workspace.values import Label

SENTENCE = "The lantern of Orsk is lit by Marta Lind at dusk."
ANSWERED = "Who lights the lantern of Orsk at dusk?"


@pytest.fixture
def own(tmp_path):
    """A Candor over one note that the calibrated gate decides."""
    with notes(tmp_path, "calibrated", lantern=f"# Lantern\n\n{SENTENCE}\n") as candor:
        yield candor


def judge(candor, request_id, verdict):
    label = Label(target=request_id, aspect="answerable", labeller="ada", verdict=verdict)
    candor.wiring.sessions.labels.put(label)


def test_the_slider_moves_both_thresholds_along_the_line_of_the_fit(own, open_over):
    gate = own.wiring.estimators["calibrated"]
    points = careful_line(gate.threshold, gate.unsure_threshold)
    test = open_over(own)("tune")
    test.select_slider(key="t_careful").set_value(0.8).run()
    assert test.query_params["t_confidence"] == "0.80"
    assert float(test.query_params["t_unsure"]) == points[0.8]
    advanced(test)
    test.select_slider(key="t_careful").set_value(gate.threshold).run()
    assert "t_confidence" not in test.query_params
    assert test.select_slider(key="t_unsure").value == gate.unsure_threshold


def test_what_the_slider_changes_stands_there_with_its_answer(own, open_over):
    for question in (ANSWERED, ANSWERED.upper()):
        assert own.ask(question).answer is not None
    assert own.ask(ANSWERED, confidence_threshold=1.0, unsure_threshold=1.0).answer is None
    told = text_of(open_over(own)("tune", t_confidence="1.0"))
    says(told, "**1 question would end differently** (2 requests; repeated questions are listed once).",
         "answered → **unsure**", "asked 2 times")  # fmt: skip
    assert f"No longer given: {SENTENCE}" in re.sub(r"[\[\]]", "", told)

    decides = own.wiring.estimators["calibrated"].fingerprint
    strict = {"confidence_threshold": 0.99, "unsure_threshold": 0.98, "chosen_for": decides}
    own.wiring.sessions.promotions.promote(strict, note="strict")
    own.put_in_force()
    asked = own.ask("Where does Marta Lind keep the lantern?")
    assert asked.answer is None
    test = open_over(own)("tune", t_confidence=f"{asked.gate.confidence - 0.01:.2f}")
    says(text_of(test), "refused → **answered**", f"It would quote:] {SENTENCE}")


def test_another_estimator_brings_its_own_threshold_and_unsure_is_never_above_it(open_page, library):
    estimators = library.wiring.estimators
    assert estimators["calibrated"].threshold != estimators["mean_similarity"].threshold == 0.5  # the written rule
    test = open_page("tune", t_confidence="0.9")
    for name, title in (("mean_similarity", "Mean similarity"), ("calibrated", "Calibrated")):
        test.selectbox(key="t_estimator").set_value(title).run()
        assert test.select_slider(key="t_careful").value == estimators[name].threshold
    test = open_page("tune", t_estimator="Calibrated", t_confidence="0.3", t_unsure="0.6")
    assert [test.select_slider(key=key).value for key in ("t_confidence", "t_unsure")] == [0.3, 0.3]
    move(test, "t_confidence", 0.8)
    assert move(test, "t_unsure", 0.5).select_slider(key="t_unsure").value == 0.5
    assert move(test, "t_confidence", 0.4).select_slider(key="t_unsure").value == 0.4


def test_a_few_labels_give_counts_and_no_percentages_and_the_number_that_is_missing(open_page, library):
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
    labelled = promises.loc["In the long run", "unanswerable"]
    assert promises.loc["In the long run", "needed"] == 59 - labelled  # none of 59 answered: .95^59 < .05
    assert f"label at least {59 - labelled} more unanswerable questions" in told


def test_what_is_proven_is_said_in_one_sentence_with_the_way_to_it(own, open_over):
    for number in range(12):
        judge(own, own.ask(f"Who lights beacon number {number} of Tarn at noon?").request_id, "no")
    test = open_over(own)("tune", t_confidence="0.0", t_target="50")
    # 12 labels bound a rate of 50%: 5 of 12 answered would not (.5^12 * 794 > .05), 2 of 12 do
    assert "Nothing is proven for these settings." in text_of(test)
    next(one for one in test.button if one.label.startswith("Set it to")).click().run()
    says(text_of(test), "With these settings at most 50 of 100 unanswerable questions get an answer, with 95% "
         "confidence, judged on 12 questions.")  # fmt: skip


def test_a_promotion_needs_a_reason_comes_into_force_and_is_taken_back(open_page, library):
    test = open_page("tune", t_confidence="0.4")
    promote = "Put it into production"
    button(test, promote).click().run()
    assert "Say why" in text_of(test)
    fill(test, promote_note="too many are refused")
    button(test, promote).click().run()
    assert "Give your name" in text_of(test)
    fill(test, promote_by="Ada", promote_confirm=True)
    button(test, promote).click().run()
    assert library.ask(KNOWN).gate.threshold == 0.4
    number = library.wiring.sessions.promotions.current().number
    button(test, f"Undo promotion {number}").click().run()
    button(test, "Undo it").click().run()
    assert library.settings.confidence_threshold == 0.4  # two clicks without a name undo nothing
    button(test, f"Undo promotion {number}").click().run()
    test.text_input(key="promotions-undo-by").set_value("Ada")
    button(test, "Undo it").click().run()
    assert library.ask(KNOWN).gate.threshold == 0.5
    assert test.select_slider(key="t_careful").value == library.wiring.estimators["max_similarity"].threshold
    history = table_with(test, "Why").iloc[0]
    assert (history["Why"], history["Undone by"]) == ("too many are refused", "Ada")
    assert history["Changed"].endswith("(the estimator's own) → 0.40")
    assert re.match(r"[1-9]\d* recorded requests?: threshold 0.40: answered ", history["Chosen on"])


def test_tune_warns_of_requests_of_another_gate_and_a_promotion_chosen_on_them_says_so(own, open_over):
    open_page = open_over(own)
    own.ask(ANSWERED)
    assert "another fit of the gate" not in text_of(open_page("tune"))
    answer = own.ask(ANSWERED)
    made_with = answer.fingerprints.model_copy(update={"gate": "calibrated/before"})
    of_before = {"fingerprints": made_with, "request_id": "req_20260101_000000000001"}
    own.wiring.recorder.answer(answer.model_copy(update=of_before))
    test = open_page("tune", t_confidence="0.90")
    assert [one.value.startswith("They were decided by another fit of the gate") for one in test.warning] == [True]
    fill(test, promote_note="stricter", promote_by="Ada")
    button(test, "Put it into production").click().run()
    note = own.wiring.sessions.promotions.current().note
    assert "Chosen on 3 recorded requests (1 of them decided by another gate): threshold 0.90" in note


def test_a_promotion_that_another_took_back_meanwhile_is_not_undone_again(open_page, library):
    promotions = library.wiring.sessions.promotions
    first = promotions.promote({"top_k": 4}, note="first")
    second = promotions.promote({"top_k": 6}, note="second")
    library.put_in_force()
    test = open_page("tune")
    button(test, f"Undo promotion {second.number}").click().run()
    test.text_input(key="promotions-undo-by").set_value("Ada")
    promotions.undo(by="Bo")
    button(test, "Undo it").click().run()
    assert promotions.current().number == first.number
    promotions.undo(by="Ada")
    library.put_in_force()
