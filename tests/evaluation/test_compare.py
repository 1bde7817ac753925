"""Whether one run is better than another, and which questions ended differently."""

import pytest

from rag.evaluation.changed import changed as changes
from rag.evaluation.changed import headline
from rag.evaluation.compare import compare, compare_files, comparison_table
from rag.evaluation.lines import LineTimings, dump_line
from rag.evaluation.runs import write_run
from rag.evaluation.summary import summarise
from rag.models import Fingerprints

from .made import chunk, line, question, scored_run


def made(found, count=40, *, total=10.0):
    """A run of `count` questions, every fourth unanswerable, in which the first `found` find their document first."""
    labels = {f"q{n}": n % 4 != 0 for n in range(count)}
    lines = [
        line(qid, answerable=label, retrieved=[chunk(1, "manual.md" if n < found else "other.md")])
        for n, (qid, label) in enumerate(labels.items())
    ]
    run = scored_run(lines, [question(qid, answerable=label) for qid, label in labels.items()])
    return changed(run, {f"q{n}": {"timings_ms": LineTimings(total=total + n % 3)} for n in range(count)})


def changed(run, updates, **fields):  # by the id of a question
    scores = tuple(score.model_copy(update=updates.get(score.qid, {})) for score in run.scores)
    return run.model_copy(update={"scores": scores, **fields})


def figure(comparison, name):
    return next(one for one in comparison.differences if one.figure == name)


def cited(hits):  # successes and citations of each question; None: refused
    return changed(made(0, len(hits)), {f"q{n}": {"citation_hits": pair} for n, pair in enumerate(hits)})


def test_citation_precision_is_pooled_as_evaluate_does_and_fewer_than_six_changed_questions_are_no_evidence():
    found = compare(cited([(1, 1), (0, 3), (1, 2), None]), cited([(1, 1), (3, 3), None, (1, 1)]))
    precision = figure(found, "citation precision")
    # over the two questions that both answered: 1 of 4 and 4 of 4; the mean of the questions' shares was 1/2
    assert (precision.count, precision.before, precision.after) == (2, 0.25, 1.0)
    assert precision.test == "paired sign flips of the pooled share"
    assert "Citation precision: of all citations of the questions that both runs answered" in comparison_table(found)
    gained = figure(compare(cited([(0, 1)] * 5), cited([(1, 1)] * 5)), "citation precision")
    assert (gained.difference, gained.changed, gained.p_value) == (1.0, 5, 2 / 2**5)
    assert (gained.verdict, gained.low, gained.high) == ("no evidence of a difference", None, None)

    def confident(*values):
        rows = [{"confidence": one, "answerable": n < 2} for n, one in enumerate(values)]
        return changed(made(0, 5), {f"q{n}": row for n, row in enumerate(rows)})

    both = confident(0.1, 0.3, 0.2, 0.4, 0.5), confident(0.8, 0.9, 0.1, 0.2, 0.3)
    found = figure(compare(*both), "AUROC of confidence")
    # V10 from 0, 1/3 and V01 from 1/2, 0, 0 to 1: change 5/6, variance (1/18)/2 + (1/12)/3 = 1/18, z 3.54
    assert (found.before, found.after, found.changed) == (pytest.approx(1 / 6), 1.0, 5)
    assert found.p_value == pytest.approx(0.000407, abs=1e-5)
    assert (found.verdict, found.low, found.high) == ("no evidence of a difference", None, None)


def test_a_run_does_not_differ_from_itself_more_hits_improve_and_fewer_regress_and_the_table_tells_the_test_and_parts():
    one, found = made(8, 8), compare(made(20), made(20))
    assert {one.verdict for one in found.differences if one.p_value is not None} == {"no evidence of a difference"}
    assert {(one.difference, one.changed) for one in found.differences} == {(0.0, 0)}
    assert found.notes == ("Both runs were made with the same index, embedding, settings, gate and prompt.",)
    parts = Fingerprints(embedding="e", index="i", settings="s", gate="g")
    before = one.model_copy(update={"fingerprint": "x", "fingerprints": parts})
    after = one.model_copy(update={"fingerprint": "y", "fingerprints": parts.model_copy(update={"gate": "h"})})
    assert compare(one, one).notes[0].endswith("at the same moment: it is one run.")
    assert compare(before, after).notes[0] == "The runs differ in: gate."
    better, worse = compare(made(0), made(40)), compare(made(40), made(0))
    assert [figure(one, "hit@1").verdict for one in (better, worse)] == ["improved", "regressed"]
    assert "Improved: hit@1" in better.verdict
    text = comparison_table(better)
    # 30 of 30 changed one way: 2 / 2^30
    assert all(part in text for part in ("before: set f", "<0.0001", "McNemar, exact", "the same in each question"))


