"""A refusal as people see it: how far from an answer it was, what spoke against one, and what one would have needed."""

import math
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import asking, components, sources
from dashboard.words import decimals, estimator, md, quoted, score, several, where
from rag.models import Answer, Cuts, GateDecision, Mode

if TYPE_CHECKING:
    from rag.candor import Candor


def draw_refusal(candor: "Candor", answer: Answer, key: str, *, is_inspected: bool = False) -> None:
    """Draw why there is no answer, and what could be done about it.

    Args:
        candor: Where the closest passages are.
        answer: The refusal.
        key: Unique on the page.
        is_inspected: Whether it is drawn on Inspect, where the settings of Ask are not at hand.
    """
    gate = answer.gate
    st.warning(md(in_short(answer)), title="No answer", icon=":material/do_not_disturb_on:")
    if gate is not None and gate.against:
        st.markdown("**What speaks against answering**")
        st.markdown("\n".join(f"- {md(one)}" for one in gate.against))
    if wanted := needed(answer):
        st.markdown("**What an answer would have needed**")
        st.markdown("\n".join(f"- {md(one)}" for one in wanted))
    if _is_narrowed(answer):
        _draw_widening(answer.query.question, key, is_inspected=is_inspected)
    _draw_misses(candor, answer, key)


def _draw_widening(question: str, key: str, *, is_inspected: bool) -> None:
    """Draw the way to the same question without the filter. On Ask a link would leave the filter where it is."""
    label, icon = "Ask again everywhere", ":material/filter_alt_off:"
    if is_inspected:
        components.page_link("pages/ask.py", label, icon=icon, params={"question": question})
    else:
        st.button(label, key=f"{key}-everywhere", icon=icon, on_click=asking.ask_everywhere, args=(question,))


def in_short(answer: Answer) -> str:
    """Return a refusal in a sentence or two, without the reasons and the advice that are listed below it."""
    gate = answer.gate
    if gate is not None and not gate.passed and (gate.against or gate.nearest_misses):
        is_pasted = answer.query.mode is Mode.SELECTED_TEXT_ONLY
        subject = "The pasted text does" if is_pasted else "The documents do"
        return f"{subject} not answer this well enough. {how_far(gate)}"
    return answer.refusal.reason if answer.refusal else answer.message or ""


def how_far(gate: GateDecision) -> str:
    """Return how far below the threshold a question was."""
    if gate.passed:
        return f"The passages were good enough (confidence {gate.confidence:.2f}, threshold {gate.threshold:.2f})."
    digits = decimals(gate)
    return (
        f"Confidence {gate.confidence:.{digits}f} is {_gap(gate):.{digits}f} below the threshold of "
        f"{gate.threshold:.{digits}f} ({estimator(gate.estimator)})."
    )


def _gap(gate: GateDecision) -> float:
    """Return how far confidence is below the threshold as both are shown, so that the three numbers add up."""
    digits = decimals(gate)
    return round(gate.threshold, digits) - round(gate.confidence, digits)


def needed(answer: Answer) -> list[str]:
    """Return what would have been needed for an answer, as far as the record tells; nothing where there is one."""
    if answer.refusal is None:
        return []
    return [*_of_the_gate(answer.gate), *_of_the_settings(answer), *_of_the_check(answer), *_advice(answer)]


def _of_the_gate(gate: GateDecision | None) -> list[str]:
    if gate is None or gate.passed:
        return []
    digits = decimals(gate)
    most = math.floor(gate.confidence * 10**digits) / 10**digits
    wanted = f"A confidence of {gate.threshold:.{digits}f} or more: {_gap(gate):.{digits}f} more than there is."
    if most < gate.threshold / 2:  # so low that it would let nearly everything through
        return [wanted]
    return [f"{wanted} With a threshold of {most:.{digits}f} or less the same passages would have been answered from."]


def _of_the_settings(answer: Answer) -> list[str]:
    """Return which settings kept passages out."""
    gate, filters = answer.gate, answer.query.filters.model_dump(exclude_none=True)
    if gate is None:
        return []
    found = []
    if filters and gate.removed_by_filters:
        named = ", ".join(f"{'document' if name == 'source' else name} {value}" for name, value in filters.items())
        left_out = (
            "the one passage" if gate.removed_by_filters == 1 else f"one of the {gate.removed_by_filters} passages"
        )
        found.append(f"Perhaps {left_out} that the filter ({named}) left out.")
    return [*found, *_of_the_similarity_threshold(answer, gate)]


def _of_the_similarity_threshold(answer: Answer, gate: GateDecision) -> list[str]:
    """Return what the similarity threshold kept out: all that was found, or passages beside those that were read."""
    count, threshold = gate.removed_by_threshold, f"{answer.query.similarity_threshold:.2f}"
    if not count:
        return []
    best = _nearest_dropped(answer.cuts)
    more = "" if best is None else f"; the nearest reaches {best:.2f}" if count > 1 else f"; it reaches {best:.2f}"
    if not gate.nearest_misses:
        return [f"A similarity threshold below {threshold}: it dropped {several(count, 'passage')}{more}."]
    dropped = "the one passage" if count == 1 else f"one of the {count} passages"
    return [f"Perhaps {dropped} that the similarity threshold of {threshold} dropped{more}."]


def _nearest_dropped(cuts: Cuts | None) -> float | None:
    """Return the best similarity of what the threshold dropped; None where the record does not hold it."""
    dropped = [one for one in cuts.listed if one.why == "threshold"] if cuts else []
    known = [one.cosine for one in dropped if one.cosine is not None]
    is_whole = cuts is not None and (len(dropped) == cuts.threshold or any(one.dense_rank == 1 for one in dropped))
    return max(max(known), 0.0) if known and is_whole else None


def _of_the_check(answer: Answer) -> list[str]:
    if answer.grounding is None or not answer.grounding.sentences:
        return []
    dropped = sum(not one.supported for one in answer.grounding.sentences)
    if not dropped:
        return []
    fell = f"{dropped} of {several(len(answer.grounding.sentences), 'sentence')} fell"
    return [f"A passage that carries what was written: {fell}."]


def _advice(answer: Answer) -> list[str]:
    if answer.refusal is None or not answer.refusal.advice or _is_for_the_command_line(answer):
        return []
    return [answer.refusal.advice]


def _is_for_the_command_line(answer: Answer) -> bool:
    """Return whether a refusal's advice is to take the filter off by hand: here a button does that."""
    return bool(answer.refusal and answer.refusal.stage == "gate" and _is_narrowed(answer))


def _is_narrowed(answer: Answer) -> bool:
    gate = answer.gate
    return bool(gate and gate.removed_by_filters and not answer.query.filters.is_empty)


def _draw_misses(candor: "Candor", answer: Answer, key: str) -> None:
    """Draw the closest passages; each opens where it stands."""
    misses = [sources.placed(miss, answer) for miss in answer.gate.nearest_misses] if answer.gate else []
    if misses:
        st.markdown("**The closest passages**, by their best sentences")
    for number, miss in enumerate(misses, start=1):
        named = f"**{md(where(miss))}** :small[whole passage: similarity {score(miss.similarity_score)}]"
        with st.container(border=True, gap="small"):
            if sources.draw_named(named, key=f"{key}-miss-{number}", told=f"Excerpt {number}, where it stands"):
                sources.open_source(candor, miss, sources.cited_by(answer))
            st.markdown(quoted(miss.excerpt))
            if miss.stated:
                st.markdown(f":small[{md(miss.stated)}]")  # not a caption: too faint for what is to be read
