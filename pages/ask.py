"""Ask: a question, its answer beside its source or what comes closest to one, and how it came about."""

import streamlit as st

from dashboard import ask_settings, asking, components, conversation, resources, suggested, talking

components.header("Ask", "Answers from your own documents; every sentence names its source.")
with components.guarded():
    candor = resources.get_candor()
    components.draw_told()
    with st.sidebar:
        chosen = components.chosen_source()  # before anything is written, and where its empty place moves nothing
    asked = conversation.turns(candor)
    beside = talking.shown(asked, chosen)
    talk, panel, others = talking.places(is_open=beside is not None, has_settings=beside is not None and beside[1] < 0)
    settings, typed = talking.draw_input(candor, others)
    with talk:
        ask_settings.draw_wrong_link()
        ask_settings.draw_recipient(candor, settings)
        talking.draw_beginning(candor, settings, is_begun=bool(asked or typed))
        talking.draw_turns(candor, asked)
        question = typed or talking.draw_files(candor) or asking.waiting_question(asked)
        if not question:
            suggested.draw_next(candor, asked)
    if beside is not None:
        with panel:
            talking.draw(candor, *beside)
    with talk:
        talking.answer(candor, question, settings, asked)  # with an answer this run ends here
