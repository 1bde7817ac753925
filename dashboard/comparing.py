"""Two runs, question by question: what changed, and both answers side by side."""

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard import browser, components, queries, resources, run_lines, sources, state, tables
from dashboard.columns import CHANGED, DIFFERENCES, some
from dashboard.links import choose_run, draw_missing
from dashboard.sources import Cited
from dashboard.words import estimator, md, score, several
from rag.candor import Candor
from rag.evaluation.changed import CHANGES, Changed, headline
from rag.evaluation.compare import Comparison
from rag.evaluation.lines import EvaluationLine
from rag.evaluation.runs import Run
from rag.models import Answer
from rag.whatif.history import SETTINGS

LISTED = 500  # how many changed questions a table draws
_OF_QUERY = {"top_k", "similarity_threshold", "max_tokens", "temperature", "seed"}
"""The settings that a query holds and that nothing else of its answer overrides."""
_SHOWN = ("change", "question", "before", "after", "confidence_before", "confidence_after", "rank_before", "rank_after",
          "kind", "qid")  # fmt: skip
_JUDGED = (
    "Verdict and p are corrected for comparing several figures at once. The intervals are not corrected: an interval "
    "may exclude 0 although the verdict finds no evidence. Times are shown but not compared."
)


def draw_compare(candor: Candor) -> None:
    """Draw two runs: the figures with their paired intervals, and the questions that ended differently."""
    runs = queries.runs()
    if len(runs) < 2:
        components.empty_state("Two runs are needed", "Run a data set, change something, and run it again.",
                               icon=":material/compare_arrows:")  # fmt: skip
        return
    names, folder = [*runs], resources.runs_folder()
    with st.container(horizontal=True):
        before = choose_run("Before", names, key="before", default=names[1], width=320)
        after = choose_run("After", names, key="after", default=names[0], width=320)
    for key in ("before", "after"):
        draw_missing(key)
    comparison = queries.comparison(folder, before, after)
    changed = queries.changed_questions(folder, before, after)
    told = headline(changed, comparison.paired, proven=_proven(comparison))
    st.subheader(md(told), anchor=False) if comparison.paired else st.warning(md(comparison.verdict))
    parts = changed_parts(runs[before], runs[after], answers=(_one_answer(before), _one_answer(after)))
    differing = [f"These changed between the runs: {', '.join(parts)}."] if parts else comparison.notes[:1]
    st.caption(md(" ".join([*differing, *comparison.notes[1:]])))
    _draw_changed(candor, before, after, changed, paired=comparison.paired)
    st.markdown("**Figures, paired question by question**")
    components.table(tables.values_of(DIFFERENCES, comparison.differences), columns=DIFFERENCES, key="differences",
                     alt="Figures of both runs", height="content")  # fmt: skip
    st.caption(_JUDGED)


def _one_answer(run: str) -> Answer | None:
    lines = sorted(queries.run_lines(run)[:LISTED], key=lambda line: line.decision != "answered")
    return next((found for line in lines[:5] if (found := queries.run_answer(run, line))), None)


def _draw_changed(candor: Candor, before: str, after: str, found: Sequence[Changed], *, paired: int) -> None:
    if not found:
        st.caption(f"All of {several(paired, 'question')} that both runs asked ended the same, with the same words.")
        return
    st.markdown(f"**Questions that ended differently: {len(found)} of {paired}**")
    counts = {name: count for name in CHANGES if (count := sum(_is_shown(one, name) for one in found))}
    chosen = st.segmented_control("Show", [*counts], format_func=lambda name: f"{name.capitalize()} ({counts[name]})",
                                  key="changed-kind",
                                  help="By the labels; flipped: one run answered, the other did not. No choice: all "
                                       "of them.")  # fmt: skip
    listed = [one for one in found if _is_shown(one, chosen)][:LISTED]
    components.table(tables.values_of(some(CHANGED, *_SHOWN), listed), columns=CHANGED, key="changed",
                     alt="Questions that ended differently in the two runs")  # fmt: skip
    questions = {one.qid: one.question for one in listed}
    qid = st.selectbox("Side by side", [*questions], key="changed-qid",
                       format_func=lambda one: f"{one}: {questions[one]}")  # fmt: skip
    if qid is None:
        return
    if (line := queries.run_line(after, qid)) is not None:
        run_lines.draw_expected(candor, after, line, with_ranks=False)
    cited = []
    for place, title, run in zip(components.side_by_side(), ("Before", "After"), (before, after), strict=True):
        with place, st.container(border=True):
            st.markdown(f"**{md(f'{title}: {run}')}**")
            cited.append(_draw_side(title, run, queries.run_line(run, qid)))
    sources.draw_chosen(candor, browser.chosen_source(), cited)