def test_time_is_shown_and_neither_judged_nor_counted_in_the_correction():
    found = compare(made(20), made(20, total=20.0))
    slower = figure(found, "milliseconds in total")
    assert (slower.difference, slower.p_value, slower.verdict) == (pytest.approx(10.0), None, "not judged")
    assert found.verdict.startswith("No evidence of a difference in any figure")
    tested = len(found.differences) - 1
    assert f"correction for {tested} figures" in found.verdict
    seven = figure(compare(made(0), made(10)), "hit@1")  # seven questions gained, as for MRR@10 and others
    assert (seven.p_value, seven.adjusted_p) == (2 / 2**7, pytest.approx(tested * 2 / 2**7))
    assert "Milliseconds in total: for information, neither tested nor part of the verdict." in comparison_table(found)


TEXTS = {f"q{n}": f"Question {n}?" for n in range(8)}


def test_of_other_data_sets_only_equal_questions_are_compared_and_one_that_repeats_another_is_no_new_evidence():
    relabelled = {"q2": {"answerable": False}, "q3": {"documents": ("annex.md",)}}
    after = changed(made(8, 8), relabelled, dataset_fingerprint="x")
    found = compare(made(8, 8), after, texts=(TEXTS, TEXTS | {"q1": "Question one, mended?"}))
    assert (found.paired, found.not_comparable) == (5, ("q1", "q2", "q3"))
    assert "of different versions of the data set 'set'" in comparison_table(found)
    none = compare(made(8, 8), after, texts=(TEXTS, {qid: f"What else is {qid}?" for qid in TEXTS}))
    assert (none.paired, none.differences, none.not_comparable) == (0, (), tuple(TEXTS))
    told = "8 questions in both runs with another text or label, and not compared: q0, q1, q2, q3, q4 ..."
    assert told in comparison_table(none)
    assert compare(made(8, 8), after).paired == 0  # no text is known
    texts = {f"q{n}": f"What is  rule {n % 6}?" if n < 6 else f"what is rule {n % 6}?" for n in range(24)}
    plain, once = (compare(made(0, 24), made(24, 24), texts=(known, {})) for known in ({}, texts))
    # every fourth question is unanswerable: rules 0, 2 and 4 are asked as both kinds, so that 6 + 3 questions are left
    assert (figure(plain, "hit@1").count, figure(plain, "hit@1").verdict) == (18, "improved")
    assert (once.paired, figure(once, "hit@1").count, figure(once, "hit@1").p_value) == (9, 6, 2 / 2**6)
    assert "15 questions left out, of the words and labels of another that counts: q7" in comparison_table(once)
    same, run = dict.fromkeys(TEXTS, "What was the revenue?"), changed(made(8, 8), {"q2": {"documents": ("b.md",)}})
    assert compare(run, run, texts=(same, {})).paired == 3  # q0 unanswerable, q1 answerable, q2 about another


def test_runs_on_disk_are_compared_with_the_texts_of_their_lines(tmp_path):
    lines = [line(f"q{n}", retrieved=[chunk()]) for n in range(3)]
    a, b, c = (tmp_path / f"{name}.jsonl" for name in "abc")
    for path in (a, b, c):
        rows = [*lines[:1], lines[1].model_copy(update={"question": "Another?"}), *lines[2:]] if path == c else lines
        run = scored_run(rows, [question(f"q{n}") for n in range(3)], dataset_fingerprint="x" if path == c else "d")
        path.write_text("".join(dump_line(one) + "\n" for one in rows), encoding="utf-8")
        write_run(run.model_copy(update={"summary": summarise(run.scores)}), path)
    assert compare_files(a, b).paired == 3
    assert comparison_table(compare_files(a, b)).startswith(f"before: {a}, set f\nafter:  {b}, set f\n")
    assert (compare_files(a, c).paired, compare_files(a, c).not_comparable) == (2, ("q1",))


QUESTIONS = [question(name) for name in ("a", "b", "d", "e")] + [question("c", answerable=False)]
QUESTIONS += [question(name, answerable=None) for name in ("f", "g")]
HIT = (chunk(),)
REFUSED = "refused, though answerable"


def compared(before, after):
    found = changes(scored_run(before, QUESTIONS), scored_run(after, QUESTIONS), before, after)
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


def test_what_ended_differently_is_told_worst_first_unsure_betters_refused_and_the_headline_counts_wrong_and_right():
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
    rows = [*found.values()]  # b and c are answered wrongly and were right; a is right, was refused
    assert headline(rows, 7) == "2 new wrong answers, 1 newly right; 7 questions are too few to generalise."
    assert headline([], 7, proven="it is proven.") == "No question got better or worse; it is proven."
    asked = {"a": True, "c": False}
    refused, unsure = (
        [line(qid, answerable=label, **how) for qid, label in asked.items()]
        for how in ({"answered": False}, {"unsure": True})
    )
    assert [(one.change, one.before, one.after) for one in compared(refused, unsure).values()] == [
        ("improved", REFUSED, "unsure, though answerable"),
        ("flipped", "refused, rightly", "unsure, rightly"),
    ]
