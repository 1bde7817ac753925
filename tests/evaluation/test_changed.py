"""Which questions two runs answered differently, by hand."""

from rag.evaluation.changed import changed, headline
from rag.evaluation.runs import Run
from rag.evaluation.scores import score_lines

from .made import chunk, gold, line, question

QUESTIONS = [question(name, golds=[gold()]) for name in ("a", "b", "d", "e")]
QUESTIONS += [question("c", answerable=False, golds=[], answers=())]
QUESTIONS += [question(name, answerable=None, golds=[], answers=()) for name in ("f", "g")]
HIT = (chunk(),)


def a_run(lines):
    scores = tuple(score_lines(lines, QUESTIONS))
    return Run(dataset="d", dataset_fingerprint="1", fingerprint="f", scores=scores), lines


def compared(before, after):
    (one, old), (two, new) = a_run(before), a_run(after)
    return {row.qid: row for row in changed(one, two, old, new)}


BEFORE = [
    line("a", answered=False, retrieved=HIT),  # refused, though answerable
    line("b", retrieved=HIT),  # right: "Wear gloves." holds the gold answer "gloves"
    line("c", answerable=False, answered=False, confidence=0.2),  # right
    line("d", retrieved=HIT),
    line("e", retrieved=(chunk(document="other.md"), chunk(2))),
    line("f", answerable=None, answered=False),
    line("g", answerable=None, retrieved=HIT),
]
AFTER = [
    line("a", retrieved=HIT),  # right now
    line("b", retrieved=(chunk(content="Wear boots."),), text="Wear boots."),  # without the gold answer
    line("c", answerable=False, retrieved=HIT, confidence=0.9),  # answered, though unanswerable
    line("d", retrieved=HIT),  # as before
    line("e", retrieved=(chunk(content="Wear thick gloves."),), text="Wear thick gloves."),  # other words, right too
    line("f", answerable=None, retrieved=HIT),  # nobody says whether it should have been answered
    line("g", answerable=None, retrieved=HIT),
]


def test_each_question_that_ended_differently_is_listed_what_got_worse_first_and_by_how_far():
    found = compared(BEFORE, AFTER)
    assert [(qid, one.change) for qid, one in found.items()] == [
        ("c", "regressed"),  # from right (5) to answered though unanswerable (0): by 5
        ("b", "regressed"),  # from right (5) to without the gold answer (2): by 3
        ("a", "improved"),
        ("f", "flipped"),
        ("e", "other answer"),
    ]


def test_a_change_says_how_it_ended_in_both_runs_and_where_the_passage_was_found():
    found = compared(BEFORE, AFTER)
    assert (found["a"].before, found["a"].after) == ("refused, though answerable", "answered, rightly")
    assert (found["c"].confidence_before, found["c"].confidence_after, found["c"].flipped) == (0.2, 0.9, True)
    assert (found["f"].before, found["f"].after, found["f"].flipped) == ("refused", "answered", True)
    assert (found["e"].rank_before, found["e"].rank_after, found["e"].flipped) == (2, 1, False)
    assert found["f"].rank_after is None


def test_the_same_run_twice_and_questions_of_one_run_alone_change_nothing():
    assert compared(BEFORE, BEFORE) == {}
    assert compared(BEFORE[:1], AFTER[1:2]) == {}


def test_unsure_is_better_than_refused_and_flips_a_question_that_should_not_be_answered():
    refused = [line("a", answered=False), line("c", answerable=False, answered=False)]
    unsure = [line("a", unsure=True), line("c", answerable=False, unsure=True)]
    found = compared(refused, unsure)

    assert (found["a"].change, found["a"].flipped, found["a"].after) == ("improved", True, "unsure, though answerable")
    assert (found["c"].change, found["c"].before, found["c"].after) == (
        "flipped",
        "refused, rightly",
        "unsure, rightly",
    )


def test_the_headline_counts_new_wrong_answers_and_newly_right_ones():
    rows = [*compared(BEFORE, AFTER).values()]

    # b and c are answered wrongly and were right; a is right and was refused
    assert headline(rows, 7) == "2 new wrong answers, 1 newly right; 7 questions are too few to generalise."
    assert headline(rows, 7, proven="it is proven.") == "2 new wrong answers, 1 newly right; it is proven."
    back = [*compared(AFTER, BEFORE).values()]
    assert headline(back, 7) == "2 newly right, 1 newly withheld; 7 questions are too few to generalise."
