"""Inspect: the questions without a good answer, any past request stage by stage, and the labelling queue."""

import streamlit as st

from dashboard import components, inspecting, labelling, resources, run_lines, state, unanswered

components.header(
    "Inspect",
    "Which questions got no good answer, and what happened to any of them, stage by stage. "
    f"Times: {components.zone()}.",
)
components.draw_told()
with components.guarded():
    candor = resources.get_candor()
    view = inspecting.choose_view()
    if view == "Unanswered":
        unanswered.draw(candor)
    elif view == "Label":
        labelling.draw_queue(candor)
        labelling.draw_agreement(candor)
        labelling.draw_label_export(candor)
    else:
        run, qid, request_id = (state.url(name) for name in (state.OF_RUN, state.QID, state.REQUEST))
        with st.expander("Recorded requests", expanded=request_id is None and qid is None, icon=":material/list:"):
            inspecting.draw_requests()
        request_id = state.url(state.REQUEST)
        if request_id:
            inspecting.draw_request(candor, request_id)
        elif qid:
            run_lines.draw_line(candor, run or state.url(state.RUN), qid)  # as links of before name it
