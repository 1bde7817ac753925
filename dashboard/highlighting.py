"""A passage with what the reader saw in it: its best window, and the sentences that are part of an answer."""

from itertools import groupby

import streamlit as st

from dashboard.words import is_row, md, passage, score, where
from rag.models import Answer, RetrievedChunk

MARKED = 0.5
"""From this probability on a sentence is marked as part of the answer."""


def draw_readings(answer: Answer) -> None:
    """Draw the passages that an answer may rest on, each with its best window and its marked sentences."""
    read = [hit for hit in answer.retrieved[: answer.query.top_k] if hit.windows]
    if not read:
        return
    st.markdown("**What the reader saw in them**")
    st.markdown(
        ":small[Blue: the window that answers most probably. Orange: the sentences that are part of the answer.]"
    )
    for place, hit in enumerate(read):
        label = f"{hit.rank} · {md(where(hit))} · reading {score(hit.reading)}"
        with st.expander(label, type="compact", expanded=place == 0):
            st.markdown(highlighted(hit))


def highlighted(hit: RetrievedChunk) -> str:
    """Return a passage as Markdown: blue behind its best window, orange behind the sentences that are marked."""
    if not hit.windows:
        return passage(hit.content)
    spans = hit.sentences or ((0, len(hit.content)),)
    colours = [_colour(hit, number, start) for number, (start, _) in enumerate(spans)]
    text = ""
    for colour, group in groupby(zip(colours, spans, strict=True), key=lambda pair: pair[0]):
        covered = [span for _, span in group]
        part = hit.content[covered[0][0] : covered[-1][1]]
        drawn = f":{colour}-background[{passage(part)}]" if colour else passage(part)
        text += ("  \n" if is_row(part.strip().split("\n")[0]) else " ") + drawn
    return text.strip()


def _colour(hit: RetrievedChunk, number: int, start: int) -> str:
    """Return the colour behind a sentence; empty: none."""
    if number < len(hit.marks) and hit.marks[number] >= MARKED:
        return "orange"
    first, last = hit.best_window
    return "blue" if first <= start < last else ""
