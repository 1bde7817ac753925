"""The pipeline where a model speaks: what it invents, how it fails, how it is left."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest
from ollama_server.brains import ScriptedBrain
from ollama_server.server import Fault, OllamaServer
from passages import hit
from questions import GLOVES, OFF_TOPIC, SURE, TRUTH, ask, ask_model, log, spoken
from questions import SHOWN_TRUTH as SHOWN
from readers import ScriptedReader, knowing
from recorded import LOG_KEYS

from rag.asking.talk import BEGINNING
from rag.events import Finished
from rag.models import Query
from rag.protocols import Verdict
from rag.speaking.entailment import EntailmentCheck
from rag.speaking.speaker import Asking, EndKept, Speaker
from rag.speaking.summarise import summed_up_or_why


def test_a_model_that_answers_speaks_and_is_named_and_what_it_invents_is_dropped(pipeline):
    said = f"{TRUTH} They cost 4711 euros in Ulan Bator. [1]"
    answer = ask_model(pipeline, said, **SURE)
    assert answer.answer == SHOWN
    assert (answer.generator.name, answer.generator.model) == ("ollama", "scripted:1b")
    assert [sentence.supported for sentence in answer.grounding.sentences] == [True, False]
    assert not answer.grounding.is_valid
    assert None not in (answer.prompt, answer.timings_ms.prompt)
    assert answer.fingerprints.prompt != ""
    assert (answer.draft.finish_reason, answer.draft.completion_tokens) == ("stop", len(said.split()))
    best = answer.grounding.sentences[0]
    assert answer.confidence == pytest.approx(best.support * best.relevance)
    invented = "Gloves of dragon leather are required. [1]"
    quoted = ask_model(pipeline, invented, **SURE)
    assert (quoted.generator.name, quoted.replaced.text) == ("extractive", invented)
    assert "dragon" not in quoted.answer
    assert quoted.generator.fallback_reason == "The model's text did not pass the check against the passages."
    assert any("quoted from the documents" in note for note in quoted.notes)


def test_a_model_is_asked_about_passages_that_the_gate_is_unsure_of_and_nothing_is_quoted(pipeline):
    doubting = {"confidence_threshold": 0.5, "unsure_threshold": 0.0}
    reader = ScriptedReader(lambda question, text: 0.9 if text.startswith("For dichloromethane") else 0.4)
    answered = ask_model(pipeline, TRUTH, reader=reader, **doubting)
    unsure = ask_model(pipeline, "Gloves of silk will do. [1]", reader=reader, **doubting)
    silent = ask(pipeline, GLOVES, no_llm=True, confidence_threshold=1.0, unsure_threshold=0.0)
    assert (answered.outcome, answered.generator.name) == ("answered", "ollama")
    assert [(one.outcome, one.answer) for one in (unsure, silent)] == [("unsure", None)] * 2


def test_a_model_that_repeats_itself_is_stopped_whatever_the_number_of_a_line(pipeline):
    answer = ask_model(pipeline, f"{TRUTH} " * 15, **SURE)
    assert answer.answer == SHOWN
    assert 3 <= answer.draft.text.count(TRUTH) < 15
    looped = ask_model(pipeline, f"{TRUTH}\n" + "".join(f"{n}. Laminate gloves.\n" for n in range(53, 90)), **SURE)
    assert looped.draft.text.count("Laminate") < 10
    assert looped.answer.count("Laminate gloves.") <= 1


def test_a_question_that_is_left_is_logged_as_stopped_and_one_that_is_answered_is_not(pipeline):
    left, answered = (pipeline.stream(pipeline.query(GLOVES, **SURE)) for _ in range(2))
    next(left)
    left.close()
    while not isinstance(next(answered), Finished):
        pass
    answered.close()  # the answer is there: whoever leaves now has stopped nothing
    lines = log(pipeline)
    (stopped,) = [line for line in lines if line["event"] == "question_stopped"]
    assert tuple(stopped) == LOG_KEYS
    assert (stopped["level"], stopped["component"], stopped["error"]) == ("INFO", "api", None)
    assert stopped["data"].pop("processing_time_ms") > 0
    assert stopped["data"] == {"outcome": "stopped", "stages": ["validate", "embed", "retrieve", "read", "gate"]}
    assert [line["event"] for line in lines].count("answer_returned") == 1


BEFORE, AFTER = "Which gloves are worn with ethers?", "And with dichloromethane?"
ALONE = "Which gloves does dichloromethane need?"


@pytest.mark.parametrize(
    ("text", "found_by"),
    [
        (f'Rewritten: "{ALONE}"\nI hope this helps.', ALONE),
        ("", AFTER),
        ("Which gloves does 1,2-dichloroethane need?", AFTER),  # numbers that neither question has
        (AFTER, AFTER),  # the same question
    ],
)
def test_a_follow_up_is_read_as_the_model_rewrites_it_where_that_finds_more_and_can_be_it(pipeline, text, found_by):
    reader = knowing({found_by: "laminate gloves are required"})
    says = lambda question, passages: TRUTH if passages else text  # noqa: E731
    answer = ask_model(pipeline, says, AFTER, reader=reader, previous=BEFORE)
    assert (answer.answer, answer.query.question) == (SHOWN, AFTER)
    assert answer.asked == (ALONE if found_by == ALONE else None)
    assert answer.notes[:1] == ((f"Read as: {ALONE}",) if found_by == ALONE else ())
    allowed = {AFTER, BEFORE, f"{BEFORE} {AFTER}", found_by}
    assert {question for question, _ in reader.calls} <= allowed


SUM_UP = "Please summarise section 4.2 of the textbook"


def first_sentences(passages, *, step=1):
    """Say the first sentence of each passage, or of one in so many, and something that none says."""
    told = [(number, passage.strip().splitlines()[-1].split(". ")[0]) for number, passage in enumerate(passages, 1)]
    return " ".join([*(f"{text}. [{number}]" for number, text in told[::step]), "Glaciers are made of cheese. [1]"])


def test_a_model_sums_up_the_section_that_is_asked_for_and_every_sentence_is_checked(pipeline):
    answer = ask_model(pipeline, lambda question, passages: first_sentences(passages), SUM_UP)
    assert (answer.outcome, answer.generator.name) == ("answered", "ollama")
    assert answer.sentences
    assert "cheese" not in answer.answer
    assert {hit.document for hit in answer.retrieved} == {"textbook.md"}
    contents = {hit.chunk_id: " ".join(hit.content.split()) for hit in answer.retrieved}
    assert all(" ".join(cited.excerpt.split()) in contents[cited.chunk_id] for cited in answer.citations)


@pytest.mark.parametrize("fault", [Fault.NONE, Fault.SERVER_ERROR])
def test_where_the_summary_is_invented_or_the_model_fails_the_section_is_quoted_and_it_says_why(pipeline, fault):
    with OllamaServer(ScriptedBrain(lambda question, passages: "Glaciers are cheese. [1]"), fault=fault) as server:
        answer = ask(spoken(pipeline, server.url), SUM_UP)
    assert answer.generator.name == "extractive"
    assert answer.generator.fallback_reason
    assert BEGINNING in answer.notes


def test_a_question_may_name_another_model_and_none_is_asked_where_the_gate_refuses_or_nobody_wants_one(pipeline):
    with OllamaServer(ScriptedBrain(lambda question, passages: TRUTH, name="large:70b")) as server:
        other = spoken(pipeline, server.url).generator
        one = replace(pipeline, generator_named={"ollama/large:70b": other}.__getitem__)
        assert ask(one, OFF_TOPIC, model="ollama/large:70b").generator.name == "none"
        for quoting in ({}, {"model": "ollama/large:70b", "no_llm": True}):
            assert ask(one, GLOVES, **quoting, **SURE).generator.name == "extractive"
        assert server.exchanges == []
        answer = ask(one, GLOVES, model="ollama/large:70b", **SURE)
    assert (answer.generator.model, answer.query.model) == ("large:70b", "ollama/large:70b")


def test_a_summary_that_takes_too_long_is_made_of_the_parts_read_so_far_and_says_how_many(monkeypatch):
    asked = []

    def stream(prompt, **options):
        asked.append(len(prompt.retrieved_chunks))
        yield " ".join(f"{one.content} [{n}]" for n, one in enumerate(prompt.retrieved_chunks, 1))

    monkeypatch.setattr("rag.speaking.summarise.monotonic", iter([0.0, 1.0, 99.0]).__next__)
    model = SimpleNamespace(name="ollama", away=None, model=lambda: None, stream=stream)
    clock = SimpleNamespace(stage=lambda name: nullcontext({}))
    denying = SimpleNamespace(name="denying", judge=lambda pairs: [Verdict(0.0, 0.0) for _ in pairs])
    hits = tuple(hit(f"Door {n} of the north wing is painted green.", rank=n) for n in range(1, 31))
    speaker = Speaker(model, EntailmentCheck(denying), None, 8192, "error")  # what stands word for word is carried
    asking = Asking(model, None, Query(question="Sum it up."), clock)
    events = EndKept(summed_up_or_why(speaker, asking, hits, 60))
    list(events)
    said, why = events.end
    assert (asked, why) == ([6, 6, 8], None)  # two parts, and four notes of each
    assert [one.passages for one in said.grounding.sentences] == [(n,) for n in (1, 2, 3, 4, 7, 8, 9, 10)]
    assert said.notes[0].startswith("This summary covers the first 12 of 60 passages, 20%.")
