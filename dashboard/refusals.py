"""What stands where there is no answer: what comes closest first, then what kept passages out; figures stand elsewhere.

Of a question that Candor is unsure of nothing is claimed: the sentences that come closest are marked where they stand.
"""

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import asking, components, judging, sources
from dashboard.words import md, several, where
from rag.models import Answer, Cuts, GateDecision, NearMiss

if TYPE_CHECKING:
    from rag.candor import Candor

_CALLED = {"source": "document", "sources": "documents"}
"""What filters are called in a message, where that is not their name."""


def draw_unanswered(candor: "Candor", answer: Answer, key: str, *, is_inspected: bool = False) -> None:
    """Draw what comes closest to an answer, and what could be done about it.

    Args:
        candor: Where the closest passages are.
        answer: Unsure, or a refusal.
        key: Unique on the page.
        is_inspected: Whether it is drawn on Inspect, where the settings of Ask are not at hand.
    """
    st.markdown(f"**{md(answer.refusal.reason if answer.refusal else answer.message or '')}**{_closest_told(answer)}")
    cited = sources.cited_by(answer)
    misses = answer.gate.nearest_misses if answer.gate else ()
    for number, miss in enumerate(misses, start=1):
        _draw_miss(miss, cited, number)
    if hints := what_helps(answer):
        st.markdown("\n".join(f"- {md(one)}" for one in hints))
    if answer.outcome == "refused":
        st.caption(judging.indexed([record.document for record in candor.documents()]))
    with st.container(horizontal=True, vertical_alignment="center"):
        if _is_narrowed(answer):
            _draw_widening(answer.query.question, key, is_inspected=is_inspected)
        if not is_inspected:
            _draw_ways_on(answer, key)


def _closest_told(answer: Answer) -> str:
    if answer.gate is None or not answer.gate.nearest_misses:
        return ""
    return " These sentences come closest:" if answer.outcome == "unsure" else "  \nWhat comes nearest:"


def _draw_ways_on(answer: Answer, key: str) -> None:
    """Draw what the person can do: judge the closest sentences, tell the owner, ask in other words."""
    if answer.outcome == "unsure" and answer.gate and answer.gate.nearest_misses:
        judging.draw_closest(answer, key)
    else:
        judging.draw_owner(answer, key)
    judging.draw_otherwise(answer.query.question, f"{key}-again", "Ask in other words")


def _draw_widening(question: str, key: str, *, is_inspected: bool) -> None:
    """Draw the way to the same question without the filter. On Ask a link would leave the filter where it is."""
    label, icon = "Ask again everywhere", ":material/filter_alt_off:"
    if is_inspected:
        components.page_link("pages/ask.py", label, icon=icon, params={"question": question})
    else:
        st.button(label, key=f"{key}-everywhere", icon=icon, on_click=asking.ask_everywhere, args=(question,))


# --- what comes closest ------------------------------------------------------------------------------------------


def _draw_miss(miss: NearMiss, cited: sources.Cited, number: int) -> None:
    """Draw one of the closest passages, the first large and the others small; its link leads to where it stands."""
    excerpt = sources.marked_part(miss.excerpt, miss.sentence)
    place = f":small[{sources.chip(cited, number)} {md(where(cited.sources[number - 1]))}]"
    stated = f"  \n:small[{md(miss.stated)}]" if miss.stated else ""
    shown = excerpt if number == 1 else f":small[{excerpt}]"
    with st.container(key=f"closest-{number}-{cited.name}", border=number == 1, gap="xxsmall"):
        st.markdown(f"{shown}{stated}  \n{place}")


# --- what helps --------------------------------------------------------------------------------------------------


def what_helps(answer: Answer) -> list[str]:
    """Return which settings kept passages out, and the advice where no passage stands above it; plain text."""
    gate, refusal = answer.gate, answer.refusal
    found = _of_the_settings(answer, gate) if gate else []
    is_told = gate is not None and bool(gate.nearest_misses)
    if refusal is None or not refusal.advice or _is_narrowed(answer) or (is_told and refusal.stage == "gate"):
        return found
    return [*found, refusal.advice]


def _of_the_settings(answer: Answer, gate: GateDecision) -> list[str]:
    filters = answer.query.filters.named
    found = []
    if filters and gate.removed_by_filters:
        named = ", ".join(f"{_CALLED.get(name, name)} {_told(value)}" for name, value in filters.items())
        left_out = (
            "the one passage" if gate.removed_by_filters == 1 else f"one of the {gate.removed_by_filters} passages"
        )
        found.append(f"Perhaps {left_out} that the filter ({named}) left out would answer.")
    return [*found, *_of_the_similarity_threshold(answer, gate)]


def _told(value: object) -> str:
    return " and ".join(value) if isinstance(value, tuple) else str(value)


def _of_the_similarity_threshold(answer: Answer, gate: GateDecision) -> list[str]:
    """Return what the similarity threshold kept out: all that was found, or passages beside those that were read."""
    count, threshold = gate.removed_by_threshold, f"{answer.query.similarity_threshold:.2f}"
    if not count:
        return []
    best = _nearest_dropped(answer.cuts)
    more = "" if best is None else f"; the nearest reaches {best:.2f}" if count > 1 else f"; it reaches {best:.2f}"
    if not gate.nearest_misses:
        return [f"The similarity threshold of {threshold} dropped {several(count, 'passage')}{more}."]
    dropped = "the one passage" if count == 1 else f"one of the {count} passages"
    return [f"Perhaps {dropped} that the similarity threshold of {threshold} dropped would answer{more}."]


def _nearest_dropped(cuts: Cuts | None) -> float | None:
    """Return the best similarity of what the threshold dropped; None where the record does not hold it."""
    dropped = [one for one in cuts.listed if one.why == "threshold"] if cuts else []
    known = [one.cosine for one in dropped if one.cosine is not None]
    is_whole = cuts is not None and (len(dropped) == cuts.threshold or any(one.dense_rank == 1 for one in dropped))
    return max(max(known), 0.0) if known and is_whole else None


def _is_narrowed(answer: Answer) -> bool:
    gate = answer.gate
    return bool(gate and gate.removed_by_filters and not answer.query.filters.is_empty)
