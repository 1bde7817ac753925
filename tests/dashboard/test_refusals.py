"""What a refusal says of what was missing, and where a dropped sentence stands; worked on answers made by hand."""

import pytest
import recorded

from dashboard.answer_card import in_order, supported
from dashboard.refusals import how_far, in_short, needed
from dashboard.words import held_against, spoke
from rag.models import (
    Answer,
    AnswerSentence,
    Cuts,
    Dropped,
    Filters,
    GateDecision,
    GroundedSentence,
    Grounding,
    Mode,
    NearMiss,
    Refusal,
)

GATE = GateDecision(passed=False, estimator="calibrated", confidence=0.42, threshold=0.55, margin=-0.13, reason="Low.")
MISS = NearMiss(chunk_id="c", document="a.md", excerpt="Text.", similarity_score=0.31)


def refused(gate: GateDecision = GATE, *, filters: Filters | None = None, grounding: Grounding | None = None) -> Answer:
    """A refusal at a gate, of a question with a similarity threshold of .4."""
    base = recorded.refused()
    query = base.query.model_copy(update={"filters": filters or Filters(), "similarity_threshold": 0.4})
    refusal = Refusal(stage="gate", reason="Not found.", advice="Add a document.")
    return base.model_copy(update={"query": query, "gate": gate, "refusal": refusal, "grounding": grounding})


def test_a_refusal_at_the_gate_says_how_much_confidence_was_missing() -> None:
    assert how_far(GATE).startswith("Confidence 0.42 is 0.13 below the threshold of 0.55")
    wanted = needed(refused())
    assert wanted[0].startswith("A confidence of 0.55 or more: 0.13 more")
    assert wanted[-1] == "Add a document."


def test_no_threshold_is_named_that_would_let_everything_through() -> None:
    far = GATE.model_copy(update={"confidence": 0.004, "threshold": 0.67, "margin": -0.666})
    assert needed(refused(far))[0] == "A confidence of 0.67 or more: 0.67 more than there is."
    low = GATE.model_copy(update={"confidence": 0.02, "threshold": 0.64, "margin": -0.62})
    assert needed(refused(low))[0] == "A confidence of 0.64 or more: 0.62 more than there is."


def test_a_refusal_does_not_say_twice_what_speaks_against_answering() -> None:
    listed = GATE.model_copy(update={"against": ("No document uses “moons”.",)})
    told = recorded.refused().model_copy(update={"gate": listed, "message": "Not found. No document uses “moons”."})
    assert in_short(told).endswith("Confidence 0.42 is 0.13 below the threshold of 0.55 (Calibrated).")
    assert "moons" not in in_short(told)


def test_a_refusal_without_reasons_says_how_far_it_was_and_not_twice_what_to_do() -> None:
    refusal = Refusal(stage="gate", reason="Not found.", advice="Read it.")
    told = refused(GATE.model_copy(update={"nearest_misses": (MISS,)})).model_copy(
        update={"refusal": refusal, "message": "Not found. Read it."}
    )
    assert in_short(told) == f"The documents do not answer this well enough. {how_far(GATE)}"
    assert needed(told)[-1] == "Read it."
    nothing_found = told.model_copy(update={"gate": GATE})
    assert in_short(nothing_found) == "Not found."
    assert needed(nothing_found)[-1] == "Read it."
    unlike = told.model_copy(update={"refusal": None, "gate": None})
    assert in_short(unlike) == "Not found. Read it."


def test_what_is_missing_by_a_hair_is_told_with_more_digits() -> None:
    close = GATE.model_copy(update={"confidence": 0.4958, "threshold": 0.5, "margin": -0.0042})
    assert how_far(close).startswith("Confidence 0.4958 is 0.0042 below the threshold of 0.5000")
    assert "With a threshold of 0.4958 or less" in needed(refused(close))[0]
    assert held_against(close) == ("0.4958", "0.5000")  # not 0.50 and 0.50
    assert held_against(GATE) == ("0.42", "0.55")


def test_what_a_pasted_text_does_not_answer_is_not_said_of_the_documents() -> None:
    gate = GATE.model_copy(update={"nearest_misses": (MISS,)})
    answer = refused(gate)
    pasted = answer.query.model_copy(update={"mode": Mode.SELECTED_TEXT_ONLY, "context": "Text."})
    assert in_short(answer).startswith("The documents do not answer this well enough.")
    assert in_short(answer.model_copy(update={"query": pasted})).startswith("The pasted text does not answer this")
    assert spoke("extractive", None) == "Quoted from the documents"
    assert spoke("extractive", None, is_pasted=True) == "Quoted from the pasted text"


def test_the_three_numbers_of_a_refusal_add_up_as_they_are_shown() -> None:
    # .6523 - .6356 = .0167, which rounds to .02; what is shown is .65 - .64
    near = GATE.model_copy(update={"confidence": 0.6356, "threshold": 0.6523, "margin": -0.0167})
    assert how_far(near).startswith("Confidence 0.64 is 0.01 below the threshold of 0.65")
    wanted = needed(refused(near))[0]
    assert wanted.startswith("A confidence of 0.65 or more: 0.01 more than there is. With a threshold of 0.63 or less")


def test_filters_and_similarity_threshold_are_named_where_they_kept_passages_out() -> None:
    gate = GATE.model_copy(update={"removed_by_filters": 7, "removed_by_threshold": 3})
    said = " ".join(needed(refused(gate, filters=Filters(source="a.md"))))
    assert "one of the 7 passages that the filter (document a.md) left out" in said
    assert "A similarity threshold below 0.40: it dropped 3 passages." in said


