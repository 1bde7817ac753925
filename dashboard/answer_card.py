"""An answer as people see it: cited sentences, or what comes closest to one, and how it came about.

Of a question that Candor is unsure of nothing is claimed: the sentences that come closest are marked where they stand.
"""

from collections.abc import Mapping, Sequence

import streamlit as st

from dashboard import asking, browser, charts, components, judging, outdated, sources, state, tables
from dashboard.columns import HITS, TIMINGS
from dashboard.readable import answer_text
from dashboard.words import decimals, held_against, md, milliseconds, model_of, quoted, score, several, where
from rag.candor import Candor
from rag.models import Answer, Cuts, GateDecision, NearMiss
from rag.quote import joined
from rag.standalone import READ_AS, read_in

NO_BREAK = "\N{NO-BREAK SPACE}"


def draw_answer(
    candor: Candor, answer: Answer, *, key: str, is_inspected: bool = False, is_of_index: bool = True
) -> None:
    """Draw what came of a question: an answer, what comes closest to one, or a sentence where nothing was asked.

    Args:
        candor: Where its sources are.
        answer: What to draw.
        key: Unique on the page.
        is_inspected: Whether it is drawn on Inspect, beside the rest of it and not beside the settings of Ask.
        is_of_index: Whether it was asked of the index in use, so that what became of its sources can be told.
    """
    if answer.outcome == "talk":
        st.markdown("  \n".join(map(md, (answer.message or "").splitlines())))
        return
    if is_of_index:
        outdated.draw_of_answer(candor, answer, key, is_inspected=is_inspected)
    read_as = [note for note in answer.notes if note.startswith(READ_AS)]
    _draw_notes(read_as)  # before the outcome: it is what was answered, or refused
    if read_as and not is_inspected:
        judging.draw_otherwise(read_in(read_as[0]), key, written=answer.query.question)
    if answer.answer is None:
        _draw_unanswered(candor, answer, key, is_inspected=is_inspected)
        if is_of_index:
            outdated.draw_of_refusal(candor, answer, key, is_inspected=is_inspected)
    else:
        _draw_sentences(answer, key)
        _draw_sources(answer, outdated.since(candor, answer) if is_of_index else {})
    others = [note for note in answer.notes if note not in read_as]
    _draw_notes([*others, *(answer.gate.warnings if answer.gate else ())])
    _draw_dropped(answer)
    _draw_actions(answer, key, is_inspected, outdated.notes(candor, answer) if is_of_index else [])


def _draw_notes(notes: Sequence[str]) -> None:
    for note in notes:
        st.caption(f":material/info: {md(note)}")


def _draw_sentences(answer: Answer, key: str) -> None:
    """Draw the answer in large type, and in one line who says so and how sure that is."""
    cited = sources.cited_by(answer)
    drawn = [sources.with_chips(one, cited) for one in answer.sentences]
    with st.container(key=f"said-{key}"):  # `both.css` makes it larger
        st.markdown(joined([one.text for one in answer.sentences], drawn, line="  \n"))
    st.caption(in_short(answer))


def in_short(answer: Answer) -> str:
    """Return in one line how an answer was written, on how many sources, and how sure that is; Markdown."""
    speaker, gate = answer.generator, answer.gate
    written = f"Written by {md(model_of(speaker))}, every sentence checked"
    parts = [written if speaker.is_model else "Quoted word for word", several(len(answer.citations), "source")]
    if speaker.is_model:
        of_passages = f", of the passages {held_against(gate)[0]}" if gate else ""
        parts.append(f"confidence {score(answer.confidence)}{of_passages}")
    elif gate is not None and gate.passed:
        parts.append(f"sure ({held_against(gate)[0]})")
    return ", ".join(parts)


def _draw_sources(answer: Answer, became: Mapping[int, outdated.Since]) -> None:
    """Draw where the answer comes from, a line for each source; each leads to it."""
    cited = sources.cited_by(answer)
    lines = [
        f":small[{sources.chip(cited, number)} {md(where(one))}{outdated.badge(became.get(number - 1))}]"
        for number, one in enumerate(answer.citations, start=1)
    ]
    st.markdown("  \n".join(lines))


