"""Tune: what other thresholds would have done, and the way to put them into production."""

import streamlit as st

from dashboard import (
    comparing_settings,
    components,
    decided,
    promises,
    promoting,
    queries,
    resources,
    run_choice,
    starting,
    state,
    tuning,
)

components.header(
    "Tune",
    "Move a slider in the sidebar (on a narrow screen » opens it) and see at once what it would have changed; "
    "no model is asked.",
)
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    run_choice.note_missing(
        state.RUN, [decided.RECORDED, *queries.runs(resources.runs_folder())], shown=decided.RECORDED
    )
    cases = tuning.choose_cases(candor)
    run_choice.draw_missing(state.RUN, called="the recorded requests")
    by = decided.decided_by(cases)
    with st.sidebar:
        settings = tuning.draw_sliders(candor, cases, by)
    starting.draw_difference(candor, by)
    others = decided.perhaps_of_another_gate(candor, cases, by)
    decided.draw_strange(*others, of=len(cases))
    result, promised = None, promises.NONE
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
        promised = promises.draw_guarantee(result)
        comparing_settings.draw_comparison(candor, cases, result, settings)
        tuning.draw_flips(result)
    promoting.draw_promotion(candor, settings, by, result, promised=promised, of_others=others[0])
