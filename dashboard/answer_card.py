"""An answer as people see it: cited sentences, or what comes closest to one and claims nothing; how it came about."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import streamlit as st

from dashboard import asking, charts, components, judging, sources, state, tables
from dashboard.columns import HITS, TIMINGS
from dashboard.readable import answer_text
from dashboard.words import decimals, first_of, held_against, md, milliseconds, model_of, quoted, score, several, where
from rag.candor import Candor
from rag.cite import as_text
from rag.models import Answer, GateDecision, NearMiss
from rag.standalone import READ_AS, read_in


def draw_answer(
    candor: Candor, answer: Answer, *, key: str, is_inspected: bool = False, is_of_index: bool = True
) -> None:
    """Draw what came of a question: an answer, what comes closest to one, or a sentence where nothing was asked.

    `is_inspected`: on Inspect, not beside the settings of Ask. `is_of_index`: it was asked of the index in use, so that
    what became of its sources can be told. The key is unique on the page.
    """
    if answer.outcome == "talk":
        st.markdown("  \n".join(map(md, (answer.message or "").splitlines())))
        return
    if is_of_index:
        sources.draw_of_answer(candor, answer, key, is_inspected=is_inspected)
    read_as = [note for note in answer.notes if note.startswith(READ_AS)]
    _draw_notes(read_as)  # before the outcome: it is what was answered, or refused
    if read_as and not is_inspected:
        judging.draw_otherwise(read_in(read_as[0]), key, written=answer.query.question)
    if answer.answer is None:
        _draw_unanswered(candor, answer, key, is_inspected=is_inspected)
        if is_of_index:
            sources.draw_of_refusal(candor, answer, key, is_inspected=is_inspected)
    else:
        _draw_answered(answer, key, sources.since(candor, answer) if is_of_index else {})
    others = [note for note in answer.notes if note not in read_as]
    _draw_notes([*others, *(answer.gate.warnings if answer.gate else ())])
    _draw_dropped(answer)
    _draw_actions(answer, key, is_inspected, sources.notes(candor, answer) if is_of_index else [])


def _draw_notes(notes: Sequence[str]) -> None:
    for note in notes:
        st.caption(f":material/info: {md(note)}")


def _draw_answered(answer: Answer, key: str, became: Mapping[int, sources.Since]) -> None:
    """Draw the answer in large type, in one line who says so and how sure that is, and a line for each place cited."""
    cited = sources.cited_by(answer)
    drawn = [sources.with_chips(one, cited) for one in answer.sentences]
    with st.container(key=f"said-{key}"):  # `both.css` makes it larger
        st.markdown(as_text(answer.sentences, answer.citations, drawn, speaker=answer.generator, line="  \n"))
    st.caption(in_short(answer))
    places: dict[str, list[str]] = {}
    for index, one in enumerate(answer.citations):
        badge = f" {sources.BADGES[became[index]]}" if index in became else ""
        places.setdefault(where(one), []).append(sources.chip(cited, index + 1) + badge)
    st.markdown("  \n".join(f":small[{' '.join(chips)} {md(place)}]" for place, chips in places.items()))


def in_short(answer: Answer) -> str:
    """Return in one line how an answer was written, on how many sources, and how sure that is; Markdown."""
    speaker, gate = answer.generator, answer.gate
    written = f"Written by {md(model_of(speaker))}, every sentence checked"
    quoted = "Quoted word for word" if _is_verbatim(answer) else "Quoted, rows with the heads of their columns"
    parts = [written if speaker.is_model else quoted, several(len(answer.citations), "source")]
    if speaker.is_model:
        of_passages = f", of the passages {held_against(gate)[0]}" if gate else ""
        parts.append(f"confidence {score(answer.confidence)}{of_passages}")
    elif gate is not None and gate.passed:
        parts.append(f"sure ({held_against(gate)[0]})")
    return ", ".join(parts)


def _is_verbatim(answer: Answer) -> bool:
    """Return whether each sentence has the words of its source: a row is told with the heads between its cells."""

    def plain(text: str) -> str:
        return "".join(filter(str.isalnum, text.casefold()))

    cited = [(one.text, answer.citations[number].excerpt) for one in answer.sentences for number in one.citations[:1]]
    pairs = [(plain(text), plain(excerpt)) for text, excerpt in cited]
    return all(said in excerpt or excerpt in said for said, excerpt in pairs)


def _draw_dropped(answer: Answer) -> None:
    if not (dropped := answer.left_out):
        return
    label = f"{several(len(dropped), 'sentence')} {'was' if len(dropped) == 1 else 'were'} left out, and why"
    with st.expander(label, icon=":material/block:", type="compact"):
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
    confidence, threshold = held_against(gate)
    unsure = f" Unsure from {score(gate.unsure_threshold)} on." if gate.unsure_threshold is not None else ""
    told = f"Confidence {confidence} minus threshold {threshold}: {gate.margin:+.{max(decimals(gate), 3)}f}.{unsure}"
    figure = charts.confidence_meter(gate.confidence, gate.threshold, gate.unsure_threshold)
    components.plot(figure, key=f"{key}-meter", alt=told)
    st.markdown(md(gate.reason))
    st.caption(told)
    st.table(tables.inputs_table(gate), border="horizontal", hide_index=True, alt="Values that the estimators use")


def draw_timings(answer: Answer, key: str) -> None:
    """Draw how long each stage took."""
    frame = tables.timings_table(answer.timings_ms)
    took = zip(frame["stage"], frame["ms"], strict=True)
    alt = ", ".join(f"{stage} {milliseconds(ms)}".replace(" ", "\N{NO-BREAK SPACE}") for stage, ms in took)
    st.markdown(f"In all **{milliseconds(answer.timings_ms.total)}**: :small[{alt}]")
    components.chart(charts.waterfall(frame), frame, alt=alt, key=f"{key}-timing", columns=TIMINGS)


def _draw_actions(answer: Answer, key: str, is_inspected: bool, notes: Sequence[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="top", gap="xsmall"):
        components.copy_button(answer_text(answer, notes), key=f"{key}-copy")
        with st.popover("Link", icon=":material/link:", type="tertiary"):
            _draw_links(answer)
        if not is_inspected:
            st.button("Why?", key=f"{key}-why", icon=":material/account_tree:", type="tertiary", on_click=state.put,
                      args=(state.OPENED, (answer.request_id, 0)))  # fmt: skip
        judging.draw_thumbs(answer, key)


def _draw_links(answer: Answer) -> None:
    here = urlsplit(str(st.context.url or ""))  # on Inspect it is that of another page
    page = here._replace(path=f"{here.path.rpartition('/')[0]}/", query="", fragment="").geturl()
    if answer.session_id:
        who = "everybody who has it and can reach this server" if state.get(state.ACCOUNT) is None else "you and admins"
        st.caption(f"Link to this answer in its conversation. It opens for {who}.")
        address = f"{page}?{state.SESSION}={answer.session_id}&{state.REQUEST}={answer.request_id}"
        st.code(address, language=None, wrap_lines=True)
    st.caption("Link that asks the same question again with these settings.")
    st.code(asking.link_to(answer.query, page), language=None, wrap_lines=True)
    if answer.query.context:
        st.caption("The link does not contain the pasted text: send it separately.")


_CALLED = {"source": "document", "sources": "documents"}


def _draw_unanswered(candor: Candor, answer: Answer, key: str, *, is_inspected: bool) -> None:
    misses = answer.gate.nearest_misses if answer.gate else ()
    is_unsure = answer.outcome == "unsure"
    closest = " These sentences come closest:" if is_unsure else "  \nThe closest sentence:"
    told = answer.refusal.reason if answer.refusal else answer.message or ""
    st.markdown(f"**{md(told)}**{closest if misses else ''}")
    cited = sources.cited_by(answer)
    shown = [_miss(answer, miss, sources.chip(cited, number), is_large=is_unsure and number == 1)
             for number, miss in enumerate(misses, start=1)]  # fmt: skip
    if shown:
        with st.container(key=f"closest-1-{cited.name}" if is_unsure else None, border=is_unsure):  # `both.css`: larger
            st.markdown(shown[0])
    if others := shown[1:]:  # of a refusal the first will do; the others are a click away
        with st.container() if is_unsure else st.expander(several(len(others), "more sentence"), type="compact"):
            st.markdown("\n\n".join(others))
    if hints := what_helps(answer):
        st.markdown("\n".join(f"- {md(one)}" for one in hints))
    if answer.outcome == "refused":
        st.caption(f"Indexed here: {first_of([md(one.document) for one in candor.documents()], 4)}.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if _is_narrowed(answer):
            components.ask_again(
                answer.query.question, "Ask again everywhere", icon=":material/filter_alt_off:",
                key=f"{key}-everywhere", on_click=None if is_inspected else asking.ask_everywhere,
            )  # fmt: skip
        if not is_inspected:
            draw_judgement = judging.draw_closest if is_unsure and misses else judging.draw_owner
            draw_judgement(answer, key)
            judging.draw_otherwise(answer.query.question, f"{key}-again", "Ask in other words")


def _miss(answer: Answer, miss: NearMiss, chip: str, *, is_large: bool) -> str:
    excerpt = sources.marked_part(miss.excerpt, miss.sentence) + ("…" if _goes_on(answer, miss) else "")
    stated = f"  \n:small[{md(miss.stated)}]" if miss.stated else ""
    return f"{excerpt if is_large else f':small[{excerpt}]'}{stated}  \n:small[{chip} {md(where(miss))}]"


def _goes_on(answer: Answer, miss: NearMiss) -> bool:
    """Return whether an excerpt ends within a sentence."""
    hit = next((one for one in answer.retrieved if one.chunk_id == miss.chunk_id), None)
    return hit is not None and all(end != miss.start + len(miss.excerpt) for _, end in hit.sentences)


def what_helps(answer: Answer) -> list[str]:
    """Return which settings kept passages out, and the advice where no passage stands above it; plain text."""
    gate, refusal = answer.gate, answer.refusal
    found: list[str] = []
    if gate and _is_narrowed(answer):
        filters = answer.query.filters.named
        values = {name: " and ".join(one) if isinstance(one, tuple) else str(one) for name, one in filters.items()}
        named = ", ".join(f"{_CALLED.get(name, name)} {value}" for name, value in values.items())
        found.append(f"Perhaps {_one_of(gate.removed_by_filters)} that the filter ({named}) left out would answer.")
    if gate and gate.removed_by_threshold:
        found.append(_of_the_similarity_threshold(answer, gate))
    is_told = gate is not None and gate.nearest_misses and refusal is not None and refusal.stage == "gate"
    advice = "" if refusal is None or _is_narrowed(answer) or is_told else refusal.advice
    return [*found, advice] if advice else found


def _one_of(count: int) -> str:
    return "the one passage" if count == 1 else f"one of the {count} passages"


def _of_the_similarity_threshold(answer: Answer, gate: GateDecision) -> str:
    count, threshold, cuts = gate.removed_by_threshold, f"{answer.query.similarity_threshold:.2f}", answer.cuts
    dropped = [one for one in cuts.listed if one.why == "threshold"] if cuts else []
    known = [one.cosine for one in dropped if one.cosine is not None]
    is_whole = cuts is not None and (len(dropped) == cuts.threshold or any(one.dense_rank == 1 for one in dropped))
    more = ""
    if known and is_whole:
        more = f"; {'the nearest' if count > 1 else 'it'} reaches {max(*known, 0.0):.2f}"
    if not gate.nearest_misses:
        return f"The similarity threshold of {threshold} dropped {several(count, 'passage')}{more}."
    return f"Perhaps {_one_of(count)} that the similarity threshold of {threshold} dropped would answer{more}."


def _is_narrowed(answer: Answer) -> bool:
    gate = answer.gate
    return bool(gate and gate.removed_by_filters and not answer.query.filters.is_empty)
