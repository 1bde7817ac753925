"""Ask: a question, its answer with sources or the refusal with its reasons, and how it came about."""

import streamlit as st

from dashboard import asking, browser, components, conversation, resources, sources, talking

components.header("Ask", "Answers from your own documents; every sentence names its source.")
with components.guarded():
    candor = resources.get_candor()
    components.draw_told()
    with st.sidebar:
        settings = asking.settings_panel(candor)
        chosen = browser.chosen_source()  # before anything is written, and where its empty place moves nothing
    asking.draw_wrong_link()
    asking.draw_recipient(candor, settings)
    asked = conversation.turns(candor)
    typed = st.chat_input("Ask a question", submit_mode="disable", key="ask_input")
    talking.draw_beginning(candor, settings, is_begun=bool(asked or typed))
    talking.draw_turns(candor, asked)
    question = typed or asking.shared_question(asked)
    talking.answer(candor, question, settings)  # with an answer this run ends here
    if asked:
        conversation.draw_actions(candor, asked, failed=question)
        sources.draw_chosen(candor, chosen, [sources.cited_by(answer) for answer in asked])
