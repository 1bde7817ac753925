"""Judgements that become labels, alone and by several people, and what they agree on."""

import pytest
from seen import KNOWN, UNKNOWN, button, offers, says, table_with, text_of

from dashboard import labelling
from rag.evaluation.agreement import SETTLED
from rag.workspace.values import Label


@pytest.fixture
def queue(open_page, library):
    """Open the queue of somebody by name; what was labelled goes again."""

    def forget():
        for label in library.wiring.sessions.labels.list():
            library.wiring.sessions.labels.remove(label)

    def opened(name):
        return open_page("inspector", part="Label").text_input(key="labeller").set_value(name).run()

    forget()
    yield opened
    forget()


def test_a_judgement_becomes_a_label_and_a_line_of_a_data_set(queue, library):
    library.ask(KNOWN)  # asked twice, it waits once
    recorded = [*library.wiring.recorder.requests()]
    test, questions = queue("grace"), {one.question for one in recorded if one.decision != "talk"}
    judged = text_of(test)
    assert f"0 requests so far. {len(questions)} of the newest {len(questions)} questions" in judged
    button(test, "Passage 2").click().run()
    button(test, "Correct" if offers(test, "Correct") else "Right not to answer").click().run()
    assert "You judged 1 request so far" in text_of(test)
    labels = library.wiring.sessions.labels.list(labeller="grace")
    assert {label.aspect for label in labels} == {"answer", "answerable", "chunk"}
    chunks = [label.verdict for label in labels if label.aspect == "chunk"]
    assert sorted(chunks) == ["irrelevant"] * 4 + ["relevant"]
    (line,) = labelling.labelled_questions(library)
    assert line["qid"] == labels[0].target
    assert str(line["question"]) in judged


def test_the_queue_is_narrowed_by_outcome_and_words_and_nobody_labels_as_what_was_settled(queue):
    test = queue("judy")
    test.text_input(key="label_text").set_value("FOOTBALL world").run()  # other tests ask about the cup, too
    test.segmented_control(key="label_kind").set_value("Refused").run()
    assert UNKNOWN in [one.value for one in test.subheader]
    test.text_input(key="label_text").set_value("FUME hood").run()
    assert "Nothing is waiting" in text_of(test)
    test.segmented_control(key="label_kind").set_value("Answered").run()
    assert KNOWN in [one.value for one in test.subheader]
    test = queue(SETTLED)
    assert "Enter your own name" in text_of(test)
    assert not [one for one in test.button if str(one.key).startswith("judge-")]


def test_a_mistaken_judgement_is_shown_again_and_replaced_whole(queue, library):
    library.ask(UNKNOWN)
    test, labels = queue("ivan"), library.wiring.sessions.labels
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


def test_agreement_counts_judged_passages_and_a_disagreement_is_settled_and_counts_from_then_on(
    queue, open_page, library
):
    answer, labels = library.ask(KNOWN), library.wiring.sessions.labels
    passages = [("chunk", hit.chunk_id) for hit in answer.retrieved[:3]]
    for who, last in (("ada", "relevant"), ("bo", "irrelevant")):
        said = ("correct", "relevant", "irrelevant", last)
        for (aspect, item), verdict in zip([("answer", ""), *passages], said, strict=True):
            labels.put(Label(target=answer.request_id, aspect=aspect, item=item, labeller=who, verdict=verdict))
    test = open_page("inspector", part="Label")
    # 2 of 3 equal; ada 2 of 3 relevant, bo 1 of 3: p_e = 2/3 1/3 + 1/3 2/3 = 4/9, kappa = (2/3 - 4/9) / (5/9) = .4
    says(text_of(test), "Passages: kappa **0.40**", "the same verdict on 2 of 3", "Disagreements: 1 open, 0 settled",
         "Answers: the same verdict on 1 of 1, kappa not defined")  # fmt: skip
    row = table_with(test, "kappa").set_index("judged").loc["Passages"]
    assert (row["items"], row["requests"]) == (3, 1)
    assert row["low"] < 0.4 < row["high"]

    assert next(one for one in test.button if one.key == "settle-relevant").disabled  # nobody gave a name yet
    test.text_input(key="labeller").set_value("carol").run()
    next(one for one in test.button if one.key == "settle-irrelevant").click().run()
    assert "Disagreements: 0 open, 1 settled" in text_of(test)
    (settled,) = labels.list(labeller=SETTLED)
    assert (settled.item, settled.verdict, settled.note) == (passages[2][1], "irrelevant", "by carol")
    labels.put(Label(target=answer.request_id, aspect="answerable", labeller="ada", verdict="yes"))
    (line,) = labelling.labelled_questions(library)
    assert [gold["text"] for gold in line["gold"]] == [answer.retrieved[0].content]