def dropped(*cosines: float | None, threshold: int | None = None) -> Cuts:
    """What retrieval dropped: one candidate that ranked too low, and those below the threshold."""
    listed = [Dropped("x", "rank", 0.7), *(Dropped(f"d{cosine}", "threshold", cosine) for cosine in cosines)]
    return Cuts(candidates=9, rank=1, threshold=len(cosines) if threshold is None else threshold, listed=tuple(listed))


def test_the_similarity_named_is_that_of_a_passage_that_was_dropped() -> None:
    gate = GATE.model_copy(update={"removed_by_threshold": 3})
    nothing_left = refused(gate).model_copy(update={"cuts": dropped(0.21, 0.35, None)})
    assert "A similarity threshold below 0.40: it dropped 3 passages; the nearest reaches 0.35." in needed(nothing_left)
    unlisted = nothing_left.model_copy(update={"cuts": dropped(0.21, threshold=3)})  # two are not in the record
    assert "A similarity threshold below 0.40: it dropped 3 passages." in needed(unlisted)


def test_what_the_confidence_refused_is_not_said_to_have_needed_a_lower_similarity_threshold() -> None:
    miss = MISS.model_copy(update={"similarity_score": 0.46})
    gate = GATE.model_copy(update={"removed_by_threshold": 3, "nearest_misses": (miss,)})
    wanted = needed(refused(gate).model_copy(update={"cuts": dropped(0.39, 0.2, 0.1)}))
    assert "Perhaps one of the 3 passages that the similarity threshold of 0.40 dropped; the nearest reaches 0.39." in (
        wanted
    )
    assert not any("A similarity threshold below" in one or "0.46" in one for one in wanted)


def test_advice_to_take_the_filter_off_is_left_to_the_button_below() -> None:
    gate = GATE.model_copy(update={"removed_by_filters": 7})
    narrowed = refused(gate, filters=Filters(source="a.md")).model_copy(
        update={"message": "Not found. Add a document."}
    )
    assert "Add a document." not in needed(narrowed)
    assert in_short(narrowed) == "Not found."
    assert "Add a document." in needed(narrowed.model_copy(update={"query": refused().query}))
    checked = narrowed.refusal.model_copy(update={"stage": "grounding"}) if narrowed.refusal else None
    assert needed(narrowed.model_copy(update={"refusal": checked}))[-1] == "Add a document."


def test_one_passage_is_told_as_one() -> None:
    gate = GATE.model_copy(update={"removed_by_filters": 1, "removed_by_threshold": 1})
    said = " ".join(needed(refused(gate, filters=Filters(source="a.md"))))
    assert "Perhaps the one passage that the filter (document a.md) left out." in said
    assert "it dropped 1 passage." in said


def test_a_draft_whose_sentences_fell_needed_a_passage_that_carries_them() -> None:
    fell = GroundedSentence(text="It was Ada.", supported=False, support=0.1, reason="No passage says so.")
    passed = GATE.model_copy(update={"passed": True, "confidence": 0.9, "margin": 0.35})
    answer = refused(passed, grounding=Grounding(is_valid=False, sentences=(fell,)))
    assert needed(answer)[0] == "A passage that carries what was written: 1 of 1 sentence fell."


def test_nothing_was_needed_where_there_is_an_answer() -> None:
    assert needed(recorded.answered()) == []


# --- dropped sentences in their places ---------------------------------------------------------------------------


def answered(shown: list[str], dropped_after: dict[int, str]) -> Answer:
    """An answer whose draft had a dropped sentence after the n-th that is shown."""
    checked = [GroundedSentence(text=one, supported=True, support=0.9, passages=(1,)) for one in shown]
    for place, fell in sorted(dropped_after.items(), reverse=True):
        checked.insert(place, GroundedSentence(text=fell, supported=False, support=0.0, reason="Not there."))
    return recorded.answered().model_copy(
        update={
            "sentences": tuple(AnswerSentence(text=one, support=0.9, citations=(0,)) for one in shown),
            "grounding": Grounding(is_valid=not dropped_after, sentences=tuple(checked)),
        }
    )


def words(answer: Answer) -> list[str]:
    return [
        f"-{step.text}" if isinstance(step, GroundedSentence) else " ".join(one.text for one in step)
        for step in in_order(answer)
    ]


@pytest.mark.parametrize(
    ("dropped", "expected"),
    [
        ({}, ["A. B. C."]),
        ({1: "X."}, ["A.", "-X.", "B. C."]),
        ({0: "X.", 3: "Y."}, ["-X.", "A. B. C.", "-Y."]),
    ],
    ids=["nothing dropped", "in the middle", "first and last"],
)
def test_a_dropped_sentence_stands_where_it_was_written(dropped: dict[int, str], expected: list[str]) -> None:
    assert words(answered(["A.", "B.", "C."], dropped)) == expected


def test_one_sentence_two_and_more_are_told_as_such() -> None:
    cited = recorded.answered().citations[:1]
    told = [supported(answered([*shown], {}).model_copy(update={"citations": cited})) for shown in ("A", "AB", "ABC")]
    assert told == [
        "The sentence shown is supported by the passage it cites.",
        "Both sentences shown are supported by the passage they cite.",
        "All 3 sentences shown are supported by the passage they cite.",
    ]


def test_an_answer_that_stands_in_for_the_draft_is_shown_alone() -> None:
    answer = answered(["A."], {1: "X."})
    other = answer.model_copy(update={"sentences": (AnswerSentence(text="Quoted.", support=1.0, citations=(0,)),)})
    assert words(other) == ["Quoted."]