def _draw_dropped(answer: Answer) -> None:
    dropped = answer.left_out
    if not dropped:
        return
    were = "was" if len(dropped) == 1 else "were"
    with st.expander(f"{several(len(dropped), 'sentence')} {were} left out, and why", icon=":material/block:",
                     type="compact"):  # fmt: skip
        for one in dropped:
            st.markdown(f":red-badge[:material/block: left out] :gray[~~{md(one.text)}~~]  \n:small[{md(one.reason)}]")
            if nearest := next(filter(None, one.evidence), ""):
                st.caption("Nearest:")
                st.markdown(quoted(nearest))


def draw_hits(answer: Answer, key: str) -> None:
    """Draw the retrieved chunks with their ranks, similarity, BM25 and reading, page and section."""
    components.table(tables.hits_table(answer), columns=HITS, key=f"{key}-hits", alt="Retrieved passages")
    st.caption(
        "Ranked by retrieval and by the reader's probability that a passage answers. The answer may use only the "
        "passages marked *used*."
    )


def draw_gate(answer: Answer, key: str) -> None:
    """Draw confidence against threshold, and all that the estimators read."""
    gate = answer.gate
    if gate is None:
        st.caption("The gate did not run.")
        return
    _draw_meter(gate, key)
    st.markdown(md(gate.reason))
    confidence, threshold = held_against(gate)
    digits = max(decimals(gate), 3)
    unsure = f" Unsure from {score(gate.unsure_threshold)} on." if gate.unsure_threshold is not None else ""
    st.caption(f"Confidence {confidence} minus threshold {threshold}: {gate.margin:+.{digits}f}.{unsure}")
    st.table(tables.inputs_table(gate), border="horizontal", hide_index=True, alt="Values that the estimators use")


def _draw_meter(gate: GateDecision, key: str) -> None:
    unsure = f", unsure from {gate.unsure_threshold:.2f} on" if gate.unsure_threshold is not None else ""
    alt = f"Confidence {gate.confidence:.2f} against the threshold {gate.threshold:.2f}{unsure}"
    figure = charts.confidence_meter(gate.confidence, gate.threshold, gate.unsure_threshold)
    components.plot(figure, key=f"{key}-meter", alt=alt)


def draw_timings(answer: Answer, key: str) -> None:
    """Draw how long each stage took."""
    frame = tables.timings_table(answer.timings_ms)
    took = zip(frame["stage"], frame["ms"], strict=True)
    alt = ", ".join(f"{stage} {milliseconds(ms).replace(' ', NO_BREAK)}" for stage, ms in took)
    st.markdown(f"In all **{milliseconds(answer.timings_ms.total)}**: :small[{alt}]")
    components.chart(charts.waterfall(frame), frame, alt=alt, key=f"{key}-timing", columns=TIMINGS)


def _draw_actions(answer: Answer, key: str, is_inspected: bool, notes: Sequence[str]) -> None:
    """Draw copy with what has to be known of its sources, links, why, and the thumbs."""
    with st.container(horizontal=True, vertical_alignment="top", gap="xsmall"):
        browser.copy_button(answer_text(answer, notes), key=f"{key}-copy")
        with st.popover("Link", icon=":material/link:", type="tertiary"):
            _draw_links(answer)
        if not is_inspected:
            st.button("Why?", key=f"{key}-why", icon=":material/account_tree:", type="tertiary", on_click=state.put,
                      args=(state.OPENED, (answer.request_id, 0)))  # fmt: skip
        judging.draw_thumbs(answer, key)


def _draw_links(answer: Answer) -> None:
    page = components.ask_address()
    if answer.session_id:
        who = "everybody who has it and can reach this server" if state.get(state.ACCOUNT) is None else "you and admins"
        st.caption(f"Link to this answer in its conversation. It opens for {who}.")
        address = f"{page}?{state.SESSION}={answer.session_id}&{state.REQUEST}={answer.request_id}"
        st.code(address, language=None, wrap_lines=True)
    st.caption("Link that asks the same question again with these settings.")
    st.code(asking.link_to(answer.query, page), language=None, wrap_lines=True)
    if answer.query.context:
        st.caption("The link does not contain the pasted text: send it separately.")


