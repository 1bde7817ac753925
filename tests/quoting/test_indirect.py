"""A sentence that repeats the question as an indirect one is no answer to it."""

import pytest

from rag.quoting.indirect import repeats


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What must I wear for class A?", "The class decides what must be worn, where it is kept, and who may use it."),
        ("Where is class B kept?", "The class decides what must be worn, where it is kept, and who may use it."),
        ("How long does a loan last?", "The tariff sets out how long a loan lasts."),
        ("When is the pool open?", "The season decides when the pool is open."),
        ("Which boats may land?", "The harbour rules specify which boats may land."),
    ],
)
def test_a_sentence_that_says_only_what_settles_the_question_repeats_it(question, text):
    assert repeats(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What decides what must be worn?", "The class decides what must be worn."),  # this is asked
        ("What does the loan depend on?", "The tariff determines what a loan costs."),
        ("Who chooses the winners?", "The jury decides which entries win."),  # its subject is the answer
        ("What must be worn?", "Goggles must be worn, and the class decides where they hang."),
        ("Must gloves be worn?", "The class decides what must be worn."),
        ("What must be worn?", "Whoever decides to enter wears what hangs by the door."),
        ("What does the logbook contain?", "The logbook lists what was caught and where."),  # another thing is settled
        ("What is the job of the steward?", "The steward decides which boats start and what course they sail."),
        ("What must I do when the alarm sounds?", "Say what you saw, and leave by the stairs."),
        ("How are swimmers marked?", "Coloured caps show how well they float."),
        ("When does the gate open?", "It opens at six; a board shows when it closes."),
        ("Where do I sign?", "Sign where the form says where."),
        ("Who was the father?", "The state archive holds a list of those who were fathers."),
    ],
)
def test_other_sentences_do_not(question, text):
    assert not repeats(question, text)
