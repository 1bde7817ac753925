"""Two runs compared: what is no evidence after the correction, and would be looked at alone, is told."""

from dashboard.run_tables import hints
from rag.evaluation.compare import Comparison
from rag.evaluation.differences import Difference


def difference(figure: str, p_value: float | None, adjusted_p: float | None) -> Difference:
    """From 0 to .5 over 12 questions, 6 changed: the exact test says p = 2 / 2^6 = .03125."""
    return Difference(
        figure=figure, count=12, before=0.0, after=0.5, changed=6, difference=0.5, low=0.25, high=0.75,
        p_value=p_value, adjusted_p=adjusted_p, test="McNemar", verdict="no evidence of a difference",
    )  # fmt: skip


def told(*differences: Difference) -> str:
    return hints(Comparison(before="a", after="b", paired=12, same_questions=True, differences=differences, verdict=""))


def test_a_figure_that_only_the_correction_holds_back_is_named_with_both_values() -> None:
    assert told(difference("hit@1", 1.0, 1.0), difference("false-answer rate", 0.03125, 0.40625)) == (
        "Looked at alone, without the correction for several figures, this differs: false-answer rate, 0.000 → 0.500 "
        "(p 0.031). That is a hint and no evidence; more questions would tell."
    )


def test_what_is_evidence_or_would_be_none_alone_is_no_hint() -> None:
    assert told(difference("coverage", 0.001, 0.013)) == ""
    assert told(difference("coverage", 0.2, 1.0)) == ""
    assert told(difference("time", None, None)) == ""
