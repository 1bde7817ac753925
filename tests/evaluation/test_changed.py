"""Which questions two runs answered differently, by hand."""

from rag.evaluation.changed import changed, headline

from .made import chunk, line, question, scored_run

QUESTIONS = [question(name) for name in ("a", "b", "d", "e")] + [question("c", answerable=False)]
QUESTIONS += [question(name, answerable=None) for name in ("f", "g")]
HIT = (chunk(),)
REFUSED = "refused, though answerable"


def compared(before, after):
    found = changed(scored_run(before, QUESTIONS), scored_run(after, QUESTIONS), before, after)
    return {row.qid: row for row in found}


BEFORE = [
    line("a", answered=False, retrieved=HIT),  # refused, though answerable
    line("b", retrieved=HIT),  # right: "Wear gloves." holds the gold answer "gloves"
    line("c", answerable=False, answered=False, confidence=0.2),  # right
    line("d", retrieved=HIT),
    line("e", retrieved=(chunk(document="other.md"), chunk(2))),
    line("f", answerable=None, answered=False),
]
AFTER = [
    line("a", retrieved=HIT),  # right now
    line("b", retrieved=(chunk(content="Wear boots."),), text="Wear boots."),  # without the gold answer
    line("c", answerable=False, retrieved=HIT, confidence=0.9),  # answered, though unanswerable
    line("d", retrieved=HIT),  # as before
    line("e", retrieved=(chunk(content="Wear thick gloves."),), text="Wear thick gloves."),  # other words, right too
    line("f", answerable=None, retrieved=HIT),  # nobody says whether it should have been answered
]


def test_each_question_that_ended_differently_is_told_in_both_runs_what_got_worse_first_and_by_how_far():
    found = compared(BEFORE, AFTER)
    assert [(qid, one.change, one.flipped, one.before, one.after) for qid, one in found.items()] == [
        ("c", "regressed", True, "refused, rightly", "answered, though unanswerable"),  # from right (5) to 0: by 5
        ("b", "regressed", False, "answered, rightly", "the gold answer is not in the answer"),  # by 3
        ("a", "improved", True, REFUSED, "answered, rightly"),
        ("f", "flipped", True, "refused", "answered"),
        ("e", "other answer", False, "answered, rightly", "answered, rightly"),
    ]
    assert (found["c"].confidence_before, found["c"].confidence_after) == (0.2, 0.9)
    assert (found["e"].rank_before, found["e"].rank_after, found["f"].rank_after) == (2, 1, None)
    assert compared(BEFORE, BEFORE) == compared(BEFORE[:1], AFTER[1:2]) == {}


def test_unsure_is_better_than_refused_and_flips_a_question_that_should_not_be_answered():
    asked = {"a": True, "c": False}
    refused, unsure = (
        [line(qid, answerable=label, **how) for qid, label in asked.items()]
        for how in ({"answered": False}, {"unsure": True})
    )
    assert [(one.change, one.before, one.after) for one in compared(refused, unsure).values()] == [
        ("improved", REFUSED, "unsure, though answerable"),
        ("flipped", "refused, rightly", "unsure, rightly"),
    ]


def test_the_headline_counts_new_wrong_answers_and_newly_right_ones():
    rows = [*compared(BEFORE, AFTER).values()]  # b and c are answered wrongly and were right; a is right, was refused
    assert headline(rows, 7) == "2 new wrong answers, 1 newly right; 7 questions are too few to generalise."
    assert headline([], 7, proven="it is proven.") == "No question got better or worse; it is proven."