# --- where there is no answer ------------------------------------------------------------------------------------

_CALLED = {"source": "document", "sources": "documents"}
"""What filters are called in a message, where that is not their name."""


def _draw_unanswered(candor: Candor, answer: Answer, key: str, *, is_inspected: bool) -> None:
    """Draw what comes closest to an answer, and what could be done about it."""
    misses = answer.gate.nearest_misses if answer.gate else ()
    closest = " These sentences come closest:" if answer.outcome == "unsure" else "  \nThe closest sentences:"
    told = answer.refusal.reason if answer.refusal else answer.message or ""
    st.markdown(f"**{md(told)}**{closest if misses else ''}")
    cited = sources.cited_by(answer)
    for number, miss in enumerate(misses, start=1):
        _draw_miss(miss, cited, number)
    if hints := what_helps(answer):
        st.markdown("\n".join(f"- {md(one)}" for one in hints))
    if answer.outcome == "refused":
        st.caption(_indexed([record.document for record in candor.documents()]))
    with st.container(horizontal=True, vertical_alignment="center"):
        if _is_narrowed(answer):
            _draw_widening(answer.query.question, key, is_inspected=is_inspected)
        if not is_inspected:
            draw_judgement = judging.draw_closest if answer.outcome == "unsure" and misses else judging.draw_owner
            draw_judgement(answer, key)
            judging.draw_otherwise(answer.query.question, f"{key}-again", "Ask in other words")


def _indexed(names: list[str], *, most: int = 4) -> str:
    """Return what is indexed, in a line of Markdown: a few names, and how many more.

    >>> _indexed(["a.md", "b.md", "c.md"], most=2)
    'Indexed here: a.md, b.md and 1 more.'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"Indexed here: {', '.join(map(md, names[:most]))}{more}."


def _draw_widening(question: str, key: str, *, is_inspected: bool) -> None:
    """Draw the way to the same question without the filter. On Ask a link would leave the filter where it is."""
    label, icon = "Ask again everywhere", ":material/filter_alt_off:"
    if is_inspected:
        components.page_link("pages/ask.py", label, icon=icon, params={"question": question})
    else:
        st.button(label, key=f"{key}-everywhere", icon=icon, on_click=asking.ask_everywhere, args=(question,))


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
        values = {name: " and ".join(one) if isinstance(one, tuple) else str(one) for name, one in filters.items()}
        named = ", ".join(f"{_CALLED.get(name, name)} {value}" for name, value in values.items())
        found.append(f"Perhaps {_one_of(gate.removed_by_filters)} that the filter ({named}) left out would answer.")
    return [*found, *_of_the_similarity_threshold(answer, gate)]


def _one_of(count: int) -> str:
    return "the one passage" if count == 1 else f"one of the {count} passages"


def _of_the_similarity_threshold(answer: Answer, gate: GateDecision) -> list[str]:
    """Return what the similarity threshold kept out: all that was found, or passages beside those that were read."""
    count, threshold = gate.removed_by_threshold, f"{answer.query.similarity_threshold:.2f}"
    if not count:
        return []
    best = _nearest_dropped(answer.cuts)
    more = "" if best is None else f"; the nearest reaches {best:.2f}" if count > 1 else f"; it reaches {best:.2f}"
    if not gate.nearest_misses:
        return [f"The similarity threshold of {threshold} dropped {several(count, 'passage')}{more}."]
    return [f"Perhaps {_one_of(count)} that the similarity threshold of {threshold} dropped would answer{more}."]


def _nearest_dropped(cuts: Cuts | None) -> float | None:
    """Return the best similarity of what the threshold dropped; None where the record does not hold it."""
    dropped = [one for one in cuts.listed if one.why == "threshold"] if cuts else []
    known = [one.cosine for one in dropped if one.cosine is not None]
    is_whole = cuts is not None and (len(dropped) == cuts.threshold or any(one.dense_rank == 1 for one in dropped))
    return max(max(known), 0.0) if known and is_whole else None


def _is_narrowed(answer: Answer) -> bool:
    gate = answer.gate
    return bool(gate and gate.removed_by_filters and not answer.query.filters.is_empty)
