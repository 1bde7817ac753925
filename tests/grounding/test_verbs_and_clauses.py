"""Each verb keeps its own number, time and place, and each clause inside a sentence its own doer. Written by hand."""

import pytest

from rag.grounding.evidence import EvidenceCheck

CHECK = EvidenceCheck()
HAM = "The ham is salted for 6 hours before it is smoked for 2 days."
DOUGH = "Dough is kneaded for 12 minutes, rests for 3 hours and is baked at 230 °C for 40 minutes."
FERRY = "The ferry was built in 1931 and was sold to Norway in 1958 after it had been rebuilt in 1949."
WARDEN = "The warden locks the gates at sunset, as a rule, and opens them at dawn."
POND = "Because the dam leaked, the council drained the pond in May and repaired the wall in August."
CHAPEL = "The chapel has a roof that Paul Lang had drawn and a tower that Otto Weiss built in 1904."
HEDGE = "The gardener whom the owner hired planted the hedge."
CHOIR = "Mrs Berg led the choir until 2012, when Mr Dahl replaced her."
DOG = "The dog that bit the postman had followed a girl who lives in Mill Lane."
BELL = "The bell rings at noon on weekdays and at ten on Sundays."
HOURS = (
    "The museum opens at 9 on weekdays and at 10 on Sundays, and the library opens at 11 on weekdays "
    "and at 12 on Sundays."
)
CELLAR = (
    "The cheese is aged for 6 months in casks and for 3 months in cellars, and the ham is aged for 2 months in casks "
    "and for 1 month in cellars."
)
TRAINS = "Trains run at 7 on Sundays and at 5 on Mondays, and buses run at 8 on Sundays and at 9 on Mondays."
POOL = "The pool opens at 7 on Mondays and Thursdays and at 9 on the other days."


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The ham is smoked for 6 hours.", HAM),
        ("The ham is salted for 2 days.", HAM),
        ("Dough is baked for 3 hours.", DOUGH),
        ("Dough is kneaded for 40 minutes.", DOUGH),
        ("The ferry was sold to Norway in 1949.", FERRY),
        ("The ferry was rebuilt in 1958.", FERRY),
        ("The warden opens the gates at sunset.", WARDEN),
        ("The council drained the pond in August.", POND),
    ],
)
def test_a_number_or_time_of_another_verb_is_not_taken(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The ham is smoked for 2 days.", HAM),
        ("The ham is salted for 6 hours.", HAM),
        ("Dough rests for 3 hours.", DOUGH),
        ("Dough is baked at 230 °C for 40 minutes.", DOUGH),
        ("The ferry was sold to Norway in 1958.", FERRY),
        ("The warden opens the gates at dawn.", WARDEN),
        ("The council repaired the wall in August.", POND),
        ("The old hall burned down in 1918.", "The hall was built in 1920 after the old hall burned down in 1918."),
        ("Globes are lent for 5 days.", "Maps are lent for 14 days and globes for 5."),
    ],
)
def test_each_verb_keeps_its_own_number_and_time(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Paul Lang built the tower.", CHAPEL),
        ("Otto Weiss had drawn the roof.", CHAPEL),
        ("The gardener hired the owner.", HEDGE),
        ("The owner planted the hedge.", HEDGE),
        ("Mrs Berg replaced Mr Dahl in 2012.", CHOIR),
        ("The girl bit the postman.", DOG),
        ("The postman lives in Mill Lane.", DOG),
    ],
)
def test_who_does_what_in_an_inner_clause_is_not_exchanged(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Otto Weiss built the tower in 1904.", CHAPEL),
        ("The owner hired the gardener.", HEDGE),
        ("The gardener planted the hedge.", HEDGE),
        ("In 2012 Mr Dahl replaced her.", CHOIR),
        ("Mrs Berg led the choir until 2012.", CHOIR),
        ("The dog bit the postman.", DOG),
        ("The song that Mia wrote became famous.", "The song that Mia wrote in 1970 became famous."),
        (
            "The choir was founded by Clara Holm.",
            "The choir sings on Wednesdays and was founded in 1922 by Clara Holm.",
        ),
        ("The shop was sold to Emil Brandt by Rosa Lind.", "Rosa Lind sold the shop to Emil Brandt in 1963."),
    ],
)
def test_what_an_inner_clause_says_is_carried_in_either_voice(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The bell rings at noon on Sundays.", BELL),
        ("The bell rings at ten on weekdays.", BELL),
        ("The pool opens at 9 on Thursdays.", POOL),
        ("Yoga is held at eight on Tuesdays.", "Yoga is held at six on Tuesdays and at eight on Fridays."),
    ],
)
def test_a_time_is_not_put_to_the_day_of_another(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The bell rings at ten on Sundays.", BELL),
        ("On weekdays the bell rings at noon.", BELL),
        ("The bell rings at ten on Sundays and at noon on weekdays.", BELL),
        ("The pool opens at 7 on Thursdays.", POOL),
    ],
)
def test_a_time_stands_with_its_own_day(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The library opens at 9 on weekdays.", HOURS),
        (
            "The library opens at 9 on weekdays.",
            "The museum opens at 9 on weekdays and at 10 on Sundays, and the library opens at 11 every day.",
        ),
        (
            "The library opens at 9 on weekdays.",
            "The museum opens at 9 on weekdays and at 10 on Sundays and the library at 11.",
        ),
        ("The cheese is aged for 2 months in casks.", CELLAR),
        (
            "The ham is aged for 6 months in casks.",
            "The cheese is aged for 6 months in casks and for 3 months in cellars, and the ham is aged for 2 months.",
        ),
        ("Buses run at 5 on Mondays.", TRAINS),
    ],
)
def test_a_pair_of_phrases_is_not_put_to_another_subject(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) < 0.5


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The museum opens at 9 on weekdays.", HOURS),
        ("The library opens at 12 on Sundays.", HOURS),
        ("The cheese is aged for 3 months in cellars.", CELLAR),
        ("The ham is aged for 1 month in cellars.", CELLAR),
        ("Trains run at 5 on Mondays.", TRAINS),
        (
            "The museum opens at 10 on Sundays.",
            "The museum was built in 1900 and opens at 9 on weekdays and at 10 on Sundays.",
        ),
    ],
)
def test_each_subject_keeps_its_own_pairs_of_phrases(claim: str, evidence: str) -> None:
    assert CHECK.support(claim, evidence) >= 0.5


@pytest.mark.parametrize("sentence", [HAM, DOUGH, FERRY, WARDEN, POND, CHAPEL, HEDGE, CHOIR, DOG, BELL, POOL])
def test_a_whole_sentence_has_no_twist_against_itself(sentence: str) -> None:
    assert CHECK.examine(sentence, sentence).support >= 0.5
