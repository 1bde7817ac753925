"""Tune: what other thresholds would have done, and the way to put them into production."""

import streamlit as st

from dashboard import components, decided, promoting, resources, starting, trying, tuning

components.header(
    "Tune",
    "Move a slider in the sidebar (on a narrow screen » opens it) and see at once what it would have changed: from "
    "where on Candor answers, and from where on it is unsure. No model is asked.",
)
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    cases = tuning.choose_cases(candor)
    by = decided.decided_by(cases)
    with st.sidebar:
        settings = tuning.draw_sliders(candor, cases, by)
    tuning.draw_wrong_link()
    starting.draw_difference(candor, by)
    of_others = decided.draw_of_another_gate(candor, cases, by)
    tried = trying.draw_tried(candor, cases, settings)
    promoting.draw_promotion(candor, settings, by, tried.result, promised=tried.promised, of_others=of_others)
