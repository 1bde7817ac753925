"""The questions that got no good answer: alike ones together, each with what can be done about it."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dashboard import components, jobs, judging, labelling, links, queries, resources, state
from dashboard.jobs import Job
from dashboard.words import SPANS, first_of, md, passage, several, since, where
from rag.candor import MOST_LIKENED, Candor
from rag.evaluation.agreement import verdict_of_most
from rag.evaluation.datasets import Question
from rag.evaluation.testset import add_question, datasets_in
from rag.models import Answer, RetrievedChunk
from rag.protocols import Vector
from rag.records.unanswered import Group, Unanswered, Why, grouped, wordings
from rag.text.words import fold

WHY: dict[Why, str] = {"refused": "Refused", "unsure": "Unsure", "judged_bad": "Thumb down",
                       "sentences_dropped": "Sentences dropped"}  # fmt: skip
REASONS: dict[str, str] = {**{name: f"{told[0].lower()}{told[1:]}" for name, told in judging.REASONS.items()},
           "should_have_answered": "should have been answered"}  # fmt: skip
AT_ONCE = 64  # so many new questions are likened while the page is drawn; more in the background
_KIND, _BATCH = "liken-questions", 64
_SHOWN, _NAMED = 15, 4  # how many groups are drawn at first, and how many wordings and notes of each
_OPEN = "unanswered_open"  # session: what is open of which group
_MORE = "unanswered_more"  # session: how many groups are drawn beside the first


def draw(candor: Candor) -> None:
    """Draw the questions without a good answer in groups, with their filters."""
    if not candor.settings.record_answers:
        st.info(
            "CANDOR_RECORD_ANSWERS is false: the words of questions are not kept, so questions asked since then are "
            "missing here. Monitor counts it. Set it to true to see it from now on.", icon=":material/visibility_off:",
        )  # fmt: skip
    found = queries.without_answer(candor)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        span = links.choose("Asked within", SPANS, key="since", default="30 days", required=True)
        why = {*st.pills("Why", [*WHY], selection_mode="multi", format_func=lambda one: WHY[one], key="unanswered_why")}
        is_aside = st.toggle("Dismissed", key="unanswered_aside")
    links.draw_invalid("since", where="above")
    begin = since(span)
    chosen = [one for one in found if begin is None or one.timestamp >= begin]
    groups = grouped(chosen, _vectors(candor, wordings(found)), candor.wiring.recorder.dismissed())
    aside = sum(group.dismissed for group in groups)
    shown = [one for one in groups if one.dismissed == is_aside and (not why or why & one.why.keys())]
    if not shown:
        told = "Questions come here that were refused, that left Candor unsure, or whose answer somebody called bad."
        title = "Nothing was dismissed" if is_aside else "No question is waiting"
        components.empty_state(title, told, icon=":material/task_alt:")
        return
    times = sum(group.times for group in shown)
    told = f"**{several(len(shown), 'question')}**, asked {several(times, 'time')}; similar ones are grouped."
    st.caption(told if is_aside or not aside else f"{told} {aside} dismissed.")
    labels = verdict_of_most(candor.wiring.sessions.labels.list(aspect="answerable"), "answerable")
    most = _SHOWN + state.get(_MORE, 0)
    for group in shown[:most]:
        _draw_group(candor, group, [labels[one.request_id] for one in group.questions if one.request_id in labels])
    if len(shown) > most:
        st.button(f"Show more of {len(shown)}", icon=":material/expand_more:", on_click=state.put,
                  args=(_MORE, state.get(_MORE, 0) + _SHOWN))  # fmt: skip


def _vectors(candor: Candor, questions: Sequence[str]) -> dict[str, Vector]:
    """Return the vectors by which questions are likened: a few are made now, many in the background."""
    wanted = questions[:MOST_LIKENED]
    found = candor.vectors(wanted, most_new=0 if jobs.running_of(_KIND) else AT_ONCE)
    if missing := [one for one in wanted if one not in found]:

        def liken(job: Job) -> None:
            for done in range(0, len(missing), _BATCH):
                job.tell(done, len(missing), f"{done} of {several(len(missing), 'question')}")
                candor.vectors(missing[done : done + _BATCH])

        jobs.work_on(_KIND, several(len(missing), "question"), liken, title="Questions could not be grouped",
                          told="Grouping similar questions")  # fmt: skip
    return found


def _draw_group(candor: Candor, group: Group, labels: Sequence[bool]) -> None:
    key, opened = group.questions[-1].request_id, state.get(_OPEN)
    asked = "asked once" if group.times == 1 else f"asked {group.times} times, last"
    facts = [f"{asked} {group.last.astimezone(components.zone()):%Y-%m-%d}"]
    facts += [f"{WHY[name].lower()}{f' {count} times' if count > 1 else ''}" for name, count in group.why.items()]
    if labels:
        facts.append(f":material/label: judged: {'the documents answer it' if labels[0] else 'not in the documents'}")
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{md(group.question)}**")
        st.caption(" · ".join(facts))
        others = [f"“{md(one)}”" for one in wordings(group.questions) if fold(one) != fold(group.question)]
        if others:
            st.caption(f"Also: {first_of(others, _NAMED)}")
        for one in [one for one in group.questions if one.reason or one.note][:_NAMED]:
            told = [REASONS.get(one.reason, md(one.reason)), f"“{md(one.note)}”" if one.note else ""]
            st.caption(f":material/thumb_down: {': '.join(filter(None, told))}")
        with st.container(horizontal=True, vertical_alignment="center"):
            _draw_buttons(group, key)
        if opened == (key, "mark"):
            _draw_marking(candor, group)
        elif opened == (key, "keep"):
            _draw_keeping(candor, group, labels)


def _draw_buttons(group: Group, key: str) -> None:
    if state.get(state.MAY_CHANGE):
        components.page_link("pages/documents.py", "Add a document", icon=":material/upload_file:")
    for what, label, icon in (("mark", "Should have been answered", ":material/ink_highlighter:"),
                              ("keep", "To a test set", ":material/playlist_add:")):  # fmt: skip
        is_open = state.get(_OPEN) == (key, what)
        st.button(label, key=f"{what}-{key}", icon=icon, type="tertiary", on_click=state.put,
                  args=(_OPEN, None if is_open else (key, what)))  # fmt: skip
    told = "It is open again." if group.dismissed else "Dismissed. Use the switch above to show it and take it back."
    ids, recorder = [one.request_id for one in group.questions], resources.get_candor().wiring.recorder
    dismiss = partial(recorder.dismiss, ids, by=labelling.labeller(), dismissed=not group.dismissed)
    st.button("Take back" if group.dismissed else "Dismiss", key=f"dismiss-{key}", type="tertiary",
              icon=":material/undo:" if group.dismissed else ":material/visibility_off:",
              on_click=components.tell, args=(told, dismiss))  # fmt: skip
    newest = group.questions[0]
    components.page_link("pages/ask.py", "Ask again", icon=":material/replay:",
                         params={state.QUESTION: newest.question})  # fmt: skip

    def inspect() -> None:
        state.put(state.PART, "Requests")
        state.put_url(state.REQUEST, newest.request_id)

    st.button("Inspect", key=f"inspect-{key}", icon=":material/search_insights:", type="tertiary", on_click=inspect)


def _draw_marking(candor: Candor, group: Group) -> None:
    recorded = (candor.wiring.recorder.read_answer(one.request_id) for one in group.questions[:5])
    answer = next(filter(None, recorded), None)
    if answer is None or not answer.retrieved:
        st.info("What was found for it is not recorded: ask it again, then mark the sentence.", icon=":material/info:")
        return
    who = labelling.who()
    hits = answer.retrieved
    place = st.selectbox("Passage", range(len(hits)), key=f"mark-passage-{answer.request_id}",
                         format_func=lambda one: f"{one + 1} · {where(hits[one])}")  # fmt: skip
    hit = hits[place]
    sentences = [one for start, end in hit.sentences if (one := hit.content[start:end].strip())] or [hit.content]
    best = max(range(len(sentences)), key=lambda one: hit.marks[one] if one < len(hit.marks) else 0.0)
    marked = st.radio("Which sentence answers the question?", sentences, best, format_func=passage,
                      key=f"mark-sentence-{answer.request_id}-{hit.chunk_id}")  # fmt: skip
    if not who:
        st.caption("Enter your name above: it is kept with the label.")
    with st.container(horizontal=True):
        st.button("This sentence answers it", type="primary", key="mark-yes", disabled=not who, on_click=_mark,
                  args=(answer, who, hit, marked))  # fmt: skip
        st.button("None does: not in the documents", key="mark-no", disabled=not who, on_click=_mark,
                  args=(answer, who, None, ""), help="Right not to answer. Also saved as a label.")  # fmt: skip


def _mark(answer: Answer, who: str, hit: RetrievedChunk | None, sentence: str) -> None:
    verdicts = {"answer": "correct" if hit is None and answer.answer is None else "wrong",
                "answerable": "no" if hit is None else "yes"}  # fmt: skip
    labelling.judge(answer, who, verdicts, [hit.rank] if hit else [], sentence=sentence)
    _close("Saved as a label, which is used to fit the gate and train the reader.")


def _close(told: str) -> None:
    st.session_state.update({_OPEN: None, state.TOLD: told})


def _draw_keeping(candor: Candor, group: Group, labels: Sequence[bool]) -> None:
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
    lines = {line["qid"]: line for line in labelling.labelled_questions(candor, only=[one.request_id])}
    gold = lines[one.request_id]["gold"] if answerable and one.request_id in lines else ()
    with components.telling():
        given = {"qid": one.request_id, "question": one.question, "answerable": answerable, "kind": "unanswered"}
        kept = add_question(candor.settings.data_dir, name, Question.model_validate({**given, "gold": gold}))
        held = f"{kept.name} holds {several(len(kept.questions), 'question')}"
        _close(f"{held}: run it on Evaluate, under New run.")
