"""Ask: a question, its answer with sources or the refusal with its reasons, and how it came about."""

import streamlit as st

from dashboard import asking, browser, components, conversation, queries, resources, sources
from dashboard.answer_card import draw_answer
from dashboard.words import md

components.header("Ask", "Answers from your own documents; every sentence names its source.")
with components.guarded():
    candor = resources.get_candor()
    components.draw_told()
    with st.sidebar:
        settings = asking.settings_panel(candor)
        chosen = browser.chosen_source()  # before anything is written, and where its empty place moves nothing
    asking.draw_missing_filters()
    asked = conversation.turns(candor)
    pasted = settings.mode == "selected-text-only"
    typed = st.chat_input("Ask a question", submit_mode="disable", key="ask_input")
    if queries.is_empty(candor) and not pasted:
        components.no_documents()
    elif not asked and not typed:
        asking.draw_welcome(candor)
    for number, answer in enumerate(asked, start=1):
        st.chat_message("user", avatar=":material/person:").markdown(md(conversation.asked_as(answer)))
        with st.chat_message("assistant", avatar=components.AVATAR):
            draw_answer(candor, answer, key=answer.request_id, open_details=number == len(asked))
    conversation.draw_whose(asked)
    question = typed or asking.shared_question(asked)
    if question and (pasted or not queries.is_empty(candor)):
        st.chat_message("user", avatar=":material/person:").markdown(md(question))
        with st.chat_message("assistant", avatar=components.AVATAR), components.guarded():
            answer = asking.stream_answer(candor, question, settings)
            conversation.keep_turn(answer)
            st.rerun()
    if asked:
        conversation.draw_actions(candor, asked, failed=question)  # with an answer this run has ended above
        sources.draw_chosen(candor, chosen, [sources.cited_by(answer) for answer in asked])
