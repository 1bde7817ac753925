"""What is left of a draft answers nothing where it only asks."""

from rag.ground import answers_question
from rag.models import GroundedSentence


def supported(*texts: str) -> list[GroundedSentence]:
    return [
        GroundedSentence(text=text, supported=True, support=1.0, passages=(1,), evidence=(text,), reason="")
        for text in texts
    ]


def test_questions_alone_answer_nothing():
    assert not answers_question("Is it safe?", supported("Is it safe?"))
    assert not answers_question("Is it safe?", supported("**Is it safe?**", "8. Is it dry?"))


def test_a_question_with_its_answer_answers():
    assert answers_question("Is it safe?", supported("Is it safe at night?", "No."))


def test_the_number_asked_for_must_stand_in_a_statement():
    asked = "How many lamps are there?"

    assert not answers_question(asked, supported("Are there 9 lamps?", "Lamps hang in the hall."))
    assert answers_question(asked, supported("Are there 9 lamps?", "There are 8 lamps."))


def test_when_is_told_by_a_time_or_a_condition():
    assert answers_question("When must I stop?", supported("You must stop if it rains."))
    assert not answers_question("When must I stop?", supported("You may stop."))
