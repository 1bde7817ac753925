"""House words: what is put into a question, what a file of them may hold, and what an answer says of it."""

from dataclasses import replace

import pytest
from questions import ask
from readers import knowing

from rag.asking.house_words import readings
from rag.errors import InvalidQuery
from rag.models import HouseWord
from rag.workspace.house_words import as_csv, checked, of_csv

WORDS = (
    HouseWord(word="PPE", means="personal protective equipment"),
    HouseWord(word="sheet", means="safety data sheet"),
    HouseWord(word="IT", means="information technology"),
    HouseWord(word="PM", means="preventive maintenance"),
    HouseWord(word="PM", means="project manager"),
)


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Which ppe is worn?", ["Which personal protective equipment is worn?"]),
        ("Where are the PPE's and sheets?", ["Where are the personal protective equipment and safety data sheet?"]),
        ("Who pays for personal protective equipment?", ["Who pays for PPE?"]),
        ("Who is the PM?", ["Who is the preventive maintenance?", "Who is the project manager?"]),
        ("Is it IT?", ["Is it information technology?"]),
        ("Where is the safety data sheet?", []),  # an ordinary word is put in for nothing
        ("What is information technology?", []),
        ("Where is the bedsheet of PPEople?", []),
        ("How deep is the snow?", []),
    ],
)
def test_other_names_of_a_thing_are_put_in_where_its_name_stands_as_a_whole(question, read):
    assert [one.question for one in readings(question, WORDS)] == read


def test_a_file_of_house_words_is_read_back_as_it_was_written():
    words = [checked("PPE", "gear,  protective", by="ada"), checked("C/A", 'the "canteen"')]

    assert of_csv(as_csv(words)) == words
    assert of_csv("\ufeffPPE;protective gear\n\nSDS;safety data sheet;bo\n", by="ada") == [
        checked("PPE", "protective gear", by="ada"),
        checked("SDS", "safety data sheet", by="bo"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no house words"),
        ("word,means\n", "holds no house words"),
        ("PPE,gear\nSDS\n", "Line 2, 'SDS', has one column"),
        ("PPE,ppe\n", "'PPE' cannot be its own meaning"),
        ("P,gear\n", "House word 'P': word"),
    ],
)
def test_a_file_that_is_none_of_house_words_is_refused_with_the_line(text, told):
    with pytest.raises(InvalidQuery, match=told):
        of_csv(text)


ASKED = "Which skin cover does dichloromethane need?"
LONG = "Which gloves does dichloromethane need?"
VISITORS = "Where are visitors signed in?"
SKIN = HouseWord(word="skin cover", means="gloves")
LAMINATE = "laminate gloves are required"


def with_words(pipeline, answers):
    return replace(pipeline, reader=knowing(answers), house_words=lambda: [SKIN])


@pytest.mark.parametrize(
    ("found_by", "options", "asked"),
    [(LONG, {}, LONG), (ASKED, {}, None), (LONG, {"as_asked": True}, None)],  # no more is found, or none are wanted
)
def test_the_reading_with_house_words_is_kept_where_it_finds_more_and_the_answer_says_so(
    pipeline, found_by, options, asked
):
    answer = ask(with_words(pipeline, {found_by: LAMINATE}), ASKED, **options)

    assert (answer.query.question, answer.asked) == (ASKED, asked)
    assert (LAMINATE in " ".join((answer.answer or "").split())) == ("as_asked" not in options)
    assert answer.house_words == (("skin cover = gloves",) if asked else ())
    read_as = [note for note in answer.notes if note.startswith("Read as")]
    assert read_as == ([f"Read as: {LONG} (house word: skin cover)"] if asked else [])


def test_each_of_two_questions_in_one_is_read_with_house_words(pipeline):
    answer = ask(with_words(pipeline, {LONG: LAMINATE, VISITORS: "signs in"}), f"{ASKED} {VISITORS}")

    assert answer.notes[0] == f"Read as: {LONG} {VISITORS} (house word: skin cover)"
