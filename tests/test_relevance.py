"""A sentence counts as much as the text that carries it answers the question; no check judges anything twice."""

import pytest
from passages import hit
from readers import ScriptedReader

from rag.models import GateDecision, GroundedSentence, Grounding
from rag.speaking.relevance import BESIDE, Relevance

QUESTION = "How long are eyes rinsed?"
PASSAGE = hit("Rinse eyes for fifteen minutes. Showers are tested weekly. Call the nurse.")


def decision(threshold: float = 0.4, unsure: float | None = 0.12) -> GateDecision:
    return GateDecision(
        passed=True,
        outcome="answered",
        estimator="calibrated" if unsure is not None else "mean_similarity",
        confidence=0.9,
        threshold=threshold,
        unsure_threshold=unsure,
        margin=0.5,
        reason="It answers.",
    )


def said(text: str, evidence: str, support: float = 0.9) -> GroundedSentence:
    return GroundedSentence(text=text, supported=True, support=support, passages=(1,), evidence=(evidence,))


def reads(question: str, text: str) -> float:
    return 0.8 if "fifteen" in text else 0.3 if "nurse" in text else 0.05


RINSE = said("For fifteen minutes.", "Rinse eyes for fifteen minutes.")
TESTED = said("Showers are tested weekly.", "Showers are tested weekly.")
NURSE = said("Call the nurse.", "Call the nurse.")


def judged(*sentences: GroundedSentence, against: GateDecision | None = None) -> Grounding:
    grounding = Grounding(is_valid=True, sentences=sentences, answers=True)
    return Relevance(ScriptedReader(reads), [QUESTION], against or decision()).judged(grounding, [PASSAGE])


def test_a_true_sentence_beside_the_question_is_left_out_and_says_so() -> None:
    found = judged(RINSE, TESTED)  # .9 * .05 is below .12
    assert [one.supported for one in found.sentences] == [True, False]
    assert found.sentences[1].reason == BESIDE
    assert (found.answers, found.is_valid) == (True, False)
    assert found.sentences[0].counts == pytest.approx(0.9 * 0.8)


def test_sentences_of_which_none_reaches_the_threshold_are_no_answer() -> None:
    assert not judged(NURSE).answers  # .9 * .3 = .27
    assert judged(NURSE, against=decision(threshold=0.25)).answers


def test_a_sentence_counts_as_the_window_that_holds_it_where_that_reads_better() -> None:
    passage = hit(PASSAGE.content, cut=(2, 1), readings=(0.7, 0.2))
    relevance = Relevance(ScriptedReader(reads), [QUESTION], decision())
    found = [relevance.of(one, [passage]).relevance for one in (TESTED, NURSE)]
    assert found == [0.7, 0.3]  # the window of the first two sentences; the sentence alone
