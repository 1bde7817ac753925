"""A sentence that repeats the question as an indirect one is no answer to it."""

import pytest

from rag.quoting.indirect import only_counts, repeats


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


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What are the stages of labour?", "There are three stages of labour."),
        ("Describe the phases of the harvest.", "The harvest is divided into four phases."),
        ("What are the four classes of boats?", "Boats belong to four classes."),
        ("Which permits are there for the pier?", "Several different permits exist for the pier."),
    ],
)
def test_a_sentence_that_counts_what_is_to_be_named_only_counts(question, text):
    assert only_counts(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many stages has labour?", "There are three stages of labour."),  # the number is asked
        ("Are there three stages of labour?", "There are three stages of labour."),
        ("What are the stages of labour?", "The three stages of labour are dilation, birth and afterbirth."),
        ("What is the limit for parcels?", "The limit for parcels is 8."),  # the number is what is said
        ("Which gates close at night?", "Two gates close at night, the north one and the river one."),
        ("What are the rules of the pier?", "The rules of the pier hang in the hall."),
    ],
)
def test_a_sentence_that_says_more_or_whose_number_is_asked_does_not(question, text):
    assert not only_counts(question, text)
