"""The questions that got no good answer, the first view of Inspect: grouped, and each with what can be done."""

import pytest
from seen import button, ended, sample_library, says, text_of

from dashboard import labelling, unanswered
from rag.candor import Candor
from rag.evaluation.datasets import load_dataset

WON = ("Who won the football world cup in 1998?", "Which team won the 1998 football world cup?")
PARKING = "Where can I park my car?"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The samples; of the questions asked of them, three and one got no good answer, and one was answered."""
    with sample_library(tmp_path_factory.mktemp("asked")) as candor:
        for question in (*WON, PARKING):
            candor.ask(question)
        yield candor


@pytest.fixture
def view(asked, open_over):
    yield open_over(asked)
    labels, recorder = asked.wiring.sessions.labels, asked.wiring.recorder
    for label in labels.list():
        labels.remove(label)
    recorder.dismiss(recorder.dismissed(), dismissed=False)


def cards(test):
    """Return the questions of the groups, in order."""
    shown = [one.value.strip("*").replace("\\", "") for one in test.markdown if one.value.startswith("**")]
    return [one for one in shown if "?" in one]


def of(test, what, number=0):
    return [one for one in test.button if str(one.key).startswith(f"{what}-req_")][number]


def test_like_questions_stand_together_until_they_are_dismissed_and_taken_back(view):
    test = view("inspector")
    assert cards(test)[0] in WON
    says(text_of(test), "asked 3 times, last 20", "refused 3 times", "**2 questions**, asked 4 times",
         f"Also: “{next(one for one in WON if one != cards(test)[0])}”")  # fmt: skip
    assert "fume hood" not in text_of(test)  # it was answered
    of(test, "dismiss").click().run()
    assert cards(test) == [PARKING]
    assert "1 dismissed" in text_of(test)
    test.toggle(key="unanswered_aside").set_value(True).run()
    button(test, "Take back").click().run()
    assert len(cards(test.toggle(key="unanswered_aside").set_value(False).run())) == 2


def test_a_marked_sentence_becomes_a_label_and_a_place_of_a_test_set(view, asked):
    test = view("inspector")
    of(test, "mark", 1).click().run()
    assert button(test, "This sentence answers it").disabled  # nobody gave a name yet
    test.text_input(key="labeller").set_value("ada").run()
    (marked,) = [one.value for one in test.radio]
    button(test, "This sentence answers it").click().run()
    kept = asked.wiring.sessions.labels.list(labeller="ada")
    assert [one.note for one in kept if one.verdict == "relevant"] == [marked]
    assert {(one.aspect, one.verdict) for one in kept} >= {("answer", "wrong"), ("answerable", "yes")}
    assert "judged: the documents answer it" in text_of(test)
    (line,) = labelling.labelled_questions(asked)
    assert (line["question"], line["gold"][0]["quote"]) == (PARKING, marked)

    of(test, "keep", 1).click().run()
    button(test, "Add it").click().run()
    (question,) = load_dataset(asked.settings.data_dir / "datasets" / "unanswered").questions
    assert (question.question, question.answerable, question.gold[0].quote) == (PARKING, True, marked)


def test_a_thumb_down_shows_its_note_and_the_filters_narrow(view, asked):
    hood = next(one for one in asked.wiring.recorder.requests() if "fume hood" in one.question)
    asked.wiring.recorder.feedback(hood.request_id, "bad", note="the page is wrong")
    test = view("inspector")
    assert "“the page is wrong”" in text_of(test)
    test.pills(key="unanswered_why").set_value(["judged_bad"]).run()
    assert cards(test) == [hood.question]
    asked.wiring.recorder.feedback(hood.request_id, "withdrawn")


def test_many_new_questions_are_likened_in_the_background(view, monkeypatch, asked):
    monkeypatch.setattr(unanswered, "AT_ONCE", 0)
    monkeypatch.setattr(asked, "_question_vectors", type(asked._question_vectors)(64))
    test = view("inspector")
    assert "This happens once" in text_of(test)
    assert len(cards(test)) == 3  # each wording by itself
    ended("liken-questions")
    assert len(cards(test.run())) == 2


def test_without_recorded_answers_the_view_says_what_is_missing(open_over, tmp_path):
    with Candor.open(data_dir=tmp_path, record_answers=False) as candor:
        said = text_of(open_over(candor)("inspector"))
    says(said, "CANDOR_RECORD_ANSWERS is false", "No question is waiting")
