"""Inspect: any past request, every stage of it, and what other settings would have done."""

import streamlit as st

from dashboard import components, inspecting, resources, run_lines, state

components.header("Inspect", "What was retrieved for a question, what was decided and why, stage by stage.")
with components.guarded():
    candor = resources.get_candor()
    run, qid, request_id = (state.url(name) for name in (state.OF_RUN, state.QID, state.REQUEST))
    run = run or state.url(state.RUN)  # as links of before name it
    with st.expander("Recorded requests", expanded=request_id is None and qid is None, icon=":material/list:"):
        inspecting.draw_requests()
    request_id = state.url(state.REQUEST)
    if request_id:
        inspecting.draw_request(candor, request_id)
    elif qid:
        run_lines.draw_line(run, qid)
