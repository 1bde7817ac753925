"""Class A is not class C: things told apart by a letter or a number behind their name."""

import pytest

from rag.language.designations import designations, names_another


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Class A and class b goods", {("class", "a"), ("class", "b")}),
        ("Turn to Annex IV and Pump 12a", {("annex", "iv"), ("pump", "12a")}),
        ("Hangar K is locked", {("hangar", "k")}),
        ("within 30 days, at 5 °C, on 3 May, about 20 kg", set()),
        ("stage 2.5 and level 80% and size 5 °C", set()),
        ("A class is taught. A building stands. The team I joined", {("team", "i")}),
    ],
)
def test_a_letter_or_number_behind_a_noun_is_a_name(text, found):
    assert designations(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Class A: goggles and gloves.",
        "For class B goods a face shield is worn.",
    ],
)
def test_what_names_another_of_the_kind_is_about_that(text):
    assert names_another("What must I wear when handling class C chemicals?", text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long does Verolam Forte keep once opened?", "A bottle of Verolam 10 mg keeps for 90 days."),
        ("How long does Verolam Forte keep once opened?", "Verolam Junior keeps for 90 days."),
        ("When was Ada Lund elected?", "Ada Holm was elected in 1962."),
    ],
)
def test_another_of_the_same_first_name_is_another(question, text):
    assert names_another(question, text)


@pytest.mark.parametrize(
    "text",
    [
        "Verolam keeps for 90 days.",  # of all its kinds
        "Verolam Junior and Forte keep for 90 days.",
        "A bottle of Verolam 10 mg keeps for 90 days, and so does Verolam in boxes.",
        "It keeps longer than Verolam Junior.",  # of what the sentence before names
        "The bottle keeps for 90 days.",
    ],
)
def test_what_has_the_first_name_alone_or_both_is_not_another(text):
    assert not names_another("How long does Verolam Forte keep once opened?", text)


@pytest.mark.parametrize(
    "text",
    [
        "Class C: double gloves.",
        "Classes A to D: goggles.",
        "Classes A and C: goggles.",
        "Goggles are worn by everyone.",
        "The class decides what is worn.",
        "Unlike class A, class C is kept in the poison cabinet.",
    ],
)
def test_what_names_the_one_asked_for_or_none_is_kept(text):
    assert not names_another("What must I wear when handling class C chemicals?", text)


def test_the_number_of_a_clause_is_no_name():
    assert names_another("How many evenings does level 3 take?", "3.1 Level 1 takes one evening.")
    assert not names_another("How many evenings does level 3 take?", "1.1 Level 3 takes one evening.")


def test_what_goes_on_about_another_of_the_kind_is_about_that():
    question = "How many evenings does level 3 take?"
    assert names_another(question, "It takes one evening.", "Level 1 allows use of the shed.")
    assert not names_another(question, "It takes one evening.", "Level 3 allows use of the shed.")
    assert not names_another(question, "The camera takes one evening.", "Level 1 allows use of the shed.")


def test_a_question_without_such_a_name_rules_nothing_out():
    assert not names_another("What must I wear in the laboratory?", "Class A: goggles.")


def test_a_number_within_a_span_is_named():
    assert not names_another("Who works on platform 3?", "Platforms 1 to 4 are served by one crew.")
    assert names_another("Who works on platform 7?", "Platforms 1 to 4 are served by one crew.")


def test_what_names_one_of_several_that_were_asked_for_is_about_that():
    question = "Which is faster, winch type A or winch type B?"

    assert not names_another(question, "Winch, type B: 0.4 m/s.")
    assert names_another(question, "Winch, type C: 0.4 m/s.")
