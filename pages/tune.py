"""Tune: what other thresholds would have done, and the way to put them into production."""

import streamlit as st

from dashboard import comparing_settings, components, promises, promoting, resources, tuning

components.header("Tune", "Move a threshold and see at once what it would have changed; no model is asked.")
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    cases = tuning.choose_cases(candor)
    with st.sidebar:
        settings = tuning.draw_sliders(candor, cases)
    if len(cases) == 0:
        components.empty_state(
            "No recorded questions yet",
            "Ask some on the page **Ask**, or start a run on **Evaluate**; then move the sliders.",
            icon=":material/tune:",
        )
    else:
        result = tuning.try_out(cases, settings)
        tuning.draw_effect(cases, result, settings)
        tuning.draw_charts(result, settings)
        promises.draw_guarantee(result)
        comparing_settings.draw_comparison(candor, cases, result, settings)
        tuning.draw_flips(result)
    promoting.draw_promotion(candor, settings)
