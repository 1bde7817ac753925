"""Two runs compared: what is no evidence after the correction, and would be looked at alone, is told."""

from dashboard.run_tables import banner, hints, how_judged
from rag.evaluation.changed import Change, Changed
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


def changed(*kinds: Change) -> list[Changed]:
    return [
        Changed(
            qid=str(number), question="Which?", change=kind, before="right", after="wrong", confidence_before=0.5,
            confidence_after=0.5, rank_before=1, rank_after=1, kind="span", flipped=False,
        )
        for number, kind in enumerate(kinds)
    ]  # fmt: skip


def test_the_banner_names_single_questions_and_calls_them_no_evidence_only_where_no_figure_is() -> None:
    none = difference("coverage", 0.2, 1.0)
    found = none.model_copy(update={"verdict": "regressed", "p_value": 0.001, "adjusted_p": 0.01})

    def said(one: Difference, *kinds: Change) -> str:
        comparison = Comparison(before="a", after="b", paired=12, same_questions=True, differences=(one,), verdict="V.")
        return banner(comparison, changed(*kinds))

    assert said(none) == said(none, "flipped") == "V."
    assert said(none, "regressed", "improved", "regressed") == (
        "V. Of single questions 2 regressed and 1 improved (listed below): a fact about these questions, and no "
        "evidence about others."
    )
    assert said(found, "regressed") == "V. Of single questions 1 regressed (listed below)."


def test_only_what_is_tested_counts_among_the_figures_that_rows_are_corrected_for() -> None:
    differences = (difference("coverage", 0.2, 1.0), difference("hit@1", 0.1, 0.2), difference("time", None, None))
    comparison = Comparison(before="a", after="b", paired=1, same_questions=True, differences=differences, verdict="V.")
    assert "of every row are corrected for looking at 2 figures at once" in how_judged(comparison)
