"""The questions that got no good answer, the first view of Inspect: grouped, and each with what can be done."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from seen import Open, button, ended, sample_library, text_of

from dashboard import labelling, unanswered
from rag.candor import Candor
from rag.evaluation.datasets import load_dataset

WON = ("Who won the football world cup in 1998?", "Which team won the 1998 football world cup?")
PARKING = "Where can I park my car?"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Candor]:
    """The samples; of the questions asked of them, three and one got no good answer, and one was answered."""
    with sample_library(tmp_path_factory.mktemp("asked")) as candor:
        for question in (*WON, PARKING):
            candor.ask(question)
        yield candor


@pytest.fixture
def view(asked: Candor, open_over: Callable[[Candor], Open]) -> Iterator[Open]:
    yield open_over(asked)
    labels, recorder = asked.wiring.sessions.labels, asked.wiring.recorder
    for label in labels.list():
        labels.remove(label)
    recorder.dismiss(recorder.dismissed(), dismissed=False)


def cards(test: object) -> list[str]:
    """Return the questions of the groups, in order."""
    return [
        one.value.strip("*").replace("\\", "")
        for one in test.markdown
        if one.value.startswith("**") and "?" in one.value
    ]  # type: ignore[attr-defined]


def of(test: object, what: str, number: int = 0) -> object:
    """Return a button of a group by what its key begins with."""
    return [one for one in test.button if str(one.key).startswith(f"{what}-req_")][number]  # type: ignore[attr-defined]


def test_like_questions_stand_together_with_their_count_and_their_last_date(view: Open, asked: Candor) -> None:
    test = view("inspector")
    said = text_of(test)
    assert cards(test)[0] in WON
    assert "asked 3 times, last 20" in said
    assert "refused 3 times" in said
    assert f"Also: “{next(one for one in WON if one != cards(test)[0])}”" in said
    assert "**2 questions**, asked 4 times" in said
    assert "fume hood" not in said  # it was answered


def test_what_is_dismissed_is_gone_until_it_is_taken_back(view: Open) -> None:
    test = view("inspector")
    of(test, "dismiss").click().run()  # type: ignore[attr-defined]
    assert cards(test) == [PARKING]
    assert "1 dismissed" in text_of(test)
    test.toggle(key="unanswered_aside").set_value(True).run()
    assert len(cards(test)) == 1
    button(test, "Take back").click().run()
    test.toggle(key="unanswered_aside").set_value(False).run()
    assert len(cards(test)) == 2


def test_a_marked_sentence_becomes_a_label_and_a_place_of_a_test_set(view: Open, asked: Candor) -> None:
    test = view("inspector")
    of(test, "mark", 1).click().run()  # type: ignore[attr-defined]
    assert button(test, "This sentence answers it").disabled  # nobody gave a name yet
    test.text_input(key="labeller").set_value("ada").run()
    sentence = next(one for one in test.radio).options[0]
    next(one for one in test.radio).set_value(next(one for one in test.radio).value).run()
    marked = next(one for one in test.radio).value
    button(test, "This sentence answers it").click().run()
    kept = asked.wiring.sessions.labels.list(labeller="ada")
    (relevant,) = [one for one in kept if one.verdict == "relevant"]
    assert {(one.aspect, one.verdict) for one in kept} >= {("answer", "wrong"), ("answerable", "yes")}
    assert relevant.note == marked
    assert sentence
    assert "judged: the documents answer it" in text_of(test)
    (line,) = labelling.labelled_questions(asked)
    assert (line["question"], line["gold"][0]["quote"]) == (PARKING, marked)  # type: ignore[index]

    of(test, "keep", 1).click().run()  # type: ignore[attr-defined]
    button(test, "Add it").click().run()
    (question,) = load_dataset(asked.settings.data_dir / "datasets" / "unanswered").questions
    assert (question.question, question.answerable, question.gold[0].quote) == (PARKING, True, marked)


def test_a_thumb_down_shows_its_note_and_the_filters_narrow(view: Open, asked: Candor) -> None:
    hood = next(one for one in asked.wiring.recorder.requests() if "fume hood" in one.question)
    asked.wiring.recorder.feedback(hood.request_id, "bad", note="the page is wrong")
    test = view("inspector")
    assert "“the page is wrong”" in text_of(test)
    test.pills(key="unanswered_why").set_value(["judged_bad"]).run()
    assert cards(test) == [hood.question]
    asked.wiring.recorder.feedback(hood.request_id, "withdrawn")
    assert "Nothing" not in text_of(view("inspector", since="1 hour"))


def test_many_new_questions_are_likened_in_the_background(
    view: Open, monkeypatch: pytest.MonkeyPatch, asked: Candor
) -> None:
    monkeypatch.setattr(unanswered, "AT_ONCE", 0)
    monkeypatch.setattr(asked, "_question_vectors", type(asked._question_vectors)(64))
    test = view("inspector")
    assert "This happens once" in text_of(test)
    assert len(cards(test)) == 3  # each wording by itself
    ended("liken-questions")
    assert len(cards(test.run())) == 2


def test_without_recorded_answers_the_view_says_what_is_missing(
    open_over: Callable[[Candor], Open], tmp_path: Path
) -> None:
    with Candor.open(data_dir=tmp_path, record_answers=False) as candor:
        said = text_of(open_over(candor)("inspector"))
    assert "CANDOR_RECORD_ANSWERS is false" in said
    assert "No question is waiting" in said