def _is_shown(one: Changed, chosen: str | None) -> bool:
    return chosen is None or one.change == chosen or (chosen == "flipped" and one.flipped)


def _draw_side(title: str, run: str, line: EvaluationLine | None) -> Cited:
    """Draw how a question ended in a run, and return what it cites there, under a name of its own."""
    if line is None:
        st.markdown("The run does not contain this question.")
        return Cited("nothing")
    refused = f" at {line.refusal_stage}" if line.refusal_stage else ""
    st.markdown(f"{line.decision.capitalize()}{refused}, confidence **{score(line.confidence)}**")
    cited = Cited(title.lower(), line.citations, line.retrieved)
    for sentence in line.sentences:
        st.markdown(sources.with_chips(sentence, cited))
    components.inspect_link(**{state.OF_RUN: run, state.QID: line.qid})
    return cited


def _proven(comparison: Comparison) -> str:
    """Return the figures that are proven to have changed, in words; empty where none is."""
    found = [f"{one.figure} {one.verdict}" for one in comparison.differences
             if one.verdict in ("improved", "regressed")]  # fmt: skip
    return f"over {several(comparison.paired, 'question')} it is proven that {', '.join(found)}." if found else ""


def changed_parts(before: Run, after: Run, *, answers: tuple[Answer | None, Answer | None] = (None, None)) -> list[str]:
    """Return the parts in which two runs depend on something different, as words; settings with both values.

    `answers` are a whole one of each, which holds what it was asked with; None where a run holds none.
    """
    if before.fingerprints is None or after.fingerprints is None:
        return []
    old, new = before.fingerprints.model_dump(), after.fingerprints.model_dump()
    old["prompt"], new["prompt"] = _prompt(old["prompt"], answers[0]), _prompt(new["prompt"], answers[1])
    parts = [name for name in old if old[name] != new[name] and None not in (old[name], new[name])]
    if "settings" in parts:
        named = _changed_settings(_settings(before, answers[0]), _settings(after, answers[1]))
        place = parts.index("settings")
        parts[place : place + 1] = named or ["settings that the runs do not hold by name"]
    return parts


def _prompt(named: str, answer: Answer | None) -> str | None:
    """Return the prompt's fingerprint, empty where answers are quoted; a run takes it from its first question."""
    return named or (answer.fingerprints.prompt if answer is not None and answer.answer is not None else None)


def _settings(run: Run, answer: Answer | None) -> dict[str, object]:  # names and values as words, not data handed on
    values: dict[str, object] = {} if run.dense_weight is None else {"dense_weight": run.dense_weight}
    if answer is None:
        return values
    values |= answer.query.model_dump(include={*_OF_QUERY, "confidence_threshold", "estimator"})
    if answer.gate is not None:
        values |= {"confidence_threshold": round(answer.gate.threshold, 4), "estimator": answer.gate.estimator}
    return values | ({"model": answer.generator.model} if answer.generator.model else {})


def _changed_settings(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Return what differs between the settings that both hold."""
    return [f"{SETTINGS.get(name, name.replace('_', ' '))} {_value(name, value)} → {_value(name, new[name])}"
            for name, value in old.items() if name in new and value != new[name]]  # fmt: skip


def _value(name: str, value: object) -> str:
    if value is None:
        return "the estimator's own" if name == "confidence_threshold" else "none"
    return estimator(str(value)) if name == "estimator" else str(value)
