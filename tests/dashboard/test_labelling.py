"""Judgements that become labels, alone and by several people, and what they agree on."""

import re

import pytest
from seen import KNOWN, UNKNOWN, button, says, table_with, text_of

from dashboard import labelling
from rag.evaluation.agreement import SETTLED
from rag.workspace.values import Label


def test_a_judgement_becomes_a_label_and_a_line_of_a_data_set(open_page, library):
    library.ask(KNOWN)
    test = open_page("inspector", part="Label")
    test.text_input(key="labeller").set_value("grace").run()
    judged = text_of(test)
    count = len({one.question for one in library.wiring.recorder.requests() if one.decision != "talk"})
    assert (
        f"0 requests so far. {count} of the newest {count} questions of this choice wait" in judged
    )  # KNOWN was asked twice and waits once
    assert re.search(r"Confidence \d\.\d+, threshold \d\.\d+ · `req_", judged)
    button(test, "Passage 2").click().run()
    name = "Correct" if any(one.label == "Correct" for one in test.button) else "Right not to answer"
    button(test, name).click().run()
    labels = library.wiring.sessions.labels.list(labeller="grace")
    assert {label.aspect for label in labels} == {"answer", "answerable", "chunk"}
    chunks = [label.verdict for label in labels if label.aspect == "chunk"]
    assert sorted(chunks) == ["irrelevant"] * 4 + ["relevant"]
    assert "You judged 1 request so far" in text_of(test)
    assert f"{count - 1} of the newest {count} questions of this choice wait" in text_of(test)
    lines = labelling.labelled_questions(library)
    line = next(line for line in lines if line["qid"] == labels[0].target)
    assert str(line["question"]) in judged


def test_the_queue_is_narrowed_by_outcome_and_words(open_page):
    test = open_page("inspector", part="Label")
    test.text_input(key="labeller").set_value("judy").run()
    test.text_input(key="label_text").set_value("FOOTBALL world").run()  # other tests ask about the cup, too
    test.segmented_control(key="label_kind").set_value("Refused").run()
    assert UNKNOWN in [one.value for one in test.subheader]
    test.text_input(key="label_text").set_value("FUME hood").run()
    assert "Nothing is waiting" in text_of(test)
    test.segmented_control(key="label_kind").set_value("Answered").run()
    assert KNOWN in [one.value for one in test.subheader]


def test_a_mistaken_judgement_is_shown_again_and_replaced_whole(open_page, library):
    labels = library.wiring.sessions.labels
    library.ask(UNKNOWN)
    test = open_page("inspector", part="Label")
    test.text_input(key="labeller").set_value("ivan").run()
    assert button(test, "Back").disabled
    button(test, "Right not to answer").click().run()
    (target,) = {label.target for label in labels.list(labeller="ivan")}
    button(test, "Skip").click().run()
    button(test, "Back").click().run()
    assert "You judged this already" not in text_of(test)  # it was skipped
    button(test, "Back").click().run()
    assert "You judged this already: **correct**" in text_of(test)
    button(test, "Should have answered").click().run()
    kept = {(label.target, label.aspect, label.verdict) for label in labels.list(labeller="ivan")}
    assert kept == {(target, "answer", "wrong"), (target, "answerable", "yes")}  # no passage is judged any more
    assert "You judged this already" not in text_of(test)
    for label in labels.list(labeller="ivan"):
        labels.remove(label)


@pytest.fixture
def two_labellers(library):
    """An answer that two people judged: they agree on it, and differ on one of its three passages."""
    answer = library.ask(KNOWN)
    labels = library.wiring.sessions.labels
    for label in labels.list():  # of other tests
        labels.remove(label)
    passages = [("chunk", hit.chunk_id) for hit in answer.retrieved[:3]]
    for who, last in (("ada", "relevant"), ("bo", "irrelevant")):
        said = ("correct", "relevant", "irrelevant", last)
        for (aspect, item), verdict in zip([("answer", ""), *passages], said, strict=True):
            labels.put(Label(target=answer.request_id, aspect=aspect, item=item, labeller=who, verdict=verdict))
    yield answer
    for label in labels.list(target=answer.request_id):
        labels.remove(label)


def test_agreement_counts_judged_passages_with_their_denominator_and_interval(open_page, two_labellers):
    test = open_page("inspector", part="Label")
    told = text_of(test)
    # 2 of 3 equal; ada 2 of 3 relevant, bo 1 of 3: p_e = 2/3 1/3 + 1/3 2/3 = 4/9, kappa = (2/3 - 4/9) / (5/9) = .4
    says(told, "Passages: kappa **0.40**", "the same verdict on 2 of 3",
         "Answers: the same verdict on 1 of 1, kappa not defined")  # fmt: skip
    table = table_with(test, "kappa").set_index("judged")
    assert (table.loc["Passages", "items"], table.loc["Passages", "requests"]) == (3, 1)
    assert table.loc["Passages", "low"] < 0.4 < table.loc["Passages", "high"]


def test_a_disagreement_is_listed_settled_and_counts_from_then_on(open_page, library, two_labellers):
    test = open_page("inspector", part="Label")
    assert "Disagreements: 1 open, 0 settled" in text_of(test)
    assert next(one for one in test.button if one.key == "settle-relevant").disabled  # nobody gave a name yet
    test.text_input(key="labeller").set_value("carol").run()
    next(one for one in test.button if one.key == "settle-irrelevant").click().run()
    assert "Disagreements: 0 open, 1 settled" in text_of(test)
    (settled,) = library.wiring.sessions.labels.list(labeller=SETTLED)
    third = two_labellers.retrieved[2].chunk_id
    assert (settled.item, settled.verdict, settled.note) == (third, "irrelevant", "by carol")
    judged = Label(target=two_labellers.request_id, aspect="answerable", labeller="ada", verdict="yes")
    library.wiring.sessions.labels.put(judged)
    (line,) = [one for one in labelling.labelled_questions(library) if one["qid"] == two_labellers.request_id]
    assert [gold["text"] for gold in line["gold"]] == [two_labellers.retrieved[0].content]


def test_nobody_labels_under_the_name_of_what_was_settled(open_page):
    test = open_page("inspector", part="Label")
    test.text_input(key="labeller").set_value(SETTLED).run()
    assert "Enter your own name" in text_of(test)
    assert not [one for one in test.button if str(one.key).startswith("judge-")]
