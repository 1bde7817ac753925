"""The questions that got no good answer: alike ones together, each with what can be done about it."""

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from dashboard import components, job_cards, labelling, links, queries, resources, state
from dashboard.jobs import Job
from dashboard.words import SPANS, md, passage, several, since, where
from rag.candor import MOST_LIKENED, Candor
from rag.evaluation.datasets import Question
from rag.evaluation.testset import add_question, datasets_in
from rag.language.text import fold
from rag.models import Answer, RetrievedChunk
from rag.protocols import Vector
from rag.recording.unanswered import Group, Unanswered, Why, grouped, wordings

WHY: dict[Why, str] = {
    "refused": "Refused",
    "unsure": "Unsure",
    "judged_bad": "Thumb down",
    "sentences_dropped": "Sentences dropped",
}
"""What the signs of a question without a good answer are called."""
REASONS = {
    "wrong": "wrong",
    "not_what_i_asked": "not what I asked",
    "incomplete": "incomplete",
    "should_have_refused": "should have refused",
    "should_have_answered": "should have been answered",
}
"""What the reasons of a thumb down are called."""
AT_ONCE = 64
"""So many new questions are likened while the page is drawn; more in the background."""
_KIND, _BATCH = "liken-questions", 64
_SHOWN, _NAMED = 15, 4
"""How many groups are drawn at first, and how many wordings and notes of each."""
_OPEN, _MORE = "unanswered_open", "unanswered_more"
"""Session: what is open of which group, and how many groups are drawn beside the first."""


def draw(candor: Candor) -> None:
    """Draw the questions without a good answer in groups, with their filters."""
    if not candor.settings.record_answers:
        st.info(
            "CANDOR_RECORD_ANSWERS is false: the words of questions are not kept, so questions asked since then are "
            "missing here. Monitor counts it. Set it to true to see it from now on.", icon=":material/visibility_off:",
        )  # fmt: skip
    found = queries.without_answer(candor)
    begin, why, is_aside = _filters()
    chosen = [one for one in found if begin is None or one.timestamp >= begin]
    groups = grouped(chosen, _vectors(candor, wordings(found)), candor.wiring.recorder.dismissed())
    aside = sum(group.dismissed for group in groups)
    shown = [one for one in groups if one.dismissed == is_aside and (not why or why & one.why.keys())]
    if not shown:
        components.empty_state(
            "Nothing was dismissed" if is_aside else "No question is waiting",
            "Questions come here that were refused, that left Candor unsure, or whose answer somebody called bad.",
            icon=":material/task_alt:",
        )
        return
    times = sum(group.times for group in shown)
    told = f"**{several(len(shown), 'question')}**, asked {several(times, 'time')}; similar ones are grouped."
    st.caption(told if is_aside or not aside else f"{told} {aside} dismissed.")
    labels = queries.answerable_labels(resources.get_sessions().labels.list(aspect="answerable"))
    most = _SHOWN + state.get(_MORE, 0)
    for group in shown[:most]:
        _draw_group(candor, group, [labels[one.request_id] for one in group.questions if one.request_id in labels])
    if len(shown) > most:
        st.button(f"Show more of {len(shown)}", icon=":material/expand_more:", on_click=state.put,
                  args=(_MORE, state.get(_MORE, 0) + _SHOWN))  # fmt: skip


