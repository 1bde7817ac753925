"""How the columns of tables of labelled questions are named, explained and drawn: runs, gates, comparisons, agreement.

Tables draw their columns in the order in which they stand here: what a narrow screen must show comes first.
"""

import streamlit as st

from dashboard.columns import REFUSED_AT

_number, _text = st.column_config.NumberColumn, st.column_config.TextColumn

RISK = {
    "threshold": _number("Threshold", format="%.3f"),
    "answered": _number("Answered"),
    "coverage": _number("Coverage", format="percent"),
    "false_answers": _number("False answers"),
    "false_answer_rate": _number("False-answer rate", format="percent"),
    "false_answer_upper": _number("At most (95%)", format="percent"),
    "risk": _number("Risk", format="percent", help="Unanswerable, among what is answered."),
}
PROMISES = {
    "reading": _text("Read as", width="medium"),
    "threshold": _number("Threshold", format="%.4f", help="Answer where confidence reaches this. Dash: none will do."),
    "false_answers": _number("False answers here", help="Unanswerable questions that it answers on these data."),
    "unanswerable": _number("Unanswerable", help="Questions with a label that the documents do not answer."),
    "coverage": _number("Coverage", format="percent", help="Answered, of the questions that the documents answer."),
    "answered": _number("Answered here", help="Answerable questions that it answers on these data."),
    "answerable": _number("Answerable", help="Questions with a label that the documents answer."),
    "needed": _number("Labels missing", help="How many more unanswerable questions must be judged at least."),
}
RUNS = {
    "name": _text("Run", width=190),
    "coverage": _number("Coverage", format="percent", help="Answered, of the answerable.", width=75),
    "false_answer_rate": _number("False answers", format="percent", help="Answered, of the unanswerable.", width=100),
    "false_answer_upper": _number(
        "At most (95%)", format="percent", help="One-sided upper bound of the false-answer rate.", width=105
    ),
    "auroc": _number("AUROC", format="%.3f", help="How well confidence tells answerable from unanswerable.", width=70),
    "questions": _number("Questions", width=80),
    "answerable": _number("Answerable", width=88),
    "unanswerable": _number("Unanswerable", width=102),
    "dataset": _text("Data set", width=110),
    "started_at": st.column_config.DatetimeColumn("Started (UTC)", format="YYYY-MM-DD HH:mm"),
}
GATES = {
    "gate": _text("Gate"),
    "in_force": st.column_config.CheckboxColumn("In force", width="small"),
    "fitted_at": st.column_config.DatetimeColumn("Fitted (UTC)", format="YYYY-MM-DD HH:mm"),
    "fitted_on": _text("Fitted on", width="medium"),
    "threshold": _number("Threshold", format="%.4f", width="small"),
    "at_most": _number("At most (95%)", format="percent", help="Upper bound of the false-answer rate; dash: none."),
    "unsure_threshold": _number("Unsure from", format="%.4f", width="small", help="Refused below."),
    "refused_at_most": _number(
        "Refused at most (95%)", format="percent", help="Upper bound of the share refused, of the answerable."
    ),
    "guarantee": _text("Guarantee", width="large"),
}
WORTH = {
    "dataset": _text("Questions"),
    "auroc": _number("AUROC", format="%.3f", help="How well confidence tells answerable from unanswerable; 1: always."),
    "coverage": _number("Coverage", format="percent", help="Answered, of the answerable."),
    "coverage_before": _number("Coverage before", format="percent"),
    "false_answer_rate": _number("False answers", format="percent", help="Answered, of the unanswerable."),
    "false_answers_before": _number("False answers before", format="percent"),
    "refused": _number("Refused", format="percent", help="Refused, of the answerable."),
    "unsure": _number("Unsure", format="percent", help="Neither answered nor refused, of the unanswerable."),
}
FIGURES = {
    "group": _text("Group"),
    "figure": _text("Figure", width="medium", help="What each means stands below the table."),
    "value": _number("Value", format="%.4f"),
    "counted": _number("Counted", format="%.6g", help="The numerator, where it is a share."),
    "of": _number("Of", help="The denominator: how many questions, answers or citations it is over."),
    "low": _number("95% from", format="%.4f"),
    "high": _number("95% to", format="%.4f"),
    "at_most": _number("At most", format="%.4f", help="One-sided 95% upper bound."),
}
PARTS = {
    "part": _text("Part", width=125),
    "questions": _number("Questions"),
    "coverage": _number("Coverage", format="percent", help="Answered, of the answerable."),
    "coverage_of": _text(
        "Counted (95%)", width=135, help="Answered of answerable questions; where the true share may lie."
    ),
    "false_answers": _number("False answers", format="percent", help="Answered, of the unanswerable."),
    "false_answers_of": _text(
        "Counted (95%)", width=135, help="Answered of unanswerable questions; where the true share may lie."
    ),
    "hit@5": _number("hit@5", format="percent", help="A relevant passage is among the first five."),
    "hit_of": _text("Counted (95%)", width=135, help="Of the questions with a gold passage, as MRR@10."),
    "MRR@10": _number("MRR@10", format="%.3f", help="Mean of 1 / rank of the first relevant passage; 1: always first."),
    "contains_gold": _number("Gold in answer", format="percent", help="Answers with the gold answer of the label."),
    "gold_of": _text("Counted (95%)", width=135, help="Of the answers whose label holds an answer."),
    "citation_precision": _number("Citation precision", format="percent", help="Citations of a relevant passage."),
    "citations_of": _text("Counted (95%)", width=135, help="Of the citations of answers with a gold passage."),
}
WORST = {
    "problem": _text("What went wrong", width=240),
    "question": _text("Question", width=300),
    "confidence": _number("Confidence", format="%.3f", width=86),
    "refused_at": _text("Refused at", help=REFUSED_AT, width=86),
    "kind": _text("Kind", width=70),
    "qid": _text("Id", width=90),
    "answer": _text("Answer", width="large"),
}
ALONE = "Of this figure alone: not corrected for the number of figures."
DIFFERENCES = {
    "figure": _text("Figure", width=225),
    "verdict": _text("Verdict", width=165, help="At 5% over all figures together."),
    "before": _number("Before", format="%.4f", width=70),
    "after": _number("After", format="%.4f", width=70),
    "difference": _number("Difference", format="%+.4f", width=76),
    "low": _number("95% from", format="%+.4f", help=ALONE, width=70),
    "high": _number("95% to", format="%+.4f", help=ALONE, width=70),
    "adjusted_p": _number(
        "p, corrected",
        format="%.4f",
        help="How probable so large a difference is by chance alone, corrected for the number of figures.",
        width=84,
    ),
    "count": _number("Questions", width=74),
    "changed": _number("Changed", help="Questions in which the runs differ; fewer than 6 can prove nothing.", width=66),
}
CHANGED = {
    "change": _text("Change", help="By the label: improved or regressed; without one, flipped.", width=92),
    "question": _text("Question", width=210),
    "before": _text("Before", width=130),
    "after": _text("After", width=190),
    "answerable": _text("Answerable", help="What the label says; dash: not labelled.", width=86),
    "confidence_before": _number("Confidence before", format="%.3f", width=126),
    "confidence_after": _number("Confidence after", format="%.3f", width=126),
    "threshold_before": _number("Threshold before", format="%.3f", width=126),
    "threshold_after": _number("Threshold after", format="%.3f", width=126),
    "rank_before": _number(
        "Found at, before", help="Rank of the first relevant passage; dash: not among ten.", width=80
    ),
    "rank_after": _number("Found at, after", help="Rank of the first relevant passage; dash: not among ten.", width=80),
    "exact": st.column_config.CheckboxColumn("Exact", help="The record holds all that this rests on.", width="small"),
    "kind": _text("Kind", width=70),
    "qid": _text("Id", width=90),
    "request_id": _text("Request"),
}
CHANGED_BY_SETTINGS = CHANGED | {
    "before": _text("As now", help="How it ends with the slider at its start.", width=76),
    "after": _text("Would end", width=82),
}
AGREEMENT = {
    "judged": _text("Judged", width=210),
    "kappa": _number("Cohen's kappa", format="%.2f", help="1: perfect; 0: no more than by chance.", width=105),
    "low": _number("95% from", format="%.2f", width=78),
    "high": _number("95% to", format="%.2f", width=70),
    "observed": _number("Same verdict", format="percent", help="Equal verdicts, of those judged by both.", width=95),
    "items": _number("Judged by both", help="What the share and kappa are counted over.", width=110),
    "requests": _number("Requests", help="Of how many requests they are.", width=80),
}
ALPHA = {
    "judged": AGREEMENT["judged"],
    "alpha": _number("Alpha", format="%.2f", help="1: perfect; 0: no more than by chance.", width=78),
    "low": AGREEMENT["low"],
    "high": AGREEMENT["high"],
    "items": _number("Judged by two or more", help="What alpha is counted over.", width=150),
    "verdicts": _number("Verdicts", help="How many were given on these.", width=80),
    "requests": AGREEMENT["requests"],
}
DISAGREEMENTS = {
    "question": _text("Question", width=250),
    "judged": _text("Judged", width=180),
    "first": _text("First", width=90),
    "second": _text("Second", width=90),
    "settled": _text("Settled", width=80),
    "item": _text("Passage", help="Its id."),
    "target": _text("Request"),
}
HISTORY = {
    "No.": _number("No.", width=46),
    "State": _text("State", help="In force, replaced by a later one, or taken back.", width=88),
    "Changed": _text("Changed", help="From what to what; the threshold stands first.", width=380),
    "Why": _text("Why", width=150),
    "Who": _text("Who", width=80),
    "When": _text("When", width=160),
    "Chosen on": _text("Chosen on", help="The questions it was tried on, and what it did there.", width=300),
    "Undone": _text("Undone", width=160),
    "Undone by": _text("Undone by", width=90),
}