def _filters() -> tuple[datetime | None, set[Why], bool]:
    """Draw the filters; return when the time begins, the signs that are wanted, and whether it is of dismissed ones."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        span = links.choose("Asked within", SPANS, key="since", default="30 days", required=True)
        why = st.pills("Why", [*WHY], selection_mode="multi", format_func=lambda one: WHY[one], key="unanswered_why")
        is_aside = st.toggle("Dismissed", key="unanswered_aside")
    links.draw_invalid("since", where="above")
    return since(span), set(why), is_aside


def _vectors(candor: Candor, questions: Sequence[str]) -> dict[str, Vector]:
    """Return the vectors by which questions are likened: a few are made now, many in the background."""
    wanted = questions[:MOST_LIKENED]
    is_busy = any(job.state == "running" for job in resources.get_jobs().of(_KIND))
    found = candor.vectors(wanted, most_new=0 if is_busy else AT_ONCE)
    missing = [one for one in wanted if one not in found]
    if missing:
        job_cards.work_on(
            _KIND, several(len(missing), "question"), lambda job: _liken(candor, missing, job),
            title="Questions could not be grouped", told="Grouping similar questions",
        )  # fmt: skip
    return found


def _liken(candor: Candor, questions: Sequence[str], job: Job) -> None:
    for done in range(0, len(questions), _BATCH):
        job.tell(done, len(questions), f"{done} of {several(len(questions), 'question')}")
        candor.vectors(questions[done : done + _BATCH])


# --- a group -----------------------------------------------------------------------------------------------------


def _draw_group(candor: Candor, group: Group, labels: Sequence[bool]) -> None:
    key = group.questions[-1].request_id
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{md(group.question)}**")
        st.caption(" · ".join(_facts(group, labels)))
        _draw_others(group)
        with st.container(horizontal=True, vertical_alignment="center"):
            _draw_buttons(group, key)
        opened = state.get(_OPEN)
        if opened == (key, "mark"):
            _draw_marking(candor, group)
        elif opened == (key, "keep"):
            _draw_keeping(candor, group, labels)


def _facts(group: Group, labels: Sequence[bool]) -> list[str]:
    """Return how often a group was asked and when, why it is here, and what experts said of it; Markdown."""
    asked = "asked once" if group.times == 1 else f"asked {group.times} times, last"
    facts = [f"{asked} {group.last.astimezone(components.zone()):%Y-%m-%d}"]
    facts += [f"{WHY[name].lower()}{f' {count} times' if count > 1 else ''}" for name, count in group.why.items()]
    if labels:
        facts.append(f":material/label: judged: {'the documents answer it' if labels[0] else 'not in the documents'}")
    return facts


def _draw_others(group: Group) -> None:
    """Draw the other wordings of a group, and what people said of the answers."""
    others = [f"“{md(one)}”" for one in wordings(group.questions) if fold(one) != fold(group.question)]
    if others:
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        st.caption(f"Also: {', '.join(others[:_NAMED])}{more}")
    for one in [one for one in group.questions if one.reason or one.note][:_NAMED]:
        told = [REASONS.get(one.reason, md(one.reason)), f"“{md(one.note)}”" if one.note else ""]
        st.caption(f":material/thumb_down: {': '.join(filter(None, told))}")


def _draw_buttons(group: Group, key: str) -> None:
    components.page_link("pages/documents.py", "Add a document", icon=":material/upload_file:")
    for what, label, icon in (("mark", "Should have been answered", ":material/ink_highlighter:"),
                              ("keep", "To a test set", ":material/playlist_add:")):  # fmt: skip
        is_open = state.get(_OPEN) == (key, what)
        st.button(label, key=f"{what}-{key}", icon=icon, type="tertiary", on_click=state.put,
                  args=(_OPEN, None if is_open else (key, what)))  # fmt: skip
    st.button("Take back" if group.dismissed else "Dismiss", key=f"dismiss-{key}", type="tertiary",
              icon=":material/undo:" if group.dismissed else ":material/visibility_off:",
              on_click=_dismiss, args=(group,))  # fmt: skip
    newest = group.questions[0]
    components.page_link("pages/ask.py", "Ask again", icon=":material/replay:",
                         params={state.QUESTION: newest.question})  # fmt: skip
    st.button("Inspect", key=f"inspect-{key}", icon=":material/search_insights:", type="tertiary", on_click=_inspect,
              args=(newest.request_id,))  # fmt: skip


def _inspect(request_id: str) -> None:
    state.put(state.PART, "Requests")
    state.put_url(state.REQUEST, request_id)


def _dismiss(group: Group) -> None:
    """Set the questions of a group aside, or take that back."""
    ids = [one.request_id for one in group.questions]
    told = "It is open again." if group.dismissed else "Dismissed. Use the switch above to show it and take it back."
    with components.telling(told):
        recorder = resources.get_candor().wiring.recorder
        recorder.dismiss(ids, by=labelling.labeller(), dismissed=not group.dismissed)


# --- it should have been answered --------------------------------------------------------------------------------


def _draw_marking(candor: Candor, group: Group) -> None:
    """Draw the passages that were found, to mark the sentence that answers: a label of whoever marks it."""
    answer = next((found for one in group.questions[:5] if (found := queries.answer(candor, one.request_id))), None)
    if answer is None or not answer.retrieved:
        st.info("What was found for it is not recorded: ask it again, then mark the sentence.", icon=":material/info:")
        return
    who = labelling.who()
    hits = answer.retrieved
    place = st.selectbox("Passage", range(len(hits)), key=f"mark-passage-{answer.request_id}",
                         format_func=lambda one: f"{one + 1} · {where(hits[one])}")  # fmt: skip
    hit = hits[place]
    sentences = _sentences(hit)
    best = max(range(len(sentences)), key=lambda one: hit.marks[one] if one < len(hit.marks) else 0.0)
    marked = st.radio("Which sentence answers the question?", sentences, best, format_func=passage,
                      key=f"mark-sentence-{answer.request_id}-{hit.chunk_id}")  # fmt: skip
    with st.container(horizontal=True):
        st.button("This sentence answers it", type="primary", key="mark-yes", disabled=not who, on_click=_mark,
                  args=(answer, who, hit, marked))  # fmt: skip
        st.button("None does: not in the documents", key="mark-no", disabled=not who, on_click=_mark,
                  args=(answer, who, None, ""), help="Right not to answer. Also saved as a label.")  # fmt: skip


def _sentences(hit: RetrievedChunk) -> list[str]:
    """Return the sentences of a passage, as the document has them."""
    texts = [hit.content[start:end].strip() for start, end in hit.sentences]
    return [one for one in texts if one] or [hit.content]


def _mark(answer: Answer, who: str, hit: RetrievedChunk | None, sentence: str) -> None:
    """Keep as labels that a sentence answers a question, or that none does."""
    verdicts = {"answer": "correct" if hit is None and answer.answer is None else "wrong",
                "answerable": "no" if hit is None else "yes"}  # fmt: skip
    labelling.judge(answer, who, verdicts, [hit.rank] if hit else [], sentence=sentence)
    state.put(_OPEN, None)
    state.put(state.TOLD, "Saved as a label, which is used to fit the gate and train the reader.")


# --- to a test set -----------------------------------------------------------------------------------------------


def _draw_keeping(candor: Candor, group: Group, labels: Sequence[bool]) -> None:
    """Draw the test set that a question is put into, and whether the documents answer it."""
    names = [path.name for path in datasets_in(candor.settings.data_dir) if not (path / "documents").is_dir()]
    labelled = {True: "Yes", False: "No", None: "Not known"}
    name = st.selectbox("Test set", names or ["unanswered"], key="keep-name", accept_new_options=True, width=320,
                        help="A test set without documents: its questions use the current index.")  # fmt: skip
    told = st.segmented_control("Do the documents answer it?", [*labelled.values()], key="keep-label", required=True,
                                default=labelled[labels[0] if labels else None])  # fmt: skip
    answerable = {said: value for value, said in labelled.items()}[told or "Not known"]
    st.button("Add it", type="primary", key="keep-add", icon=":material/playlist_add:", on_click=_keep,
              args=(candor, group.questions[0], str(name or ""), answerable))  # fmt: skip


def _keep(candor: Candor, one: Unanswered, name: str, answerable: bool | None) -> None:
    """Put a question into a test set, with the places that were marked."""
    lines = {line["qid"]: line for line in labelling.labelled_questions(candor, only=[one.request_id])}
    gold = lines[one.request_id]["gold"] if answerable and one.request_id in lines else ()
    with components.telling():
        given = {"qid": one.request_id, "question": one.question, "answerable": answerable, "kind": "unanswered"}
        kept = add_question(candor.settings.data_dir, name, Question.model_validate({**given, "gold": gold}))
        state.put(_OPEN, None)
        held = f"{kept.name} holds {several(len(kept.questions), 'question')}"
        state.put(state.TOLD, f"{held}: run it on Evaluate, under New run.")
